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
	bool has_room(uint8_t source, unsigned most) const override
	{
		bool alike = !kept_count_ || kept_[first_kept_].touch.st.from == source;
		return alike && kept_count_ < std::min(most, most_kept);
	}
	unsigned kept() const override { return kept_count_; }
	void keep(const started_fetch &f) override { kept_[(first_kept_ + kept_count_++) % most_kept] = f; }
	[[noreturn]] void run();

      private:
	enum class role : uint8_t { waiting, away, leading, out };
	static constexpr unsigned most_kept = 16;

	void become_leader();
	bool listen(touch &t);
	bool take_one_more(touch &t);
	void finish_oldest();

	library &l_;
	const unsigned lane_;
	role role_ = role::waiting;
	// These fetches are under way, in the order in which they were started.
	started_fetch kept_[most_kept] = {};
	unsigned first_kept_ = 0, kept_count_ = 0;
};

void resolver::wait_for_device(bool long_wait)
{
	if (role_ != role::leading && role_ != role::out)
		return;
	if (role_ == role::out && (!long_wait || !lead.step_in(lane_)))
		return;
	// Others that touch now would wait for us: let somebody else listen. There is no need with fetches of which
	// each ends soon.
	if (long_wait || (!kept_count_ && l_.catcher->has_touch())) {
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
	uint64_t started = now_ns(), budget = away.load() ? 0 : l_.spin.budget();
	bool touched = l_.catcher->next(t, {budget});
	l_.spin.learn(budget, started, touched);
	return touched;
}

// Takes one more touch while fetches are under way. It is false if there is none, or another resolver listens by now.
bool resolver::take_one_more(touch &t)
{
	if (kept_count_ == most_kept)
		return false;
	if (role_ == role::out && lead.step_in(lane_))
		role_ = role::leading;
	return role_ == role::leading && l_.catcher->has_touch() && l_.catcher->next(t, {.sleeps = false});
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
	if (l.catcher->features().stops_threads)
		spare_this_thread();
	wake_soon();
	resolver(l, unsigned(reinterpret_cast<uintptr_t>(lane))).run();
}

} // namespace

bool start_resolvers(library &l, unsigned n, unsigned spin_flag)
{
	l.spin.open(spin_flag);
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
