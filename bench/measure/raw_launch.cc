// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/raw_launch.h"

#include "common/cuda.h"
#include "common/opencl.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace bench
{

namespace
{

using cl_mem_owner = cl_owner<cl_mem, &clReleaseMemObject>;

class raw_opencl final : public raw_launch
{
      public:
	raw_opencl(cl_device_id id, const empty_arguments &a) : arguments_(a)
	{
		cl_int err = clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof(type_), &type_, nullptr);
		cl_check(err, "clGetDeviceInfo");
		context_.reset(clCreateContext(nullptr, 1, &id, nullptr, nullptr, &err));
		cl_check(err, "clCreateContext");
		queue_.reset(clCreateCommandQueue(context_.get(), id, 0, &err));
		cl_check(err, "clCreateCommandQueue");
		program_ = build_cl_program(context_.get(), id, empty_kernels.opencl, "");
		kernel_.reset(clCreateKernel(program_.get(), a.kernel().c_str(), &err));
		cl_check(err, "clCreateKernel");
		for (unsigned i = 0; a.ranges && i < a.count; i++) {
			buffers_[i].reset(
				clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, empty_range_bytes, nullptr, &err));
			cl_check(err, "clCreateBuffer");
		}
	}

	void run(unsigned launches) override
	{
		for (unsigned l = 0; l < launches; l++) {
			for (unsigned i = 0; i < arguments_.count; i++)
				cl_check(set_argument(i), "clSetKernelArg");
			const size_t items = empty_group;
			cl_check(clEnqueueNDRangeKernel(queue_.get(), kernel_.get(), 1, nullptr, &items, &items, 0,
							nullptr, nullptr),
				 "clEnqueueNDRangeKernel");
		}
		cl_check(clFinish(queue_.get()), "clFinish");
	}
	bool changes_contexts() const override { return !(type_ & CL_DEVICE_TYPE_CPU); }

      private:
	cl_int set_argument(unsigned i)
	{
		const cl_mem buffer = buffers_[i].get();
		return arguments_.ranges ? clSetKernelArg(kernel_.get(), i, sizeof(cl_mem), &buffer)
					 : clSetKernelArg(kernel_.get(), i, sizeof(i), &i);
	}

	const empty_arguments arguments_;
	cl_device_type type_ = 0;
	cl_context_owner context_;
	cl_queue_owner queue_;
	cl_program_owner program_;
	cl_kernel_owner kernel_;
	std::array<cl_mem_owner, most_empty_arguments> buffers_;
};

class raw_cuda final : public raw_launch
{
      public:
	raw_cuda(unsigned ordinal, const empty_arguments &a)
	    : arguments_(a), program_(ordinal), function_(program_.function(empty_kernels, a.kernel()))
	{
		for (unsigned i = 0; a.ranges && i < a.count; i++)
			cuda_check(cuda().allocate(&buffers_[i], empty_range_bytes), "cuMemAlloc");
	}
	~raw_cuda() override
	{
		for (het::cu_deviceptr b : buffers_)
			if (b)
				cuda().free(b);
	}

	void run(unsigned launches) override
	{
		unsigned values[most_empty_arguments] = {};
		void *parameters[most_empty_arguments];
		for (unsigned i = 0; i < arguments_.count; i++)
			parameters[i] = arguments_.ranges ? static_cast<void *>(&buffers_[i]) : &values[i];
		for (unsigned l = 0; l < launches; l++)
			cuda_check(cuda().launch(function_, 1, 1, 1, empty_group, 1, 1, 0, program_.stream(),
						 parameters, nullptr),
				   "cuLaunchKernel");
		program_.finish();
	}

      private:
	const empty_arguments arguments_;
	cuda_program program_;
	const het::cu_function function_;
	std::array<het::cu_deviceptr, most_empty_arguments> buffers_ = {};
};

} // namespace

std::unique_ptr<raw_launch> make_raw_launch(het::device d, unsigned ordinal, const empty_arguments &a)
{
	const het_device_info info = d.info();
	if (info.kind == HET_DEVICE_CUDA)
		return std::make_unique<raw_cuda>(ordinal, a);
	if (info.kind != HET_DEVICE_OPENCL)
		return nullptr;
	return std::make_unique<raw_opencl>(find_cl_device(info.name), a);
}

} // namespace bench
