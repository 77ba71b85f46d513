// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/start.h"

#include "core/dispatch.h"
#include "core/exit.h"
#include "core/kept_frames.h"
#include "core/kept_home.h"
#include "core/kept_room.h"
#include "core/lender.h"
#include "core/levels.h"
#include "core/lost_device.h"
#include "core/measured_rate.h"
#include "core/runtime.h"
#include "dev/alias_compute.h"
#include "os/log.h"
#include "os/settings.h"

#include <new>
#include <pthread.h>
#include <utility>

namespace het::rt
{

namespace
{

futex_lock starting; // has rank driver

// Executors stand below what they report to.
class : public supervisor
{
	void finished(het_event &e, int status) override { finish(e, status); }
	void failed(het_device &d) override { check_device(d); }
	void must_wait(het_event &e) override { wait_for_ends(e); }
} above_executors;

// Devices keep bytes of host memory between launches that do not fit.
class : public host_memory_keeper
{
	void changed(range in_buffer) override
	{
		forget_kept(in_buffer);
		forget_frames(in_buffer);
	}
	void gone(range buffer) override
	{
		changed(buffer);
		for (unsigned i = 0; i < core().ndevices; i++)
			core().devices[i]->repeated.forget(buffer);
	}
	int change(range in_buffer, char *now, unsigned lane) override { return change_away(in_buffer, now, lane); }
	int bring(void *buffer, range in_buffer, char *to, unsigned lane) override
	{
		return bring_away(reinterpret_cast<uintptr_t>(buffer), in_buffer, to, lane);
	}
	bool has_none() override { return is_all_home(); }
} devices_as_keeper;

void in_child()
{
	core().forked.store(true);
}

int set_budget(het_device &d, unsigned number)
{
	budget_setting s;
	const char *text = settings().memory;
	if (!find_budget(text, number, s))
		return fail(HET_EARG,
			    "HET_DEVICE_MEMORY=%s: say bytes (4G) or a part (75%%), for all devices or, with commas, "
			    "for each",
			    text);
	d.memory.is_set = s.kind != budget_setting::usual;
	if (d.memory.is_set)
		d.memory.account.set_limit(bytes_of(s, d.compute->info().memory, no_limit));
	return 0;
}

bool make_host_memory(unsigned number)
{
	runtime &c = core();
	std::unique_ptr<compute_device> made = make_alias_compute(devices_as_keeper);
	if (made)
		c.host_memory.reset(new (std::nothrow) het_device(std::move(made), number));
	if (c.host_memory)
		c.host_memory->memory_number = c.nmemories;
	return c.host_memory != nullptr;
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
		const cache::device_profile profile = profile_of(*c.devices[i]->compute);
		std::atomic<double> &rate = c.devices[i]->rate;
		rate.store(measured_rate(profile, rate.load()));
		c.devices[i]->rates = measured_kernel_rates(profile);
	}
	if (!find_eviction(settings().evict, c.evicts, c.inspects, c.mixes))
		return fail(HET_EARG,
			    "HET_EVICT=%s: say keep, through, stream or demand, inspect, inspect-all or no-inspect, "
			    "and mix or no-mix, with commas between them",
			    settings().evict);
	for (unsigned i = 0; i < n; i++) {
		if (int err = set_budget(*c.devices[i], i))
			return err;
	}
	c.ndevices = n;
	c.nmemories = 0;
	for (unsigned i = 0; i < n; i++)
		c.devices[i]->memory_number = c.devices[i]->compute->is_in_place() ? 0 : c.nmemories++;
	if (c.nmemories && n < most_devices && !make_host_memory(n))
		return fail(HET_ENOMEM, "no memory for the devices");
	c.above = &above_executors;
	bool ok = true;
	c.for_executors([&](executor &x) { ok = ok && x.start_worker(); });
	if (!ok || pthread_atfork(nullptr, nullptr, in_child) || !wait_at_exit())
		return fail(HET_ENOMEM, "the runtime's threads can't be started (ulimit -u?)");
	levels_in_use().when_several(start_lender);
	return 0;
}

} // namespace

int check_started()
{
	runtime &c = core();
	if (c.forked.load(std::memory_order_relaxed))
		return fail(HET_ESTATE, "the runtime can't be used in a forked child");
	if (c.started.load(std::memory_order_acquire))
		return 0;
	starting.lock(lock_rank::driver);
	static int err = start(); // stays a failure once it is one: threads may live that know what was made
	starting.unlock(lock_rank::driver);
	c.started.store(!err, std::memory_order_release);
	return err;
}

} // namespace het::rt
