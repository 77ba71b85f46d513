// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The parts of the fake driver share this.
#pragma once

#include "dev/cuda_abi.h"
#include "fake/fake_cuda.h"
#include "simt/memory.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

#define FAKE_API extern "C" __attribute__((visibility("default")))
FAKE_API fake_cuda_state fake_cuda;

namespace het
{

#define HET_CUDA_DECLARE(member, symbol, parameters) FAKE_API int symbol parameters;
HET_CUDA_DEVICE_FUNCTIONS(HET_CUDA_DECLARE)
HET_CUDA_LATE_FUNCTIONS(HET_CUDA_DECLARE)
HET_CUDA_PROGRAM_FUNCTIONS(HET_CUDA_DECLARE)
HET_CUDA_RUNTIME_FUNCTIONS(HET_CUDA_DECLARE)
HET_CUDA_MANAGED_FUNCTIONS(HET_CUDA_DECLARE)
#undef HET_CUDA_DECLARE

// Counts the call, and returns the error that a test has asked for.
int injected(const char *symbol);
int injected_work(const char *symbol);

// Returns the context that is current in this thread, or null.
CUctx_st *current();

// What kernels print is kept, and calls show it that wait, launch, or unload modules: as with the driver, not those
// that only ask. They show what was printed before they began, where the driver's wait first, so that who counts on a
// wait that may not come is found.
void keep_print(std::string_view text);
void show_prints();

// An event is recorded for a moment, which outlives it.
struct moment {
	std::mutex lock;
	std::condition_variable changed;
	bool reached = false;
	int error = 0;
	double ms = 0;

	void reach(int with_error, double at_ms);
	int wait();
	int query();
};

// Returns whether what a context runs can touch the byte: the host's, its own device's, and those of devices that it
// has access to.
bool reaches(CUctx_st &from, cu_deviceptr p);
// Returns the context whose memory has the byte, or null.
CUctx_st *owner_of(cu_deviceptr p);

// Takes the bytes over the link of a device, to it or from it, behind those that came before.
void pass_link(int device, bool home, size_t bytes);
void pass_peer_link(int from, int to, size_t bytes);

// Guards the memory of all devices, and the kernels that run in it one at a time.
std::mutex &device_lock();
ptx::simt::memory &device_memory();
// Returns whether a copy waits for the device's lock.
bool copies_wait();

} // namespace het

struct CUctx_st {
	int device;
	bool primary;
	std::unique_ptr<CUstream_st> default_stream;
	std::atomic<int> error{0}; // after a kernel's fault all calls fail with this, until nobody holds the context
};

// A stream does work in order, on a thread that starts with the first of it.
struct CUstream_st {
	explicit CUstream_st(CUctx_st &c, int p = 0) : context(c), priority(p) {}
	~CUstream_st();

	// If the work fails, the error stays with the stream.
	void add(std::function<int()> work);
	int query();
	int synchronize();
	std::shared_ptr<het::moment> record();
	// Its own work tells how many instructions of warps it was.
	void count(uint64_t instructions) { instructions_ += instructions; }

	CUctx_st &context;
	const int priority; // the lower the more urgent, as the driver has it

      private:
	void run();
	double now_ms() const;

	uint64_t instructions_ = 0; // is the thread's
	std::mutex lock_;
	std::condition_variable changed_;
	std::deque<std::function<int()>> work_;
	bool at_work_ = false, ends_ = false;
	int error_ = 0;
	std::thread thread_;
};

struct CUevent_st {
	std::mutex lock;
	std::shared_ptr<het::moment> last; // null if the event was never recorded
};

namespace het
{

// Returns the stream, or the default one of the current context.
CUstream_st &stream_or_default(cu_stream s);

} // namespace het
