// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes the devices of a case: buffers, kernels, and access to buffers behind the library's back.
#pragma once

#include "test.h"

#include <atomic>
#include <gpuvm.h>
#include <memory>

namespace selftest
{

// A kernel does this to bytes [off, off + n) of a buffer. Each kernel is defined by apply(), which host devices and the
// reference models run; OpenCL devices run the same in OpenCL C.
struct kernel {
	enum operation {
		add,     // does byte += arg
		mix,     // does byte ^= pattern_byte(position, arg)
		fill,    // does byte = pattern_byte(position, arg)
		stamp,   // sets each 64-bit word that begins a 4 KiB step from off to arg, a generation number
		slow_add // does the same as add, but lasts for tens of milliseconds
	} what;
	size_t off;
	size_t n;
	uint64_t arg;
};

inline constexpr size_t stamp_step = 4096;

void apply(const kernel &k, uint8_t *buffer);

// All hostcb devices share these knobs.
struct host_faults {
	std::atomic<bool> fail_reads{false};
	std::atomic<bool> fail_writes{false};
	std::atomic<bool> leave_half{false};  // lets a read that fails copy half of its bytes first
	std::atomic<bool> block_reads{false}; // lets no read end before it is false again
	std::atomic<unsigned> delay_us{0};    // the most that the random delay takes
	std::atomic<int> error{0};            // what failing calls return
	std::atomic<unsigned> reads{0}, writes{0};
};

class machine
{
      public:
	virtual ~machine() = default;

	virtual unsigned count() const = 0;
	// Calls gpuvm_init() with the machine's API; @flags does not have it.
	virtual int init(int flags) = 0;
	// Returns one of its devices, for gpuvm_init_devices().
	virtual gpuvm_device entry(unsigned dev) = 0;

	// Makes a buffer full of poison.
	virtual void *new_buffer(unsigned dev, size_t n) = 0;
	virtual void free_buffer(unsigned dev, void *buffer) = 0;
	virtual void read(unsigned dev, void *buffer, size_t off, void *dst, size_t n) = 0;
	virtual void write(unsigned dev, void *buffer, size_t off, const void *src, size_t n) = 0;
	// Runs the kernel to the end.
	virtual void run(unsigned dev, void *buffer, const kernel &k) = 0;
	// Returns the sum of the bytes, computed on the device.
	virtual uint64_t sum(unsigned dev, void *buffer, size_t off, size_t n) = 0;

	// Starts a kernel and gives what gpuvm_kernel_end_event() takes.
	virtual void *start(unsigned dev, void *buffer, const kernel &k) = 0;
	virtual void finish(unsigned dev, void *event) = 0;

	virtual host_faults *faults() { return nullptr; }
};

// Skips the case if the devices can't be had.
std::unique_ptr<machine> make_machine(const context &t);

std::unique_ptr<machine> make_host_machine(unsigned count, bool callbacks);
// Skips if there is no ICD or there are fewer devices. The function is weak, and null where the build had no OpenCL
// library. @platform counts those that have so many devices.
std::unique_ptr<machine> make_opencl_machine(unsigned count, unsigned platform) __attribute__((weak));
// Skips if there is no driver or there are fewer devices.
std::unique_ptr<machine> make_cuda_machine(unsigned count);
bool has_cuda();
// Device 0 is that of the first machine, device 1 that of the second.
std::unique_ptr<machine> make_mixed_machine(std::unique_ptr<machine> first, std::unique_ptr<machine> second);

} // namespace selftest
