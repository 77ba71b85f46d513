// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// cl_khr_command_buffer: what was recorded does the same each time, in the order that its sync points want.
#include "test.h"

#include <CL/cl_ext.h>
#include <algorithm>
#include <functional>

using namespace cltest;

namespace
{

constexpr char source[] = "kernel void advance(global uint *a, uint factor, uint more)\n"
			  "{ uint i = get_global_id(0); a[i] = a[i] * factor + more; }\n";
constexpr size_t n = 4096, nbytes = n * sizeof(cl_uint);

template <class F> F *find(const fixture &fx, const char *name)
{
	auto *f = reinterpret_cast<F *>(clGetExtensionFunctionAddressForPlatform(fx.platform, name));
	CHECK(f);
	return f;
}

// The extension's calls, of which the loader knows nothing.
struct calls {
	explicit calls(const fixture &fx)
	    : create(find<decltype(clCreateCommandBufferKHR)>(fx, "clCreateCommandBufferKHR")),
	      retain(find<decltype(clRetainCommandBufferKHR)>(fx, "clRetainCommandBufferKHR")),
	      release(find<decltype(clReleaseCommandBufferKHR)>(fx, "clReleaseCommandBufferKHR")),
	      finalize(find<decltype(clFinalizeCommandBufferKHR)>(fx, "clFinalizeCommandBufferKHR")),
	      enqueue(find<decltype(clEnqueueCommandBufferKHR)>(fx, "clEnqueueCommandBufferKHR")),
	      info(find<decltype(clGetCommandBufferInfoKHR)>(fx, "clGetCommandBufferInfoKHR")),
	      barrier(find<decltype(clCommandBarrierWithWaitListKHR)>(fx, "clCommandBarrierWithWaitListKHR")),
	      copy(find<decltype(clCommandCopyBufferKHR)>(fx, "clCommandCopyBufferKHR")),
	      copy_rect(find<decltype(clCommandCopyBufferRectKHR)>(fx, "clCommandCopyBufferRectKHR")),
	      fill(find<decltype(clCommandFillBufferKHR)>(fx, "clCommandFillBufferKHR")),
	      launch(find<decltype(clCommandNDRangeKernelKHR)>(fx, "clCommandNDRangeKernelKHR")),
	      fill_image(find<decltype(clCommandFillImageKHR)>(fx, "clCommandFillImageKHR")),
	      copy_image(find<decltype(clCommandCopyImageKHR)>(fx, "clCommandCopyImageKHR")),
	      to_image(find<decltype(clCommandCopyBufferToImageKHR)>(fx, "clCommandCopyBufferToImageKHR")),
	      to_buffer(find<decltype(clCommandCopyImageToBufferKHR)>(fx, "clCommandCopyImageToBufferKHR"))
	{
	}

	decltype(clCreateCommandBufferKHR) *create;
	decltype(clRetainCommandBufferKHR) *retain;
	decltype(clReleaseCommandBufferKHR) *release;
	decltype(clFinalizeCommandBufferKHR) *finalize;
	decltype(clEnqueueCommandBufferKHR) *enqueue;
	decltype(clGetCommandBufferInfoKHR) *info;
	decltype(clCommandBarrierWithWaitListKHR) *barrier;
	decltype(clCommandCopyBufferKHR) *copy;
	decltype(clCommandCopyBufferRectKHR) *copy_rect;
	decltype(clCommandFillBufferKHR) *fill;
	decltype(clCommandNDRangeKernelKHR) *launch;
	decltype(clCommandFillImageKHR) *fill_image;
	decltype(clCommandCopyImageKHR) *copy_image;
	decltype(clCommandCopyBufferToImageKHR) *to_image;
	decltype(clCommandCopyImageToBufferKHR) *to_buffer;
};

cl_command_buffer_khr made(const calls &c, cl_command_queue q, cl_command_buffer_flags_khr flags = 0)
{
	const cl_command_buffer_properties_khr properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0};
	cl_int err = 1;
	cl_command_buffer_khr b = c.create(1, &q, properties, &err);
	OK(err);
	return b;
}

cl_uint state(const calls &c, cl_command_buffer_khr b)
{
	return info<cl_command_buffer_state_khr>(c.info, b, CL_COMMAND_BUFFER_STATE_KHR);
}

