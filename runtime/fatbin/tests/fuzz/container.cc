// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// libFuzzer runs this: any file is read or refused with a reason, and nothing beside it is touched. Each is read once
// more with a right checksum, so that the checks behind that are reached.
#include "fatbin/apart.h"
#include "fatbin/checksum.h"
#include "fatbin/pick.h"
#include "fatbin/reach.h"

#include <cstddef>
#include <cstdlib>
#include <vector>

using namespace het::fatbin;

namespace
{

constexpr uint64_t most_of_32_bits = (uint64_t{1} << 31) - 1;

// Whatever a reach says, its pieces must be those of a launch.
void find_all_pieces(const kernel &k, const argument &a)
{
	for (unsigned along = 0; along < 2; along++) {
		pieces p;
		if (find_pieces(a, k.dimensions, {{64, along ? 64u : 1, 1}, {7, 3, 0}, along}, 1 << 20, {64, 64}, p) &&
		    (!p.count || !p.length))
			abort();
	}
}

// The text was checked when the file was read, but the numbers of arguments may be any.
void judge_launches(const kernel &k)
{
	constexpr int64_t numbers[] = {0, 64, -1, INT64_MAX, INT64_MIN, int64_t{1} << 31};
	std::vector<known_number> arguments(k.narguments);
	for (size_t i = 0; i < arguments.size(); i++)
		arguments[i] = {true, numbers[i % std::size(numbers)]};
	keeps_groups_apart(k.apart, {{64, 48, 4}, {16, 16, 2}, {0, 0, 7}}, arguments);
	keeps_groups_apart(k.apart, {{most_of_32_bits, 1, 1}, {1, 1, 1}, {0, 0, 0}}, arguments);
}

size_t length_of_all(const container &c)
{
	size_t n = 0;
	for (uint32_t i = 0; i < c.nkernels(); i++) {
		kernel k = c.kernel(i);
		n += strlen(k.name) + strlen(k.split_reason);
		for (uint32_t a = 0; a < k.narguments; a++)
			n += strlen(c.argument(k, a).name) + strlen(c.argument(k, a).type);
		judge_launches(k);
		for (uint32_t a = 0; a < k.narguments; a++)
			find_all_pieces(k, c.argument(k, a));
		kernel found;
		if (!c.find(k.name, found) || strcmp(found.name, k.name) != 0)
			abort();
	}
	return n;
}

void read(bytes file)
{
	container c;
	fault why;
	if (!c.open(file, why)) {
		if (!*why.text)
			abort();
		return;
	}
	if (length_of_all(c) > file.size() * file.size())
		abort();
	for (uint32_t i = 0; i < c.nimages(); i++) {
		image m = c.image(i);
		bytes data;
		if (c.contents(m, data, why) ? data.size() != m.size : !*why.text)
			abort();
	}
	image best;
	if (pick(c, {"a; b; c", 1, 2, true}, 0, best) && !best.is_there())
		abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	std::vector<std::byte> file(size);
	if (size)
		memcpy(file.data(), data, size);
	read(file);
	elf_sections elf;
	bytes directory;
	fault why;
	if (!elf.open(file, why) || !elf.contents(elf.find(directory_section), directory) ||
	    directory.size() < sizeof(head))
		return 0;
	uint64_t sum = checksum(directory.subspan(offsetof(head, major)));
	memcpy(const_cast<std::byte *>(directory.data()) + offsetof(head, checksum), &sum, sizeof(sum));
	read(file);
	return 0;
}
