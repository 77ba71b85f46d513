/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * This program was written for libgpuvm 0.0.1, in plain C and OpenCL with nothing but the old calls and flags. It links
 * the slices of one malloc'ed array on two devices, an array that begins on a device, and one that is only read. It
 * must compile without a change and find what it always found.
 */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <gpuvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NDEVS 2
#define NUMBERS 300000

static const char source[] = "kernel void scale(global float *a, float by) { a[get_global_id(0)] *= by; }\n"
			     "kernel void sum(global const float *a, global const float *b, global float *c)\n"
			     "{ size_t i = get_global_id(0); c[i] = a[i] + b[i]; }\n";

static cl_context context;
static cl_command_queue queues[NDEVS];
static cl_kernel scale, sum;
static int failures;

#define CHECK(COND)                                                                   \
	do {                                                                          \
		if (!(COND)) {                                                        \
			printf("# old_program.c:%d: %s is false\n", __LINE__, #COND); \
			failures++;                                                   \
		}                                                                     \
	} while (0)

static void skip_everything(const char *reason)
{
	printf("1..0 # SKIP %s\n", reason);
	exit(4);
}

static void set_up_opencl(void)
{
	cl_platform_id platform;
	cl_device_id devices[NDEVS];
	cl_uint found = 0;
	cl_program program;
	const char *text = source;
	cl_int err;
	int i;

	setenv("POCL_DEVICES", "pthread pthread", 0);
	if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS)
		skip_everything("no OpenCL platform");
	if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, NDEVS, devices, &found) != CL_SUCCESS || found == 0)
		skip_everything("no OpenCL device");
	context = clCreateContext(NULL, found < NDEVS ? 1 : NDEVS, devices, NULL, NULL, &err);
	if (found < NDEVS)
		devices[1] = devices[0]; /* two queues of one device */
	for (i = 0; i < NDEVS; i++)
		queues[i] = clCreateCommandQueue(context, devices[i], 0, &err);
	program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
	if (clBuildProgram(program, 0, NULL, NULL, NULL, NULL) != CL_SUCCESS)
		skip_everything("the OpenCL compiler does not work");
	scale = clCreateKernel(program, "scale", &err);
	sum = clCreateKernel(program, "sum", &err);
}

static cl_mem new_buffer(size_t nbytes)
{
	cl_int err;
	cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, nbytes, NULL, &err);

	CHECK(err == CL_SUCCESS);
	return buffer;
}

static void run(int dev, cl_kernel kernel, size_t items)
{
	CHECK(clEnqueueNDRangeKernel(queues[dev], kernel, 1, NULL, &items, NULL, 0, NULL, NULL) == CL_SUCCESS);
	CHECK(clFinish(queues[dev]) == CL_SUCCESS);
}

static void run_scale(int dev, float *array, size_t items, float by)
{
	cl_mem buffer = gpuvm_xlate(array, dev);

	CHECK(buffer != NULL);
	CHECK(gpuvm_kernel_begin(array, dev, GPUVM_READ_WRITE) == 0);
	clSetKernelArg(scale, 0, sizeof(buffer), &buffer);
	clSetKernelArg(scale, 1, sizeof(by), &by);
	run(dev, scale, items);
	CHECK(gpuvm_kernel_end(array, dev) == 0);
}

/* Each device has one half of the array; the boundary lies inside a page. */
static void slices_on_two_devices(void)
{
	float *array = malloc(NUMBERS * sizeof(float));
	const size_t cut = NUMBERS / 2 + 77, length[NDEVS] = {cut, NUMBERS - cut};
	float *part[NDEVS];
	cl_mem buffer[NDEVS];
	size_t i;
	int dev, round;

	for (i = 0; i < NUMBERS; i++)
		array[i] = i;
	for (dev = 0; dev < NDEVS; dev++) {
		part[dev] = array + (dev ? cut : 0);
		buffer[dev] = new_buffer(length[dev] * sizeof(float));
		CHECK(gpuvm_link(part[dev], length[dev] * sizeof(float), dev, buffer[dev],
				 GPUVM_OPENCL | GPUVM_ON_HOST) == 0);
	}
	for (round = 1; round <= 3; round++) {
		for (dev = 0; dev < NDEVS; dev++)
			run_scale(dev, part[dev], length[dev], dev ? 2 : 4);
		for (i = 0; i < NUMBERS; i++)
			if (array[i] != (float)i * (1 << (i < cut ? 2 * round : round)))
				break;
		CHECK(i == NUMBERS);
	}
	for (dev = 0; dev < NDEVS; dev++) {
		CHECK(gpuvm_unlink(part[dev], dev) == 0);
		clReleaseMemObject(buffer[dev]);
	}
	for (i = 0; i < NUMBERS; i++)
		if (array[i] != (float)i * (i < cut ? 64 : 8))
			break;
	CHECK(i == NUMBERS);
	free(array);
}

/* One array is used on both devices, in turns. */
static void one_array_on_two_devices(void)
{
	float *array = malloc(NUMBERS * sizeof(float));
	cl_mem buffer[NDEVS];
	size_t i;
	int dev, round;

	for (i = 0; i < NUMBERS; i++)
		array[i] = i;
	for (dev = 0; dev < NDEVS; dev++) {
		buffer[dev] = new_buffer(NUMBERS * sizeof(float));
		CHECK(gpuvm_link(array, NUMBERS * sizeof(float), dev, buffer[dev], GPUVM_OPENCL) == 0);
	}
	for (round = 0; round < 4; round++)
		run_scale(round % NDEVS, array, NUMBERS, 2);
	array[5] = -1;
	run_scale(0, array, NUMBERS, 2);
	CHECK(array[5] == -2);
	CHECK(gpuvm_unlink(array, GPUVM_ALL_DEVICES) == 0);
	for (i = 0; i < NUMBERS; i++)
		if (array[i] != (i == 5 ? -2 : 32 * (float)i))
			break;
	CHECK(i == NUMBERS);
	for (dev = 0; dev < NDEVS; dev++)
		clReleaseMemObject(buffer[dev]);
	free(array);
}

