// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches a kernel with four arrays and waits for it, as often as asked, for costs.py: what Python's package is
// compared with.
#include <het.h>
#include <time.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static het_queue *queue;
static het_kernel *kernel;

int prepare(const char *source, const char *name)
{
	struct het_program_args args = {.size = sizeof(args), .source = source};
	het_program *program;
	int err = het_queue_create(NULL, &queue);
	if (!err)
		err = het_program_create(&args, &program);
	return err ? err : het_kernel_create(program, name, &kernel);
}

// Returns the seconds of one launch of many, or a code.
double launch_and_wait(void *const arrays[4], size_t nbytes, int times)
{
	const double start = now();
	for (int t = 0; t < times; t++) {
		struct het_arg args[4] = {0};
		for (int i = 0; i < 4; i++) {
			args[i].kind = HET_ARG_RANGE;
			args[i].access = HET_READ_WRITE;
			args[i].pointer = arrays[i];
			args[i].nbytes = nbytes;
		}
		struct het_launch_args a = {.size = sizeof(a), .kernel = kernel, .dimensions = 1};
		a.global[0] = a.local[0] = 1;
		a.arg_size = sizeof(struct het_arg);
		a.nargs = 4;
		a.args = args;
		het_event *event;
		int err = het_launch(queue, &a, &event);
		if (!err) {
			err = het_event_wait(1, &event);
			het_event_release(event);
		}
		if (err)
			return err;
	}
	return (now() - start) / times;
}
