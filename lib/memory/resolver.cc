// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/resolver.h"

#include "memory/fetch.h"
#include "memory/leadership.h"
#include "memory/library.h"
#include "memory/spinner.h"
#include "memory/touch.h"
#include "os/clock.h"
#include "os/mapping.h"
#include "os/thread.h"
#include "trap/spared_threads.h"

#include <algorithm>

namespace het
{

namespace
{

leadership lead;
unsigned resolvers, started;
// It counts resolvers that have released the lead to wait for a device.
std::atomic<unsigned> away{0};

class resolver final : public server
{
      public:
	resolver(library &l, unsigned lane) : l_(l), lane_(lane) {}
	unsigned lane() const override { return lane_; }
	bool in_handler() const override { return false; }
	void wait_for_device(bool long_wait) override;
	void device_works() override;
	bool has_room(uint8_t source, unsigned most) const override
	{
		bool alike = !kept_count_ || kept_[first_kept_].touch.st.from == source;
		return alike && kept_count_ < std::min(most, most_kept);
	}
	unsigned kept() const override { return kept_count_; }
	void keep(const started_fetch &f) override { kept_[(first_kept_ + kept_count_++) % most_kept] = f; }
	[[noreturn]] void run();

      private:
	enum class role : uint8_t { waiting, away, leading, out, helping };
	static constexpr unsigned most_kept = 16;
	bool become_leader();
	void release();
	bool listen(touch &t);
	bool listen_as_leader(touch &t);
	bool take_one_more(touch &t);
	void finish_oldest();

	library &l_;
	const unsigned lane_;
	role role_ = role::waiting;
	// While the device worked last, another touch came.
	bool crowded_ = false;
	// These fetches are under way, in the order in which they were started.
	started_fetch kept_[most_kept] = {};
	unsigned first_kept_ = 0, kept_count_ = 0;
};

// The standby is to lead: the leader will be away for longer.
void resolver::release()
{
	role_ = role::away;
	away.fetch_add(1);
	lead.release();
}

void resolver::wait_for_device(bool long_wait)
{
	if (role_ != role::leading && role_ != role::out)
		return;
	if (long_wait) {
		if (role_ == role::leading || lead.step_in(lane_))
			release();
		return;
	}
	if (crowded_ && !kept_count_)
		device_works();
	if (role_ == role::leading) {
		role_ = role::out;
		lead.step_out();
	}
}

// Others that touch now would wait for us. Where nobody is left to help, the standby leads.
void resolver::device_works()
{
	bool listens = role_ == role::leading || role_ == role::out;
	if (!listens && role_ != role::helping)
		return;
	crowded_ = l_.catcher->has_touch();
	if (!crowded_ || lead.call_help())
		return;
	if (role_ == role::leading || (role_ == role::out && lead.step_in(lane_)))
		release();
}

// Returns false if it is to help instead.
bool resolver::become_leader()
{
	if (role_ == role::leading || (role_ == role::out && lead.step_in(lane_))) {
		role_ = role::leading;
		return true;
	}
	if (role_ == role::away)
		away.fetch_sub(1);
	role_ = lead.acquire(lane_) ? role::leading : role::helping;
	return role_ == role::leading;
}

bool resolver::listen_as_leader(touch &t)
{
	// While another resolver waits for its device, the core is better left to the driver's threads.
	uint64_t started = now_ns(), budget = away.load() ? 0 : l_.spin.budget();
	bool touched = false;
	uint64_t spin = budget, from = started;
	do {
		touched = spin && l_.catcher->next(t, {.spin_ns = spin, .sleeps = false});
		spin = touched ? 0 : l_.spin.before_sleep(budget, from);
		from = spin ? now_ns() : 0;
	} while (spin);
	touched = touched || l_.catcher->next(t, {});
	l_.spin.learn(budget, started, touched);
	return touched;
}

bool resolver::listen(touch &t)
{
	if (role_ != role::helping)
		return become_leader() && listen_as_leader(t);
	if (l_.catcher->next(t, {.sleeps = false}))
		return true;
	role_ = role::waiting;
	return false;
}

// Takes one more touch while fetches are under way. It is false if there is none, or another resolver listens by now.
bool resolver::take_one_more(touch &t)
{
	if (kept_count_ == most_kept)
		return false;
	if (role_ == role::out && lead.step_in(lane_))
		role_ = role::leading;
	// It is taken without a look at whether there is one, which costs as much as taking none.
	if ((role_ != role::leading && role_ != role::helping) || !l_.catcher->next(t, {.sleeps = false}))
		return false;
	// The device works meanwhile. A call takes about as long as half of a touch.
	if (kept_count_ % 2)
		lead.call_help();
	return true;
}

void resolver::finish_oldest()
{
	started_fetch f = kept_[first_kept_];
	finish_fetch(f, *this);
	first_kept_ = (first_kept_ + 1) % most_kept;
	kept_count_--;
}

void resolver::run()
{
	for (;;) {
		touch t;
		if (kept_count_ && !take_one_more(t)) {
			finish_oldest();
			continue;
		}
		if (!kept_count_ && !listen(t))
			continue;
		verdict v = serve(l_.arrays, t, *this);
		if (v == verdict::later) {
			while (kept_count_)
				finish_oldest();
			v = serve(l_.arrays, t, *this);
		}
		// Somebody may have slept on a mapping that was replaced meanwhile.
		if (v == verdict::not_ours) {
			uintptr_t page = round_down(t.addr, page_size());
			l_.catcher->wake({{page, page + page_size()}, t.offset});
		}
	}
}

void resolver_thread(void *lane)
{
	wait_until_open();
	library &l = lib();
	// They are blocked in this thread from its start. Knowing it, nobody whom it calls blocks them once more.
	signals_blocked for_ever;
	if (l.catcher->features().stops_threads)
		spare_this_thread();
	wake_soon();
	resolver(l, unsigned(reinterpret_cast<uintptr_t>(lane))).run();
}

} // namespace

bool start_resolvers(library &l, unsigned n, unsigned spin_flag)
{
	l.spin.open(spin_flag, usable_cores());
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

} // namespace het
