// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the runtime needs of a device that runs kernels: the interface that each device API implements in files of its
// own. How the memory core reaches the device's memory is another interface (lib/dev/device.h), which make_memory()
// gives.
//
// Calls return 0 or a negative HET_E... code, having said why through fail(). submit() and build() are called by one
// thread at a time, wait() by another, in the order of submit(); all others at any time. A device opens its driver's
// context when it is first asked for something that needs it.
#pragma once

#include "core/range.h"
#include "dev/device.h"
#include "dev/launch_notes.h"
#include "dev/textures.h"
#include "dev/twin.h"
#include "fatbin/container.h"

#include <het.h>
#include <memory>
#include <span>

namespace het::rt
{

// Groups of a launch that lie side by side: all those with a number from first to first + count - 1 in one dimension.
struct slice {
	unsigned along;
	size_t first, count;
};

struct launch_shape {
	uint32_t dimensions;
	size_t global[3], offset[3], local[3];
	// What is to run. count 0: everything. Otherwise there is a local size, along is the last dimension with more
	// than one group, and global a multiple of local there.
	slice part = {0, 0, 0};

	bool has_local() const { return local[0] != 0; }
	size_t items() const { return global[0] * global[1] * global[2]; }
	size_t groups(unsigned d) const { return (global[d] + local[d] - 1) / local[d]; }
};

// What all slices of a launch have in common, and many launches: a device may compile it into the kernel.
struct slicing {
	unsigned dimensions, along;
	size_t offset[3]; // of the launch; 0 along the slices
	// Not null: the text must be the one that was analysed, as fatbin/asked.h has it.
	const char *asked = nullptr;

	bool operator==(const slicing &) const = default;
};

// An argument as the device gets it.
struct device_arg {
	uint32_t kind;   // HET_ARG_VALUE, _LOCAL, _ADDRESS, _BLOCK; all others are bytes in device memory
	uint32_t access; // HET_READ_ONLY...; 0 for values and local memory
	size_t nbytes;
	void *pointer; // the value, address, block, texture or sampler; or the first byte, on devices without buffers
	void *buffer;  // of allocate()
	size_t offset; // in the buffer
};

// A command that the device has taken. When it was given to the device is for the device to note.
struct ticket {
	void *handle = nullptr; // this or
	uint64_t number = 0;    // that: as the device likes
	uint64_t submitted = 0;
	bool may_have_run = false; // although submit() has failed
	// Complete from wait() on. Null: the kernel has no instruments, or has failed.
	std::unique_ptr<launch_notes> notes = nullptr;
};

struct command_times {
	uint64_t started = 0, ended = 0; // 0: not known
};

// Work-items of a group.
struct group_limits {
	size_t most;
	size_t required[3]; // in each dimension; 0: any
};

class device_kernel
{
      public:
	virtual ~device_kernel() = default;
	virtual uint32_t nargs() const = 0;
	virtual group_limits limits() const = 0;
	// The notes of its launches tell what it writes.
	virtual bool notes_writes() const { return false; }
	// Whether a launch may pass this as argument @i, which there is, as far as the driver tells. 0 or HET_EARG.
	// @kernel: its name.
	virtual int check_argument(const char * /*kernel*/, size_t /*i*/, const device_arg &) const { return 0; }
};

// What a program has for one device.
class device_program
{
      public:
	virtual ~device_program() = default;
	// HET_ENAME without a message: no kernel of that name.
	virtual int make_kernel(const char *name, std::unique_ptr<device_kernel> &made) = 0;
	// The same for launches of slices: ids and sizes are those of the whole launch. HET_ENODEV without a message:
	// there is no such kernel.
	virtual int make_slice_kernel(const char *name, const slicing &how, std::unique_ptr<device_kernel> &made) = 0;
	// A variable's address on the device. HET_ENAME without a message: none of that name; HET_ENODEV: none can be
	// found here.
	virtual int find_variable(const char *, void **, size_t *) { return HET_ENODEV; }
};

// At most one of opencl and fat.
struct program_source {
	const char *opencl;
	const char *options; // for opencl
	std::span<const het_function> functions;
	std::span<const het_image> images; // each with a 0 behind its bytes
	const fatbin::container *fat;
	uint32_t instruments; // HET_COALESCE..., 0: those that the environment asks for
	uint32_t one_of;      // warps that COALESCE counts, 0: all
};

using text = std::unique_ptr<char[]>;

class compute_device
{
      public:
	virtual ~compute_device() = default;

	virtual const het_device_info &info() const = 0;
	// False: submit() runs the command to its end, on the calling thread.
	virtual bool has_queue() const = 0;
	// Kernels work on host memory; there are no buffers.
	virtual bool is_in_place() const = 0;
	// Null: it has none.
	virtual device_textures *textures() { return nullptr; }
	// Kernels take addresses of its memory.
	virtual bool has_addresses() const = 0;
	// Kernels take all their arguments as one block of bytes.
	virtual bool takes_blocks() const { return false; }
	// Groups that keep it busy: with fewer it takes as long.
	virtual size_t wanted_groups() const = 0;
	// Devices with the same number run on the same processors; 0: on its own.
	virtual unsigned processors() const { return 0; }
	// Launches may have an offset.
	virtual bool knows_offsets() const { return true; }
	virtual bool can_build(const program_source &source) const = 0;
	// Whether it takes launches of such groups and offsets. @k: null if the kernel has not been made yet. False:
	// see @why.
	virtual bool takes(const device_kernel * /*k*/, const launch_shape &, fatbin::fault & /*why*/) const
	{
		return true;
	}

	// @log: what the compiler said, null if nothing.
	virtual int build(const program_source &source, std::unique_ptr<device_program> &made, text &log) = 0;

	// A buffer with one reference, which drop() takes; the memory core retains it for a link.
	virtual int allocate(size_t nbytes, void **buffer) = 0;
	virtual void drop(void *buffer) = 0;
	// Of its first byte, on devices with addresses.
	virtual void *address_of(void *buffer) const = 0;
	virtual std::unique_ptr<device> make_memory(unsigned index, unsigned lanes, int *error) = 0;

	virtual bool makes_twins() const { return false; }
	// With room for so many bytes.
	virtual int make_twin(size_t, std::unique_ptr<device_twin> &) { return HET_ENODEV; }

	// Arguments and what they point to live until the command has finished.
	virtual int submit(device_kernel &kernel, const launch_shape &shape, std::span<const device_arg> args,
			   ticket &t) = 0;
	// Waits for the command and gives its ticket back.
	virtual int wait(ticket &t, command_times &times) = 0;

	// Asked when something has failed: nothing will work here any longer. Any thread; may wait for what runs.
	virtual bool is_lost() { return false; }
};

inline constexpr unsigned most_devices = max_devices;
inline constexpr unsigned processors_of_host = 1;
// Of usual sizes: what its registers have room for.
inline constexpr size_t groups_of_gpu_unit = 16;

// Makes the devices that HET_DEVICES asks for. 0, HET_ENOMEM or HET_EARG.
int make_compute_devices(std::unique_ptr<compute_device> (&made)[most_devices], unsigned *count);

// The kinds, one file each. @in_place: HET_DEVICE_HOST, else HET_DEVICE_APART; a launch takes @slower times as long as
// it would. Null: out of memory.
std::unique_ptr<compute_device> make_host_compute(bool in_place, unsigned slower);
// All that the drivers have, GPUs first; none without a driver. Returns how many.
unsigned make_opencl_compute(std::span<std::unique_ptr<compute_device>> room);
unsigned make_cuda_compute(std::span<std::unique_ptr<compute_device>> room);

} // namespace het::rt
