// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The runtime needs this of a device that runs kernels. Each device API implements the interface in files of its own.
// How the memory core reaches the device's memory is another interface (lib/dev/device.h), which make_memory() gives.
//
// Calls return 0 or a negative HET_E... code, having said why through fail(). submit() and build() are called by one
// thread at a time, wait() by another, in the order of submit(); all others at any time. A device opens its driver's
// context when it is first asked for something that needs it.
#pragma once

#include "cache/device_profile.h"
#include "core/range.h"
#include "dev/device.h"
#include "dev/granule_table.h"
#include "dev/inspection_table.h"
#include "dev/launch_notes.h"
#include "dev/textures.h"
#include "dev/twin.h"
#include "fatbin/container.h"

#include <atomic>
#include <het.h>
#include <memory>
#include <span>

namespace het::rt
{

// A slice is groups of a launch that lie side by side: all those with a number from first to first + count - 1 in one
// dimension.
struct slice {
	unsigned along;
	size_t first, count;
};

struct launch_shape {
	uint32_t dimensions;
	size_t global[3], offset[3], local[3];
	// Only this part is to run. A count of 0 means everything. Otherwise there is a local size, along is the last
	// dimension with more than one group, and global a multiple of local there.
	slice part = {0, 0, 0};

	bool has_local() const { return local[0] != 0; }
	size_t items() const { return global[0] * global[1] * global[2]; }
	size_t groups(unsigned d) const { return (global[d] + local[d] - 1) / local[d]; }
};

// All slices of a launch have this in common, and so have many launches: a device may compile it into the kernel.
struct slicing {
	unsigned dimensions, along;
	size_t offset[3]; // the launch's; they are 0 along the slices
	// If it is not null, the text must be the one that was analysed, as fatbin/asked.h has it.
	const char *asked = nullptr;
	// Arguments may begin outside of the buffers in which their bytes lie (device_arg::offset).
	bool in_windows = false;
	// It is no slice, but all of the launch, which finds its arguments by a table (ticket::granules).
	bool in_place = false;
	// With in_place: it only finds out what the launch would use (ticket::inspection).
	bool inspects = false;

	bool operator==(const slicing &) const = default;
};

// Describes an argument as the device gets it.
struct device_arg {
	uint32_t kind;   // HET_ARG_VALUE, _LOCAL, _ADDRESS or _BLOCK; all others are bytes in device memory
	uint32_t access; // HET_READ_ONLY...; it is 0 for values and local memory
	size_t nbytes;
	// The value, address, block, texture or sampler; or the first byte, on devices without buffers.
	void *pointer;
	void *buffer; // one of allocate()
	// This is where it begins in the buffer. In slices in windows that may be before it, modulo 2^64, or behind its
	// end.
	size_t offset;
};

// How a command was stopped for more urgent ones: het_preemption has the words.
struct stop_record {
	uint64_t stops = 0, saved_blocks = 0, saved_bytes = 0, waiting_blocks = 0, rescues = 0, away_ns = 0;
	uint64_t base_blocks = 0, base_bytes = 0, delta_blocks = 0, delta_bytes = 0;
};

// Between two groups of a kernel something more urgent may come.
class interlude
{
      public:
	// It is cheap.
	virtual bool is_wanted() const = 0;
	// Runs one command that is more urgent, on the calling thread, which holds no lock.
	virtual void run() = 0;

