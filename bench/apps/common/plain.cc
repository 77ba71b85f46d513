// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "apps/common/plain.h"

#include "common/cuda.h"
#include "common/opencl.h"

#include <map>

namespace bench
{

namespace
{

class plain_opencl final : public plain_device
{
      public:
	plain_opencl(cl_device_id id, const char *source)
	{
		cl_int err;
		context_.reset(clCreateContext(nullptr, 1, &id, nullptr, nullptr, &err));
		cl_check(err, "clCreateContext");
		queue_.reset(clCreateCommandQueue(context_.get(), id, 0, &err));
		cl_check(err, "clCreateCommandQueue");
		program_ = build_cl_program(context_.get(), id, source, "");
	}

	void *allocate(size_t nbytes) override
	{
		cl_int err;
		cl_mem m = clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, nbytes, nullptr, &err);
		cl_check(err, "clCreateBuffer");
		return m;
	}
	void release(void *buffer) override { clReleaseMemObject(static_cast<cl_mem>(buffer)); }
	void write(void *buffer, const void *from, size_t nbytes) override
	{
		cl_check(clEnqueueWriteBuffer(queue_.get(), static_cast<cl_mem>(buffer), CL_TRUE, 0, nbytes, from, 0,
					      nullptr, nullptr),
			 "clEnqueueWriteBuffer");
	}
	void read(void *to, void *buffer, size_t nbytes) override
	{
		cl_check(clEnqueueReadBuffer(queue_.get(), static_cast<cl_mem>(buffer), CL_TRUE, 0, nbytes, to, 0,
					     nullptr, nullptr),
			 "clEnqueueReadBuffer");
	}
	void launch(const char *kernel, const het::work &w, std::span<const plain_argument> args) override
	{
		cl_kernel k = find(kernel);
		for (size_t i = 0; i < args.size(); i++)
			cl_check(clSetKernelArg(k, cl_uint(i), args[i].nbytes, args[i].bytes), "clSetKernelArg");
		const het_launch_args &l = w.args();
		cl_check(clEnqueueNDRangeKernel(queue_.get(), k, l.dimensions, nullptr, l.global, l.local, 0, nullptr,
						nullptr),
			 "clEnqueueNDRangeKernel");
	}
	void finish() override { cl_check(clFinish(queue_.get()), "clFinish"); }

      private:
	cl_kernel find(const char *name)
	{
		cl_kernel_owner &k = kernels_[name];
		if (!k) {
			cl_int err;
			k.reset(clCreateKernel(program_.get(), name, &err));
			cl_check(err, "clCreateKernel");
		}
		return k.get();
	}

	cl_context_owner context_;
	cl_queue_owner queue_;
	cl_program_owner program_;
	std::map<std::string, cl_kernel_owner, std::less<>> kernels_;
};

class plain_cuda final : public plain_device
{
      public:
	explicit plain_cuda(const kernel_text &text) : text_(text), program_(0) {}

	void *allocate(size_t nbytes) override
	{
		het::cu_deviceptr p = 0;
		cuda_check(cuda().allocate(&p, nbytes), "cuMemAlloc");
		return reinterpret_cast<void *>(uintptr_t(p));
	}
	void release(void *buffer) override { cuda().free(address(buffer)); }
	// Writes in the stream of the kernels: cuMemcpyHtoD() may come back before the bytes are on the device, and
	// kernels in a stream that does not wait for the default one would not find them.
	void write(void *buffer, const void *from, size_t nbytes) override
	{
		cuda_check(cuda().copy_to_device(address(buffer), from, nbytes, program_.stream()),
			   "cuMemcpyHtoDAsync");
	}
	void read(void *to, void *buffer, size_t nbytes) override
	{
		cuda_check(cuda().copy_to_host(to, address(buffer), nbytes, program_.stream()), "cuMemcpyDtoHAsync");
		finish();
	}
	void launch(const char *kernel, const het::work &w, std::span<const plain_argument> args) override
	{
		const het_launch_args &l = w.args();
		cuda_program::sizes blocks = {1, 1, 1}, threads = {1, 1, 1};
		for (uint32_t d = 0; d < l.dimensions; d++) {
			threads[d] = unsigned(l.local[d]);
			blocks[d] = unsigned(l.global[d] / l.local[d]);
		}
		std::vector<void *> addresses;
		for (const plain_argument &a : args)
			addresses.push_back(const_cast<void *>(a.bytes));
		program_.launch(text_, kernel, blocks, threads, std::move(addresses));
	}
	void finish() override { program_.finish(); }

      private:
	static het::cu_deviceptr address(void *buffer)
	{
		return het::cu_deviceptr(reinterpret_cast<uintptr_t>(buffer));
	}

	const kernel_text &text_;
	cuda_program program_;
};

} // namespace

std::unique_ptr<plain_device> open_plain(het::device d, const app_kernels &kernels)
{
	const het_device_info info = d.info();
	if (info.kind == HET_DEVICE_CUDA)
		return std::make_unique<plain_cuda>(*kernels.text);
	if (info.kind != HET_DEVICE_OPENCL)
		return nullptr;
	return std::make_unique<plain_opencl>(find_cl_device(info.name), kernels.text->opencl);
}

} // namespace bench
