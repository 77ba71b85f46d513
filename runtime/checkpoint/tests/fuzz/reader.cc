// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// libFuzzer runs this: any file is read or refused with a reason. Each is read once more with the checksums of its
// heads and indexes made right, so that the checks behind those are reached. What could be read can be written to, and
// is then read as it was. Launches in it are read, or the bytes themselves as such.
#include "checkpoint/launches.h"
#include "checkpoint/tests/fuzz/right_sums.h"
#include "checkpoint/tests/memory_file.h"
#include "checkpoint/writer.h"

#include <cstdlib>

using namespace het;
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

// Looks at all that who launches it again looks at.
void read_launches(bytes all)
{
	launch_list l;
	fault why;
	if (l.open(all, why) != outcome::done) {
		if (!*why.text)
			abort();
		return;
	}
	size_t before = 0, argument = 0, sum = 0;
	for (size_t n = 0; n < l.head().ncommands; n++) {
		const launch_command c = l.command(n);
		if (c.kernel != no_kernel)
			sum += strlen(l.text(l.kernel(c.kernel).name)) +
			       strlen(l.text(l.program(l.kernel(c.kernel).program).name));
		for (size_t end = before + c.nbefore; before < end; before++)
			sum += l.command(l.before(before)).flags;
		for (size_t end = argument + c.nargs; argument < end; argument++) {
			const launch_argument a = l.argument(argument);
			if (a.kind == argument_kind::memory)
				sum += strlen(l.text(l.item(a.item).name));
			else if (a.kind == argument_kind::value)
				sum += fatbin::checksum({static_cast<const std::byte *>(l.value(a)), a.nbytes});
		}
	}
	[[maybe_unused]] volatile size_t is_looked_at = sum;
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
	if (const item *launches = c.find(launches_name)) {
		image bytes(launches->nbytes);
		if (read_pages(f, *launches, 0, launches->npages(), bytes.data(), why) == outcome::done)
			read_launches(bytes);
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
	read_launches(given);
	read(i);
	make_sums_right(i);
	read(i);
	return 0;
}
