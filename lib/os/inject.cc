// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/inject.h"

#ifdef HET_INJECT

#include "os/clock.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iterator>

namespace het
{

namespace
{

unsigned longest_delay_us()
{
	static const unsigned us = [] {
		const char *text = getenv("HET_DELAY_US");
		return text ? unsigned(atoi(text)) : 0u;
	}();
	return us;
}

// xorshift needs no lock and no shared state.
uint64_t random_bits()
{
	thread_local uint64_t x __attribute__((tls_model("initial-exec"))) = now_ns() | 1;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

// These are the names in the order of the mutants.
constexpr const char *names[] = {"nolock",       "hasty",           "early",         "unseen",          "voided",
				 "unwaited",     "writable",        "told",          "untimely",        "unheard",
				 "evicts_used",  "drops_only_copy", "keeps_written", "keeps_elsewhere", "keeps_failed",
				 "leaves_away",  "drops_written",   "skips_others",  "takes_used",      "takes_late",
				 "carries_early"};

// Returns the number of the mutant that the library is, or that of none.
size_t this_one()
{
	const char *wanted = getenv("HET_MUTANT");
	size_t i = 0;
	while (wanted && i < std::size(names) && strcmp(wanted, names[i]))
		i++;
	return wanted ? i : std::size(names);
}

} // namespace

void delay_point()
{
	unsigned longest = longest_delay_us();
	uint64_t r = random_bits();
	if (!longest || r % 4)
		return;
	timespec t{0, long((r >> 8) % longest) * 1000};
	nanosleep(&t, nullptr);
}

bool is_mutant(mutant m)
{
	static const size_t number = this_one();
	return number == size_t(m);
}

} // namespace het

#endif
