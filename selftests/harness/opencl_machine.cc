// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// OpenCL is called directly here, as the program under test would: on queues of the program's own.
#include "machine.h"

#include <cstdlib>
#include <gpuvm.h>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS // makes queues as programs of old do
#include <CL/cl.h>

namespace selftest
{

namespace
{
const char opencl_source[] = R"(
uchar pattern_byte(ulong position, uint seed)
{
	ulong x = position / 8 * 0x9e3779b97f4a7c15ul + seed * 0xbf58476d1ce4e5b9ul;
	x ^= x >> 32;
	x *= 0x94d049bb133111ebul;
	x ^= x >> 29;
	return (uchar)(x >> (position % 8 * 8));
}
kernel void test_add(global uchar *p, ulong off, ulong n, ulong arg)
{
	for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
		p[off + i] += (uchar)arg;
}
kernel void test_mix(global uchar *p, ulong off, ulong n, ulong arg)
{
	for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
		p[off + i] ^= pattern_byte(off + i, (uint)arg);
}
kernel void test_fill(global uchar *p, ulong off, ulong n, ulong arg)
{
	for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
		p[off + i] = pattern_byte(off + i, (uint)arg);
}
kernel void test_stamp(global uchar *p, ulong off, ulong n, ulong arg)
{
	for (ulong i = get_global_id(0) * 4096; i + 8 <= n; i += get_global_size(0) * 4096)
		for (int b = 0; b < 8; b++)
			p[off + i + b] = (uchar)(arg >> (8 * b));
}
kernel void test_slow_add(global uchar *p, ulong off, ulong n, ulong arg)
{
	uint x = (uint)get_global_id(0);
	for (uint i = 0; i < 200000; i++)
		x = x * 1664525u + 1013904223u;
	for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
		p[off + i] += (uchar)(arg + (x == 12345u && i > n));
}
kernel void test_sum(global const uchar *p, ulong off, ulong n, global ulong *partial)
{
	ulong total = 0;
	for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
		total += p[off + i];
	partial[get_global_id(0)] = total;
}
)";

// There is one launch shape for everything: PoCL compiles anew for each local size.
constexpr size_t items = 256, opencl_group = 64;
constexpr uint8_t opencl_poison = 0xdb;
const char *const opencl_kernel_names[] = {"test_add", "test_mix", "test_fill", "test_stamp", "test_slow_add"};

#define CHECK_CL(CALL)                                            \
	do {                                                      \
		cl_int err_ = (CALL);                             \
		if (err_ != CL_SUCCESS)                           \
			FAIL("%s: OpenCL error %d", #CALL, err_); \
	} while (0)

// The compiler's cache must be writable for whoever runs the tests, and shared by their processes.
void choose_pocl_cache()
{
	std::string folder = "/tmp/het-selftests-pocl-" + std::to_string(geteuid());
	mkdir(folder.c_str(), 0700);
	setenv("POCL_CACHE_DIR", folder.c_str(), 0);
}

struct opencl_device {
	std::mutex setting_arguments; // the test's threads share kernels
	cl_command_queue queue;
	cl_kernel kernels[5];
	cl_kernel sum;
	cl_mem partial;
};

class opencl_machine final : public machine
{
      public:
	opencl_machine(unsigned count, unsigned platform) : devices_(count)
	{
		choose_pocl_cache();
		if (count > 1)
			setenv("POCL_DEVICES", "pthread pthread", 0);
		std::vector<cl_device_id> ids = find_devices(count, platform);
		cl_int err;
		context_ = clCreateContext(nullptr, count, ids.data(), nullptr, nullptr, &err);
		CHECK_CL(err);
		cl_program program = build(ids);
		for (unsigned i = 0; i < count; i++)
			prepare(devices_[i], ids[i], program);
		clReleaseProgram(program);
	}

	unsigned count() const override { return devices_.size(); }

	int init(int flags) override
	{
		std::vector<void *> queues;
		for (auto &d : devices_)
			queues.push_back(d.queue);
		return gpuvm_init(queues.size(), queues.data(), GPUVM_OPENCL | flags);
	}

	gpuvm_device entry(unsigned dev) override { return {GPUVM_OPENCL, devices_[dev].queue}; }

	void *new_buffer(unsigned dev, size_t n) override
	{
		cl_int err;
		cl_mem buffer = clCreateBuffer(context_, CL_MEM_READ_WRITE, n, nullptr, &err);
		CHECK_CL(err);
		std::vector<uint8_t> bytes(n, opencl_poison);
		write(dev, buffer, 0, bytes.data(), n);
		return buffer;
	}
	void free_buffer(unsigned, void *buffer) override { CHECK_CL(clReleaseMemObject(cl_mem(buffer))); }

	void read(unsigned dev, void *buffer, size_t off, void *dst, size_t n) override
	{
		CHECK_CL(clEnqueueReadBuffer(devices_[dev].queue, cl_mem(buffer), CL_TRUE, off, n, dst, 0, nullptr,
					     nullptr));
	}
	void write(unsigned dev, void *buffer, size_t off, const void *src, size_t n) override
	{
		CHECK_CL(clEnqueueWriteBuffer(devices_[dev].queue, cl_mem(buffer), CL_TRUE, off, n, src, 0, nullptr,
					      nullptr));
	}

	void run(unsigned dev, void *buffer, const kernel &k) override { finish(dev, start(dev, buffer, k)); }

	uint64_t sum(unsigned dev, void *buffer, size_t off, size_t n) override
	{
		opencl_device &d = devices_[dev];
		std::lock_guard guard(d.setting_arguments);
		set_arguments(d.sum, buffer, off, n);
		CHECK_CL(clSetKernelArg(d.sum, 3, sizeof d.partial, &d.partial));
		CHECK_CL(
			clEnqueueNDRangeKernel(d.queue, d.sum, 1, nullptr, &items, &opencl_group, 0, nullptr, nullptr));
		cl_ulong partial[items];
		read(dev, d.partial, 0, partial, sizeof partial);
		uint64_t total = 0;
		for (cl_ulong p : partial)
			total += p;
		return total;
	}

	void *start(unsigned dev, void *buffer, const kernel &k) override
	{
		opencl_device &d = devices_[dev];
		cl_kernel which = d.kernels[k.what];
		cl_ulong arg = k.arg;
		std::lock_guard guard(d.setting_arguments);
		set_arguments(which, buffer, k.off, k.n);
		CHECK_CL(clSetKernelArg(which, 3, sizeof arg, &arg));
		cl_event event;
		CHECK_CL(clEnqueueNDRangeKernel(d.queue, which, 1, nullptr, &items, &opencl_group, 0, nullptr, &event));
		CHECK_CL(clFlush(d.queue));
		return event;
	}
	void finish(unsigned, void *event) override
	{
		auto e = cl_event(event);
		CHECK_CL(clWaitForEvents(1, &e));
		CHECK_CL(clReleaseEvent(e));
	}

      private:
	static std::vector<cl_device_id> find_devices(unsigned count, unsigned platform)
	{
		cl_platform_id platforms[8];
		cl_uint n = 0;
		if (clGetPlatformIDs(8, platforms, &n) != CL_SUCCESS || n == 0)
			skip("no OpenCL platform");
		for (cl_uint i = 0; i < n && i < 8; i++) {
			cl_uint found = 0;
			std::vector<cl_device_id> ids(count);
			if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, count, ids.data(), &found) == CL_SUCCESS &&
			    found >= count && platform-- == 0)
				return ids;
		}
		skip("too few OpenCL platforms with %u devices", count);
	}

