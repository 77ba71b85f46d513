// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// How long the leading resolver spins before it sleeps. A wake of a sleeping thread costs more than all the rest of
// serving a touch, so it spins as long as that pays: touches come soon after one another or after a kernel's end,
// and cores are idle.
#pragma once

#include <atomic>
#include <cstdint>

namespace het
{

// The leader alone uses it, but for kernel_ended().
class spinner
{
      public:
	// @flag is one of GPUVM_SPIN_..., or 0; @cores may be used by the process.
	void open(unsigned flag, unsigned cores);
	// Returns for how many nanoseconds to spin now.
	uint64_t budget();
	// No touch came in a spin of @budget, from @started on, and the leader is about to sleep. Returns for how many
	// nanoseconds to spin first, as a kernel has ended meanwhile. From 0 on kernel_ended() has it woken, until
	// learn().
	uint64_t before_sleep(uint64_t budget, uint64_t started);
	// The leader has waited, with @budget, from @started on; a touch came or not.
	void learn(uint64_t budget, uint64_t started, bool touched);
	// True says that the leader sleeps, and a touch is so likely that it should be woken now, while the program
	// does something else. A leader that spins is left alone: just now it has no time to lose.
	bool kernel_ended();

      private:
	enum class mode : uint8_t { adaptive, always, never } mode_ = mode::adaptive;
	uint64_t fixed_ = 0;
	uint64_t spin_ = 20000;
	uint64_t paused_until_ = 0;
	unsigned long preempted_ = 0;
	std::atomic<uint64_t> last_end_{0};
	// This weighs kernel ends that a touch followed at once against those that none did, from 0 to 8.
	std::atomic<int> ends_touched_{4};
	std::atomic<bool> sleeping_{false};
};

} // namespace het