std::vector<cl_uint> read(const fixture &fx, cl_mem m)
{
	std::vector<cl_uint> v(n);
	OK(clEnqueueReadBuffer(fx.queue, m, CL_TRUE, 0, nbytes, v.data(), 0, nullptr, nullptr));
	return v;
}

// Some buffers, what is in them, and commands that were recorded and are done on the model too.
class program
{
      public:
	program(fixture &f, const calls &c, cl_command_queue q)
	    : fx_(f), c_(c), queue_(q), buffer_(made(c, q, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR)),
	      kernel_(f.kernel(source, "advance"))
	{
		for (size_t i = 0; i < 3; i++) {
			model_[i].resize(n);
			for (cl_uint &x : model_[i])
				x = cl_uint(f.random());
			memory_[i] = f.buffer(nbytes, CL_MEM_COPY_HOST_PTR, model_[i].data());
		}
	}
	~program()
	{
		OK(c_.release(buffer_));
		OK(clReleaseKernel(kernel_));
		for (cl_mem m : memory_)
			OK(clReleaseMemObject(m));
	}
	program(const program &) = delete;
	program &operator=(const program &) = delete;

	// Each command waits by its point, or by a barrier, for those that use the same bytes.
	void record_any()
	{
		const size_t to = fx_.below(3), from = (to + 1 + fx_.below(2)) % 3;
		const std::vector<cl_sync_point_khr> after = points(to, from);
		cl_sync_point_khr point = 0;
		switch (fx_.below(4)) {
		case 0:
			fill(to, after, &point);
			break;
		case 1:
			copy(from, to, after, &point);
			break;
		case 2:
			OK(c_.barrier(buffer_, nullptr, 0, nullptr, &point, nullptr));
			last_[0] = last_[1] = last_[2] = 0;
			return;
		default:
			launch(to, after, &point);
		}
		last_[to] = last_[from] = point;
	}
	void run_and_check(unsigned times)
	{
		OK(c_.finalize(buffer_));
		for (unsigned i = 0; i < times; i++) {
			cl_event e = nullptr;
			OK(c_.enqueue(0, nullptr, buffer_, cl_uint(before_ != nullptr), before_ ? &before_ : nullptr,
				      &e));
			if (before_)
				OK(clReleaseEvent(before_));
			before_ = e;
			for (const auto &step : steps_)
				step(model_);
		}
		OK(clWaitForEvents(1, &before_));
		CHECK_EQ(info<cl_command_type>(clGetEventInfo, before_, CL_EVENT_COMMAND_TYPE),
			 cl_command_type{CL_COMMAND_COMMAND_BUFFER_KHR});
		OK(clReleaseEvent(before_));
		before_ = nullptr;
		OK(clFinish(queue_));
		for (size_t i = 0; i < 3; i++)
			CHECK(read(fx_, memory_[i]) == model_[i]);
	}

      private:
	using models = std::vector<cl_uint>[3];

