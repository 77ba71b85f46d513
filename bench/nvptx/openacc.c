/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* In OpenACC regions a team is a gang, a thread is a worker, and its lanes are the vector. */
#include "problem.h"

const char variant_name[] = "openacc";

static double matvec(const struct problem *p, const float *a, const float *b, float *out)
{
	int n = p->n, teams = p->teams, threads = p->threads;
	double begin = now();

	if (p->simd) {
#pragma acc parallel loop gang worker num_gangs(teams) num_workers(threads) \
	present(a [0:(long)n * n], b [0:n], out [0:n])
		for (int row = 0; row < n; row++) {
			float s = 0;
#pragma acc loop vector reduction(+ : s)
			for (int i = 0; i < n; i++)
				s += a[(long)row * n + i] * b[i];
			out[row] = s;
		}
	} else {
#pragma acc parallel loop gang worker num_gangs(teams) num_workers(threads) \
	present(a [0:(long)n * n], b [0:n], out [0:n])
		for (int row = 0; row < n; row++) {
			float s = 0;
#pragma acc loop seq
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

#pragma acc data copyin(a [0:n * n], b [0:n]) copyout(out [0:n])
	for (int r = 0; r < p->repeats; r++)
		p->seconds[r] = matvec(p, a, b, out);
	return 0;
}

#pragma acc routine seq
static inline float square_root(float v)
{
	float x = v;

	for (int s = 0; s < NEWTON_STEPS; s++)
		x = 0.5f * (x + v / x);
	return x;
}

static double newton(const struct problem *p, const float *a, float *out)
{
	int n = p->n, teams = p->teams, threads = p->threads;
	double begin = now();

	if (p->simd) {
#pragma acc parallel loop gang worker vector num_gangs(teams) num_workers(threads) present(a [0:n], out [0:n])
		for (int i = 0; i < n; i++)
			out[i] = square_root(a[i]);
	} else {
#pragma acc parallel loop gang worker num_gangs(teams) num_workers(threads) present(a [0:n], out [0:n])
		for (int i = 0; i < n; i++)
			out[i] = square_root(a[i]);
	}
	return now() - begin;
}

int run_newton(struct problem *p)
{
	float *a = p->a, *out = p->out;
	int n = p->n;

#pragma acc data copyin(a [0:n]) copyout(out [0:n])
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
#pragma acc parallel loop gang worker vector num_gangs(teams) num_workers(threads) \
	present(a [0:n], b [0:n]) reduction(+ : s) copy(s)
		for (int i = 0; i < n; i++)
			s += a[i] * b[i];
	} else {
#pragma acc parallel loop gang worker num_gangs(teams) num_workers(threads) \
	present(a [0:n], b [0:n]) reduction(+ : s) copy(s)
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

#pragma acc data copyin(a [0:n], b [0:n])
	for (int r = 0; r < p->repeats; r++)
		p->seconds[r] = dot(p, a, b, p->out);
	return 0;
}

static double vadd(const struct problem *p, const float *a, const float *b, float *out)
{
	int n = p->n, teams = p->teams, threads = p->threads;
	double begin = now();

	if (p->simd) {
#pragma acc parallel loop gang worker vector num_gangs(teams) num_workers(threads) present(a [0:n], b [0:n], out [0:n])
		for (int i = 0; i < n; i++)
			out[i] = a[i] + b[i];
	} else {
#pragma acc parallel loop gang worker num_gangs(teams) num_workers(threads) present(a [0:n], b [0:n], out [0:n])
		for (int i = 0; i < n; i++)
			out[i] = a[i] + b[i];
	}
	return now() - begin;
}

int run_vadd(struct problem *p)
{
	float *a = p->a, *b = p->b, *out = p->out;
	int n = p->n;

#pragma acc data copyin(a [0:n], b [0:n]) copyout(out [0:n])
	for (int r = 0; r < p->repeats; r++)
		p->seconds[r] = vadd(p, a, b, out);
	return 0;
}
