// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Interposes OpenCL calls that take host data. A driver may touch that data with its locks held, or on the very threads
// that a fetch needs; if the data is on the device then, the fetch waits for the driver and the driver for the fetch.
// So linked ranges are brought home before the call.
//
// Only data is looked at: sources, work sizes, wait lists and answers to queries are not what a program links. Calls
// that the library itself makes go to the loader directly (dev/opencl_api.h) and never through here, and so do calls of
// a program that looks the functions up with dlsym().
#include "api/next_function.h"
#include "dev/opencl_errors.h"
#include "dev/opencl_spans.h"
#include "memory/hooks.h"
#include "os/log.h"

#include <tuple>

namespace het
{

namespace
{

// --- the functions behind ours -----------------------------------------------

// Finds what the program would have called without us: the next function of that name among the libraries that the
// program loaded, or the loader's if it loaded none.
template <typename F> class next_opencl_function;

template <typename R, typename... A> class next_opencl_function<R(A...)>
{
      public:
	constexpr explicit next_opencl_function(const char *name) : next_(name, nullptr, find_opencl_function) {}

	R operator()(A... args)
	{
		auto *function = next_.get();
		return function ? function(args...) : missing(args...);
	}

      private:
	// Answers as a loader that finds no driver. Functions that make an object report in their last argument.
	static R missing(A... args)
	{
		if constexpr (std::is_same_v<R, cl_mem>) {
			cl_int *error = std::get<sizeof...(A) - 1>(std::tie(args...));
			if (error)
				*error = cl_platform_not_found;
			return nullptr;
		} else {
			return cl_platform_not_found;
		}
	}

	next_function<R (*)(A...)> next_;
};

namespace next
{
constinit next_opencl_function<decltype(clGetImageInfo)> get_image_info("clGetImageInfo");
constinit next_opencl_function<decltype(clGetMemObjectInfo)> get_mem_object_info("clGetMemObjectInfo");
constinit next_opencl_function<decltype(clCreateBuffer)> create_buffer("clCreateBuffer");
constinit next_opencl_function<decltype(clCreateBufferWithProperties)>
	create_buffer_with_properties("clCreateBufferWithProperties");
constinit next_opencl_function<decltype(clCreateImage)> create_image("clCreateImage");
constinit next_opencl_function<decltype(clCreateImageWithProperties)>
	create_image_with_properties("clCreateImageWithProperties");
constinit next_opencl_function<decltype(clCreateImage2D)> create_image_2d("clCreateImage2D");
constinit next_opencl_function<decltype(clCreateImage3D)> create_image_3d("clCreateImage3D");
constinit next_opencl_function<decltype(clEnqueueReadBuffer)> read_buffer("clEnqueueReadBuffer");
constinit next_opencl_function<decltype(clEnqueueWriteBuffer)> write_buffer("clEnqueueWriteBuffer");
constinit next_opencl_function<decltype(clEnqueueReadBufferRect)> read_buffer_rect("clEnqueueReadBufferRect");
constinit next_opencl_function<decltype(clEnqueueWriteBufferRect)> write_buffer_rect("clEnqueueWriteBufferRect");
constinit next_opencl_function<decltype(clEnqueueReadImage)> read_image("clEnqueueReadImage");
constinit next_opencl_function<decltype(clEnqueueWriteImage)> write_image("clEnqueueWriteImage");
constinit next_opencl_function<decltype(clEnqueueFillBuffer)> fill_buffer("clEnqueueFillBuffer");
constinit next_opencl_function<decltype(clEnqueueFillImage)> fill_image("clEnqueueFillImage");
constinit next_opencl_function<decltype(clEnqueueSVMMemcpy)> svm_memcpy("clEnqueueSVMMemcpy");
constinit next_opencl_function<decltype(clEnqueueSVMMemFill)> svm_mem_fill("clEnqueueSVMMemFill");
constinit next_opencl_function<decltype(clEnqueueSVMMap)> svm_map("clEnqueueSVMMap");
constinit next_opencl_function<decltype(clEnqueueNativeKernel)> native_kernel("clEnqueueNativeKernel");
constinit next_opencl_function<decltype(clSetKernelArg)> set_kernel_arg("clSetKernelArg");
} // namespace next

// --- what the driver will do with host memory --------------------------------

void driver_uses(const void *p, size_t n, access how)
{
	if (p && n && is_linked(p, n))
		bring_home(p, n, how);
}

void driver_reads(const void *p, size_t n)
{
	driver_uses(p, n, access::read);
}

void driver_writes(const void *p, size_t n)
{
	driver_uses(p, n, access::write);
}

// CL_MEM_COPY_HOST_PTR reads the memory now; CL_MEM_USE_HOST_PTR keeps it, and nobody tells us when.
void driver_takes(const char *call, cl_mem_flags flags, const void *p, size_t n)
{
	if (!(flags & CL_MEM_USE_HOST_PTR)) {
		driver_reads(p, n);
		return;
	}
	if (p && n && is_linked(p, n))
		warn("%s: CL_MEM_USE_HOST_PTR with a linked array: its contents are home now, but the object must not "
		     "be used after a kernel has written the array",
		     call);
	driver_writes(p, n);
}

size_t span_of(cl_mem image, const size_t *region, size_t row_pitch, size_t slice_pitch)
{
	size_t element_size = 0;
	cl_mem_object_type type = 0;
	next::get_image_info(image, CL_IMAGE_ELEMENT_SIZE, sizeof(element_size), &element_size, nullptr);
	next::get_mem_object_info(image, CL_MEM_TYPE, sizeof(type), &type, nullptr);
	return image_span(type, region, row_pitch, slice_pitch, element_size);
}

const void *start_of(const void *ptr, host_span span)
{
	return ptr ? static_cast<const char *>(ptr) + span.offset : nullptr;
}

// The longest colour has four components of 32 bits.
constexpr size_t fill_colour_size = 16;

} // namespace

} // namespace het