	std::vector<cl_sync_point_khr> points(size_t a, size_t b) const
	{
		std::vector<cl_sync_point_khr> v;
		for (cl_sync_point_khr p : {last_[a], last_[b]})
			if (p)
				v.push_back(p);
		return v;
	}
	static const cl_sync_point_khr *list(const std::vector<cl_sync_point_khr> &v)
	{
		return v.empty() ? nullptr : v.data();
	}
	void fill(size_t to, const std::vector<cl_sync_point_khr> &after, cl_sync_point_khr *point)
	{
		cl_uint pattern = cl_uint(fx_.random());
		const size_t at = fx_.below(n), count = 1 + fx_.below(n - at);
		OK(c_.fill(buffer_, nullptr, memory_[to], &pattern, 4, 4 * at, 4 * count, cl_uint(after.size()),
			   list(after), point, nullptr));
		steps_.push_back([=](models &m) { std::fill_n(m[to].begin() + long(at), count, pattern); });
		pattern = 0; // was copied
	}
	void copy(size_t from, size_t to, const std::vector<cl_sync_point_khr> &after, cl_sync_point_khr *point)
	{
		const size_t width = 1 + fx_.below(50), height = 1 + fx_.below(40), row = 64;
		if (fx_.below(2)) {
			size_t at[3] = {4 * fx_.below(14), 1, 0}, region[3] = {4 * width, height, 1};
			OK(c_.copy_rect(buffer_, nullptr, memory_[from], memory_[to], at, at, region, 4 * row, 0,
					4 * row, 0, cl_uint(after.size()), list(after), point, nullptr));
			const size_t first = row + at[0] / 4;
			steps_.push_back([=](models &m) {
				for (size_t y = 0; y < height; y++)
					std::copy_n(m[from].begin() + long(first + y * row), width,
						    m[to].begin() + long(first + y * row));
			});
			at[0] = region[0] = 0;
			return;
		}
		OK(c_.copy(buffer_, nullptr, memory_[from], memory_[to], 4 * width, 4 * height, 4 * row,
			   cl_uint(after.size()), list(after), point, nullptr));
		steps_.push_back([=](models &m) {
			std::copy_n(m[from].begin() + long(width), row, m[to].begin() + long(height));
		});
	}
	void launch(size_t to, const std::vector<cl_sync_point_khr> &after, cl_sync_point_khr *point)
	{
		const cl_uint factor = cl_uint(fx_.random()) | 1, more = cl_uint(fx_.random());
		set(kernel_, 0, memory_[to]);
		set(kernel_, 1, factor);
		set(kernel_, 2, more);
		size_t items = 64 * (1 + fx_.below(n / 64)), group = 64;
		const size_t count = items;
		OK(c_.launch(buffer_, nullptr, nullptr, kernel_, 1, nullptr, &items, &group, cl_uint(after.size()),
			     list(after), point, nullptr));
		items = 1;
		steps_.push_back([=](models &m) {
			for (size_t i = 0; i < count; i++)
				m[to][i] = m[to][i] * factor + more;
		});
	}

	fixture &fx_;
	const calls &c_;
	const cl_command_queue queue_;
	const cl_command_buffer_khr buffer_;
	const cl_kernel kernel_;
	cl_mem memory_[3];
	models model_;
	cl_sync_point_khr last_[3] = {}; // of those that use the buffer, since the last barrier
	std::vector<std::function<void(models &)>> steps_;
	cl_event before_ = nullptr;
};

// A launch that adds 1, alone in a buffer.
struct one_step {
	one_step(const fixture &f, const calls &all, cl_command_buffer_flags_khr flags)
	    : fx(f), c(all), kernel(f.kernel(source, "advance")), memory(f.buffer(nbytes)),
	      buffer(made(all, f.queue, flags))
	{
		const cl_uint zero = 0;
		OK(clEnqueueFillBuffer(fx.queue, memory, &zero, 4, 0, nbytes, 0, nullptr, nullptr));
		set(kernel, 0, memory);
		set(kernel, 1, cl_uint{1});
		set(kernel, 2, cl_uint{1});
		OK(c.launch(buffer, nullptr, nullptr, kernel, 1, nullptr, &n, nullptr, 0, nullptr, nullptr, nullptr));
	}
	~one_step()
	{
		OK(c.release(buffer));
		OK(clReleaseMemObject(memory));
		OK(clReleaseKernel(kernel));
	}
	one_step(const one_step &) = delete;
	one_step &operator=(const one_step &) = delete;

	cl_int enqueue(cl_event *wait = nullptr, cl_event *event = nullptr)
	{
		return c.enqueue(0, nullptr, buffer, wait != nullptr, wait, event);
	}
	cl_uint value() const { return read(fx, memory)[n / 2]; }

	const fixture &fx;
	const calls &c;
	cl_kernel kernel;
	cl_mem memory;
	cl_command_buffer_khr buffer;
};

} // namespace

TEST(command_buffers)
{
	const calls c(fx);
	cl_command_queue unordered = fx.unordered();
	for (unsigned round = 0; round < 6; round++) {
		program p(fx, c, round % 2 ? unordered : fx.queue);
		for (size_t i = 0, count = fx.below(40); i < count; i++)
			p.record_any();
		p.run_and_check(1 + unsigned(fx.below(4)));
	}
	OK(clReleaseCommandQueue(unordered));
}

