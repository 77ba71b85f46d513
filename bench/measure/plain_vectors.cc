// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/plain_vectors.h"

#include "common/cuda.h"
#include "common/opencl.h"

#include <algorithm>
#include <stdexcept>

namespace bench
{

const char vector_source[] = R"(
kernel void add(global const float *x, global const float *y, global float *z, ulong n)
{
	size_t i = get_global_id(0);
	if (i < n)
		z[i] = x[i] + y[i];
}
kernel void nothing(void)
{
}
)";

void vectors::write(unsigned round)
{
	for (size_t i = 0; i < x.size(); i++) {
		x[i] = float((i + round) % 1000);
		y[i] = float(i % 77);
	}
}

bool vectors::is_right() const
{
	bool right = true;
	for (size_t i = 0; i < z.size(); i++)
		right &= z[i] == x[i] + y[i];
	return right;
}

namespace
{

class opencl_vectors final : public plain_vectors
{
      public:
	opencl_vectors(cl_device_id id, size_t n) : n_(n)
	{
		cl_int err;
		context_.reset(clCreateContext(nullptr, 1, &id, nullptr, nullptr, &err));
		cl_check(err, "clCreateContext");
		queue_.reset(clCreateCommandQueue(context_.get(), id, 0, &err));
		cl_check(err, "clCreateCommandQueue");
		program_ = build_cl_program(context_.get(), id, vector_source, "");
		add_.reset(clCreateKernel(program_.get(), "add", &err));
		cl_check(err, "clCreateKernel");
		nothing_.reset(clCreateKernel(program_.get(), "nothing", &err));
		cl_check(err, "clCreateKernel");
		for (auto &b : buffers_) {
			b.reset(clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, n * sizeof(float), nullptr, &err));
			cl_check(err, "clCreateBuffer");
		}
	}

	void add(vectors &v) override
	{
		const size_t bytes = n_ * sizeof(float);
		const cl_ulong n = n_;
		cl_uint i = 0;
		for (auto &b : buffers_) {
			cl_mem m = b.get();
			cl_check(clSetKernelArg(add_.get(), i++, sizeof(cl_mem), &m), "clSetKernelArg");
		}
		cl_check(clSetKernelArg(add_.get(), i, sizeof(n), &n), "clSetKernelArg");
		write(0, v.x.data(), bytes);
		write(1, v.y.data(), bytes);
		launch(add_.get(), whole_groups(n_), vector_group);
		cl_check(clEnqueueReadBuffer(queue_.get(), buffers_[2].get(), CL_TRUE, 0, bytes, v.z.data(), 0, nullptr,
					     nullptr),
			 "clEnqueueReadBuffer");
	}

	void do_nothing() override
	{
		launch(nothing_.get(), vector_group, vector_group);
		cl_check(clFinish(queue_.get()), "clFinish");
	}

      private:
	using memory = cl_owner<cl_mem, &clReleaseMemObject>;

	void write(int i, const void *from, size_t bytes)
	{
		cl_check(clEnqueueWriteBuffer(queue_.get(), buffers_[i].get(), CL_TRUE, 0, bytes, from, 0, nullptr,
					      nullptr),
			 "clEnqueueWriteBuffer");
	}

	void launch(cl_kernel k, size_t items, size_t local)
	{
		cl_check(clEnqueueNDRangeKernel(queue_.get(), k, 1, nullptr, &items, &local, 0, nullptr, nullptr),
			 "clEnqueueNDRangeKernel");
	}

	size_t n_;
	cl_context_owner context_;
	cl_queue_owner queue_;
	cl_program_owner program_;
	cl_kernel_owner add_, nothing_;
	memory buffers_[3];
};

class cuda_vectors final : public plain_vectors
{
      public:
	explicit cuda_vectors(size_t n) : n_(n)
	{
		for (auto &b : buffers_)
			cuda_check(cuda().allocate(&b, n * sizeof(float)), "cuMemAlloc");
	}
	~cuda_vectors() override
	{
		for (auto b : buffers_)
			cuda().free(b);
	}

	void add(vectors &v) override
	{
		const size_t bytes = n_ * sizeof(float);
		unsigned long long n = n_;
		cuda_check(cuda().write(buffers_[0], v.x.data(), bytes), "cuMemcpyHtoD");
		cuda_check(cuda().write(buffers_[1], v.y.data(), bytes), "cuMemcpyHtoD");
		program_.launch("add", unsigned(whole_groups(n_) / vector_group), vector_group,
				{&buffers_[0], &buffers_[1], &buffers_[2], &n});
		program_.finish();
		cuda_check(cuda().read(v.z.data(), buffers_[2], bytes), "cuMemcpyDtoH");
	}

	void do_nothing() override
	{
		program_.launch("nothing", 1, vector_group, {});
		program_.finish();
	}

      private:
	const size_t n_;
	cuda_program program_{0};
	het::cu_deviceptr buffers_[3] = {};
};

} // namespace

std::unique_ptr<plain_vectors> make_opencl_vectors(const std::string &runtime_name, size_t n)
{
	const auto devices = list_cl_devices();
	auto same =
		std::find_if(devices.begin(), devices.end(), [&](auto &d) { return runtime_name.starts_with(d.name); });
	if (same == devices.end())
		throw std::runtime_error("the runtime's first device is no OpenCL device: " + runtime_name);
	return std::make_unique<opencl_vectors>(same->id, n);
}

std::unique_ptr<plain_vectors> make_cuda_vectors(size_t n)
{
	return std::make_unique<cuda_vectors>(n);
}

} // namespace bench
