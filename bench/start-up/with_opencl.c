// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The same by hand, on the first device of the first platform.
#include "stamp.h"

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS // clCreateCommandQueue()
#include <CL/cl.h>

int main(void)
{
	const char *text = empty_kernel;
	const size_t items = 1;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel;
	cl_int err;

	check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	check(err, "clCreateContext");
	queue = clCreateCommandQueue(context, device, 0, &err);
	check(err, "clCreateCommandQueue");
	stamp("queue");
	program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
	check(err, "clCreateProgramWithSource");
	check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
	kernel = clCreateKernel(program, "nothing", &err);
	check(err, "clCreateKernel");
	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
	check(clFinish(queue), "clFinish");
	stamp("kernel");
	return 0;
}
