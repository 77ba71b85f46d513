/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * An ordinary OpenMP program with a target region: nothing in it knows libhet.
 *
 *   gcc-12 -O2 -fopenmp -no-pie -foffload=nvptx-none -foffload-options=nvptx-none="-misa=sm_75 -Wa,--no-verify" saxpy.c
 *   het-openmp ./a.out
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 100000

int main(void)
{
	float *x = malloc(N * sizeof(float)), *y = malloc(N * sizeof(float));
	double sum = 0;
	int on_device = 0;

	for (int i = 0; i < N; i++) {
		x[i] = (float)i;
		y[i] = 1;
	}
#pragma omp target teams distribute parallel for map(to : x[:N]) map(tofrom : y[:N], sum, on_device) reduction(+ : sum)
	for (int i = 0; i < N; i++) {
		y[i] += 2 * x[i];
		sum += y[i];
		if (i == 0)
			on_device = !omp_is_initial_device();
	}
	printf("%s: y[3] is %g, all add up to %.0f\n", on_device ? "on a device" : "on the host", (double)y[3], sum);
	free(x);
	free(y);
	return sum != 1.0 * N * N;
}
