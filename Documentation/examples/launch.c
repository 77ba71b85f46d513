/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* Computes z = x + y through het_launch(): with ordinary arrays, on whatever device there is. */
#include <het.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1000000

static const char source[] = "kernel void add(global const float *x, global const float *y, global float *z)\n"
			     "{\n"
			     "	size_t i = get_global_id(0);\n"
			     "	z[i] = x[i] + y[i];\n"
			     "}\n";

/* This is the same kernel for devices that run functions of the program's. */
static void add(const struct het_group *group, void *const *args)
{
	const float *x = args[0], *y = args[1];
	float *z = args[2];

	for (size_t i = group->first[0]; i < group->first[0] + group->items[0]; i++)
		z[i] = x[i] + y[i];
}

static int check(int err)
{
	if (err)
		exit(1); /* the reason is on stderr */
	return err;
}

int main(void)
{
	struct het_function function = {"add", add, 3};
	struct het_program_args program_args = {
		.size = sizeof program_args,
		.source = source,
		.functions = &function,
		.nfunctions = 1,
	};
	het_queue *queue;
	het_program *program;
	het_kernel *kernel;

	check(het_queue_create(NULL, &queue)); /* over all devices */
	check(het_program_create(&program_args, &program));
	check(het_kernel_create(program, "add", &kernel));

	float *x = malloc(N * sizeof(float)); /* ordinary arrays */
	float *y = malloc(N * sizeof(float));
	float *z = malloc(N * sizeof(float));
	for (int i = 0; i < N; i++) {
		x[i] = (float)i;
		y[i] = 1;
	}

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

	printf("%g %g %g\n", z[0], z[1], z[N - 1]); /* what is touched comes back by itself */
	int wrong = z[N - 1] != N;
	free(x);
	free(y);
	free(z);
	het_kernel_release(kernel);
	het_program_release(program);
	het_queue_release(queue);
	return wrong;
}
