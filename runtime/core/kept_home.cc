// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/kept_home.h"

#include "core/dispatch.h"
#include "core/memory_error.h"
#include "memory/buffers.h"
#include "memory/evict.h"
#include "memory/lost.h"
#include "os/inject.h"
#include "os/log.h"

#include <gpuvm.h>

namespace het::rt
{

namespace
{

// Calls @f with each device that has memory of its own, until it returns an error.
template <class F> int for_devices(F f)
{
	int err = 0;
	for (unsigned i = 0; i < core().ndevices && !err; i++)
		err = core().devices[i]->kept.is_all_home() ? 0 : f(*core().devices[i]);
	return err;
}

het::transfer copy_of(const kept_part &p, range in_buffer, char *host)
{
	return {.devbuf = p.buffer,
		.offset = size_t(p.offset),
		.host = host + (p.bytes.begin - in_buffer.begin),
		.size = p.bytes.size(),
		.pinned = p.pinned};
}

// What a failed device may still answer is not to be trusted.
int bring_from(het_device &d, uintptr_t array, range in_buffer, char *to, unsigned lane)
{
	int err = 0;
	kept_part p;
	for (range rest = in_buffer; !err && d.kept.find_away(rest, p); rest.begin = p.bytes.end) {
		const het::transfer piece = copy_of(p, in_buffer, to);
		delay_point();
		if (d.lost.load())
			err = fail(GPUVM_EDEVALLOC,
				   "what a slice has written was on %s alone, which has failed: it is lost",
				   d.compute->info().name);
		else if (!p.buffer)
			err = fail(GPUVM_EDEVALLOC, "%s could not copy what a slice had written, and has lost it",
				   d.compute->info().name);
		else if (!is_mutant(mutant::leaves_away))
			err = read_buffers(d.memory_number, {&piece, 1}, lane);
		delay_point();
		if (!err)
			d.kept.has_come(p);
		d.kept.let_go(p);
		d.repeated.note_home(array, p.bytes.size());
		d.memory.account.brought.fetch_add(p.bytes.size(), std::memory_order_relaxed);
	}
	return err;
}

int change_on(het_device &d, range in_buffer, char *now, unsigned lane)
{
	int err = 0;
	kept_part p;
	for (range rest = in_buffer; !err && d.kept.find_inside(rest, p); rest.begin = p.bytes.end) {
		const het::transfer piece = copy_of(p, in_buffer, now);
		delay_point();
		err = write_buffers(d.memory_number, {&piece, 1}, lane);
		d.kept.let_go(p);
	}
	return err;
}

// What has come home on the way changes the run, too, so there may be a second look; what a slice writes is not waited
// for. What was on a lost device is lost from now on, to whoever needs it. Returns 0, GPUVM_ESTATE or GPUVM_EDEVALLOC.
int bring(het_device &d, away_run r)
{
	const unsigned home = core().host_memory->memory_number;
	for (unsigned looks = 0; looks < 3; looks++) {
		const range user = {r.bytes.begin + r.to_user, r.bytes.end + r.to_user};
		const int err =
			d.lost.load() ? lose_only_copies(user, home, d.memory_number) : bring_only_copies(user, home);
		if (err)
			return err;
		delay_point();
		if (d.kept.come_home(r))
			return 0;
	}
	return GPUVM_ESTATE;
}

} // namespace

bool is_all_home()
{
	bool all = true;
	for (unsigned i = 0; i < core().ndevices; i++)
		all = all && core().devices[i]->kept.is_all_home();
	return all;
}

int bring_away(uintptr_t array, range in_buffer, char *to, unsigned lane)
{
	return for_devices([&](het_device &d) { return bring_from(d, array, in_buffer, to, lane); });
}

// A device whose bytes have all come home since forget_kept() may have these as they were before.
int change_away(range in_buffer, char *now, unsigned lane)
{
	int err = 0;
	for (unsigned i = 0; i < core().ndevices && !err; i++)
		err = change_on(*core().devices[i], in_buffer, now, lane);
	return err;
}

// No command in flight writes the use's bytes, so what is away of them stays as it is; but the same block may have
// bytes that one writes.
int bring_use(const range_use &u, const het_device *but)
{
	return for_devices([&](het_device &d) {
		int err = 0;
		away_run r;
		while (&d != but && !err && !is_mutant(mutant::skips_others) && d.kept.find_run(u.bytes, r)) {
			const uint32_t seen = progress();
			const int e = bring(d, r);
			err = e == GPUVM_ESTATE ? 0 : code_of(e);
			if (e == GPUVM_ESTATE)
				wait_for_progress(seen);
		}
		return err;
	});
}

// What can't be read stays, and is not waited for.
bool bring_to_go(het_device &d)
{
	away_run r;
	while (d.kept.find_run_to_go(r)) {
		const int err = bring(d, r);
		if (!err)
			return true;
		if (err == GPUVM_ESTATE)
			return false;
		d.kept.give_up(r);
	}
	return false;
}

// What stays, as its chunks are being written or it can't be read, keeps none behind it from coming.
void bring_old(het_device &d)
{
	away_run r;
	for (unsigned from = 0; d.kept.find_old_run(from, r); from = r.block + 1)
		(void)bring(d, r);
}

} // namespace het::rt
