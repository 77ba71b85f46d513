// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Starts the runtime on the devices of the variant, with a few kernels on bytes, and checks of its errors.
#pragma once

#include "test.h"

#include <cstring>
#include <het.h>
#include <initializer_list>
#include <map>
#include <span>
#include <string_view>
#include <vector>

struct fake_cuda_state;

namespace selftest
{

#define HET_OK(CALL)                                                         \
	do {                                                                 \
		int err_ = (CALL);                                           \
		if (err_)                                                    \
			FAIL("%s: %d, %s", #CALL, err_, het_strerror(err_)); \
	} while (0)

#define HET_ERR(CALL, CODE)                                                                  \
	do {                                                                                 \
		int err_ = (CALL);                                                           \
		if (err_ != (CODE))                                                          \
			FAIL("%s: %d (%s), not %s", #CALL, err_, het_strerror(err_), #CODE); \
	} while (0)

// The runtime has such devices: none is the host in place, host and host2 have memory of their own ("apart"); host3 is
// host2 with the host in place, mixed with OpenCL, too; cuda2 is CUDA and host.
namespace device
{
inline constexpr uint32_t runtime = none | host | host2 | opencl | cuda;
inline constexpr uint32_t runtime_several = host2 | host3 | mixed | cuda2;
inline constexpr uint32_t runtime_apart = host | host2 | opencl | cuda;
} // namespace device

// Owns one handle of the runtime's.
template <class T, int (*release_function)(T *)> class handle
{
      public:
	handle() = default;
	handle(const handle &) = delete;
	handle &operator=(const handle &) = delete;
	~handle() { reset(); }
	void reset()
	{
		if (p_)
			release_function(p_);
		p_ = nullptr;
	}
	T **out()
	{
		reset();
		return &p_;
	}
	T *get() const { return p_; }
	operator T *() const { return p_; }

      private:
	T *p_ = nullptr;
};
using queue_handle = handle<het_queue, het_queue_release>;
using program_handle = handle<het_program, het_program_release>;
using kernel_handle = handle<het_kernel, het_kernel_release>;
using memory_handle = handle<het_memory, het_memory_release>;
using event_handle = handle<het_event, het_event_release>;

het_arg range_arg(const void *p, size_t n, uint32_t access);
// Makes an argument of which each work-item uses what @pattern says.
het_arg range_arg(const void *p, size_t n, uint32_t access, const het_pattern &pattern);
het_arg memory_arg(het_memory *m, uint32_t access);
het_arg local_arg(size_t n);
template <class T> het_arg value_arg(const T &v)
{
	return {.kind = HET_ARG_VALUE,
		.access = 0,
		.nbytes = sizeof(v),
		.pointer = const_cast<T *>(&v),
		.memory = nullptr,
		.pattern = nullptr};
}

// Makes a program of OpenCL C, which may be null, and of functions of the host.
void make_program(program_handle &program, const char *source, std::span<const het_function> functions);
// Makes one of a text of PTX alone.
void make_program_of_ptx(program_handle &program, std::string_view ptx);

// With this pattern, work-item i uses byte i of the argument.
inline constexpr het_pattern each_byte = {sizeof(het_pattern), 0, 1, 1, 1, 0};
// Does what runtime_fixture::add does to the bytes from @off on.
void add_to_model(std::vector<uint8_t> &model, size_t off, size_t n, uint8_t value);

// Waits for the event, which must not fail.
void wait_for(het_event *e);
int status_of(het_event *e);
het_preemption preemption_of(het_event *e);
het_memory_use memory_use_of(het_event *e);

// Skips the case if the driver is another one.
fake_cuda_state &fake_cuda_driver();
// Makes the call of the fake CUDA driver's fail, once, that comes after so many others of this symbol; see
// fake/fake_cuda.h.
void fail_cuda_call(const char *symbol, int code, int after = 0);
inline constexpr int cuda_out_of_memory = 2, cuda_launch_failed = 719;

// Returns PTX with the kernels add, combine, copy, scatter, slow and ids.
het_image runtime_kernels();

// Returns the parts of a launch that has finished, and who has done what of it.
std::vector<het_event_part_info> parts_of(het_event *e);
struct work {
	std::map<het_device *, uint64_t> items; // those of each device
	std::vector<uint8_t> times;             // count how often each was done
};
work work_of(het_event *e, size_t items);
// Checks that each item was done once.
void check_work(const work &w);
// Returns whether there is a device that gets all of such a small launch as the tests have: with fewer groups it would
// not be busy.
bool has_large_device();

class runtime_fixture
{
      public:
	// Restarts the case with the devices that the variant names, and @setting ("HET_POLICY=static"); skips the case
	// if there are none. @devices are others than the variant's ("HET_DEVICES=opencl,host").
	explicit runtime_fixture(const context &t, uint32_t queue_flags = 0, const char *setting = "HET_POLICY=steal",
				 const char *devices = nullptr);
	// Does the same with several settings.
	runtime_fixture(const context &t, uint32_t queue_flags, std::vector<const char *> settings,
			const char *devices = nullptr);

	queue_handle queue;
	program_handle program;
	// Each kernel has the number of bytes as one more argument, which launch() adds.
	kernel_handle add;     // takes (bytes, value): each byte += value
	kernel_handle combine; // takes (from, to): each byte of to = 3 * to + from
	kernel_handle copy;    // takes (from, to)
	kernel_handle scatter; // takes (from, to): byte i goes to place i * 7919 modulo their number
	kernel_handle slow;    // does the same as add, but lasts for milliseconds

	struct options {
		het_queue *queue = nullptr; // another queue than the fixture's
		std::span<het_event *const> waits = {};
		het_device *device = nullptr;
		uint32_t flags = 0; // HET_SPLIT and the like
		int priority = 0;
	};
	// Launches on so many bytes.
	int launch(het_kernel *k, size_t items, std::initializer_list<het_arg> args, het_event **event, options o);
	int launch(het_kernel *k, size_t items, std::initializer_list<het_arg> args, het_event **event = nullptr)
	{
		return launch(k, items, args, event, options{});
	}
	// Does the same to its end.
	void run(het_kernel *k, size_t items, std::initializer_list<het_arg> args);
	void run_add(void *p, size_t n, uint8_t value);
};

// Returns the runtime's devices.
std::vector<het_device *> all_devices();
het_memory_info memory_of(het_device *d);
// Returns the first one with memory of its own.
het_device *device_apart();

} // namespace selftest
