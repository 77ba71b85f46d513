/* SPDX-License-Identifier: GPL-2.0 */
/* These are random numbers for fuzzers; each thread has its own. */
#ifndef GPUVM_SELFTEST_RANDOM_H
#define GPUVM_SELFTEST_RANDOM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static __thread uint64_t random_state;

static inline uint64_t any(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static inline void seed_random(uint64_t seed)
{
	random_state = seed * 0x9e3779b97f4a7c15ULL | 1;
	for (int i = 0; i < 20; i++)
		any();
}

static inline uint64_t below(uint64_t n)
{
	return (any() >> 20) % n;
}

static inline bool one_in(unsigned int n)
{
	return !below(n);
}

/* Reads a number from the environment, which tells fuzzers what to do. */
static inline long setting(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? atol(text) : otherwise;
}

#endif
