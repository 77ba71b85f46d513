// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/runtime.h"

#include "core/ranges.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/settings.h"

#include <cstdlib>
#include <new>
#include <pthread.h>
#include <utility>

namespace het::rt
{

namespace
{

constexpr int64_t progress_ns = 10'000'000;

futex_lock starting; // rank: driver

void attend_all()
{
	core().for_executors([](executor &x) { x.attend(); });
}

// User events, or mappings, that nothing but the program would end. (A mapping that has predecessors is not held up by the program
// yet, or not any more.)
void cancel_all(sequence &s)
{
	auto claim_held_up = [](node &n) {
		auto &e = static_cast<het_event &>(n);
		if (!n.held || n.missing || std::exchange(e.begun, true))
			return false;
		n.held = false;
		e.retain();
		return true;
	};
	while (node *n = core().graph.find(s, claim_held_up)) {
		reference<het_event> e(static_cast<het_event *>(n));
		finish(*e, HET_ECANCELED);
	}
}

// Work that can finish is waited for; what hangs on the program, which does nothing any more, is cancelled. Runs several times, which
// wait no longer than once.
void at_exit()
{
	static const uint64_t end = now_ns() + uint64_t{settings().exit_wait_s} * 1'000'000'000;
	static bool given_up;
	if (core().forked.load() || given_up)
		return;
	do {
		cancel_all(core().user_events);
		cancel_all(core().mappings);
		if (core().unfinished.load())
			wait_for_progress();
	} while (core().unfinished.load() && now_ns() < end);
	uint32_t n = core().unfinished.load();
	given_up = n;
	if (n)
		warn("exit: %u commands have not finished in %u s and are left (HET_EXIT_WAIT)", n,
		     settings().exit_wait_s);
}

void in_child()
{
	core().forked.store(true);
}

int start()
{
	runtime &c = core();
	std::unique_ptr<compute_device> made[most_devices];
	unsigned n = 0;
	if (int err = make_compute_devices(made, &n))
		return err;
	for (unsigned i = 0; i < n; i++) {
		c.devices[i].reset(new (std::nothrow) het_device(std::move(made[i]), i));
		if (!c.devices[i])
			return fail(HET_ENOMEM, "no memory for the devices");
	}
	c.ndevices = n;
	c.nmemories = 0;
	for (unsigned i = 0; i < n; i++)
		c.devices[i]->memory_number = c.devices[i]->compute->is_in_place() ? 0 : c.nmemories++;
	bool ok = true;
	c.for_executors([&](executor &x) { ok = ok && x.start_worker(); });
	if (!ok || pthread_atfork(nullptr, nullptr, in_child) || atexit(at_exit))
		return fail(HET_ENOMEM, "the runtime's threads can't be started (ulimit -u?)");
	return 0;
}

} // namespace

runtime &core()
{
	// Never destroyed: workers live as long as the process.
	alignas(runtime) static char memory[sizeof(runtime)];
	static runtime *r = new (memory) runtime;
	return *r;
}

int check_started()
{
	runtime &c = core();
	if (c.forked.load(std::memory_order_relaxed))
		return fail(HET_ESTATE, "the runtime can't be used in a forked child");
	if (c.started.load(std::memory_order_acquire))
		return 0;
	starting.lock(lock_rank::driver);
	static int err = start(); // a failure stays one: threads may live that know what was made
	starting.unlock(lock_rank::driver);
	c.started.store(!err, std::memory_order_release);
	return err;
}

void precede_drivers_at_exit()
{
	atexit(at_exit);
}

void wait_for_progress()
{
	uint32_t seen = core().finished.load();
	core().awaiting_progress.fetch_add(1);
	attend_all();
	if (core().unfinished.load())
		futex_wait(&core().finished, seen, progress_ns);
	core().awaiting_progress.fetch_sub(1);
}

// True: it is lost, and nobody has known.
static bool find_lost(het_device &d)
{
	if (d.lost.load() || !d.compute->is_lost() || d.lost.exchange(true))
		return false;
	warn("%s has failed for good: it gets no more commands", d.compute->info().name);
	forget_memory_of(d);
	return true;
}

// A driver may refuse one device's commands after another's failure.
void check_device(het_device &d)
{
	if (!find_lost(d))
		return;
	for (unsigned i = 0; i < core().ndevices; i++) {
		het_device &other = *core().devices[i];
		if (other.compute->info().kind == d.compute->info().kind)
			find_lost(other);
	}
}

} // namespace het::rt
