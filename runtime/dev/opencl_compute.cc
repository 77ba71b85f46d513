// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The device `opencl` is any driver, through one in-order queue, in a context of its own.
//
// Buffers are shared virtual memory with a memory object over it where the driver has that: kernels then get addresses,
// so a range may begin anywhere in its buffer, and ranges that overlap see each other. Elsewhere an argument is the
// buffer or a sub-buffer, which must begin at a multiple of the device's alignment.
#include "dev/group_rules.h"
#include "dev/memory_device.h"
#include "dev/opencl_calls.h"
#include "dev/opencl_errors.h"
#include "dev/opencl_platforms.h"
#include "dev/opencl_program.h"
#include "dev/opencl_shared.h"
#include "dev/opencl_slices.h"
#include "dev/opencl_textures.h"
#include "dev/opencl_twins.h"
#include "dev/opening.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/settings.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <gpuvm.h>
#include <new>

namespace het::rt
{

namespace
{

// A buffer may be larger than the driver makes any.
bool is_out_of_memory(cl_int err)
{
	return err == CL_INVALID_BUFFER_SIZE || err == CL_MEM_OBJECT_ALLOCATION_FAILURE || err == CL_OUT_OF_RESOURCES ||
	       err == CL_OUT_OF_HOST_MEMORY;
}

class opencl_memory final : public memory_device
{
      public:
	opencl_memory(const opencl_calls &cl, std::unique_ptr<device> inner) : memory_device(std::move(inner)), cl_(cl)
	{
	}
	// Buffers are the runtime's own: there is nothing to check.
	int retain(void *buffer, size_t) override
	{
		cl_.retain_mem_object(static_cast<cl_mem>(buffer));
		return 0;
	}
	void release(void *buffer) override { release_buffer(cl_, static_cast<cl_mem>(buffer)); }

      private:
	const opencl_calls &cl_;
};

class opencl_compute final : public compute_device
{
      public:
	opencl_compute(const opencl_calls &cl, cl_platform_id platform, cl_device_id id) : cl_(cl), id_(id)
	{
		describe(platform);
	}

	const het_device_info &info() const override { return info_; }
	cache::profiled_device profiled() const override;
	int opencl_info(const opencl_question &q) const override
	{
		return answer(q, [&](cl_uint what, size_t room, void *to, size_t *nbytes) {
			return cl_.get_device_info(id_, what, room, to, nbytes);
		});
	}
	bool has_queue() const override { return true; }
	size_t wanted_groups() const override
	{
		return info_.units * (type_ & CL_DEVICE_TYPE_CPU ? 1 : groups_of_gpu_unit);
	}
	bool is_in_place() const override { return false; }
	unsigned processors() const override { return type_ & CL_DEVICE_TYPE_CPU ? processors_of_host : 0; }
	bool has_addresses() const override { return shared_memory_; }
	device_textures *textures() override { return has_images_ && !open() ? &textures_ : nullptr; }
	bool can_build(const program_source &source) const override
	{
		fatbin::image best;
		return source.opencl || (source.fat && fatbin::pick(*source.fat, can_, 0, best));
	}

	bool takes(const device_kernel *k, const launch_shape &shape, fatbin::fault &why) const override
	{
		group_limits limits = k ? k->limits() : group_limits{info_.group_size, {}};
		return allows({limits.most,
			       !has_partial_groups_,
			       {limits.required[0], limits.required[1], limits.required[2]}},
			      shape, why);
	}

	int build(const program_source &source, std::unique_ptr<device_program> &made, text &log) override;
	bool can_link() const override { return cl_.compile_program && cl_.link_program && version_ >= 120; }
	int link(const program_source &source, std::span<device_program *const> objects,
		 std::unique_ptr<device_program> &made, text &log) override;
	int allocate(size_t nbytes, void **buffer) override;
	void drop(void *buffer) override { release_buffer(cl_, static_cast<cl_mem>(buffer)); }
	void *address_of(void *buffer) const override;
	std::unique_ptr<device> make_memory(unsigned index, unsigned lanes, int *error) override;
	bool makes_twins() const override { return true; }
	int make_twin(size_t nbytes, std::unique_ptr<device_twin> &made) override { return twins_.make(nbytes, made); }

	int submit(device_kernel &kernel, const launch_shape &shape, std::span<const device_arg> args,
		   ticket &t) override;
	int wait(ticket &t, command_times &times) override;
	bool is_lost() override;

	cl_device_type type() const { return type_; }

