// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_twins.h"

#include "dev/opencl_errors.h"
#include "os/log.h"

#include <het.h>
#include <new>

namespace het::rt
{

namespace
{

constexpr size_t bytes_of_item = 16, twin_group = 64;

const char *const compare_source = R"(
kernel void compare(global const uchar *now, global const uchar *before, ulong offset, ulong nbytes,
		    global uchar *changed)
{
	ulong at = 16 * get_global_id(0);
	int differs = 0;
	if (at + 16 <= nbytes) {
		ulong2 a = *(global const ulong2 *)(now + offset + at), b = *(global const ulong2 *)(before + at);
		differs = a.x != b.x || a.y != b.y;
	} else {
		for (; at < nbytes; at++)
			differs |= now[offset + at] != before[at];
		at = nbytes - 1;
	}
	if (differs)
		changed[at / 256] = 1;
}
)";

} // namespace

class opencl_twin final : public device_twin
{
      public:
	// @copy has so many bytes.
	opencl_twin(opencl_twins &all, size_t room, cl_mem copy)
	    : device_twin(room), all_(all), cl_(all.cl_), copy_(copy)
	{
	}
	~opencl_twin() override { cl_.release_mem_object(copy_); }

	int take(void *buffer, size_t offset, size_t nbytes, unsigned lane) override;
	int compare(uint8_t *changed) override;

      private:
	cl_int mark(cl_kernel kernel, cl_mem marks, uint8_t *changed);

	opencl_twins &all_;
	const opencl_calls &cl_;
	const cl_mem copy_;
	cl_mem buffer_ = nullptr;
	size_t offset_ = 0, nbytes_ = 0;
};

int opencl_twin::take(void *buffer, size_t offset, size_t nbytes, unsigned)
{
	buffer_ = static_cast<cl_mem>(buffer);
	offset_ = offset;
	nbytes_ = nbytes;
	cl_int err = cl_.enqueue_copy_buffer(all_.kernels_, buffer_, copy_, offset, 0, nbytes, 0, nullptr, nullptr);
	return err ? all_.failed("copying a part of a buffer", err) : 0;
}

cl_int opencl_twin::mark(cl_kernel kernel, cl_mem marks, uint8_t *changed)
{
	const cl_ulong offset = offset_, nbytes = nbytes_;
	const size_t items = (nbytes_ + bytes_of_item - 1) / bytes_of_item, local = twin_group;
	const size_t global = (items + local - 1) / local * local;
	cl_int err = cl_.set_kernel_arg(kernel, 0, sizeof(cl_mem), &buffer_);
	if (!err)
		err = cl_.set_kernel_arg(kernel, 1, sizeof(cl_mem), &copy_);
	if (!err)
		err = cl_.set_kernel_arg(kernel, 2, sizeof(offset), &offset);
	if (!err)
		err = cl_.set_kernel_arg(kernel, 3, sizeof(nbytes), &nbytes);
	if (!err)
		err = cl_.set_kernel_arg(kernel, 4, sizeof(cl_mem), &marks);
	if (!err)
		err = cl_.enqueue_nd_range_kernel(all_.queue_, kernel, 1, nullptr, &global, &local, 0, nullptr,
						  nullptr);
	if (!err)
		err = cl_.enqueue_read_buffer(all_.queue_, marks, CL_TRUE, 0, twin_units(nbytes_), changed, 0, nullptr,
					      nullptr);
	return err;
}

// A kernel object has arguments of its own, so each comparison has one.
int opencl_twin::compare(uint8_t *changed)
{
	cl_int err = CL_SUCCESS;
	memset(changed, 0, twin_units(nbytes_));
	cl_mem marks = cl_.create_buffer(all_.context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, twin_units(nbytes_),
					 changed, &err);
	cl_kernel kernel = marks ? cl_.create_kernel(all_.program_, "compare", &err) : nullptr;
	if (kernel)
		err = mark(kernel, marks, changed);
	if (kernel)
		cl_.release_kernel(kernel);
	if (marks)
		cl_.release_mem_object(marks);
	return err ? all_.failed("comparing what a kernel has written with what was there", err) : 0;
}

int opencl_twins::failed(const char *what, cl_int error) const
{
	return fail(HET_EDEVICE, "%s: %s failed: %s (%d)", name_, what, cl_error_name(error), error);
}

int opencl_twins::open()
{
	const char *source = compare_source;
	cl_int err = CL_SUCCESS;
	if (!program_)
		program_ = cl_.create_program_with_source(context_, 1, &source, nullptr, &err);
	if (program_ && !err)
		err = cl_.build_program(program_, 1, &id_, "", nullptr, nullptr);
	if (!err)
		queue_ = cl_.create_command_queue(context_, id_, 0, &err);
	return err ? failed("building the kernel that compares buffers", err) : 0;
}

int opencl_twins::make(size_t nbytes, std::unique_ptr<device_twin> &made)
{
	if (int err = opening_.once([this] { return open(); }))
		return err;
	cl_int err = CL_SUCCESS;
	cl_mem copy = cl_.create_buffer(context_, CL_MEM_READ_WRITE, nbytes, nullptr, &err);
	if (err == CL_MEM_OBJECT_ALLOCATION_FAILURE || err == CL_OUT_OF_RESOURCES)
		return no_device_memory;
	if (!copy)
		return failed("making a buffer", err);
	made.reset(new (std::nothrow) opencl_twin(*this, nbytes, copy));
	if (made)
		return 0;
	cl_.release_mem_object(copy);
	return fail(HET_ENOMEM, "%s: no memory", name_);
}

} // namespace het::rt
