/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* Every way of writing the four programs of Monakov and Ivanishin's paper implements these functions. */
#pragma once

#include "steps.h"

#include <time.h>

/*
 * Blocks or gangs are teams, and a team has threads, which are its workers. Each thread has the lanes of a warp if simd
 * is set; else one lane does the work. The problems in main.c tell what a, b and out hold.
 */
struct problem {
	int n, teams, threads, simd, repeats;
	float *a, *b, *out;
	double *seconds; /* of each repetition, on data that lies on the device */
};

/* These return 0, or -1 after a message. */
int run_matvec(struct problem *p);
int run_newton(struct problem *p);
int run_dot(struct problem *p);
int run_vadd(struct problem *p);

extern const char variant_name[];

static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