      private:
	void describe(cl_platform_id platform);
	void describe_version();
	void describe_abilities(const char *platform, const char *device);
	int open()
	{
		return opening_.once([this] { return open_now(); });
	}
	int open_now();
	opencl_place place() const;
	cl_int status(cl_event event) const;
	int set_args(opencl_kernel &kernel, std::span<const device_arg> args);
	// With as_objects, buffers are passed as such, if they can be.
	cl_int set_arg(cl_kernel kernel, cl_uint i, const device_arg &a, bool as_objects = false) const;
	cl_int set_buffer(cl_kernel kernel, cl_uint i, const device_arg &a, bool as_objects) const;
	cl_int set_window(cl_kernel kernel, cl_uint i, cl_uint shift, const device_arg &a) const;
	int set_window_args(const opencl_kernel &kernel, std::span<const device_arg> args);
	bool has_times() const { return type_ & CL_DEVICE_TYPE_CPU || settings().opencl_times; }
	void tell_times(cl_event event, uint64_t submitted, command_times &times) const;
	int failed(const char *what, cl_int error) const
	{
		return fail(HET_EDEVICE, "%s: %s failed: %s (%d)", info_.name, what, cl_error_name(error), error);
	}

	const opencl_calls &cl_;
	const cl_device_id id_;
	cl_device_type type_ = CL_DEVICE_TYPE_DEFAULT;
	bool shared_memory_ = false;
	bool has_images_ = false;
	bool has_partial_groups_ = false; // may be at the end of a dimension
	unsigned version_ = 0;            // that of OpenCL: 120 is 1.2
	het_device_info info_ = {};
	char name_[256];
	fatbin::identity identity_;
	fatbin::abilities can_ = {};

