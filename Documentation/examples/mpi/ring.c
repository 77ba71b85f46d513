/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* Each rank adds up what all have computed: arrays that are on a device go round by their plain pointers. */
#include <het.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define N 100000

static const char source[] = "kernel void fill(global int *x, int value)\n"
			     "{\n"
			     "	x[get_global_id(0)] = value;\n"
			     "}\n"
			     "kernel void add(global int *sum, global const int *x)\n"
			     "{\n"
			     "	sum[get_global_id(0)] += x[get_global_id(0)];\n"
			     "}\n";

/* These are the same kernels for devices that run functions of the program's. */
static void fill(const struct het_group *group, void *const *args)
{
	int *x = args[0], value = *(int *)args[1];

	for (size_t i = group->first[0]; i < group->first[0] + group->items[0]; i++)
		x[i] = value;
}

static void add(const struct het_group *group, void *const *args)
{
	int *sum = args[0], *x = args[1];

	for (size_t i = group->first[0]; i < group->first[0] + group->items[0]; i++)
		sum[i] += x[i];
}

static void check(int err)
{
	if (err)
		MPI_Abort(MPI_COMM_WORLD, 1); /* the reason is on stderr */
}

static void launch(het_queue *queue, het_kernel *kernel, const struct het_arg *args)
{
	struct het_launch_args launch = {
		.size = sizeof launch,
		.kernel = kernel,
		.dimensions = 1,
		.global = {N},
		.arg_size = sizeof args[0],
		.nargs = 2,
		.args = args,
	};
	check(het_launch(queue, &launch, NULL));
}

static struct het_arg array(void *x, unsigned access)
{
	return (struct het_arg){.kind = HET_ARG_RANGE, .access = access, .pointer = x, .nbytes = N * sizeof(int)};
}

int main(int argc, char **argv)
{
	struct het_function functions[] = {{"fill", fill, 2}, {"add", add, 2}};
	struct het_program_args program_args = {
		.size = sizeof program_args, .source = source, .functions = functions, .nfunctions = 2};
	het_queue *queue;
	het_program *program;
	het_kernel *fill_kernel, *add_kernel;
	int rank, ranks, zero = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	check(het_queue_create(NULL, &queue)); /* over the rank's device */
	check(het_program_create(&program_args, &program));
	check(het_kernel_create(program, "fill", &fill_kernel));
	check(het_kernel_create(program, "add", &add_kernel));

	int *sum = malloc(N * sizeof(int)), *x = malloc(N * sizeof(int)), *next = malloc(N * sizeof(int));
	struct het_arg own = {.kind = HET_ARG_VALUE, .pointer = &rank, .nbytes = sizeof rank};
	struct het_arg none = {.kind = HET_ARG_VALUE, .pointer = &zero, .nbytes = sizeof zero};
	launch(queue, fill_kernel, (struct het_arg[]){array(x, HET_WRITE_ONLY), own});
	launch(queue, fill_kernel, (struct het_arg[]){array(sum, HET_WRITE_ONLY), none});

	for (int step = 0; step < ranks; step++) {
		launch(queue, add_kernel, (struct het_arg[]){array(sum, HET_READ_WRITE), array(x, HET_READ_ONLY)});
		/* It waits for what writes x and uses next; the kernel above may read x meanwhile. */
		MPI_Sendrecv(x, N, MPI_INT, (rank + 1) % ranks, 0, next, N, MPI_INT, (rank + ranks - 1) % ranks, 0,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		int *old = x;
		x = next;
		next = old;
	}
	check(het_finish(queue));

	int wrong = 0;
	for (int i = 0; i < N; i++)
		wrong |= sum[i] != ranks * (ranks - 1) / 2;
	if (!rank)
		printf("%d ranks, the sum of their numbers is %d\n", ranks, sum[N - 1]);
	free(sum);
	free(x);
	free(next);
	het_kernel_release(fill_kernel);
	het_kernel_release(add_kernel);
	het_program_release(program);
	het_queue_release(queue);
	MPI_Finalize();
	return wrong;
}