      protected:
	~interlude() = default;
};

// A ticket is for a command that the device has taken. The device notes when that was.
struct ticket {
	void *handle = nullptr; // either this is used,
	uint64_t number = 0;    // or this, as the device likes
	uint64_t submitted = 0;
	bool may_have_run = false; // may be true although submit() has failed
	// These are set before submit(): the lane, from 1 on, or 0 for the device's own order; how urgent the command
	// is, which may rise while it runs; and whether more urgent ones may stop it, whose wait() ends when all of it
	// has run all the same. Nothing may be submitted behind one that depends on it, as the lane gets on before.
	uint8_t lane = 0;
	const std::atomic<int8_t> *level = nullptr;
	bool may_stop = false;
	bool may_save = false;        // with may_stop: blocks that have begun are saved; else they end first
	interlude *between = nullptr; // devices without a queue run it between groups, on the thread of submit()
	uint64_t room = 0;            // with may_stop: so many bytes of the device's memory nobody uses
	const granule_table *granules = nullptr;      // for kernels that work in place; lives until wait()
	const inspection_table *inspection = nullptr; // and for those that inspect
	stop_record stopped = {};                     // is complete from wait() on
	// The notes are complete from wait() on. They are null if the kernel has no instruments, or has failed.
	std::unique_ptr<launch_notes> notes = nullptr;
};

struct command_times {
	uint64_t started = 0, ended = 0; // 0 if they are not known
};

// Limits a group, in work-items.
struct group_limits {
	size_t most;
	size_t required[3]; // a number for each dimension; 0 allows any
};

// This is what clGet...Info() is called with. Its answers come without messages: HET_ENODEV where there is no driver of
// OpenCL's, and HET_EARG where that has no answer.
struct opencl_question {
	uint32_t what;
	size_t room;
	void *answer;
	size_t *nbytes;
};

class device_kernel
{
      public:
	virtual ~device_kernel() = default;
	virtual uint32_t nargs() const = 0;
	virtual group_limits limits() const = 0;
	// Returns how many a work-item takes, or 0 if that is not known.
	virtual uint32_t registers() const { return 0; }
	// Returns whether the notes of its launches tell what it writes.
	virtual bool notes_writes() const { return false; }
	// Returns the most bytes that an instruction of it uses at an address, if it works in place
	// (slicing::in_place).
	virtual unsigned widest_access() const { return 0; }
	// Prepares launches that can be stopped. Returns false if there are none. One thread calls it at a time.
	virtual bool prepare_stops() { return false; }
	// Checks whether a launch may pass this as argument @i, which there is, as far as the driver tells. Returns 0
	// or HET_EARG. @kernel is its name.
	virtual int check_argument(const char * /*kernel*/, size_t /*i*/, const device_arg &) const { return 0; }
	// Describes an argument, which there is. Texts live as long as the kernel. Returns HET_ESTATE without a message
	// if nothing is known. One thread calls it at a time.
	virtual int describe_argument(uint32_t /*i*/, het_argument_info &) { return HET_ESTATE; }
	virtual int opencl_info(const opencl_question &) const { return HET_ENODEV; }
};

// Holds what a program has for one device.
class device_program
{
      public:
	virtual ~device_program() = default;
	// Returns HET_ENAME without a message if there is no kernel of that name.
	virtual int make_kernel(const char *name, std::unique_ptr<device_kernel> &made) = 0;
	// Does the same for launches of slices: ids and sizes are those of the whole launch. Returns HET_ENODEV without
	// a message if there is no such kernel.
	virtual int make_slice_kernel(const char *name, const slicing &how, std::unique_ptr<device_kernel> &made) = 0;
	// Tells why there is none for slicing::in_place, once it was asked for; it lives as long as the program.
	virtual const char *why_not_in_place() const { return "only CUDA devices can do that"; }
	// Finds a variable's address on the device. Returns HET_ENAME without a message if there is none of that name,
	// and HET_ENODEV if none can be found here.
	virtual int find_variable(const char *, void **, size_t *) { return HET_ENODEV; }
	virtual int opencl_info(const opencl_question &) const { return HET_ENODEV; }
};

// Has at most one of opencl and fat.
struct program_source {
	const char *opencl;
	const char *options; // for opencl
	std::span<const het_function> functions;
	std::span<const het_image> images; // with a 0 behind the bytes of each
	const fatbin::container *fat;
	uint32_t instruments;   // HET_COALESCE..., or 0 for those that the environment asks for
	uint32_t one_of;        // COALESCE counts one of so many warps; 0 means all
	bool is_object = false; // opencl is compiled, and not linked
	std::span<const het_header> headers = {};
};

using text = std::unique_ptr<char[]>;

class compute_device
{
      public:
	virtual ~compute_device() = default;