// It is recorded, executable, and pending while its commands are under way, and may not be enqueued again then.
TEST(command_buffer_states)
{
	const calls c(fx);
	one_step s(fx, c, 0);
	CHECK_EQ(state(c, s.buffer), cl_uint{CL_COMMAND_BUFFER_STATE_RECORDING_KHR});
	CHECK_EQ(s.enqueue(), CL_INVALID_OPERATION);
	OK(c.finalize(s.buffer));
	CHECK_EQ(c.finalize(s.buffer), CL_INVALID_OPERATION);
	CHECK_EQ(c.barrier(s.buffer, nullptr, 0, nullptr, nullptr, nullptr), CL_INVALID_OPERATION);
	CHECK_EQ(state(c, s.buffer), cl_uint{CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR});
	set(s.kernel, 2, cl_uint{1000}); // is not what was recorded
	cl_int err = CL_SUCCESS;
	cl_event begin = clCreateUserEvent(fx.context, &err), end = nullptr;
	OK(s.enqueue(&begin, &end));
	CHECK_EQ(state(c, s.buffer), cl_uint{CL_COMMAND_BUFFER_STATE_PENDING_KHR});
	CHECK_EQ(s.enqueue(), CL_INVALID_OPERATION);
	OK(clSetUserEventStatus(begin, CL_COMPLETE));
	OK(clWaitForEvents(1, &end));
	CHECK_EQ(state(c, s.buffer), cl_uint{CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR});
	CHECK_EQ(s.value(), 1u);
	cl_command_queue like = clCreateCommandQueue(fx.context, fx.device, CL_QUEUE_PROFILING_ENABLE, &err);
	OK(c.enqueue(1, &like, s.buffer, 0, nullptr, nullptr));
	OK(clFinish(like));
	CHECK_EQ(s.value(), 2u);
	OK(clReleaseCommandQueue(like));
	OK(clReleaseEvent(begin));
	OK(clReleaseEvent(end));
	OK(c.retain(s.buffer));
	CHECK_EQ(info<cl_uint>(c.info, s.buffer, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR), 2u);
	CHECK(info<cl_command_queue>(c.info, s.buffer, CL_COMMAND_BUFFER_QUEUES_KHR) == fx.queue);
	OK(c.release(s.buffer));
}

