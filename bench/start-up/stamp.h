// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Both programs do this alike: they tell how far they are, and when.
#pragma once

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char empty_kernel[] = "kernel void nothing(void) {}\n";

static void stamp(const char *what)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	printf("%s %" PRIu64 "\n", what, (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec);
}

static void check(int err, const char *call)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %d\n", call, err);
	exit(1);
}
