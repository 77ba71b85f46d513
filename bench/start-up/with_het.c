// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A program that has just started: a queue over all devices, and the first kernel on it.
#include "stamp.h"

#include <het.h>

int main(void)
{
	struct het_program_args source = {.size = sizeof source, .source = empty_kernel};
	struct het_launch_args launch = {
		.size = sizeof launch, .dimensions = 1, .global = {1}, .arg_size = sizeof(struct het_arg)};
	het_device *device;
	het_queue *queue;
	het_program *program;
	uint32_t count;

	check(het_devices(1, &device, &count), "het_devices");
	check(het_queue_create(NULL, &queue), "het_queue_create");
	stamp("queue");
	check(het_program_create(&source, &program), "het_program_create");
	check(het_kernel_create(program, "nothing", &launch.kernel), "het_kernel_create");
	check(het_launch(queue, &launch, NULL), "het_launch");
	check(het_finish(queue), "het_finish");
	stamp("kernel");
	return 0;
}
