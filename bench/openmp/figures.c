/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * What an OpenMP program waits for: an empty region, copies of several sizes, and rounds in which an array is mapped
 * and the host reads a hundredth of it. It knows nothing of libhet and is run with GCC's plug-in and through het-openmp
 * in turn. It prints a line for each figure: its name, the median in microseconds, the least and the most.
 *
 * figures [MIB [ROUNDS]]: the array's size (256), and how many rounds (20)
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

/* Returns whether the host sees what it should. */
static int measure_rounds(size_t mib, int n)
{
	const size_t elements = (mib << 20) / sizeof(float), part = elements / 100;
	float *a = malloc(elements * sizeof(*a));
	double sum = 0, all = 0;
	for (size_t i = 0; i < elements; i++)
		a[i] = 0;
	for (int r = 0; r < n; r++) {
		double begin = omp_get_wtime();
#pragma omp target teams distribute parallel for simd map(tofrom : a[:elements])
		for (size_t i = 0; i < elements; i++)
			a[i] += 1;
		for (size_t i = 0; i < part; i++)
			sum += a[(size_t)r * part + i];
		times[r] = omp_get_wtime() - begin;
		all += times[r];
	}
	printf("rounds-in-all %.2f\nfirst-round %.2f\n", 1e6 * all, 1e6 * times[0]);
	tell("round", n);
	free(a);
	return sum == (double)part * n * (n + 1) / 2;
}

int main(int argc, char **argv)
{
	size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 256;
	int n = argc > 2 ? atoi(argv[2]) : 20;
	if (!omp_get_num_devices() || n < 1 || n > 100) {
		fprintf(stderr, "there is no device, or a number of rounds that is not from 1 to 100\n");
		return 1;
	}
	measure_regions(mib < 16 ? 4 : most);
	measure_what_regions_need(mib < 16 ? 4 : most);
	measure_copies(4 << 10, mib < 16 ? 4 : most);
	measure_copies(1 << 20, mib < 16 ? 4 : 100);
	if (mib >= 64)
		measure_copies(64 << 20, 11);
	if (!measure_rounds(mib, n)) {
		fprintf(stderr, "the host has read what the regions did not write\n");
		return 1;
	}
	return 0;
}
