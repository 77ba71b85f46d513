// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/fatbin.h"

#include "ptx/decompress.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tool
{

namespace
{

constexpr std::string_view magic = "\x50\xed\x55\xba";
constexpr uint16_t kind_ptx = 1;
constexpr uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000;
constexpr uint64_t most_bytes = uint64_t{1} << 30; // for one text

// nvcc 13 writes this, as a look at its files shows; earlier ones have the same form.
struct container {
	uint32_t magic;
	uint16_t version, header_size;
	uint64_t size; // that of the entries
};

struct entry {
	uint16_t kind, version;
	uint32_t header_size;
	uint64_t padded_size;
	uint32_t compressed_size, options;
	uint16_t minor, major;
	uint32_t target;
	uint64_t name, flags, zero;
	uint64_t size; // the size when it is not compressed
};

template <typename T> bool read(std::string_view bytes, size_t at, T *out)
{
	if (at > bytes.size() || bytes.size() - at < sizeof(T))
		return false;
	memcpy(out, bytes.data() + at, sizeof(T));
	return true;
}

// Texts end with zero bytes.
void keep(std::string text, fatbin_texts *out)
{
	text.erase(text.find_last_not_of('\0') + 1);
	out->texts.push_back(std::move(text));
}

void read_text(const entry &e, std::string_view data, fatbin_texts *out)
{
	if (!(e.flags & (flag_lz4 | flag_zstd)))
		return keep(std::string(data), out);
	std::string why = "it is damaged";
	auto packed = data.substr(0, e.compressed_size);
	std::optional<std::string> text;
	if (e.size < most_bytes)
		text = decompress(e.flags & flag_lz4 ? compression::lz4 : compression::zstd, packed, e.size, &why);
	if (text)
		keep(std::move(*text), out);
	else
		out->problems.push_back("the text for sm_" + std::to_string(e.target) + ": " + why);
}

// Returns where the container ends, or nothing if it is none.
size_t read_container(std::string_view bytes, size_t at, fatbin_texts *out)
{
	container c;
	if (!read(bytes, at, &c) || c.header_size < sizeof(c) || c.size > bytes.size() - at - sizeof(c))
		return 0;
	size_t end = std::min(at + c.header_size + size_t(c.size), bytes.size());
	entry e;
	for (at += c.header_size; at < end && read(bytes.substr(0, end), at, &e); at += e.header_size + e.padded_size) {
		if (e.header_size < sizeof(e) || e.header_size > end - at || e.padded_size > end - at - e.header_size)
			return 0;
		if (e.kind == kind_ptx)
			read_text(e, bytes.substr(at + e.header_size, e.padded_size), out);
	}
	return end;
}

} // namespace

fatbin_texts read_fatbins(std::string_view bytes)
{
	fatbin_texts out;
	for (size_t at = bytes.find(magic); at != bytes.npos; at = bytes.find(magic, at)) {
		size_t end = read_container(bytes, at, &out);
		at = end ? end : at + magic.size();
	}
	return out;
}

} // namespace tool