	virtual const het_device_info &info() const = 0;
	// Returns how many registers each of its processors has, or 0 if that is not known.
	virtual uint32_t unit_registers() const { return 0; }
	virtual int opencl_info(const opencl_question &) const { return HET_ENODEV; }
	// What het-bench has measured is kept under these names; the first is empty where nothing is.
	virtual cache::profiled_device profiled() const { return {}; }
	// Without a queue submit() runs the command to its end, on the calling thread.
	virtual bool has_queue() const = 0;
	// Launches on different lanes run side by side, each lane's in their order. wait() is called by one thread at a
	// time for each lane.
	virtual bool has_lanes() const { return false; }
	// What is under way on a lane has become so urgent. Any thread may call it.
	virtual void raised(unsigned /*lane*/, int8_t /*level*/) {}
	// Something so urgent will be there so much later. Any thread may call it.
	virtual void announced(int8_t /*level*/, uint64_t /*lead_ns*/) {}
	// Returns how many bytes of its memory it has taken so far for launches that can be stopped, which are counted
	// then. Who submits calls it.
	virtual uint64_t bytes_for_stops() { return 0; }
	// Gives back what is counted of that and no launch has. Returns how many bytes.
	virtual uint64_t drop_stops() { return 0; }
	// In place, kernels work on host memory and there are no buffers.
	virtual bool is_in_place() const = 0;
	// Returns null if the device has no textures.
	virtual device_textures *textures() { return nullptr; }
	// Kernels take addresses of its memory.
	virtual bool has_addresses() const = 0;
	// Kernels take all their arguments as one block of bytes.
	virtual bool takes_blocks() const { return false; }
	// Returns how many groups keep it busy: with fewer it takes as long.
	virtual size_t wanted_groups() const = 0;
	// Devices with the same number run on the same processors; 0 means on its own.
	virtual unsigned processors() const { return 0; }
	// Launches may have an offset.
	virtual bool knows_offsets() const { return true; }
	virtual bool can_build(const program_source &source) const = 0;
	// Returns whether it takes launches of such groups and offsets; @why tells why not. @k is null if the kernel
	// has not been made yet.
	virtual bool takes(const device_kernel * /*k*/, const launch_shape &, fatbin::fault & /*why*/) const
	{
		return true;
	}

	// @log is what the compiler said, or null if it said nothing.
	virtual int build(const program_source &source, std::unique_ptr<device_program> &made, text &log) = 0;

	// Links what was built for this device with program_source::is_object, or linked. @source has the options.
	virtual bool can_link() const { return false; }
	virtual int link(const program_source &, std::span<device_program *const> /*objects*/,
			 std::unique_ptr<device_program> &, text & /*log*/)
	{
		return HET_ENODEV;
	}

	// Returns how many bytes of its memory nobody uses now, or UINT64_MAX if it does not tell. It may open the
	// device.
	virtual uint64_t free_memory() { return UINT64_MAX; }
	// Makes a buffer with one reference, which drop() takes; the memory core retains it for a link. Returns
	// no_device_memory, without having said anything, if only its memory is full.
	virtual int allocate(size_t nbytes, void **buffer) = 0;
	virtual void drop(void *buffer) = 0;
	// Returns the address of its first byte, on devices with addresses.
	virtual void *address_of(void *buffer) const = 0;
	virtual std::unique_ptr<device> make_memory(unsigned index, unsigned lanes, int *error) = 0;
	// Returns the address at which kernels have this byte of host memory, which the device's memory has pinned
	// (device::pin), or 0 if they can't use it.
	virtual uint64_t address_of_pinned(void *) { return 0; }

	virtual bool makes_twins() const { return false; }
	// Makes a twin with room for so many bytes. It returns what allocate() does.
	virtual int make_twin(size_t, std::unique_ptr<device_twin> &) { return HET_ENODEV; }

	// Arguments and what they point to live until the command has finished.
	virtual int submit(device_kernel &kernel, const launch_shape &shape, std::span<const device_arg> args,
			   ticket &t) = 0;
	// Waits for the command and gives its ticket back.
	virtual int wait(ticket &t, command_times &times) = 0;

	// Returns whether nothing will work here any longer; called when something has failed. Any thread may ask; it
	// may wait for what runs.
	virtual bool is_lost() { return false; }
	// Has the driver show what kernels have printed, of which it keeps the last; called when all have ended.
	virtual void show_prints() {}
};

inline constexpr unsigned most_devices = max_devices;
inline constexpr unsigned processors_of_host = 1;
// The registers of a unit have room for so many groups of usual sizes.
inline constexpr size_t groups_of_gpu_unit = 16;

// Makes the devices that HET_DEVICES asks for. Returns 0, HET_ENOMEM or HET_EARG.
int make_compute_devices(std::unique_ptr<compute_device> (&made)[most_devices], unsigned *count);

// Each kind of device has a file. With @in_place this one is HET_DEVICE_HOST, else HET_DEVICE_APART; a launch takes
// @slower times as long as it would. Returns null if there is no memory.
std::unique_ptr<compute_device> make_host_compute(bool in_place, unsigned slower);
// These make all devices that the drivers have, GPUs first, and none without a driver. They return how many.
unsigned make_opencl_compute(std::span<std::unique_ptr<compute_device>> room);
unsigned make_cuda_compute(std::span<std::unique_ptr<compute_device>> room);

} // namespace het::rt
