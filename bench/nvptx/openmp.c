/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * These are OpenMP target regions. Without simd the 32 lanes of a warp do the same. With ONE_CORE they are the host's
 * loops to compare with, built without OpenMP but for simd.
 */
#include "problem.h"

#ifdef ONE_CORE
const char variant_name[] = "host";
#else
const char variant_name[] = "openmp";
#endif

static double matvec(const struct problem *p, const float *a, const float *b, float *out)
{
	int n = p->n, teams = p->teams, threads = p->threads;
	double begin = now();

	if (p->simd) {
#pragma omp target teams distribute parallel for num_teams(teams) num_threads(threads)
		for (int row = 0; row < n; row++) {
			float s = 0;
#pragma omp simd reduction(+ : s)
			for (int i = 0; i < n; i++)
				s += a[(long)row * n + i] * b[i];
			out[row] = s;
		}
	} else {
#pragma omp target teams distribute parallel for num_teams(teams) num_threads(threads)
		for (int row = 0; row < n; row++) {
			float s = 0;
			for (int i = 0; i < n; i++)
				s += a[(long)row * n + i] * b[i];
			out[row] = s;
		}
	}
	return now() - begin;
}

int run_matvec(struct problem *p)
{
	float *a = p->a, *b = p->b, *out = p->out;
	long n = p->n;

#pragma omp target data map(to : a[:n * n], b[:n]) map(from : out[:n])
	for (int r = 0; r < p->repeats; r++)
		p->seconds[r] = matvec(p, a, b, out);
	return 0;
}

#pragma omp declare target
static inline float square_root(float v)
{
	float x = v;

	for (int s = 0; s < NEWTON_STEPS; s++)
		x = 0.5f * (x + v / x);
	return x;
}
#pragma omp end declare target

static double newton(const struct problem *p, const float *a, float *out)
{
	int n = p->n, teams = p->teams, threads = p->threads;
	double begin = now();

	if (p->simd) {
#pragma omp target teams distribute parallel for simd num_teams(teams) num_threads(threads)
		for (int i = 0; i < n; i++)
			out[i] = square_root(a[i]);
	} else {
#pragma omp target teams distribute parallel for num_teams(teams) num_threads(threads)
		for (int i = 0; i < n; i++)
			out[i] = square_root(a[i]);
	}
	return now() - begin;
}

int run_newton(struct problem *p)
{
	float *a = p->a, *out = p->out;
	int n = p->n;

#pragma omp target data map(to : a[:n]) map(from : out[:n])
	for (int r = 0; r < p->repeats; r++)
		p->seconds[r] = newton(p, a, out);
	return 0;
}

static double dot(const struct problem *p, const float *a, const float *b, float *out)
{
	int n = p->n, teams = p->teams, threads = p->threads;
	double begin = now();
	float s = 0;

	if (p->simd) {
#pragma omp target teams distribute parallel for simd num_teams(teams) num_threads(threads) \
	reduction(+ : s) map(tofrom : s)
		for (int i = 0; i < n; i++)
			s += a[i] * b[i];
	} else {
#pragma omp target teams distribute parallel for num_teams(teams) num_threads(threads) reduction(+ : s) map(tofrom : s)
		for (int i = 0; i < n; i++)
			s += a[i] * b[i];
	}
	*out = s;
	return now() - begin;
}

int run_dot(struct problem *p)
{
	float *a = p->a, *b = p->b;
	int n = p->n;

#pragma omp target data map(to : a[:n], b[:n])
	for (int r = 0; r < p->repeats; r++)
		p->seconds[r] = dot(p, a, b, p->out);
	return 0;
}

static double vadd(const struct problem *p, const float *a, const float *b, float *out)
{
	int n = p->n, teams = p->teams, threads = p->threads;
	double begin = now();

	if (p->simd) {
#pragma omp target teams distribute parallel for simd num_teams(teams) num_threads(threads)
		for (int i = 0; i < n; i++)
			out[i] = a[i] + b[i];
	} else {
#pragma omp target teams distribute parallel for num_teams(teams) num_threads(threads)
		for (int i = 0; i < n; i++)
			out[i] = a[i] + b[i];
	}
	return now() - begin;
}

int run_vadd(struct problem *p)
{
	float *a = p->a, *b = p->b, *out = p->out;
	int n = p->n;

#pragma omp target data map(to : a[:n], b[:n]) map(from : out[:n])
	for (int r = 0; r < p->repeats; r++)
		p->seconds[r] = vadd(p, a, b, out);
	return 0;
}
