// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The memory core needs this of a device; each device API implements the interface in a file of its own.
//
// A lane is a queue (stream) of the library's own on the device. Resolver n always uses lane n; other callers borrow
// one of the lanes above (lane_pool). A lane is used by one thread at a time, so implementations need no lock around
// one. Every call returns 0 or a negative GPUVM_E... code, having said why through fail(). Callers hold no lock that a
// toucher or a resolver may wait for.
#pragma once

#include "core/range.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace het
{

inline constexpr unsigned max_devices = 31;
inline constexpr unsigned no_device = ~0u;

// Describes one piece of a copy between a device buffer and host memory (the alias, memory of the library's, or the
// edge of an array: no page that can be trapped, unless it says that it is plain).
struct transfer {
	void *devbuf;
	size_t offset; // in the buffer
	void *host;
	size_t size;
	bool pinned = false; // the host memory was given to pin()
	bool alias = false;  // it is the alias of an array's body
	// It is the program's, and no array's: as long as the copy lasts its pages need no device to be read or
	// written, so an API may be given it as it is, and may hold what it likes when it touches it.
	bool plain = false;
};

// Stands for a read that has been started; two a lane may be under way, more where the device says so.
struct read_ticket {
	void *handle = nullptr;
};

// What is known of a way of a device's bulk copies with the host, or from another device.
struct path_report {
	enum : uint8_t { to_device, to_host, from_device } way;
	unsigned from; // the number of the other device, if there is one
	// That of the device whose link is taken, or that is between: this one if it is the direct way, and the other
	// one if that is by the host. It is no_device where the process does not use that.
	unsigned by;
	unsigned ordinal;    // of the same among its API's
	uint64_t carried;    // bytes so far
	uint64_t by_kernels; // and of them by kernels
	double rate;         // bytes a second, or 0 if nothing is known
};

// What has become of a kernel whose event was given to gpuvm_kernel_end_event().
enum class event_state : uint8_t { under_way, done, failed };

class device
{
      public:
	virtual ~device() = default;

	// Returns a name for people: "opencl 0: pthread-... (Portable Computing Language)".
	virtual const char *name() const = 0;
	// Returns GPUVM_OPENCL, GPUVM_HOST... or 0, which is none of them: devices of one API may know how to copy
	// between themselves.
	virtual int api() const { return 0; }
	// read() and write() are plain memory copies and may run in a signal handler.
	virtual bool signal_safe() const { return false; }
	// Its copy of an array's body is the alias itself, so that read() and write() of pieces that say so have
	// nothing to copy, but for bytes that the device keeps elsewhere: those are in the alias only after read().
	virtual bool has_alias() const { return false; }
	// Returns the NUMA node that the device is attached to, -1 if unknown.
	virtual int numa_node() const { return -1; }

	// Checks at link time that the buffer belongs to this device and is large enough; retains it.
	virtual int retain(void *devbuf, size_t nbytes) = 0;
	virtual void release(void *devbuf) = 0;

	// Returns where in the program's address space the buffer's bytes are, if they are there: no touch may wait for
	// them.
	virtual range memory_of(void *, size_t) const { return {}; }

	// Copy all pieces, so that both edges of an array go in one go. They are queued together and waited for once
	// where that is faster.
	virtual int read(unsigned lane, std::span<const transfer> pieces) = 0;
	virtual int write(unsigned lane, std::span<const transfer> pieces) = 0;

	// These are the halves of a read of one piece, so that the next chunk travels while this one is resolved.
	// start_read() hands the command to the device (flushed), or reads at once where that is faster; finish_read()
	// waits.
	virtual int start_read(unsigned lane, const transfer &piece, read_ticket &ticket) = 0;
	virtual int finish_read(unsigned lane, read_ticket &ticket) = 0;

	// Returns how many reads of pinned pieces a lane may have under way; they end in the order in which they were
	// started.
	virtual unsigned pinned_reads() const { return 2; }

	// Prepares host memory, whole pages of the page source, for the copies of this device and of the others of its
	// API, whose pieces say so from then on. It stays until unpin(), which comes before the pages go. Returns
	// false, without a message, where copies do without it.
	virtual bool pin(void *, size_t) { return false; }
	virtual void unpin(void *) {}

	// Returns how much of its memory copies of other devices pass through, and takes that back, for good.
	virtual size_t lent_memory() const { return 0; }
	virtual void keep_memory() {}

	// Fills in as much as there is room for, and returns how many ways there are. A device that has only the one
	// has none to tell of.
	virtual size_t report_paths(std::span<path_report>) const { return 0; }
	// Returns how long a write of pinned memory that begins now should take, or 0 if that is not known.
	virtual double seconds_to_write(size_t) const { return 0; }

	// Copies inside this device's API, without the host, from a buffer of @from (which may be this device). Returns
	// GPUVM_EAPI without a message where that is not possible, so that the caller goes through the alias.
	virtual int copy_from(unsigned lane, void *dst, size_t dst_offset, device &from, void *src, size_t src_offset,
			      size_t size);

	// These take events of gpuvm_kernel_end_event(). What the program does with its event afterwards is its own
	// business: the others get what was kept. wait_event() may block for long. look_at_event() waits for nothing
	// and says nothing on stderr; what the kernel has written may be read only after wait_event(), which has
	// nothing left to wait for then.
	virtual int retain_event(void *event, void **kept) = 0;
	virtual int wait_event(void *kept) = 0;
	virtual event_state look_at_event(void *kept) = 0;
	virtual void release_event(void *kept) = 0;
};

// Each file has one of these factories. @handle is as in struct gpuvm_device, and lane numbers 0 … @lanes-1 will be
// used. On failure they return null and *error is the code; fail() was called.
std::unique_ptr<device> make_host_device(unsigned index, void *handle, unsigned lanes, int *error);
std::unique_ptr<device> make_opencl_device(unsigned index, void *handle, unsigned lanes, int *error);
std::unique_ptr<device> make_cuda_device(unsigned index, void *handle, unsigned lanes, int *error);

} // namespace het
