/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * This program has its kernels with it, compiled for several kinds of devices:
 *
 *	het-fatbin build embedded.cl -o embedded.het
 *	cc embedded.c $(pkg-config --cflags --libs libhet) -o embedded
 *	objcopy --add-section .het.kernels=embedded.het embedded
 */
#include <het.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1000000

static void check(int err)
{
	if (err)
		exit(1); /* the reason is on stderr */
}

int main(void)
{
	struct het_program_args program_args = {.size = sizeof program_args, .section = ".het.kernels"};
	het_program *program;
	het_kernel *kernel;
	het_queue *queue;

	check(het_program_create(&program_args, &program));
	check(het_kernel_create(program, "add", &kernel));
	check(het_queue_create(NULL, &queue));

	float *x = malloc(N * sizeof(float)), *y = malloc(N * sizeof(float)), *z = malloc(N * sizeof(float));
	for (int i = 0; i < N; i++) {
		x[i] = (float)i;
		y[i] = 1;
	}

	/* het-fatbin has proved that this kernel's work-groups are independent, and which bytes each uses: a launch
	 * that is large enough is divided over the queue's devices without being asked to. */
	struct het_arg args[] = {
		{.kind = HET_ARG_RANGE, .access = HET_READ_ONLY, .pointer = x, .nbytes = N * sizeof(float)},
		{.kind = HET_ARG_RANGE, .access = HET_READ_ONLY, .pointer = y, .nbytes = N * sizeof(float)},
		{.kind = HET_ARG_RANGE, .access = HET_WRITE_ONLY, .pointer = z, .nbytes = N * sizeof(float)},
	};
	struct het_launch_args launch = {
		.size = sizeof launch,
		.kernel = kernel,
		.dimensions = 1,
		.global = {N},
		.arg_size = sizeof args[0],
		.nargs = 3,
		.args = args,
	};
	check(het_launch(queue, &launch, NULL));
	check(het_finish(queue));

	printf("%g %g %g\n", z[0], z[1], z[N - 1]);
	int wrong = z[N - 1] != N;
	free(x);
	free(y);
	free(z);
	het_queue_release(queue);
	het_kernel_release(kernel);
	het_program_release(program);
	return wrong;
}
