// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// One resolver leads: it listens for touches and serves them. When it is about to wait for a device it stops
// leading, and the next resolver listens. So a touch wakes one thread, not all.
//
// A wake of a sleeping thread costs more than all the rest of serving a touch, so the leader spins for a while
// before it sleeps, as long as that pays: touches come soon after one another or after a kernel's end, and
// cores are idle.
#include "memory/resolver.h"

#include "memory/library.h"
#include "memory/touch.h"
#include "os/clock.h"
#include "os/settings.h"
#include "os/thread.h"
#include "trap/stop_threads.h"

#include <algorithm>

namespace het
{

namespace
{

constexpr uint64_t us = 1000, ms = 1000 * us;
constexpr uint64_t longest_spin = 200 * us, shortest_spin = 5 * us;
// After the system took the core away while we spun.
constexpr uint64_t pause_after_preemption = 100 * ms;

// How long the leader spins. Used by the leader alone, but for the fields that kernel ends write.
class spinner
{
      public:
	void open(unsigned flag);
	uint64_t budget();
	// The leader has waited, with @budget, from @started on; a touch came or not.
	void learn(uint64_t budget, uint64_t started, bool touched);
	void kernel_ended();

      private:
	enum class mode : uint8_t { adaptive, always, never } mode_ = mode::adaptive;
	uint64_t fixed_ = 0;
	uint64_t spin_ = 20 * us;
	uint64_t paused_until_ = 0;
	unsigned long preempted_ = 0;
	std::atomic<uint64_t> last_end_{0};
	// Kernel ends that a touch followed at once, against those that none did: 0 to 8.
	std::atomic<int> ends_touched_{4};
	std::atomic<bool> sleeping_{false};
};

spinner spin;
futex_lock lead;
unsigned resolvers;

void spinner::open(unsigned flag)
{
	int64_t set = settings().spin_us;
	if (flag == GPUVM_SPIN_ALWAYS || set > 0) {
		mode_ = mode::always;
		fixed_ = set > 0 ? uint64_t(set) * us : 10000 * ms;
	} else if (flag == GPUVM_SPIN_NEVER || set == 0 || usable_cores() < 2) {
		mode_ = mode::never;
	}
}

uint64_t spinner::budget()
{
	if (mode_ != mode::adaptive)
		return fixed_;
	uint64_t now = now_ns();
	if (now < paused_until_) {
		sleeping_.store(true);
		return 0;
	}
	preempted_ = preemptions();
	sleeping_.store(true);
	bool after_end = now - last_end_.load() < longest_spin && ends_touched_.load() >= 4;
	return after_end ? longest_spin : spin_;
}

void spinner::learn(uint64_t budget, uint64_t started, bool touched)
{
	if (mode_ != mode::adaptive)
		return;
	sleeping_.store(false);
	uint64_t now = now_ns(), waited = now - started;
	if (budget && preemptions() != preempted_)
		paused_until_ = now + pause_after_preemption;
	if (waited <= longest_spin && touched)
		spin_ = std::min(longest_spin, spin_ * 2);
	else if (waited > budget)
		spin_ = std::max(shortest_spin, spin_ / 2);
	uint64_t end = last_end_.exchange(0);
	if (end) {
		int score = ends_touched_.load() + (touched && now - end < longest_spin ? 1 : -1);
		ends_touched_.store(std::clamp(score, 0, 8));
	}
}

void spinner::kernel_ended()
{
	if (mode_ != mode::adaptive)
		return;
	last_end_.store(now_ns());
	// Wake the leader now, while the program does something else, rather than when it touches.
	if (ends_touched_.load() >= 4 && sleeping_.exchange(false))
		lib().catcher->interrupt();
}

class resolver final : public server
{
      public:
	explicit resolver(unsigned lane) : lane_(lane) {}
	unsigned lane() const override { return lane_; }
	bool in_handler() const override { return false; }
	void stop_leading() override
	{
		if (!leads_)
			return;
		leads_ = false;
		lead.unlock(lock_rank::lead);
	}
	[[noreturn]] void run();

      private:
	bool listen(touch &t);

	unsigned lane_;
	bool leads_ = false;
};

bool resolver::listen(touch &t)
{
	if (!leads_) {
		lead.lock(lock_rank::lead);
		leads_ = true;
	}
	uint64_t started = now_ns(), budget = spin.budget();
	bool touched = lib().catcher->next(t, {budget});
	spin.learn(budget, started, touched);
	return touched;
}

void resolver::run()
{
	for (;;) {
		touch t;
		if (!listen(t))
			continue;
		// Somebody may have slept on a mapping that was replaced meanwhile.
		if (serve(t, *this) == verdict::not_ours) {
			uintptr_t page = round_down(t.addr, page_size());
			lib().catcher->wake({page, page + page_size()});
		}
	}
}

void resolver_thread(void *lane)
{
	if (lib().catcher->features().stops_threads)
		spare_this_thread();
	resolver(unsigned(reinterpret_cast<uintptr_t>(lane))).run();
}

} // namespace

bool start_resolvers(unsigned n, unsigned spin_flag)
{
	spin.open(spin_flag);
	resolvers = n;
	for (uintptr_t lane = 0; lane < n; lane++) {
		if (!start_thread("het-resolver", resolver_thread, reinterpret_cast<void *>(lane)))
			return false;
	}
	return true;
}

unsigned resolver_count()
{
	return resolvers;
}

void expect_touch()
{
	spin.kernel_ended();
}

} // namespace het
