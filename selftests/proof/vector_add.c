// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Anybody might write this OpenCL program: it adds vectors on every device of every platform, and says how that went.
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { elements = 1000000, most = 8 };

static const char *const source =
	"kernel void vector_add(global const float *a, global const float *b, global float *c)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	c[i] = a[i] + b[i];\n"
	"}\n";

static void check(cl_int err, const char *call)
{
	if (err == CL_SUCCESS)
		return;
	printf("%s: error %d\n", call, err);
	exit(1);
}

static cl_mem make_buffer(cl_context context, cl_mem_flags flags, void *host)
{
	cl_int err;
	cl_mem buffer = clCreateBuffer(context, flags, elements * sizeof(float), host, &err);
	check(err, "clCreateBuffer");
	return buffer;
}

static cl_program build(cl_context context, cl_device_id device)
{
	cl_int err;
	char log[4096] = "";
	const char *text = source;
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
	check(err, "clCreateProgramWithSource");
	err = clBuildProgram(program, 1, &device, "", NULL, NULL);
	if (err != CL_SUCCESS) {
		clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
		printf("%s\n", log);
	}
	check(err, "clBuildProgram");
	return program;
}

// Returns how many sums are right.
static int add(cl_context context, cl_device_id device, float *a, float *b)
{
	cl_int err;
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
	check(err, "clCreateCommandQueue");
	cl_program program = build(context, device);
	cl_kernel kernel = clCreateKernel(program, "vector_add", &err);
	check(err, "clCreateKernel");
	cl_mem buffers[3] = {make_buffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, a),
			     make_buffer(context, CL_MEM_READ_ONLY, NULL),
			     make_buffer(context, CL_MEM_WRITE_ONLY, NULL)};
	check(clEnqueueWriteBuffer(queue, buffers[1], CL_FALSE, 0, elements * sizeof(float), b, 0, NULL, NULL),
	      "clEnqueueWriteBuffer");
	for (cl_uint i = 0; i < 3; i++)
		check(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), "clSetKernelArg");
	size_t items = elements, group = 64;
	cl_event done;
	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, &done), "clEnqueueNDRangeKernel");
	const float *c = clEnqueueMapBuffer(queue, buffers[2], CL_TRUE, CL_MAP_READ, 0, elements * sizeof(float), 1,
					    &done, NULL, &err);
	check(err, "clEnqueueMapBuffer");
	int right = 0;
	for (int i = 0; i < elements; i++)
		right += c[i] == a[i] + b[i];
	check(clEnqueueUnmapMemObject(queue, buffers[2], (void *)c, 0, NULL, NULL), "clEnqueueUnmapMemObject");
	float last;
	check(clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, (elements - 1) * sizeof(last), sizeof(last), &last, 0,
				  NULL, NULL),
	      "clEnqueueReadBuffer");
	right += last == a[elements - 1] + b[elements - 1];
	check(clFinish(queue), "clFinish");
	clReleaseEvent(done);
	for (int i = 0; i < 3; i++)
		clReleaseMemObject(buffers[i]);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	clReleaseCommandQueue(queue);
	return right - 1;
}

int main(void)
{
	cl_platform_id platforms[most];
	cl_uint nplatforms = 0;
	float *a = malloc(elements * sizeof(*a)), *b = malloc(elements * sizeof(*b));
	for (int i = 0; i < elements; i++) {
		a[i] = (float)i;
		b[i] = 0.5f * (float)(i % 1000);
	}
	check(clGetPlatformIDs(most, platforms, &nplatforms), "clGetPlatformIDs");
	for (cl_uint p = 0; p < nplatforms; p++) {
		char name[128];
		cl_device_id devices[most];
		cl_uint ndevices = 0;
		check(clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof(name), name, NULL), "clGetPlatformInfo");
		check(clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, most, devices, &ndevices), "clGetDeviceIDs");
		for (cl_uint d = 0; d < ndevices && d < most; d++) {
			cl_int err;
			cl_context context = clCreateContext(NULL, 1, &devices[d], NULL, NULL, &err);
			check(err, "clCreateContext");
			printf("%s: %d of %d sums are right\n", name, add(context, devices[d], a, b), elements);
			clReleaseContext(context);
		}
	}
	free(a);
	free(b);
	return 0;
}