using namespace het;

#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): cl.h has longer names.

// --- objects made over host memory -------------------------------------------

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr, cl_int *error)
{
	driver_takes("clCreateBuffer", flags, host_ptr, size);
	return next::create_buffer(context, flags, size, host_ptr, error);
}

cl_mem clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
				    size_t size, void *host_ptr, cl_int *error)
{
	driver_takes("clCreateBufferWithProperties", flags, host_ptr, size);
	return next::create_buffer_with_properties(context, properties, flags, size, host_ptr, error);
}

cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc,
		     void *host_ptr, cl_int *error)
{
	driver_takes("clCreateImage", flags, host_ptr, new_image_span(format, desc));
	return next::create_image(context, flags, format, desc, host_ptr, error);
}

cl_mem clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
				   const cl_image_format *format, const cl_image_desc *desc, void *host_ptr,
				   cl_int *error)
{
	driver_takes("clCreateImageWithProperties", flags, host_ptr, new_image_span(format, desc));
	return next::create_image_with_properties(context, properties, flags, format, desc, host_ptr, error);
}

cl_mem clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
		       size_t height, size_t row_pitch, void *host_ptr, cl_int *error)
{
	cl_image_desc desc = {};
	desc.image_type = CL_MEM_OBJECT_IMAGE2D;
	desc.image_width = width;
	desc.image_height = height;
	desc.image_row_pitch = row_pitch;
	driver_takes("clCreateImage2D", flags, host_ptr, new_image_span(format, &desc));
	return next::create_image_2d(context, flags, format, width, height, row_pitch, host_ptr, error);
}

cl_mem clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
		       size_t height, size_t depth, size_t row_pitch, size_t slice_pitch, void *host_ptr, cl_int *error)
{
	cl_image_desc desc = {};
	desc.image_type = CL_MEM_OBJECT_IMAGE3D;
	desc.image_width = width;
	desc.image_height = height;
	desc.image_depth = depth;
	desc.image_row_pitch = row_pitch;
	desc.image_slice_pitch = slice_pitch;
	driver_takes("clCreateImage3D", flags, host_ptr, new_image_span(format, &desc));
	return next::create_image_3d(context, flags, format, width, height, depth, row_pitch, slice_pitch, host_ptr,
				     error);
}