// Where that was asked for it may be under way several times; a failure of what it waits for is its own.
TEST(command_buffers_at_once)
{
	const calls c(fx);
	one_step s(fx, c, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
	OK(c.finalize(s.buffer));
	cl_int err = CL_SUCCESS;
	cl_event begin = clCreateUserEvent(fx.context, &err), failed = clCreateUserEvent(fx.context, &err),
		 end = nullptr;
	OK(s.enqueue(&begin));
	OK(s.enqueue());
	OK(s.enqueue());
	OK(clSetUserEventStatus(begin, CL_COMPLETE));
	CHECK_EQ(s.value(), 3u);
	OK(s.enqueue(&failed, &end));
	OK(clSetUserEventStatus(failed, -7));
	CHECK_EQ(clWaitForEvents(1, &end), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK(info<cl_int>(clGetEventInfo, end, CL_EVENT_COMMAND_EXECUTION_STATUS) < 0);
	CHECK_EQ(state(c, s.buffer), cl_uint{CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR});
	for (cl_event e : {begin, failed, end})
		OK(clReleaseEvent(e));
}

// A command is refused, as its memory is gone: those before it have been enqueued, so the buffer waits until they are
// over.
TEST(command_buffers_enqueued_in_part)
{
	const calls c(fx);
	cl_command_buffer_khr b = made(c, fx.queue);
	const cl_uint pattern = 7;
	cl_mem stays = fx.buffer(nbytes), goes = fx.buffer(nbytes);
	for (cl_mem m : {stays, goes})
		OK(c.fill(b, nullptr, m, &pattern, 4, 0, nbytes, 0, nullptr, nullptr, nullptr));
	OK(c.finalize(b));
	OK(clReleaseMemObject(goes));
	cl_int err = CL_SUCCESS;
	cl_event begin = clCreateUserEvent(fx.context, &err);
	CHECK_EQ(c.enqueue(0, nullptr, b, 1, &begin, nullptr), CL_INVALID_MEM_OBJECT);
	CHECK_EQ(state(c, b), cl_uint{CL_COMMAND_BUFFER_STATE_PENDING_KHR});
	CHECK_EQ(c.enqueue(0, nullptr, b, 0, nullptr, nullptr), CL_INVALID_OPERATION);
	OK(clSetUserEventStatus(begin, CL_COMPLETE));
	OK(clFinish(fx.queue));
	CHECK_EQ(state(c, b), cl_uint{CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR});
	CHECK_EQ(read(fx, stays).front(), pattern);
	OK(clReleaseEvent(begin));
	OK(clReleaseMemObject(stays));
	OK(c.release(b));
}

TEST(command_buffers_with_images)
{
	if (!info<cl_bool>(clGetDeviceInfo, fx.device, CL_DEVICE_IMAGE_SUPPORT))
		return;
	const calls c(fx);
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
	const cl_image_desc picture = {CL_MEM_OBJECT_IMAGE2D, 16, 8, 1, 0, 0, 0, 0, 0, {nullptr}};
	cl_int err = CL_SUCCESS;
	cl_mem images[2];
	for (cl_mem &m : images) {
		m = clCreateImage(fx.context, CL_MEM_READ_WRITE, &format, &picture, nullptr, &err);
		OK(err);
	}
	cl_mem bytes = fx.buffer(nbytes);
	cl_command_buffer_khr b = made(c, fx.queue);
	cl_uint color[4] = {1, 2, 3, 4};
	const size_t origin[3] = {}, region[3] = {16, 8, 1};
	const cl_uint texel = 0x01010101;
	OK(c.fill_image(b, nullptr, images[0], color, origin, region, 0, nullptr, nullptr, nullptr));
	OK(c.copy_image(b, nullptr, images[0], images[1], origin, origin, region, 0, nullptr, nullptr, nullptr));
	OK(c.to_buffer(b, nullptr, images[1], bytes, origin, region, 0, 0, nullptr, nullptr, nullptr));
	OK(c.fill(b, nullptr, bytes, &texel, 4, 4, 4, 0, nullptr, nullptr, nullptr));
	OK(c.to_image(b, nullptr, bytes, images[0], 0, origin, region, 0, nullptr, nullptr, nullptr));
	OK(c.finalize(b));
	color[0] = 77;
	OK(c.enqueue(0, nullptr, b, 0, nullptr, nullptr));
	std::vector<cl_uint> got(16 * 8);
	OK(clEnqueueReadImage(fx.queue, images[0], CL_TRUE, origin, region, 0, 0, got.data(), 0, nullptr, nullptr));
	for (size_t i = 0; i < got.size(); i++)
		CHECK_EQ(got[i], i == 1 ? texel : 0x04030201u);
	OK(c.release(b));
	for (cl_mem m : {images[0], images[1], bytes})
		OK(clReleaseMemObject(m));
}

// What a command would be refused for is said when it is recorded.
TEST(faults_with_command_buffers)
{
	const calls c(fx);
	one_step s(fx, c, 0);
	cl_int err = CL_SUCCESS;
	cl_command_queue q = fx.queue, none = nullptr, unordered = fx.unordered();
	cl_context other = clCreateContext(nullptr, 1, &fx.device, nullptr, nullptr, &err);
	cl_command_queue foreign = clCreateCommandQueue(other, fx.device, CL_QUEUE_PROFILING_ENABLE, &err);
	cl_mem stranger = clCreateBuffer(other, 0, nbytes, nullptr, &err);
	cl_kernel unset = fx.kernel(source, "advance");
	cl_mutable_command_khr handle = nullptr;
	const cl_command_buffer_properties_khr unknown[] = {77, 0, 0},
					       mutable_one[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
								CL_COMMAND_BUFFER_MUTABLE_KHR, 0},
					       strange[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1 << 20, 0};
	const cl_ndrange_kernel_command_properties_khr extra[] = {77, 0, 0};
	const cl_sync_point_khr later = 2, first = 1, zero = 0;
	const cl_uint pattern = 1;
	const size_t one = 1;
	auto created = [&](cl_uint count, const cl_command_queue *queues,
			   const cl_command_buffer_properties_khr *properties) {
		cl_int code = 1;
		CHECK(!c.create(count, queues, properties, &code));
		return code;
	};
	auto launch = [&](cl_command_queue on, cl_kernel k, cl_uint dimensions) {
		return c.launch(s.buffer, on, nullptr, k, dimensions, nullptr, &one, nullptr, 0, nullptr, nullptr,
				nullptr);
	};
	auto fill = [&](cl_command_buffer_khr b, cl_mem m, size_t at, cl_uint count, const cl_sync_point_khr *after) {
		return c.fill(b, nullptr, m, &pattern, 4, at, 4, count, after, nullptr, nullptr);
	};
	CHECK_EQ(created(0, &q, nullptr), CL_INVALID_VALUE);
	CHECK_EQ(created(1, nullptr, nullptr), CL_INVALID_VALUE);
	CHECK_EQ(created(2, &q, nullptr), CL_INVALID_VALUE);
	CHECK_EQ(created(1, &none, nullptr), CL_INVALID_COMMAND_QUEUE);
	CHECK_EQ(created(1, &q, unknown), CL_INVALID_VALUE);
	CHECK_EQ(created(1, &q, strange), CL_INVALID_VALUE);
	CHECK_EQ(created(1, &q, mutable_one), CL_INVALID_PROPERTY);
	CHECK_EQ(launch(fx.queue, s.kernel, 1), CL_INVALID_COMMAND_QUEUE);
	CHECK_EQ(launch(nullptr, nullptr, 1), CL_INVALID_KERNEL);
	CHECK_EQ(launch(nullptr, unset, 1), CL_INVALID_KERNEL_ARGS);
	CHECK_EQ(launch(nullptr, s.kernel, 4), CL_INVALID_WORK_DIMENSION);
	CHECK_EQ(c.launch(s.buffer, nullptr, extra, s.kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr, nullptr),
		 CL_INVALID_VALUE);
	CHECK_EQ(c.barrier(s.buffer, nullptr, 0, nullptr, nullptr, &handle), CL_INVALID_VALUE);
	CHECK_EQ(fill(s.buffer, nullptr, 0, 0, nullptr), CL_INVALID_MEM_OBJECT);
	CHECK_EQ(fill(s.buffer, stranger, 0, 0, nullptr), CL_INVALID_CONTEXT);
	CHECK_EQ(fill(s.buffer, s.memory, nbytes, 0, nullptr), CL_INVALID_VALUE);
	CHECK_EQ(fill(s.buffer, s.memory, 0, 1, nullptr), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
	CHECK_EQ(fill(s.buffer, s.memory, 0, 0, &first), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
	CHECK_EQ(fill(s.buffer, s.memory, 0, 1, &later), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
	CHECK_EQ(fill(s.buffer, s.memory, 0, 1, &zero), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
	CHECK_EQ(c.copy(s.buffer, nullptr, s.memory, s.memory, 0, 4, 8, 0, nullptr, nullptr, nullptr),
		 CL_MEM_COPY_OVERLAP);
	CHECK_EQ(fill(nullptr, s.memory, 0, 0, nullptr), CL_INVALID_COMMAND_BUFFER_KHR);
	CHECK_EQ(fill(reinterpret_cast<cl_command_buffer_khr>(fx.queue), s.memory, 0, 0, nullptr),
		 CL_INVALID_COMMAND_BUFFER_KHR);
	for (auto *call : {c.retain, c.release, c.finalize})
		CHECK_EQ(call(nullptr), CL_INVALID_COMMAND_BUFFER_KHR);
	CHECK_EQ(c.enqueue(0, nullptr, nullptr, 0, nullptr, nullptr), CL_INVALID_COMMAND_BUFFER_KHR);
	CHECK_EQ(c.info(nullptr, CL_COMMAND_BUFFER_STATE_KHR, 0, nullptr, nullptr), CL_INVALID_COMMAND_BUFFER_KHR);
	CHECK_EQ(c.info(s.buffer, 1, 0, nullptr, nullptr), CL_INVALID_VALUE);
	OK(c.finalize(s.buffer));
	CHECK_EQ(c.enqueue(1, nullptr, s.buffer, 0, nullptr, nullptr), CL_INVALID_VALUE);
	CHECK_EQ(c.enqueue(1, &none, s.buffer, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
	CHECK_EQ(c.enqueue(1, &foreign, s.buffer, 0, nullptr, nullptr), CL_INVALID_CONTEXT);
	CHECK_EQ(c.enqueue(1, &unordered, s.buffer, 0, nullptr, nullptr), CL_INCOMPATIBLE_COMMAND_QUEUE_KHR);
	CHECK_EQ(c.enqueue(0, nullptr, s.buffer, 1, nullptr, nullptr), CL_INVALID_EVENT_WAIT_LIST);
	CHECK_EQ(s.value(), 0u); // nothing of all this was done
	OK(clReleaseMemObject(stranger));
	OK(clReleaseKernel(unset));
	for (cl_command_queue x : {unordered, foreign})
		OK(clReleaseCommandQueue(x));
	OK(clReleaseContext(other));
}
