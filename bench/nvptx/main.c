/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * PROGRAM N TEAMS THREADS SIMD REPEATS runs a program, looks whether the result is right, and prints one line of JSON.
 */
#include "problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program {
	const char *name;
	int (*run)(struct problem *p);
	double (*error)(const struct problem *p);
	double tolerance; /* in units of the largest sum of magnitudes */
};

static double row_error(const float *a, const float *b, int n, float got)
{
	double want = 0, magnitude = 1;

	for (int i = 0; i < n; i++) {
		want += (double)a[i] * b[i];
		magnitude += fabs((double)a[i] * b[i]);
	}
	return fabs(got - want) / magnitude;
}

static double matvec_error(const struct problem *p)
{
	double worst = 0;

	for (long row = 0; row < p->n; row++)
		worst = fmax(worst, row_error(p->a + row * p->n, p->b, p->n, p->out[row]));
	return worst;
}

static double newton_error(const struct problem *p)
{
	double worst = 0;

	for (int i = 0; i < p->n; i++)
		worst = fmax(worst, fabs(p->out[i] / sqrt(p->a[i]) - 1));
	return worst;
}

static double dot_error(const struct problem *p)
{
	return row_error(p->a, p->b, p->n, p->out[0]);
}

static double vadd_error(const struct problem *p)
{
	double worst = 0;

	for (int i = 0; i < p->n; i++)
		worst = fmax(worst, fabs((double)p->out[i] - (p->a[i] + p->b[i])));
	return worst;
}

/*
 * Up to 65,536 partial sums are added to one float, in any order. One core adds all 16 million products to it, or to
 * four.
 */
#ifdef ONE_CORE
#define DOT_TOLERANCE 1e-2
#else
#define DOT_TOLERANCE 1e-4
#endif

/* a is a matrix for the first, and b its vector. */
static const struct program programs[] = {
	{"matvec", run_matvec, matvec_error, 1e-5},
	{"newton", run_newton, newton_error, 1e-5},
	{"dot", run_dot, dot_error, DOT_TOLERANCE},
	{"vadd", run_vadd, vadd_error, 1e-5},
};

static float *numbers(size_t count, float least)
{
	float *v = malloc(count * sizeof(*v));

	for (size_t i = 0; v && i < count; i++)
		v[i] = least + (float)(i * 2654435761u % 1000) * 0.01f;
	return v;
}

static void print(const struct program *program, const struct problem *p, double error)
{
	printf("{\"variant\": \"%s\", \"program\": \"%s\", \"n\": %d, \"teams\": %d, \"threads\": %d, \"simd\": %d, "
	       "\"error\": %.3g, \"seconds\": [",
	       variant_name, program->name, p->n, p->teams, p->threads, p->simd, error);
	for (int r = 0; r < p->repeats; r++)
		printf("%s%.9f", r ? ", " : "", p->seconds[r]);
	printf("]}\n");
}

static int run(const struct program *program, struct problem *p)
{
	size_t n = (size_t)p->n, matrix = program->run == run_matvec ? n * n : n;
	int status = 1;

	p->a = numbers(matrix, 1);
	p->b = numbers(n, -5);
	p->out = calloc(n, sizeof(*p->out));
	p->seconds = calloc((size_t)p->repeats, sizeof(*p->seconds));
	if (!p->a || !p->b || !p->out || !p->seconds) {
		fprintf(stderr, "%s: no memory for %d numbers\n", variant_name, p->n);
	} else if (program->run(p) == 0) {
		double error = program->error(p);

		print(program, p, error);
		status = error > program->tolerance;
	}
	free(p->a);
	free(p->b);
	free(p->out);
	free(p->seconds);
	return status;
}

int main(int argc, char **argv)
{
	struct problem p = {0};
	int *numbers_of[] = {&p.n, &p.teams, &p.threads, &p.simd, &p.repeats};
	const int least[] = {1, 1, 1, 0, 1};

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (argc != 7 || strcmp(argv[1], programs[i].name) != 0)
			continue;
		for (int k = 0; k < 5; k++) {
			*numbers_of[k] = atoi(argv[k + 2]);
			if (*numbers_of[k] < least[k]) {
				fprintf(stderr, "%s: argument %d is too small\n", variant_name, k + 2);
				return 2;
			}
		}
		return run(&programs[i], &p);
	}
	fprintf(stderr, "usage: %s matvec|newton|dot|vadd N TEAMS THREADS SIMD REPEATS\n", argv[0]);
	return 2;
}
