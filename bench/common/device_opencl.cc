// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/device.h"

#include "common/format.h"
#include "common/opencl.h"

#include <gpuvm.h>
#include <map>
#include <stdexcept>

namespace bench
{

namespace
{

class opencl_device final : public device
{
      public:
	explicit opencl_device(unsigned index);

	std::string name() const override { return "opencl" + std::to_string(index_); }
	std::string title() const override { return info_.name + " (" + info_.platform + ")"; }
	json describe() const override
	{
		return {{"name", name()},
			{"title", info_.name},
			{"platform", info_.platform},
			{"version", info_.version}};
	}
	bool cpu() const override { return info_.cpu; }
	int api() const override { return GPUVM_OPENCL; }
	void *handle() override { return queue_.get(); }

	void *allocate(size_t nbytes) override;
	void release(void *buffer) override { clReleaseMemObject(static_cast<cl_mem>(buffer)); }
	void *make_texture(void *buffer, size_t nbytes) override;
	void release_texture(void *texture) override { release(texture); }
	void read(void *buffer, size_t offset, void *to, size_t nbytes) override;
	void write(void *buffer, size_t offset, const void *from, size_t nbytes) override;
	void launch(const kernel &k, size_t items, size_t group, arguments args) override;
	void finish() override { cl_check(clFinish(queue_.get()), "clFinish"); }
	double take_kernel_time() override;

      private:
	struct built {
		cl_program_owner program;
		cl_kernel_owner handle;
	};
	cl_kernel build(const kernel &k);

	unsigned index_;
	cl_device_info_text info_;
	cl_context_owner context_;
	cl_queue_owner queue_;
	std::map<const kernel *, built> kernels_;
	std::vector<cl_event_owner> events_; // those of kernels whose time was not taken yet
};

cl_device_info_text pick(unsigned index)
{
	auto all = list_cl_devices();
	if (index >= all.size())
		throw std::runtime_error(format("no OpenCL device %u: there are %zu", index, all.size()));
	return all[index];
}

opencl_device::opencl_device(unsigned index) : index_(index), info_(pick(index))
{
	cl_int err;
	context_.reset(clCreateContext(nullptr, 1, &info_.id, nullptr, nullptr, &err));
	cl_check(err, "clCreateContext");
	queue_.reset(clCreateCommandQueue(context_.get(), info_.id, CL_QUEUE_PROFILING_ENABLE, &err));
	cl_check(err, "clCreateCommandQueue");
}

// The buffer is written whole once: drivers allocate lazily, and the first copy must not pay for that.
void *opencl_device::allocate(size_t nbytes)
{
	cl_int err;
	cl_mem m = clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, nbytes, nullptr, &err);
	cl_check(err, "clCreateBuffer");
	unsigned char zero = 0;
	cl_check(clEnqueueFillBuffer(queue_.get(), m, &zero, 1, 0, nbytes, 0, nullptr, nullptr), "clEnqueueFillBuffer");
	finish();
	return m;
}

void *opencl_device::make_texture(void *buffer, size_t nbytes)
{
	cl_bool has_images = CL_FALSE;
	clGetDeviceInfo(info_.id, CL_DEVICE_IMAGE_SUPPORT, sizeof(has_images), &has_images, nullptr);
	if (!has_images)
		return nullptr;
	const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
	cl_image_desc what = {};
	what.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
	what.image_width = nbytes / sizeof(cl_uint);
	what.buffer = static_cast<cl_mem>(buffer);
	cl_int err;
	cl_mem m = clCreateImage(context_.get(), CL_MEM_READ_ONLY, &format, &what, nullptr, &err);
	cl_check(err, "clCreateImage");
	return m;
}

void opencl_device::read(void *buffer, size_t offset, void *to, size_t nbytes)
{
	cl_check(clEnqueueReadBuffer(queue_.get(), static_cast<cl_mem>(buffer), CL_TRUE, offset, nbytes, to, 0, nullptr,
				     nullptr),
		 "clEnqueueReadBuffer");
}

void opencl_device::write(void *buffer, size_t offset, const void *from, size_t nbytes)
{
	cl_check(clEnqueueWriteBuffer(queue_.get(), static_cast<cl_mem>(buffer), CL_TRUE, offset, nbytes, from, 0,
				      nullptr, nullptr),
		 "clEnqueueWriteBuffer");
}

cl_kernel opencl_device::build(const kernel &k)
{
	built &b = kernels_[&k];
	if (!b.handle) {
		b.program = build_cl_program(context_.get(), info_.id, k.text.opencl,
					     info_.cpu ? "-DBUILT_BY_OPENCL -DCPU_DEVICE" : "-DBUILT_BY_OPENCL");
		cl_int err;
		b.handle.reset(clCreateKernel(b.program.get(), k.name, &err));
		cl_check(err, "clCreateKernel");
	}
	return b.handle.get();
}

void set_argument(cl_kernel handle, cl_uint index, const argument &a)
{
	cl_int err = CL_SUCCESS;
	switch (a.which) {
	case argument::kind::buffer:
		err = clSetKernelArg(handle, index, sizeof(cl_mem), &a.buffer);
		break;
	case argument::kind::integer:
		err = clSetKernelArg(handle, index, sizeof(cl_int), &a.integer);
		break;
	case argument::kind::real:
		err = clSetKernelArg(handle, index, sizeof(cl_float), &a.real);
		break;
	}
	cl_check(err, "clSetKernelArg");
}

void opencl_device::launch(const kernel &k, size_t items, size_t group, arguments args)
{
	cl_kernel handle = build(k);
	for (size_t i = 0; i < args.size(); ++i)
		set_argument(handle, cl_uint(i), args[i]);
	cl_event event;
	cl_check(clEnqueueNDRangeKernel(queue_.get(), handle, 1, nullptr, &items, &group, 0, nullptr, &event),
		 "clEnqueueNDRangeKernel");
	events_.emplace_back(event);
}

double opencl_device::take_kernel_time()
{
	double sum = 0;
	for (const auto &e : events_) {
		cl_ulong start, end;
		cl_check(clGetEventProfilingInfo(e.get(), CL_PROFILING_COMMAND_START, sizeof(start), &start, nullptr),
			 "clGetEventProfilingInfo");
		cl_check(clGetEventProfilingInfo(e.get(), CL_PROFILING_COMMAND_END, sizeof(end), &end, nullptr),
			 "clGetEventProfilingInfo");
		sum += double(end - start) * 1e-3;
	}
	events_.clear();
	return sum;
}

} // namespace

std::unique_ptr<device> make_opencl_device(unsigned index)
{
	return std::make_unique<opencl_device>(index);
}

} // namespace bench
