// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/inject.h"

#ifdef HET_INJECT

#include "os/clock.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

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

bool is_mutant(const char *name)
{
	const char *text = getenv("HET_MUTANT");
	return text && !strcmp(text, name);
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

bool mutant_nolock()
{
	static const bool on = is_mutant("nolock");
	return on;
}

bool mutant_gone_early()
{
	static const bool on = is_mutant("hasty");
	return on;
}

bool mutant_shown_early()
{
	static const bool on = is_mutant("early");
	return on;
}

bool mutant_written_as_read()
{
	static const bool on = is_mutant("unseen");
	return on;
}

bool mutant_told_early()
{
	static const bool on = is_mutant("told");
	return on;
}

bool mutant_void_counts()
{
	static const bool on = is_mutant("void");
	return on;
}

bool mutant_begin_does_not_wait()
{
	static const bool on = is_mutant("unwaited");
	return on;
}

bool mutant_sends_unprotected()
{
	static const bool on = is_mutant("writable");
	return on;
}

} // namespace het

#endif