	cl_program build(const std::vector<cl_device_id> &ids)
	{
		const char *text = opencl_source;
		cl_int err;
		cl_program program = clCreateProgramWithSource(context_, 1, &text, nullptr, &err);
		CHECK_CL(err);
		err = clBuildProgram(program, ids.size(), ids.data(), "", nullptr, nullptr);
		if (err != CL_SUCCESS) {
			char log[2048] = "";
			clGetProgramBuildInfo(program, ids[0], CL_PROGRAM_BUILD_LOG, sizeof log, log, nullptr);
			FAIL("clBuildProgram: OpenCL error %d\n%s", err, log);
		}
		return program;
	}

	void prepare(opencl_device &d, cl_device_id id, cl_program program)
	{
		cl_int err;
		d.queue = clCreateCommandQueue(context_, id, 0, &err);
		CHECK_CL(err);
		for (size_t i = 0; i < std::size(opencl_kernel_names); i++) {
			d.kernels[i] = clCreateKernel(program, opencl_kernel_names[i], &err);
			CHECK_CL(err);
		}
		d.sum = clCreateKernel(program, "test_sum", &err);
		CHECK_CL(err);
		d.partial = clCreateBuffer(context_, CL_MEM_READ_WRITE, items * sizeof(cl_ulong), nullptr, &err);
		CHECK_CL(err);
	}

	static void set_arguments(cl_kernel which, void *buffer, size_t off, size_t n)
	{
		auto mem = cl_mem(buffer);
		cl_ulong first = off, bytes = n;
		CHECK_CL(clSetKernelArg(which, 0, sizeof mem, &mem));
		CHECK_CL(clSetKernelArg(which, 1, sizeof first, &first));
		CHECK_CL(clSetKernelArg(which, 2, sizeof bytes, &bytes));
	}

	cl_context context_;
	std::vector<opencl_device> devices_;
};

} // namespace

std::unique_ptr<machine> make_opencl_machine(unsigned count, unsigned platform)
{
	skip_under_tsan("drivers are not built for it");
	return std::make_unique<opencl_machine>(count, platform);
}

} // namespace selftest
