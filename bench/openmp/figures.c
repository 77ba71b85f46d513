/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * What an OpenMP program waits for: an empty region, copies of several sizes, and rounds in which an array is mapped
 * and the host reads a hundredth of it, or all, or writes all of it. It knows nothing of libhet and is run with GCC's
 * plug-in and through het-openmp in turn. It prints a line for each figure: its name, the median in microseconds, the
 * least and the most.
 *
 * figures [MIB [ROUNDS [rounds]]]: the array's size (256), and how many rounds (20); with the word nothing but rounds
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 400 };

static double times[most];

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void tell(const char *name, int n)
{
	qsort(times, (size_t)n, sizeof times[0], compare);
	printf("%s %.2f %.2f %.2f\n", name, 1e6 * times[n / 2], 1e6 * times[0], 1e6 * times[n - 1]);
	fflush(stdout);
}

static void measure_regions(int n)
{
	int x = 0;
#pragma omp target data map(tofrom : x)
	for (int i = 0; i < n; i++) {
		double begin = omp_get_wtime();
#pragma omp target teams num_teams(1) thread_limit(1)
		x++;
		times[i] = omp_get_wtime() - begin;
	}
	tell("region", n);
}

/* libgomp does this for each region besides, to tell it where its variables are. */
static void measure_what_regions_need(int n)
{
	const int host = omp_get_initial_device(), device = omp_get_default_device();
	void *words[4] = {0};
	for (int i = 0; i < n; i++) {
		double begin = omp_get_wtime();
		omp_target_free(omp_target_alloc(sizeof words, device), device);
		times[i] = omp_get_wtime() - begin;
	}
	tell("allocate-and-free", n);
	void *there = omp_target_alloc(sizeof words, device);
	for (int i = 0; i < n; i++) {
		double begin = omp_get_wtime();
		omp_target_memcpy(there, words, sizeof words, 0, 0, device, host);
		times[i] = omp_get_wtime() - begin;
	}
	tell("to-32-bytes", n);
	omp_target_free(there, device);
}

static void measure_copies(size_t nbytes, int n)
{
	const int host = omp_get_initial_device(), device = omp_get_default_device();
	char name[32], *there = omp_target_alloc(nbytes, device), *here = malloc(nbytes);
	for (size_t i = 0; i < nbytes; i++)
		here[i] = (char)i;
	for (int i = 0; i < n; i++) {
		double begin = omp_get_wtime();
		omp_target_memcpy(there, here, nbytes, 0, 0, device, host);
		times[i] = omp_get_wtime() - begin;
	}
	snprintf(name, sizeof name, "to-%zuK", nbytes >> 10);
	tell(name, n);
	for (int i = 0; i < n; i++) {
		double begin = omp_get_wtime();
		omp_target_memcpy(here, there, nbytes, 0, 0, host, device);
		times[i] = omp_get_wtime() - begin;
	}
	snprintf(name, sizeof name, "from-%zuK", nbytes >> 10);
	tell(name, n);
	omp_target_free(there, device);
	free(here);
}

enum { per_line = 64 / sizeof(float) };

enum host_use { reads_a_hundredth, reads_all, writes_all };

/* So many arrays, one after the other, are mapped in so many rounds each. */
struct program {
	const char *name;
	size_t nbytes;
	int lives, rounds;
	enum host_use use;
};

static double sum_of(const float *a, size_t begin, size_t end)
{
	double sum = 0;
	for (size_t i = begin; i < end; i += per_line)
		sum += a[i];
	return sum;
}

static size_t lines_in(size_t begin, size_t end)
{
	return (end - begin + per_line - 1) / per_line;
}

/* The region has added 1 to each element. Returns whether the host sees that. */
static int use_on_host(float *a, size_t n, int round, enum host_use use)
{
	const size_t part = n / 100, begin = use == reads_a_hundredth ? (size_t)round % 100 * part : 0;
	const size_t end = use == reads_a_hundredth ? begin + part : n;
	if (use != writes_all)
		return sum_of(a, begin, end) == (double)lines_in(begin, end) * (round + 1);
	int good = a[0] == (float)(2 * round + 1) && a[n - 1] == a[0];
	for (size_t i = 0; i < n; i++)
		a[i] = (float)(2 * round + 2);
	return good;
}

/* Returns whether the host sees what it should. */
static int measure_program(const struct program *p)
{
	const size_t n = p->nbytes / sizeof(float);
	double all = 0;
	int good = 1, k = 0;
	for (int life = 0; life < p->lives; life++) {
		float *a = malloc(n * sizeof(*a));
		for (size_t i = 0; i < n; i++)
			a[i] = 0;
		for (int r = 0; r < p->rounds; r++) {
			double begin = omp_get_wtime();
#pragma omp target teams distribute parallel for simd map(tofrom : a[:n])
			for (size_t i = 0; i < n; i++)
				a[i] += 1;
			good &= use_on_host(a, n, r, p->use);
			times[k] = omp_get_wtime() - begin;
			all += times[k++];
		}
		double begin = omp_get_wtime();
		free(a);
		all += omp_get_wtime() - begin;
	}
	printf("%s-in-all %.2f\n%s-first %.2f\n", p->name, 1e6 * all, p->name, 1e6 * times[0]);
	tell(p->name, k);
	return good;
}

static size_t at_most(size_t n, size_t most_bytes)
{
	return n < most_bytes ? n : most_bytes;
}

static int measure_programs(size_t nbytes, int n)
{
	const struct program all[] = {
		{"rounds", nbytes, 1, n, reads_a_hundredth},
		{"rounds-read-all", nbytes, 1, n, reads_all},
		{"rounds-write-all", nbytes, 1, n, writes_all},
		{"lives-of-1", nbytes / 8, n, 1, reads_a_hundredth},
		{"lives-of-4", nbytes / 8, n, 4, reads_a_hundredth},
		{"rounds-4M", at_most(nbytes, 4 << 20), 1, 4 * n, reads_a_hundredth},
		{"rounds-4M-write-all", at_most(nbytes, 4 << 20), 1, 4 * n, writes_all},
		{"rounds-1M", at_most(nbytes, 1 << 20), 1, 4 * n, reads_a_hundredth},
		{"rounds-1M-write-all", at_most(nbytes, 1 << 20), 1, 4 * n, writes_all},
		{"rounds-256K-write-all", at_most(nbytes, 256 << 10), 1, 4 * n, writes_all},
	};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		if (!measure_program(&all[i])) {
			fprintf(stderr, "%s: the host has read what the regions did not write\n", all[i].name);
			return 0;
		}
	}
	return 1;
}

int main(int argc, char **argv)
{
	size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 256;
	int n = argc > 2 ? atoi(argv[2]) : 20;
	if (!omp_get_num_devices() || mib < 1 || n < 1 || n > most / 4) {
		fprintf(stderr, "there is no device, no size, or a number of rounds that is not from 1 to %d\n",
			most / 4);
		return 1;
	}
	if (argc < 4) {
		measure_regions(mib < 16 ? 4 : most);
		measure_what_regions_need(mib < 16 ? 4 : most);
		measure_copies(4 << 10, mib < 16 ? 4 : most);
		measure_copies(1 << 20, mib < 16 ? 4 : 100);
		if (mib >= 64)
			measure_copies(64 << 20, 11);
	}
	return !measure_programs(mib << 20, n);
}
