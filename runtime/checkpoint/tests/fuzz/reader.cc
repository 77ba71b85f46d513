// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// libFuzzer runs this: any file is read or refused with a reason. Each is read once more with the checksums of its heads
// and indexes made right, so that the checks behind those are reached. What could be read can be written to, and is then
// read as it was.
#include "checkpoint/tests/fuzz/right_sums.h"
#include "checkpoint/tests/memory_file.h"
#include "checkpoint/writer.h"

#include <cstdlib>

using namespace het::checkpoint;

namespace
{

constexpr uint64_t most_pages = 1 << 12;

// Returns a sum of what all pages hold, or 0 if there are some that can't be read.
uint64_t look_at_all(memory_file &f, const contents &c)
{
	uint64_t all = 1;
	std::byte read[page_size];
	for (const item &i : c.all()) {
		for (uint64_t p = 0; p < i.npages(); p++) {
			fault why;
			if (read_pages(f, i, p, 1, read, why) != outcome::done) {
				if (!*why.text)
					abort();
				return 0;
			}
			all = all * 31 + i.pages[p].sum;
		}
	}
	return all;
}

void read(const image &i)
{
	memory_file f(i);
	contents c;
	c.most_pages = most_pages;
	log_state s;
	fault why;
	if (read_log(f, c, s, why) != outcome::done) {
		if (!*why.text)
			abort();
		return;
	}
	const uint64_t all = look_at_all(f, c);
	generation_writer w(f, s, 0);
	for (const item &item : c.all()) {
		if (!w.add_item(item.name, item.nbytes, why))
			abort();
	}
	if (!w.finish(c, s, why) || (all && look_at_all(f, c) != all))
		abort();
	contents again;
	log_state read_again;
	if (read_log(f, again, read_again, why) != outcome::done || read_again.generation != s.generation ||
	    again.stored_bytes() != c.stored_bytes())
		abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const bytes given = std::as_bytes(std::span(data, size));
	image i(given.begin(), given.end());
	read(i);
	make_sums_right(i);
	read(i);
	return 0;
}
