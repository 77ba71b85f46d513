// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This libcuda.so.1 is for tests on machines without a GPU. It does what the driver does, in host memory: streams run
// side by side, events order them, and kernels are PTX, which the project's interpreter runs. A test may change and
// look at what this header has; the library exports one object of it, called fake_cuda.
#pragma once

#include <atomic>

inline constexpr int fake_cuda_linked = 8; // devices that have links

struct fake_cuda_state {
	// These must be set before the driver is started. FAKE_CUDA_DEVICES in the environment sets the first one.
	std::atomic<int> devices;
	std::atomic<int> version;
	// A device has so many multiprocessors. FAKE_CUDA_UNITS in the environment sets it.
	std::atomic<int> units;

	// The call of this symbol that comes after @fail_after others fails with @fail_code, once, or as all do then.
	// With "work of SYMBOL", what the call has put into a stream fails when its turn comes.
	// FAKE_CUDA_FAIL=SYMBOL:AFTER:CODE sets all three.
	std::atomic<const char *> fail_symbol;
	std::atomic<int> fail_after;
	std::atomic<int> fail_code;
	std::atomic<bool> fails_always;
	// If it is not 0, events tell of a stream's kernels alone: an instruction of a warp has taken so many ps.
	// FAKE_CUDA_PACE in the environment sets it. So what is measured by events is the same each time.
	std::atomic<unsigned> pace;
	std::atomic<unsigned> slow_us; // each piece of work in a stream takes so much longer
	std::atomic<bool> reads_wait;  // what copies to the host does not get on while it is set

	// A device has so much memory; what would be more is CUDA_ERROR_OUT_OF_MEMORY. FAKE_CUDA_MEMORY in the
	// environment sets it.
	std::atomic<unsigned long> memory;
	std::atomic<unsigned long> others_memory; // so much of it is used by other processes

	// Each direction of a device's PCIe link carries so many MB/s, one copy after the other, less the share that
	// others use of it (of 100, by device and then to the device and from it). 0: as fast as memory goes. It
	// carried bytes.
	std::atomic<unsigned> link_rate;
	std::atomic<unsigned> others_share[fake_cuda_linked][2];
	std::atomic<unsigned long> carried[fake_cuda_linked][2];
	std::atomic<bool> link_stops[fake_cuda_linked][2]; // what comes waits while it is set

	// The same of the link from one device to another: its rate, and what it has carried, by the first and the
	// second.
	std::atomic<unsigned> peer_rate;
	std::atomic<unsigned long> peers_carried[fake_cuda_linked][fake_cuda_linked];

	// The library's own kernel, with which it copies, is none of the kernels that are counted and let, except as a
	// launch. It waits while this is set.
	std::atomic<bool> hold_copying;
	std::atomic<int> kernels_let; // kernels that come later than so many others wait

	// Kernels run one at a time, and of those that wait the one on the stream of the greatest priority is next.
	// With copies_between set, copies get on between two steps of a kernel that a warp takes, after so many steps
	// each time. A kernel on a stream of the least priority that has come so far as hold_after stays there until
	// that is set to more, or to -1; is_held tells, and held_at how far it has come. So flags can be set while it
	// runs.
	std::atomic<unsigned> copies_between;
	std::atomic<long> hold_after, held_at;
	std::atomic<bool> is_held;
	std::atomic<unsigned long>
		ends; // a bit for each kernel that has ended, the last is bit 0: 1 on an urgent stream

	// The driver counts what it does.
	std::atomic<int> registered;      // regions of host memory that are registered now
	std::atomic<int> registrations;   // all registrations so far
	std::atomic<int> pageable_copies; // asynchronous copies from or to memory that is not pinned
	std::atomic<int> peer_copies;
	std::atomic<int> batches;
	std::atomic<int> kernels_begun;
	std::atomic<int> launches[fake_cuda_linked]; // by device
	std::atomic<int> writes;                     // asynchronous copies to a device
	std::atomic<int> writes_under_way;           // those that have not ended
	std::atomic<int> asked_copies;  // asynchronous copies to the host and batches that were asked for, or refused
	std::atomic<int> compilations;  // compilations of a text
	std::atomic<int> contexts_held; // contexts that are retained and not released
	std::atomic<int> streams;       // streams that exist now
	std::atomic<unsigned long> most_memory; // the most that was in use on one device
	std::atomic<int> host_blocks;           // blocks of cuMemHostAlloc that exist now
};

// Returns a second context on the device, which is current like others once it is pushed.
using fake_cuda_other_context_fn = struct CUctx_st *(int device);