// --- copies between host memory and objects ----------------------------------

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
			   void *ptr, cl_uint waits, const cl_event *wait_list, cl_event *event)
{
	driver_writes(ptr, size);
	return next::read_buffer(queue, buffer, blocking, offset, size, ptr, waits, wait_list, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
			    const void *ptr, cl_uint waits, const cl_event *wait_list, cl_event *event)
{
	driver_reads(ptr, size);
	return next::write_buffer(queue, buffer, blocking, offset, size, ptr, waits, wait_list, event);
}

cl_int clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *buffer_origin,
			       const size_t *host_origin, const size_t *region, size_t buffer_row_pitch,
			       size_t buffer_slice_pitch, size_t host_row_pitch, size_t host_slice_pitch, void *ptr,
			       cl_uint waits, const cl_event *wait_list, cl_event *event)
{
	host_span span = rect_span(host_origin, region, host_row_pitch, host_slice_pitch);
	driver_writes(start_of(ptr, span), span.size);
	return next::read_buffer_rect(queue, buffer, blocking, buffer_origin, host_origin, region, buffer_row_pitch,
				      buffer_slice_pitch, host_row_pitch, host_slice_pitch, ptr, waits, wait_list,
				      event);
}

cl_int clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *buffer_origin,
				const size_t *host_origin, const size_t *region, size_t buffer_row_pitch,
				size_t buffer_slice_pitch, size_t host_row_pitch, size_t host_slice_pitch,
				const void *ptr, cl_uint waits, const cl_event *wait_list, cl_event *event)
{
	host_span span = rect_span(host_origin, region, host_row_pitch, host_slice_pitch);
	driver_reads(start_of(ptr, span), span.size);
	return next::write_buffer_rect(queue, buffer, blocking, buffer_origin, host_origin, region, buffer_row_pitch,
				       buffer_slice_pitch, host_row_pitch, host_slice_pitch, ptr, waits, wait_list,
				       event);
}

cl_int clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
			  const size_t *region, size_t row_pitch, size_t slice_pitch, void *ptr, cl_uint waits,
			  const cl_event *wait_list, cl_event *event)
{
	driver_writes(ptr, span_of(image, region, row_pitch, slice_pitch));
	return next::read_image(queue, image, blocking, origin, region, row_pitch, slice_pitch, ptr, waits, wait_list,
				event);
}

cl_int clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
			   const size_t *region, size_t row_pitch, size_t slice_pitch, const void *ptr, cl_uint waits,
			   const cl_event *wait_list, cl_event *event)
{
	driver_reads(ptr, span_of(image, region, row_pitch, slice_pitch));
	return next::write_image(queue, image, blocking, origin, region, row_pitch, slice_pitch, ptr, waits, wait_list,
				 event);
}

// --- values and patterns -----------------------------------------------------

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size,
			   size_t offset, size_t size, cl_uint waits, const cl_event *wait_list, cl_event *event)
{
	driver_reads(pattern, pattern_size);
	return next::fill_buffer(queue, buffer, pattern, pattern_size, offset, size, waits, wait_list, event);
}

cl_int clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *colour, const size_t *origin,
			  const size_t *region, cl_uint waits, const cl_event *wait_list, cl_event *event)
{
	driver_reads(colour, fill_colour_size);
	return next::fill_image(queue, image, colour, origin, region, waits, wait_list, event);
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
	driver_reads(value, size);
	return next::set_kernel_arg(kernel, index, size, value);
}

cl_int clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *function)(void *), void *args, size_t size,
			     cl_uint objects, const cl_mem *mem_list, const void **args_mem_loc, cl_uint waits,
			     const cl_event *wait_list, cl_event *event)
{
	driver_reads(args, size);
	return next::native_kernel(queue, function, args, size, objects, mem_list, args_mem_loc, waits, wait_list,
				   event);
}

// --- shared virtual memory: any host memory where the device can do that -----

cl_int clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *dst, const void *src, size_t size,
			  cl_uint waits, const cl_event *wait_list, cl_event *event)
{
	driver_reads(src, size);
	driver_writes(dst, size);
	return next::svm_memcpy(queue, blocking, dst, src, size, waits, wait_list, event);
}

cl_int clEnqueueSVMMemFill(cl_command_queue queue, void *dst, const void *pattern, size_t pattern_size, size_t size,
			   cl_uint waits, const cl_event *wait_list, cl_event *event)
{
	driver_reads(pattern, pattern_size);
	driver_writes(dst, size);
	return next::svm_mem_fill(queue, dst, pattern, pattern_size, size, waits, wait_list, event);
}

cl_int clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *ptr, size_t size,
		       cl_uint waits, const cl_event *wait_list, cl_event *event)
{
	driver_uses(ptr, size, flags == CL_MAP_READ ? access::read : access::write);
	return next::svm_map(queue, blocking, flags, ptr, size, waits, wait_list, event);
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
#pragma GCC visibility pop
