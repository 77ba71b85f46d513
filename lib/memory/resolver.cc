// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/resolver.h"

#include "memory/leadership.h"
#include "memory/library.h"
#include "memory/spinner.h"
#include "memory/touch.h"
#include "os/clock.h"
#include "os/mapping.h"
#include "os/thread.h"
#include "trap/spared_threads.h"

namespace het
{

namespace
{

spinner spin;
leadership lead;
unsigned resolvers, started;
// Resolvers that have released the lead to wait for a device.
std::atomic<unsigned> away{0};

class resolver final : public server
{
      public:
	explicit resolver(unsigned lane) : lane_(lane) {}
	unsigned lane() const override { return lane_; }
	bool in_handler() const override { return false; }
	void wait_for_device(bool long_wait) override;
	[[noreturn]] void run();

      private:
	enum class role : uint8_t { waiting, away, leading, out };

	void become_leader();
	bool listen(touch &t);

	unsigned lane_;
	role role_ = role::waiting;
};

void resolver::wait_for_device(bool long_wait)
{
	if (role_ != role::leading && role_ != role::out)
		return;
	if (role_ == role::out && (!long_wait || !lead.step_in(lane_)))
		return;
	// Others that touch now would wait for us: let somebody else listen.
	if (long_wait || lib().catcher->has_touch()) {
		role_ = role::away;
		away.fetch_add(1);
		lead.release();
	} else {
		role_ = role::out;
		lead.step_out();
	}
}

void resolver::become_leader()
{
	if (role_ == role::leading || (role_ == role::out && lead.step_in(lane_))) {
		role_ = role::leading;
		return;
	}
	if (role_ == role::away)
		away.fetch_sub(1);
	lead.acquire(lane_);
	role_ = role::leading;
}

bool resolver::listen(touch &t)
{
	become_leader();
	// While another resolver waits for its device, the core is better left to the driver's threads.
	uint64_t started = now_ns(), budget = away.load() ? 0 : spin.budget();
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
			lib().catcher->wake({{page, page + page_size()}, t.offset});
		}
	}
}

void resolver_thread(void *lane)
{
	wait_until_open();
	if (lib().catcher->features().stops_threads)
		spare_this_thread();
	wake_soon();
	resolver(unsigned(reinterpret_cast<uintptr_t>(lane))).run();
}

} // namespace

bool start_resolvers(unsigned n, unsigned spin_flag)
{
	spin.open(spin_flag);
	resolvers = n;
	while (started < n &&
	       start_thread("het-resolver", resolver_thread, reinterpret_cast<void *>(uintptr_t{started})))
		started++;
	return started == n;
}

unsigned resolver_count()
{
	return resolvers;
}

void expect_touch()
{
	if (spin.kernel_ended())
		lib().catcher->interrupt();
}

} // namespace het
