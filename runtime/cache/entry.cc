// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "cache/entry.h"

#include "fatbin/checksum.h"
#include "os/clock.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <unistd.h>

namespace het::cache
{

using fatbin::checksum;
using fatbin::cut;
using fatbin::load;

namespace
{

constexpr char magic[8] = {'h', 'e', 't', 'e', 'n', 't', 'r', 'y'};
constexpr uint32_t version = 1;
constexpr char temporary[] = "new";
constexpr size_t digits = 16;

struct header {
	char magic[8];
	uint32_t version;
	uint32_t nparts;
	uint64_t value_size;
	uint64_t value_sum;
};

template <class T> bytes image_of(const T &object)
{
	return std::as_bytes(std::span(&object, 1));
}

uint64_t sum_of(std::span<const bytes> parts)
{
	uint64_t sum = 0;
	for (bytes p : parts) {
		const uint64_t so_far[] = {sum, p.size(), checksum(p)};
		sum = checksum(image_of(so_far));
	}
	return sum;
}

entry_name name_with(const char *kind, uint64_t number)
{
	entry_name n;
	snprintf(n.text, sizeof(n.text), "%.40s-%016" PRIx64, kind, number);
	return n;
}

bool write_all(int fd, bytes from)
{
	while (!from.empty()) {
		ssize_t n = write(fd, from.data(), from.size());
		if (n < 0)
			return false;
		from = from.subspan(size_t(n));
	}
	return true;
}

} // namespace

entry_name name_of(const key &k)
{
	return name_with(k.kind, sum_of(k.parts));
}

entry_name temporary_name()
{
	const uint64_t moment[] = {uint64_t(gettid()), now_ns()};
	return name_with(temporary, checksum(image_of(moment)));
}

file_kind kind_of(const char *name)
{
	const char *dash = strrchr(name, '-');
	if (!dash || strlen(dash + 1) != digits || strspn(dash + 1, "0123456789abcdef") != digits)
		return file_kind::foreign;
	return std::string_view(name, dash) == temporary ? file_kind::temporary : file_kind::entry;
}

bool write_entry(int fd, const key &k, bytes value)
{
	header h = {{}, version, uint32_t(k.parts.size()), value.size(), checksum(value)};
	std::copy_n(magic, sizeof(magic), h.magic);
	if (!write_all(fd, image_of(h)))
		return false;
	for (bytes p : k.parts) {
		uint64_t size = p.size();
		if (!write_all(fd, image_of(size)) || !write_all(fd, p))
			return false;
	}
	return write_all(fd, value);
}

bool read_entry(bytes file, const key &k, bytes &value)
{
	header h;
	if (!load(file, 0, h) || !std::equal(magic, magic + sizeof(magic), h.magic) || h.version != version ||
	    h.nparts != k.parts.size())
		return false;
	size_t at = sizeof(h);
	for (bytes p : k.parts) {
		uint64_t size;
		bytes part;
		if (!load(file, at, size) || !cut(file, at + sizeof(size), size, part) || !std::ranges::equal(p, part))
			return false;
		at += sizeof(size) + size;
	}
	return cut(file, at, h.value_size, value) && at + h.value_size == file.size() && checksum(value) == h.value_sum;
}

} // namespace het::cache
