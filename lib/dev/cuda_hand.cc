// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_hand.h"

#include "dev/cuda_copy_kernel.h"
#include "os/clock.h"

#include <atomic>
#include <new>

namespace het
{

namespace
{

constexpr unsigned blocks = copy_kernel_blocks, threads = 512;

} // namespace

// What host and kernel tell each other of a piece. The kernel's text knows the offsets.
struct cuda_hand::control {
	std::atomic<uint32_t> taken_back;
	alignas(64) std::atomic<uint32_t> begun[blocks];
	alignas(64) std::atomic<uint32_t> done[blocks];
};

int cuda_copy_kernel::open(const cuda_api &cu)
{
	int err = cu.load_module(&module_, copy_kernel_text);
	return err ? err : cu.get_function(&function_, module_, copy_kernel_name);
}

void cuda_copy_kernel::close(const cuda_api &cu)
{
	if (module_)
		cu.unload_module(module_);
	module_ = nullptr;
	function_ = nullptr;
}

int cuda_hand::open(const cuda_api &cu, cu_context context, cu_function kernel)
{
	static_assert(offsetof(control, begun) == copy_kernel_begun && offsetof(control, done) == copy_kernel_done);
	cu_ = &cu;
	context_ = context;
	int least = 0, greatest = 0;
	int err = cu.stream_priorities(&least, &greatest);
	if (!err)
		err = cu.create_stream(&stream_, cu_stream_non_blocking, greatest);
	for (cu_event &e : ended_)
		err = err ? err : cu.create_event(&e, cu_event_disable_timing);
	void *memory = nullptr;
	if (!err)
		err = cu.allocate_host(&memory, slots * sizeof(control), cu_host_alloc_portable);
	if (!err) {
		controls_ = new (memory) control[slots]{};
		err = cu.host_address(&controls_there_, controls_, 0);
	}
	if (!err)
		function_ = kernel;
	return err;
}

void cuda_hand::close()
{
	if (stream_) {
		cu_->synchronize_stream(stream_);
		cu_->destroy_stream(stream_);
	}
	for (cu_event &e : ended_) {
		if (e)
			cu_->destroy_event(e);
		e = nullptr;
	}
	if (controls_)
		cu_->free_host(controls_);
	stream_ = nullptr;
	controls_ = nullptr;
	function_ = nullptr;
	started_ = oldest_ = 0;
	stale_ = false;
}

bool cuda_hand::is_at_work() const
{
	cuda_current c(*cu_, context_);
	return cu_->query_stream(stream_) == cu_error_not_ready;
}

bool cuda_hand::is_idle()
{
	stale_ = stale_ && is_at_work();
	return !stale_;
}

int cuda_hand::address(const cuda_place &p, cu_deviceptr *address) const
{
	*address = p.at;
	return p.context ? 0 : cu_->host_address(address, reinterpret_cast<void *>(uintptr_t(p.at)), 0);
}

int cuda_hand::launch(unsigned slot, cu_deviceptr to, cu_deviceptr from, size_t size)
{
	uint64_t bytes = size;
	cu_deviceptr told = controls_there_ + slot * sizeof(control);
	void *arguments[] = {&to, &from, &bytes, &told};
	return cu_->launch(function_, blocks, 1, 1, threads, 1, 1, 0, stream_, arguments, nullptr);
}

int cuda_hand::start(const cuda_place &to, const cuda_place &from, size_t size)
{
	cuda_current c(*cu_, context_);
	const unsigned slot = started_ % slots;
	control &told = controls_[slot];
	told.taken_back.store(0, std::memory_order_relaxed);
	for (unsigned i = 0; i < blocks; i++) {
		told.begun[i].store(0, std::memory_order_relaxed);
		told.done[i].store(0, std::memory_order_relaxed);
	}
	cu_deviceptr there = 0, here = 0;
	int err = c.error() ? c.error() : address(to, &there);
	if (!err)
		err = address(from, &here);
	if (!err)
		err = launch(slot, there, here, size);
	if (err)
		return err;
	started_++;
	err = cu_->record_event(ended_[slot], stream_);
	if (err)
		take_back();
	return err;
}

int cuda_hand::look()
{
	return cu_->query_event(ended_[oldest_ % slots]);
}

bool cuda_hand::has_begun()
{
	for (const auto &begun : controls_[oldest_ % slots].begun) {
		if (begun.load(std::memory_order_relaxed))
			return true;
	}
	return false;
}

// A block tells that it has begun, and then looks whether it may. Here it is the other way round, so one of the two
// notices: blocks that have begun are waited for, and others will do nothing.
void cuda_hand::take_back()
{
	for (unsigned i = oldest_; i != started_; i++)
		controls_[i % slots].taken_back.store(1);
	for (unsigned i = oldest_; i != started_; i++) {
		const control &told = controls_[i % slots];
		for (unsigned b = 0; b < blocks; b++) {
			while (told.begun[b].load() && !told.done[b].load() && is_at_work())
				cpu_pause();
		}
	}
	oldest_ = started_;
	stale_ = true;
}

} // namespace het