	opening opening_;
	cl_context context_ = nullptr;
	cl_command_queue queue_ = nullptr;
	uint64_t last_end_ = 0; // wait() alone uses it
	std::atomic<uint64_t> buffers_gone_{0};
	opencl_textures textures_{cl_, context_, queue_, name_};
	opencl_twins twins_{cl_, id_, context_, queue_, name_};
};

// What the driver does not tell stays 0.
void opencl_compute::describe(cl_platform_id platform)
{
	char device_name[160] = "unnamed device", platform_name[64] = "unnamed platform";
	cl_uint units = 0;
	cl_ulong memory = 0, local = 0;
	size_t group = 0;
	cl_device_svm_capabilities svm = 0;
	ask(cl_.get_device_info, id_, CL_DEVICE_TYPE, type_);
	ask(cl_.get_device_info, id_, CL_DEVICE_NAME, device_name);
	ask(cl_.get_platform_info, platform, CL_PLATFORM_NAME, platform_name);
	ask(cl_.get_device_info, id_, CL_DEVICE_MAX_COMPUTE_UNITS, units);
	ask(cl_.get_device_info, id_, CL_DEVICE_GLOBAL_MEM_SIZE, memory);
	ask(cl_.get_device_info, id_, CL_DEVICE_LOCAL_MEM_SIZE, local);
	ask(cl_.get_device_info, id_, CL_DEVICE_MAX_WORK_GROUP_SIZE, group);
	ask(cl_.get_device_info, id_, CL_DEVICE_SVM_CAPABILITIES, svm);
	cl_bool images = CL_FALSE;
	ask(cl_.get_device_info, id_, CL_DEVICE_IMAGE_SUPPORT, images);
	has_images_ = images && cl_.has_images();
	bool has_calls = cl_.svm_alloc && cl_.svm_free && cl_.set_kernel_arg_svm_pointer;
	shared_memory_ = has_calls && (svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) && settings().opencl_svm;
	snprintf(name_, sizeof(name_), "%s (%s)", device_name, platform_name);
	info_ = {.size = sizeof(info_),
		 .kind = HET_DEVICE_OPENCL,
		 .units = units,
		 .group_size = group,
		 .memory = memory,
		 .local_memory = local,
		 .name = name_};
	describe_abilities(platform_name, device_name);
	describe_version();
}

cache::profiled_device opencl_compute::profiled() const
{
	char device_name[160] = "", driver[128] = "";
	ask(cl_.get_device_info, id_, CL_DEVICE_NAME, device_name);
	ask(cl_.get_device_info, id_, CL_DRIVER_VERSION, driver);
	return {device_name, driver};
}

// Before OpenCL 2.0 no device had groups that are smaller than others, and with 2.x all have them.
void opencl_compute::describe_version()
{
	char text[128] = "";
	unsigned major = 0, minor = 0;
	ask(cl_.get_device_info, id_, CL_DEVICE_VERSION, text);
	if (sscanf(text, "OpenCL %u.%u", &major, &minor) == 2)
		version_ = 100 * major + 10 * minor;
	cl_bool partial = CL_TRUE;
	if (version_ >= 300)
		ask(cl_.get_device_info, id_, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, partial);
	has_partial_groups_ = version_ >= 200 && partial;
}

// The device's compiler is taken for granted: embedded profiles without one are refused by the driver.
void opencl_compute::describe_abilities(const char *platform, const char *device)
{
	char driver[128] = "", languages[256] = "";
	ask(cl_.get_device_info, id_, CL_DRIVER_VERSION, driver);
	ask(cl_.get_device_info, id_, CL_DEVICE_IL_VERSION, languages);
	fatbin::make_identity(identity_, platform, device, driver);
	can_ = {identity_, 0, 0, true, 0};
	if (cl_.create_program_with_il)
		fatbin::take_il_version(languages, can_);
}

// Context and queue live as long as the process. A GPU's driver takes 6 µs more for each launch in a queue that knows
// times (NVIDIA's), which is half of it; a processor's does not.
int opencl_compute::open_now()
{
	cl_int err = CL_SUCCESS;
	if (!context_)
		context_ = cl_.create_context(nullptr, 1, &id_, nullptr, nullptr, &err);
	if (!context_)
		return failed("making a context", err);
	queue_ = cl_.create_command_queue(context_, id_, has_times() ? CL_QUEUE_PROFILING_ENABLE : 0, &err);
	if (!queue_)
		return failed("making a queue", err);
	return 0;
}

opencl_place opencl_compute::place() const
{
	bool gives_binaries = !(type_ & CL_DEVICE_TYPE_CPU);
	bool tells_arguments = version_ >= 120 && cl_.get_kernel_arg_info;
	return {cl_, context_, id_, info_.name, can_, gives_binaries, tells_arguments};
}

int opencl_compute::build(const program_source &source, std::unique_ptr<device_program> &made, text &log)
{
	if (int err = open())
		return err;
	return source.is_object ? compile_opencl_program(place(), source, made, log)
				: build_opencl_program(place(), source, made, log);
}

int opencl_compute::link(const program_source &source, std::span<device_program *const> objects,
			 std::unique_ptr<device_program> &made, text &log)
{
	const int err = open();
	return err ? err : link_opencl_program(place(), source, objects, made, log);
}

// --- memory --------------------------------------------------------------------

int opencl_compute::allocate(size_t nbytes, void **buffer)
{
	if (int err = open())
		return err;
	cl_int err = CL_SUCCESS;
	*buffer = shared_memory_ ? make_shared_buffer(cl_, context_, nbytes, buffers_gone_, &err)
				 : cl_.create_buffer(context_, CL_MEM_READ_WRITE, nbytes, nullptr, &err);
	if (!*buffer && is_out_of_memory(err))
		return no_device_memory;
	return *buffer ? 0 : failed("making a buffer", err);
}

void *opencl_compute::address_of(void *buffer) const
{
	void *memory = nullptr;
	ask(cl_.get_mem_object_info, static_cast<cl_mem>(buffer), CL_MEM_HOST_PTR, memory);
	return memory;
}

std::unique_ptr<device> opencl_compute::make_memory(unsigned index, unsigned lanes, int *error)
{
	*error = open() ? GPUVM_EDEVALLOC : 0;
	std::unique_ptr<device> inner = *error ? nullptr : make_opencl_device(index, queue_, lanes, error);
	if (!inner)
		return nullptr;
	std::unique_ptr<device> made(new (std::nothrow) opencl_memory(cl_, std::move(inner)));
	if (!made)
		*error = fail(GPUVM_ESALLOC, "%s: no memory", info_.name);
	return made;
}

// --- commands ------------------------------------------------------------------

cl_int opencl_compute::set_buffer(cl_kernel kernel, cl_uint i, const device_arg &a, bool as_objects) const
{
	auto *buffer = static_cast<cl_mem>(a.buffer);
	auto set_address = [&] {
		return cl_.set_kernel_arg_svm_pointer(kernel, i, static_cast<char *>(address_of(buffer)) + a.offset);
	};
	if (shared_memory_ && !as_objects)
		return set_address();
	if (!a.offset)
		return cl_.set_kernel_arg(kernel, i, sizeof(cl_mem), &buffer);
	cl_buffer_region region = {a.offset, a.nbytes};
	cl_int err = CL_SUCCESS;
	cl_mem part = cl_.create_sub_buffer(buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
	if (!part)
		return shared_memory_ ? set_address() : err;
	err = cl_.set_kernel_arg(kernel, i, sizeof(cl_mem), &part);
	cl_.release_mem_object(part); // leaves it to the kernel, which keeps it
	return err;
}

cl_int opencl_compute::set_arg(cl_kernel kernel, cl_uint i, const device_arg &a, bool as_objects) const
{
	if (a.kind == HET_ARG_VALUE)
		return cl_.set_kernel_arg(kernel, i, a.nbytes, a.pointer);
	if (a.kind == HET_ARG_LOCAL)
		return cl_.set_kernel_arg(kernel, i, a.nbytes, nullptr);
	if (a.kind == HET_ARG_TEXTURE || a.kind == HET_ARG_SAMPLER)
		return cl_.set_kernel_arg(kernel, i, sizeof(a.pointer), &a.pointer);
	if (a.kind == HET_ARG_ADDRESS)
		return cl_.set_kernel_arg_svm_pointer(kernel, i, a.pointer);
	return set_buffer(kernel, i, a, as_objects);
}

// The argument begins somewhere around the buffer. An address is what it is.
cl_int opencl_compute::set_window(cl_kernel kernel, cl_uint i, cl_uint shift, const device_arg &a) const
{
	auto *buffer = static_cast<cl_mem>(a.buffer);
	const bool is_address = a.kind == HET_ARG_ADDRESS;
	const cl_ulong distance = is_address ? 0 : a.offset;
	cl_int err = is_address       ? set_arg(kernel, i, a)
		     : shared_memory_ ? cl_.set_kernel_arg_svm_pointer(kernel, i, address_of(buffer))
				      : cl_.set_kernel_arg(kernel, i, sizeof(cl_mem), &buffer);
	return err == CL_SUCCESS ? cl_.set_kernel_arg(kernel, shift, sizeof(distance), &distance) : err;
}

int opencl_compute::set_window_args(const opencl_kernel &kernel, std::span<const device_arg> args)
{
	cl_uint shift = kernel.nargs();
	for (size_t i = 0; i < args.size(); i++) {
		const uint32_t kind = args[i].kind;
		const bool is_shifted = kind == HET_ARG_RANGE || kind == HET_ARG_MEMORY || kind == HET_ARG_ADDRESS;
		cl_int err = is_shifted ? set_window(kernel.handle(), cl_uint(i), shift, args[i])
					: set_arg(kernel.handle(), cl_uint(i), args[i]);
		shift += is_shifted;
		if (err != CL_SUCCESS)
			return failed("setting an argument of a kernel", err);
	}
	return 0;
}

// Without shared virtual memory an argument is an object that the kernel may keep alive: it is set each time.
int opencl_compute::set_args(opencl_kernel &kernel, std::span<const device_arg> args)
{
	if (kernel.is_in_windows())
		return set_window_args(kernel, args);
	uint64_t era = buffers_gone_.load();
	// PoCL 3.1 crashes if an address of shared memory stands beside an image of a buffer.
	const bool as_objects =
		std::any_of(args.begin(), args.end(), [](const device_arg &a) { return a.kind == HET_ARG_TEXTURE; });
	for (size_t i = 0; i < args.size(); i++) {
		if (shared_memory_ && kernel.has_argument(i, args[i], era))
			continue;
		cl_int err = set_arg(kernel.handle(), cl_uint(i), args[i], as_objects);
		if (err == CL_MISALIGNED_SUB_BUFFER_OFFSET)
			return fail(HET_EDEVICE,
				    "%s: argument %zu begins %zu bytes into its buffer, and the driver has no shared "
				    "virtual memory: pass the array from its beginning",
				    info_.name, i, args[i].offset);
		if (err != CL_SUCCESS) {
			char what[64];
			snprintf(what, sizeof(what), "setting argument %zu of a kernel", i);
			return failed(what, err);
		}
		kernel.note_argument(i, args[i], era);
	}
	return 0;
}

int opencl_compute::submit(device_kernel &kernel, const launch_shape &shape, std::span<const device_arg> args,
			   ticket &t)
{
	auto &ours = static_cast<opencl_kernel &>(kernel);
	if (int wrong = set_args(ours, args))
		return wrong;
	auto *k = ours.handle();
	cl_event event;
	cl_int err;
	t.submitted = now_ns();
	if (shape.part.count) {
		native_slice n = place_slice(shape);
		err = cl_.enqueue_nd_range_kernel(queue_, k, 3, n.offset, n.global, n.local, 0, nullptr, &event);
	} else {
		const group_limits limits = ours.limits();
		const size_t *local = shape.has_local() ? shape.local : limits.required[0] ? limits.required : nullptr;
		err = cl_.enqueue_nd_range_kernel(queue_, k, shape.dimensions, shape.offset, shape.global, local, 0,
						  nullptr, &event);
	}
	if (err != CL_SUCCESS)
		return failed("launching a kernel", err);
	t.handle = event;
	cl_.flush(queue_);
	return 0;
}

cl_int opencl_compute::status(cl_event event) const
{
	cl_int status = CL_COMPLETE;
	return ask(cl_.get_event_info, event, CL_EVENT_COMMAND_EXECUTION_STATUS, status) ? status : CL_INVALID_EVENT;
}

// What the driver does not tell stays what the host has seen. The device's clock is another one: the moment at which
// the command was enqueued is known on both.
void opencl_compute::tell_times(cl_event event, uint64_t submitted, command_times &times) const
{
	cl_ulong queued = 0, started = 0, ended = 0;
	bool told = ask(cl_.get_event_profiling_info, event, CL_PROFILING_COMMAND_QUEUED, queued) &&
		    ask(cl_.get_event_profiling_info, event, CL_PROFILING_COMMAND_START, started) &&
		    ask(cl_.get_event_profiling_info, event, CL_PROFILING_COMMAND_END, ended);
	if (!told || started < queued || ended < started)
		return;
	times.started = std::min(times.ended, submitted + (started - queued));
	times.ended = std::min(times.ended, submitted + (ended - queued));
}

// Drivers differ in what they return after a failure, but not in that a copy does not succeed.
// CL_OUT_OF_RESOURCES is what some say of all calls when a kernel has gone wrong, so here it is no lack of memory.
bool opencl_compute::is_lost()
{
	char byte = 0;
	cl_int err = CL_SUCCESS;
	cl_mem probe = cl_.create_buffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 1, &byte, &err);
	if (!probe)
		return err != CL_MEM_OBJECT_ALLOCATION_FAILURE && err != CL_OUT_OF_HOST_MEMORY;
	err = cl_.enqueue_read_buffer(queue_, probe, CL_TRUE, 0, 1, &byte, 0, nullptr, nullptr);
	cl_.release_mem_object(probe);
	return err != CL_SUCCESS;
}

// Not all drivers report a failed command when it is waited for, so the event is asked, too.
int opencl_compute::wait(ticket &t, command_times &times)
{
	auto *event = static_cast<cl_event>(t.handle);
	cl_int err = cl_.wait_for_events(1, &event);
	cl_int end = status(event);
	if (end < 0)
		err = end;
	if (err == CL_SUCCESS) {
		times = {std::max(t.submitted, last_end_), now_ns()};
		if (has_times())
			tell_times(event, t.submitted, times);
		last_end_ = times.ended;
	}
	cl_.release_event(event);
	return err == CL_SUCCESS ? 0 : failed("a kernel", err);
}

// --- what there is -------------------------------------------------------------

constexpr cl_uint most_platforms = 16;

// GPUs and other accelerators come before processors.
bool is_before(const opencl_compute &a, const opencl_compute &b)
{
	auto rank = [](cl_device_type t) { return t & CL_DEVICE_TYPE_GPU ? 0 : t & CL_DEVICE_TYPE_CPU ? 2 : 1; };
	return rank(a.type()) < rank(b.type());
}

} // namespace

unsigned make_opencl_compute(std::span<std::unique_ptr<compute_device>> room)
{
	const opencl_calls *cl = find_opencl_calls();
	if (!cl)
		return 0;
	cl_platform_id platforms[most_platforms];
	const unsigned nplatforms = find_opencl_platforms(*cl, platforms);
	unsigned count = 0;
	for (unsigned p = 0; p < nplatforms; p++) {
		cl_device_id ids[most_devices];
		cl_uint n = 0;
		if (cl->get_device_ids(platforms[p], CL_DEVICE_TYPE_ALL, most_devices, ids, &n) != CL_SUCCESS)
			continue;
		for (cl_uint i = 0; i < std::min<cl_uint>(n, most_devices) && count < room.size(); i++) {
			room[count].reset(new (std::nothrow) opencl_compute(*cl, platforms[p], ids[i]));
			count += room[count] != nullptr;
		}
	}
	std::stable_sort(room.begin(), room.begin() + count, [](const auto &a, const auto &b) {
		return is_before(static_cast<opencl_compute &>(*a), static_cast<opencl_compute &>(*b));
	});
	return count;
}

} // namespace het::rt
