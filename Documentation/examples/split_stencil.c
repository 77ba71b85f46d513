/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * All devices share the launches of this two-dimensional stencil: each gets the rows that its part of the launch needs.
 */
#include <het.h>
#include <stdio.h>
#include <stdlib.h>

enum { W = 512, H = 384, STEPS = 10 };

static const char source[] = "kernel void smooth(global const float *from, global float *to)\n"
			     "{\n"
			     "	size_t w = get_global_size(0), h = get_global_size(1);\n"
			     "	size_t x = get_global_id(0), y = get_global_id(1), at = y * w + x;\n"
			     "	bool edge = x == 0 || y == 0 || x == w - 1 || y == h - 1;\n"
			     "	to[at] = edge ? from[at]\n"
			     "		      : (from[at - w] + from[at - 1] + from[at + 1] + from[at + w]) / 4;\n"
			     "}\n";

static void smooth_point(const float *from, float *to, size_t x, size_t y)
{
	size_t at = y * W + x;
	int edge = x == 0 || y == 0 || x == W - 1 || y == H - 1;

	to[at] = edge ? from[at] : (from[at - W] + from[at - 1] + from[at + 1] + from[at + W]) / 4;
}

/* This is the same kernel for devices that run functions of the program's. */
static void smooth(const struct het_group *group, void *const *args)
{
	for (size_t y = group->first[1]; y < group->first[1] + group->items[1]; y++)
		for (size_t x = group->first[0]; x < group->first[0] + group->items[0]; x++)
			smooth_point(args[0], args[1], x, y);
}

static void check(int err)
{
	if (err)
		exit(1); /* the reason is on stderr */
}

static het_kernel *make_kernel(void)
{
	struct het_function function = {"smooth", smooth, 2};
	struct het_program_args program_args = {
		.size = sizeof program_args,
		.source = source,
		.functions = &function,
		.nfunctions = 1,
	};
	het_program *program;
	het_kernel *kernel;

	check(het_program_create(&program_args, &program));
	check(het_kernel_create(program, "smooth", &kernel));
	het_program_release(program); /* the kernel keeps it */
	return kernel;
}

static void smooth_on_devices(het_queue *queue, het_kernel *kernel, float *from, float *to, het_event **event)
{
	/* The launch is cut between rows of groups. The work-items of row y read the rows y - 1 to y + 1, and write row
	 * y. What lies outside of the array does not count. */
	size_t row = W * sizeof(float);
	struct het_pattern three_rows = {
		.size = sizeof three_rows, .offset = -(int64_t)row, .step = row, .length = 3 * row, .count = 1};
	struct het_pattern one_row = {.size = sizeof one_row, .step = row, .length = row, .count = 1};
	struct het_arg args[] = {
		{.kind = HET_ARG_RANGE,
		 .access = HET_READ_ONLY,
		 .pointer = from,
		 .nbytes = H * row,
		 .pattern = &three_rows},
		{.kind = HET_ARG_RANGE,
		 .access = HET_WRITE_ONLY,
		 .pointer = to,
		 .nbytes = H * row,
		 .pattern = &one_row},
	};
	struct het_launch_args launch = {
		.size = sizeof launch,
		.kernel = kernel,
		.dimensions = 2,
		.flags = HET_SPLIT,
		.global = {W, H},
		.local = {W / 8, 1}, /* the launch is cut at multiples of it */
		.arg_size = sizeof args[0],
		.nargs = 2,
		.args = args,
	};

	check(het_launch(queue, &launch, event));
}

static void tell_who_did_what(het_event *event)
{
	uint32_t parts;

	check(het_event_parts(event, &parts));
	for (uint32_t i = 0; i < parts; i++) {
		struct het_event_part_info part = {.size = sizeof part};
		struct het_device_info device = {.size = sizeof device};

		check(het_event_part(event, i, &part));
		check(het_device_describe(part.device, &device));
		printf("rows %llu to %llu: %s\n", (unsigned long long)part.first,
		       (unsigned long long)(part.first + part.count - 1), device.name);
	}
}

int main(void)
{
	float *a = malloc(W * H * sizeof(float)), *b = malloc(W * H * sizeof(float));
	float *want = malloc(W * H * sizeof(float)), *other = malloc(W * H * sizeof(float));
	het_kernel *kernel = make_kernel();
	het_queue *queue;
	het_event *last = NULL;
	int wrong = 0;

	for (int i = 0; i < W * H; i++)
		want[i] = a[i] = (float)(i % 977);
	check(het_queue_create(NULL, &queue)); /* over all devices */
	for (int step = 0; step < STEPS; step++) {
		if (last)
			het_event_release(last);
		smooth_on_devices(queue, kernel, step % 2 ? b : a, step % 2 ? a : b, &last);
	}
	check(het_event_wait(1, &last)); /* each step waits for the one whose bytes it reads */
	tell_who_did_what(last);

	for (int step = 0; step < STEPS; step++)
		for (size_t at = 0; at < W * H; at++)
			smooth_point(step % 2 ? other : want, step % 2 ? want : other, at % W, at / W);
	for (int i = 0; i < W * H; i++)
		wrong += a[i] - want[i] > 1e-3f || want[i] - a[i] > 1e-3f;
	printf("%d of %d points differ\n", wrong, W * H);

	het_event_release(last);
	het_queue_release(queue);
	het_kernel_release(kernel);
	free(a);
	free(b);
	free(want);
	free(other);
	return wrong != 0;
}
