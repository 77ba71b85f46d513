// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/spinner.h"

#include "os/clock.h"
#include "os/settings.h"
#include "os/thread.h"

#include <algorithm>
#include <gpuvm.h>

namespace het
{

namespace
{

constexpr uint64_t us = 1000, ms = 1000 * us;
constexpr uint64_t longest_spin = 200 * us, shortest_spin = 5 * us;
// The leader does not spin for so long after the system took the core away while it spun.
constexpr uint64_t pause_after_preemption = 100 * ms;
// One for the toucher, one for the device driver's thread, and one to spare. With two, the toucher's core falls idle
// while the resolver spins on the other, and is slow to come back: a touch took 1.5 to 6 times as long as without
// spinning.
constexpr unsigned cores_to_spin = 3;

} // namespace

void spinner::open(unsigned flag, unsigned cores)
{
	int64_t set = settings().spin_us;
	if (flag == GPUVM_SPIN_ALWAYS || set > 0) {
		mode_ = mode::always;
		fixed_ = set > 0 ? uint64_t(set) * us : 10000 * ms;
	} else if (flag == GPUVM_SPIN_NEVER || set == 0 || cores < cores_to_spin) {
		mode_ = mode::never;
	}
}

uint64_t spinner::budget()
{
	if (mode_ != mode::adaptive)
		return fixed_;
	uint64_t now = now_ns();
	if (now < paused_until_)
		return 0;
	preempted_ = preemptions();
	bool after_end = now < last_end_.load() + longest_spin && ends_touched_.load() >= 4;
	return after_end ? longest_spin : spin_;
}

uint64_t spinner::before_sleep(uint64_t budget, uint64_t started)
{
	if (mode_ != mode::adaptive)
		return 0;
	// Both sides write their word before they read the other's, so one of them sees the other.
	sleeping_.store(true);
	bool ended = last_end_.load() >= started && ends_touched_.load() >= 4;
	if (!budget || !ended || !sleeping_.exchange(false))
		return 0;
	return longest_spin;
}

void spinner::learn(uint64_t budget, uint64_t started, bool touched)
{
	if (mode_ != mode::adaptive)
		return;
	sleeping_.store(false);
	uint64_t now = now_ns(), waited = now - started;
	// Who has lost the core comes late. Nobody else is asked: a touch waits.
	bool late = !touched || waited > budget;
	if (budget && late && preemptions() != preempted_)
		paused_until_ = now + pause_after_preemption;
	if (waited <= longest_spin && touched)
		spin_ = std::min(longest_spin, spin_ * 2);
	else if (waited > budget)
		spin_ = std::max(shortest_spin, spin_ / 2);
	uint64_t end = last_end_.load();
	bool soon = now < end + longest_spin;
	// The end itself may have woken the leader, and a touch may still follow.
	if (!end || (!touched && soon) || !last_end_.compare_exchange_strong(end, 0))
		return;
	ends_touched_.store(std::clamp(ends_touched_.load() + (touched && soon ? 1 : -1), 0, 8));
}

bool spinner::kernel_ended()
{
	if (mode_ != mode::adaptive)
		return false;
	last_end_.store(now_ns());
	return ends_touched_.load() >= 4 && sleeping_.exchange(false);
}

} // namespace het