static void array_that_begins_on_a_device(void)
{
	float *array = malloc(NUMBERS * sizeof(float)), number = 7;
	cl_mem buffer = new_buffer(NUMBERS * sizeof(float));
	size_t i;

	CHECK(clEnqueueFillBuffer(queues[0], buffer, &number, sizeof(number), 0, NUMBERS * sizeof(float), 0, NULL,
				  NULL) == CL_SUCCESS);
	CHECK(clFinish(queues[0]) == CL_SUCCESS);
	CHECK(gpuvm_link(array, NUMBERS * sizeof(float), 0, buffer, GPUVM_OPENCL | GPUVM_ON_DEVICE) == 0);
	for (i = 0; i < NUMBERS; i++)
		if (array[i] != 7)
			break;
	CHECK(i == NUMBERS);
	run_scale(0, array, NUMBERS, 3);
	CHECK(array[NUMBERS - 1] == 21);
	CHECK(gpuvm_unlink(array, 0) == 0);
	CHECK(array[0] == 21);
	clReleaseMemObject(buffer);
	free(array);
}

/* c = a + b: two operands are read, the third is written. */
static void operands_that_are_only_read(void)
{
	float *array[3];
	cl_mem buffer[3];
	size_t i;
	int k, round;

	for (k = 0; k < 3; k++) {
		array[k] = calloc(NUMBERS, sizeof(float));
		buffer[k] = new_buffer(NUMBERS * sizeof(float));
		for (i = 0; i < NUMBERS && k < 2; i++)
			array[k][i] = (float)i * (k + 1);
		CHECK(gpuvm_link(array[k], NUMBERS * sizeof(float), 1, buffer[k], GPUVM_OPENCL | GPUVM_ON_HOST) == 0);
	}
	for (round = 0; round < 3; round++) {
		array[0][round] = 1000;
		for (k = 0; k < 3; k++) {
			CHECK(gpuvm_kernel_begin(array[k], 1, k < 2 ? GPUVM_READ_ONLY : GPUVM_WRITE_ONLY) == 0);
			clSetKernelArg(sum, k, sizeof(buffer[k]), &buffer[k]);
		}
		run(1, sum, NUMBERS);
		for (k = 0; k < 3; k++)
			CHECK(gpuvm_kernel_end(array[k], 1) == 0);
		for (i = 0; i < NUMBERS; i++)
			if (array[2][i] != array[0][i] + array[1][i])
				break;
		CHECK(i == NUMBERS);
	}
	for (k = 0; k < 3; k++) {
		CHECK(gpuvm_unlink(array[k], 1) == 0);
		clReleaseMemObject(buffer[k]);
		free(array[k]);
	}
}

static void statistics(void)
{
	int enabled = 0;
	unsigned ndevs = 0;
	double copy = -1, host_copy = -1, faults = -1;
	unsigned long long pagefaults = 0;

	CHECK(gpuvm_stat(GPUVM_STAT_ENABLED, &enabled) == 0 && enabled);
	CHECK(gpuvm_stat(GPUVM_STAT_NDEVS, &ndevs) == 0 && ndevs == NDEVS);
	CHECK(gpuvm_stat(GPUVM_STAT_COPY_TIME, &copy) == 0 && copy > 0);
	CHECK(gpuvm_stat(GPUVM_STAT_PAGEFAULTS, &pagefaults) == 0 && pagefaults > 0);
	CHECK(gpuvm_stat(GPUVM_STAT_HOST_COPY_TIME, &host_copy) == 0 && host_copy > 0);
	CHECK(gpuvm_stat(GPUVM_STAT_PAGEFAULT_TIME, &faults) == 0 && faults > 0);
}

static const struct {
	const char *name;
	void (*body)(void);
} tests[] = {
	{"slices_on_two_devices", slices_on_two_devices},
	{"one_array_on_two_devices", one_array_on_two_devices},
	{"array_that_begins_on_a_device", array_that_begins_on_a_device},
	{"operands_that_are_only_read", operands_that_are_only_read},
	{"statistics", statistics},
};

int main(void)
{
	const unsigned count = sizeof(tests) / sizeof(tests[0]);
	void *devs[NDEVS];
	unsigned i, failed = 0;

	printf("KTAP version 1\n");
	alarm(60); /* a hang is a failure */
	CHECK(gpuvm_library_exists());
	CHECK(gpuvm_pre_init(GPUVM_THREADS_BEFORE_INIT) == 0);
	set_up_opencl();
	CHECK(gpuvm_pre_init(GPUVM_THREADS_AFTER_INIT) == 0);
	for (i = 0; i < NDEVS; i++)
		devs[i] = queues[i];
	CHECK(gpuvm_init(NDEVS, devs, GPUVM_OPENCL | GPUVM_STAT | GPUVM_WRITER_SIG_BLOCK) == 0);
	printf("1..%u\n", count);
	for (i = 0; i < count; i++) {
		tests[i].body();
		printf("%s %u %s.best.opencl2.mmapped\n", failures ? "not ok" : "ok", i + 1, tests[i].name);
		failed += failures != 0;
		failures = 0;
	}
	return failed ? 1 : 0;
}
