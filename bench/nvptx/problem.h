/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* The four programs of Monakov and Ivanishin's paper, and what every way of writing them implements. */
#pragma once

#include "steps.h"

#include <time.h>

/*
 * teams: blocks, gangs. threads: of a team, workers; each has the lanes of a warp if simd is set, else one lane does
 * the work. What a, b and out hold: problems in main.c.
 */
struct problem {
	int n, teams, threads, simd, repeats;
	float *a, *b, *out;
	double *seconds; /* of each repetition, on data that lies on the device */
};

/* 0, or -1 after a message. */
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
