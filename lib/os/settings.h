// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reads the GPUVM_* and HET_* environment variables once, at the first use. Documentation/environment.rst describes
// them.
#pragma once

#include "core/foresight.h"
#include "core/send_plan.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace het
{

struct environment {
	bool quiet;               // GPUVM_QUIET: no diagnostics on stderr
	bool verbose;             // GPUVM_VERBOSE: say at init what was chosen and why
	bool fork_copy;           // GPUVM_FORK_COPY: a forked child gets copies of linked arrays (1)
	bool strict;              // GPUVM_STRICT
	bool kernel_6_1;          // GPUVM_UFFD_FEATURES=6.1: use only what Debian 12's own kernel has
	const char *trap;         // GPUVM_TRAP: kmod, uffd, uffd-sigbus, sigsegv, sigsegv-stop; null: automatic
	const char *uffd_open;    // GPUVM_UFFD_OPEN: dev, syscall, user; null: the first that works
	int64_t spin_us;          // GPUVM_SPIN_US: longest spin of a resolver; -1: adaptive
	unsigned resolvers;       // GPUVM_RESOLVERS: number of resolver threads; 0: by the number of cores
	size_t chunk;             // GPUVM_CHUNK: bytes a chunk; 0: by the size of the array
	size_t read_ahead;        // GPUVM_READ_AHEAD: largest fetch of a sequential reader, in bytes
	foresight_kind foresight; // GPUVM_FORESIGHT: whether, and how, the host's touches are foretold
	// GPUVM_SEND_AHEAD: whether, and how, what the host writes is sent ahead; not set: as gpuvm_init() is told
	std::optional<sending_kind> sending;
	size_t mmap_threshold; // GPUVM_MMAP_THRESHOLD: malloc's, fixed at load; 0: left alone
	// GPUVM_WATCHDOG: seconds after which a fetch, or a part of a launch, is reported as stuck; 0: never
	unsigned watchdog_s;
	const char *devices; // HET_DEVICES: of the runtime: opencl, cuda, host, apart; null: opencl,host
	int64_t local_rank;  // what the launcher says: the process' number among its like on this machine; -1: nothing
	// HET_DEVICE_MEMORY: what may be used of devices' memory (4G, 75%, 4G,50%); null: what is free
	const char *memory;
	// HET_EVICT: how launches that do not fit use that: keep, through, stream, demand, inspect, mix...
	const char *evict;
	bool pipeline;      // HET_PIPELINE: launches are submitted behind those in flight that they depend on (1)
	const char *policy; // HET_POLICY: how launches are split: single, static, dynamic, hguided, steal; null: steal
	// HET_PATHS: how bulk copies choose their way where the process uses several CUDA devices: direct, static,
	// queue, latency; null: latency
	const char *paths;
	int64_t priority;    // HET_PRIORITY: of queues that say nothing, -8 to 7; 0
	const char *urgency; // HET_URGENCY: what makes commands more urgent: priority, deadline; null: deadline
	const char *preempt; // HET_PREEMPT: what more urgent launches may do to others: off, drain, auto; null: auto
	// HET_PREEMPT_PATIENCE: after which a stopped launch goes on beside more urgent ones
	unsigned preempt_patience_ms;
	// HET_INSTRUMENT: how kernels on CUDA devices are instrumented: coalesce, coalesce/N, dirty, touch; null: not
	const char *instrument;
	bool touch_after_wait; // HET_TOUCH_AFTER_WAIT: the host touches a launch's bytes when it is said to be over
	unsigned exit_wait_s;  // HET_EXIT_WAIT: seconds that exit waits for commands under way
	uint64_t cache_size;   // HET_CACHE_SIZE: of what is kept for other processes, in bytes; 0: nothing
	const char *cache_home, *home; // XDG_CACHE_HOME, HOME; null: not set, or not to be trusted in this process
	bool opencl_svm;               // HET_OPENCL_SVM: shared virtual memory where the driver has it
	bool opencl_times;             // HET_OPENCL_TIMES: GPUs tell when their kernels ran
	const char *opencl_vendors;    // HET_OPENCL_VENDORS: a folder of .icd files; null: /etc/OpenCL/vendors
};

const environment &settings();

} // namespace het
