// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/given.h"

#include "ptx/input.h"

#include <cstdio>
#include <cstring>

namespace tool
{

using namespace het::ptx;

namespace
{

bool complain(const std::string &argument, const char *what)
{
	fprintf(stderr, "het-ptx: --arg %s: %s\n", argument.c_str(), what);
	return false;
}

template <typename T> bool append_number(std::string_view s, std::vector<uint8_t> *out)
{
	T v{};
	if (!number(s, &v))
		return false;
	out->resize(sizeof(T));
	memcpy(out->data(), &v, sizeof(T));
	return true;
}

bool read_value(type t, std::string_view s, std::vector<uint8_t> *out)
{
	switch (t) {
	case type::u8:
		return append_number<uint8_t>(s, out);
	case type::s8:
		return append_number<int8_t>(s, out);
	case type::u16:
		return append_number<uint16_t>(s, out);
	case type::s16:
		return append_number<int16_t>(s, out);
	case type::u32:
		return append_number<uint32_t>(s, out);
	case type::s32:
		return append_number<int32_t>(s, out);
	case type::u64:
		return append_number<uint64_t>(s, out);
	case type::s64:
		return append_number<int64_t>(s, out);
	case type::f32:
		return append_number<float>(s, out);
	case type::f64:
		return append_number<double>(s, out);
	default:
		return false;
	}
}

bool read_bytes(const std::string &file, std::vector<uint8_t> *out)
{
	std::string bytes;
	if (!read_file(file, &bytes))
		return false;
	out->assign(bytes.begin(), bytes.end());
	return true;
}

// Reads FIELD,FIELD...: arguments themselves, or pad:BYTES.
bool read_fields(const std::string &text, given *out)
{
	constexpr size_t most_padding = 1 << 20;
	out->is_struct = true;
	for (size_t at = 0; at <= text.size();) {
		size_t comma = std::min(text.find(',', at), text.size());
		auto one = text.substr(at, comma - at);
		given &field = out->fields.emplace_back();
		size_t padding = 0;
		if (one.starts_with("pad:")) {
			if (!number(std::string_view(one).substr(4), &padding) || padding > most_padding)
				return complain(one, "expected a number of bytes");
			field.value.resize(padding);
			field.alignment = 1;
		} else if (one.starts_with("struct:")) {
			return complain(one, "a structure has no structures: its fields can stand here");
		} else if (!read_argument(one, &field)) {
			return false;
		}
		at = comma + 1;
	}
	return true;
}

} // namespace

// Reads KIND:REST; see the manual page.
bool read_argument(const std::string &text, given *out)
{
	size_t colon = text.find(':');
	if (colon == text.npos)
		return complain(text, "expected KIND:VALUE");
	auto kind = text.substr(0, colon), rest = text.substr(colon + 1);
	if (kind == "struct")
		return read_fields(rest, out);
	if (kind == "bytes") {
		out->alignment = 1;
		return read_bytes(rest, &out->value);
	}
	if (type t = type_named(kind); t != type::none)
		return read_value(t, rest, &out->value) || complain(text, "not a number of this type");
	out->is_buffer = true;
	if (kind == "in" || kind == "inout") {
		out->written_to = kind == "inout" ? rest : "";
		return read_bytes(rest, &out->buffer);
	}
	size_t second = rest.rfind(':');
	uint64_t n = 0;
	constexpr uint64_t most = uint64_t{1} << 34;
	if (!number(std::string_view(rest).substr(second == rest.npos ? 0 : second + 1), &n) || n > most)
		return complain(text, "expected a size at the end");
	if (kind == "zero" && second == rest.npos) {
		out->buffer.resize(n);
	} else if (kind == "out" && second != rest.npos) {
		out->buffer.resize(n);
		out->written_to = rest.substr(0, second);
	} else if (kind == "show" && second != rest.npos) {
		out->shown = type_named(rest.substr(0, second));
		out->buffer.resize(n * bytes_of(out->shown));
	} else {
		return complain(text, "unknown kind");
	}
	return kind != "show" || bytes_of(out->shown) || complain(text, "unknown type");
}

std::vector<uint8_t> attach(given *g, simt::memory *mem, const std::string &name)
{
	if (g->is_buffer) {
		uint64_t address = mem->attach(g->buffer.data(), g->buffer.size(), name);
		g->value.resize(sizeof(address));
		memcpy(g->value.data(), &address, sizeof(address));
	}
	if (!g->is_struct)
		return g->value;
	std::vector<uint8_t> all;
	size_t widest = 1;
	auto align = [&](size_t to) { all.resize((all.size() + to - 1) / to * to); };
	for (given &field : g->fields) {
		auto bytes = attach(&field, mem, name);
		size_t alignment = field.alignment ? field.alignment : std::min(bytes.size(), sizeof(uint64_t));
		align(std::max<size_t>(alignment, 1));
		widest = std::max(widest, alignment);
		all.insert(all.end(), bytes.begin(), bytes.end());
	}
	align(widest);
	return all;
}

} // namespace tool
