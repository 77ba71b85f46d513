// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/sliced_launch.h"

#include "core/dispatch.h"
#include "core/frame_copies.h"
#include "core/kept_frames.h"
#include "core/kept_home.h"
#include "core/kept_memory.h"
#include "core/linking.h"
#include "core/make_room.h"
#include "core/slice.h"
#include "core/slice_threads.h"
#include "memory/lost.h"
#include "os/clock.h"
#include "os/inject.h"
#include "os/lock.h"
#include "os/log.h"

#include <algorithm>
#include <climits>
#include <functional>
#include <new>
#include <string_view>
#include <utility>

namespace het::rt
{

namespace
{

het_device &host_memory()
{
	return *core().host_memory;
}

} // namespace

het_event_part_info sliced_launch::part(uint32_t) const
{
	return {0, &device(), 0, shape_.global[shape_.dimensions - 1], started, ended};
}

begin_result sliced_launch::begin(executor &)
{
	if (device().lost.load())
		return fail(HET_EDEVICE, "het_launch: %s has failed, and kernel %s was to run there in slices",
			    device().compute->info().name, kernel_->name.get());
	if (int err = start_slice_threads(device(), kernel_->name.get()))
		return err;
	fetch_slices(*this);
	return begin_result::detached;
}

void sliced_launch::stand_in_for(het_event &e)
{
	in_place_of_ = &e;
	fetch_slices(*this);
}

void sliced_launch::add_lanes(uint32_t (&lanes)[most_devices]) const
{
	if (const executor *x = lane_.load())
		x->add_lane(x->lane(), lanes);
}

// Nothing of it may be left then.
void sliced_launch::finish_here(int status)
{
	if (!in_place_of_) {
		finish(*this, status);
		return;
	}
	in_place_of_->why = std::move(why);
	in_place_of_->on_memory = std::move(on_memory);
	finish(*in_place_of_, status);
}

// --- what the threads tell each other ------------------------------------------

void sliced_launch::announce()
{
	changes_.fetch_add(1);
	futex_wake(&changes_, INT_MAX);
}

template <class F> void sliced_launch::wait_until(F done)
{
	for (uint32_t seen = changes_.load(); !done(); seen = changes_.load())
		futex_wait(&changes_, seen);
}

// The first one counts.
void sliced_launch::fail_once(int err)
{
	if (err && !has_failed_.exchange(true)) {
		failure_ = err;
		keep_why();
	}
}

// Who has seen one end may be slower than who sees the next.
void sliced_launch::note_over(size_t kernel)
{
	over_lock_.lock(lock_rank::leaf);
	over_[kernel] = true;
	size_t ended = ended_.load();
	while (ended < nkernels() && over_[ended])
		ended++;
	ended_.store(ended);
	over_lock_.unlock(lock_rank::leaf);
	announce();
}

void sliced_launch::slice_is_over(size_t kernel, int err, std::unique_ptr<char[]> &said)
{
	if (err && !has_failed_.exchange(true)) {
		failure_ = err;
		why = std::move(said);
	}
	delay_point();
	last_over_at_.store(now_ns());
	end_lateness(err);
	note_over(kernel);
}

// --- begin ---------------------------------------------------------------------

// What is the most urgent waits for no memory that less urgent ones have if it can do with the rest.
uint64_t sliced_launch::bytes_to_take()
{
	const uint64_t all = bytes_to_have();
	if (!levels_in_use().are_several() || levels_in_use().is_below_others(urgency()))
		return all;
	uint64_t had = 0;
	{
		linking_guard g;
		had = had_by_others(device());
	}
	if (!had || had >= all || plan_for(all - had) != 0)
		return all;
	return all - had;
}

// Another handle of the kernel is the same one.
granule_frames::launch sliced_launch::launch_in_place() const
{
	const auto program = reinterpret_cast<uintptr_t>(kernel_->program.get());
	const uint64_t number =
		(kernel_->identity ? kernel_->identity : program) ^ std::hash<std::string_view>()(kernel_->name.get());
	uint64_t ngroups = 1;
	for (unsigned d = 0; d < shape_.dimensions; d++)
		ngroups *= shape_.groups(d);
	return {slices_,           uses_, number, kernel_->name.get(), kernel_in_place().widest_access(), ngroups,
		may_be_inspected()};
}

void sliced_launch::slice_begins(size_t kernel, const het_event &slice)
{
	begun_[kernel].store(&slice);
}

// What the driver refuses is tried with less.
int sliced_launch::take_granules()
{
	granules_ = borrow_frames(device());
	if (!granules_) {
		own_granules_.reset(new (std::nothrow) granule_frames);
		granules_ = own_granules_.get();
	}
	if (!granules_)
		return fail(HET_ENOMEM, "het_launch: out of memory");
	for (uint64_t most = bytes_to_have();; most /= 2) {
		const int err = granules_->take(launch_in_place(), device(), most);
		if (err != HET_EDEVICE || device().lost.load() ||
		    granule_frames::smallest(slices_, most / 2) > most / 2)
			return err;
	}
}

int sliced_launch::take_memory()
{
	if (is_in_place())
		return take_granules();
	for (uint64_t most = bytes_to_take();; most = slices_.nbytes() / 2) {
		int err = plan_for(most);
		if (!err)
			err = frames_.take(slices_, device());
		if (err != HET_EDEVICE || device().lost.load() || slices_.smallest() > slices_.nbytes() / 2)
			return err;
	}
}

// What is lost can't come home, although nothing of it is read, and is lost still if a slice fails.
void sliced_launch::choose_accesses()
{
	for (size_t i = 0; !group_ && i < uses_.size(); i++) {
		range_use &u = uses_[i];
		if (u.access != HET_READ_ONLY)
			u.access = is_overwritten(i) && is_any_lost(u.bytes) ? HET_WRITE_ONLY : HET_READ_WRITE;
	}
}

// Nobody who has them waits for memory. A kernel in place may use anything at once, and pages of what is promised stay.
int sliced_launch::open_uses()
{
	int err = 0;
	const auto is_promised = [](const range_use &u) { return u.promised; };
	const bool by_parts = !is_in_place() && std::none_of(all_uses().begin(), all_uses().end(), is_promised);
	if (!parts_.open(all_uses().size(), by_parts, nslices()))
		return fail(HET_ENOMEM, "het_launch: out of memory");
	for (range_use &u : all_uses())
		u.by_parts = by_parts;
	for (;;) {
		const uint32_t seen = progress();
		choose_accesses();
		outcome o = begin_ranges(all_uses(), host_memory(), &err);
		if (o != outcome::must_wait && o != outcome::no_room)
			return err;
		if (seen == progress())
			wait_for_progress(seen);
	}
}

// A kernel in place finds nothing on any device, and slices what is on theirs.
int sliced_launch::bring_what_is_away()
{
	int err = 0;
	for (size_t i = 0; i < all_uses().size() && !err; i++)
		err = bring_use(all_uses()[i], is_in_place() ? nullptr : &device());
	return err;
}

// What other launches in place have left of it on devices will be old.
void sliced_launch::forget_what_is_written()
{
	for (const range_use &u : all_uses()) {
		if (!(u.access & HET_WRITE_ONLY))
			continue;
		const uintptr_t at = place_in_host_memory(u);
		forget_frames_but({at, at + u.bytes.size()}, granules_);
	}
}

int sliced_launch::begin_uses()
{
	for (range_use &u : all_uses()) {
		u.on.prepare_copies(device().memory_number);
		if (is_in_place() && u.access != HET_READ_ONLY)
			forget_kept_of(u, u.bytes);
	}
	forget_what_is_written();
	if (is_in_place()) {
		const int err = granules_->place(launch_in_place());
		set_inspected(granules_->is_inspected_first());
		return err;
	}
	if (keeps_copies(core().evicts))
		choose_kept();
	return 0;
}

// What is known is known of arrays, so windows of one array share what is chosen.
void sliced_launch::choose_kept()
{
	const size_t n = slices_.windows().size();
	keeps_.reset(new (std::nothrow) keeping[n]());
	const std::unique_ptr<uintptr_t[]> arrays(new (std::nothrow) uintptr_t[n]);
	device().kept.next_launch();
	bring_old(device());
	for (unsigned w = 0; keeps_ && arrays && w < n; w++) {
		place_in_host_memory(use_of_window(w), &arrays[w]);
		on_memory->is_shared |= device().repeated.knows(arrays[w]);
	}
	for (unsigned w = 0; keeps_ && arrays && w < n; w++) {
		const size_t first = size_t(std::find(arrays.get(), arrays.get() + w, arrays[w]) - arrays.get());
		keeps_[w] = first < w ? keeps_[first] : keeping_of(w, {arrays.get(), n});
	}
	grow_kept(device(), device().repeated.wanted());
}

// The window is the first one of its array. Links of memory that can't be watched end with the launch.
keeping sliced_launch::keeping_of(unsigned window, std::span<const uintptr_t> arrays) const
{
	const uintptr_t array = arrays[window];
	uint64_t nbytes = 0;
	bool writes = false;
	for (size_t w = window; w < arrays.size(); w++) {
		nbytes += arrays[w] == array ? slices_.windows()[w].bytes.size() : 0;
		writes |= arrays[w] == array && slices_.windows()[w].writes;
	}
	array_log &known = device().repeated;
	if (use_of_window(window).on.is_copied() || !known.use(array, nbytes))
		return keeping::nothing;
	return writes && core().evicts == eviction::keep && known.writes(array) ? keeping::written : keeping::copies;
}

// A device may have been lost since the group was gathered, as that has waited for memory. What it had alone would fail
// all of the group, and perhaps none of its launches by itself.
int sliced_launch::leave_group_of_lost()
{
	if (!group_ || !group_->has_lost())
		return 0;
	frames_.give_back();
	group_.reset();
	stage_.store(stage::gets_memory);
	return take_memory();
}

bool sliced_launch::fetch_begin()
{
	forget_last_error();
	const uint64_t began = now_ns();
	int err = in_place_of_ ? prepare_anew() : 0;
	watch(*this); // it has its device
	if (!err && !in_place_of_)
		find_group();
	if (!err)
		err = take_memory();
	stage_.store(stage::brings);
	if (!err)
		err = bring_what_is_away();
	if (!err)
		err = leave_group_of_lost();
	stage_.store(stage::opens);
	if (!err)
		err = begin_record();
	if (!err)
		err = open_uses();
	bool is_open = !err;
	if (!err) {
		on_memory->waited_ns = now_ns() - began;
		err = begin_uses();
		stage_.store(stage::is_open);
	}
	fail_once(err);
	if (err && is_open)
		close_uses();
	if (err)
		leave();
	return !err;
}

// Calls @f with the numbers of those windows, until it returns an error.
template <class P, class F> int sliced_launch::for_windows(P wanted, F f) const
{
	int err = 0;
	for (unsigned w = 0; w < slices_.windows().size() && !err; w++)
		err = wanted(slices_.windows()[w]) ? f(w) : 0;
	return err;
}

// --- the fetcher ---------------------------------------------------------------

bool sliced_launch::is_free(const window &w, size_t slice) const
{
	const size_t before = slice < w.buffers ? 0 : slice + 1 - w.buffers;
	return (w.writes ? home_.load() : ended_slices()) >= before;
}

// Calls f(ranges) with what travels of a window: all that the rows read, or write, or a part where launches run mixed.
template <class F> int sliced_launch::with_ranges(unsigned window, row_span rows, bool written, F f) const
{
	const std::unique_ptr<range[]> ranges(new (std::nothrow) range[uses_.size()]);
	if (!ranges)
		return fail(HET_ENOMEM, "het_launch: out of memory");
	return f(std::span<const range>(ranges.get(),
					slices_.find_ranges(window, rows, written, {ranges.get(), uses_.size()})));
}

int sliced_launch::send(unsigned window, size_t slice, row_span rows)
{
	const auto send_all = [&](std::span<const range> ranges) {
		return frames_.send({slices_, use_of_window(window), window, slice, ranges}, keeps(window));
	};
	return group_ ? send_all(group_->moves().fetched(window, slice)) : with_ranges(window, rows, false, send_all);
}

int sliced_launch::bring(unsigned window, size_t slice, row_span rows)
{
	const auto bring_all = [&](std::span<const range> ranges) {
		return frames_.bring({slices_, use_of_window(window), window, slice, ranges}, keeps(window));
	};
	return group_ ? bring_all(group_->moves().left(window, slice)) : with_ranges(window, rows, true, bring_all);
}

// Returns false if there was nothing to take, or another thread is at it.
bool sliced_launch::take_parts()
{
	int err = 0;
	const bool was_next = parts_.take_next(all_uses(), *this, &err);
	fail_once(err);
	if (was_next)
		announce();
	return was_next;
}

void sliced_launch::get_parts(size_t slice)
{
	const auto are_there = [&] {
		return parts_.taken() > slice || has_failed_.load() || is_mutant(mutant::takes_late);
	};
	while (!are_there()) {
		if (!take_parts())
			wait_until([&] { return are_there() || may_take_parts(); });
	}
}

// Sends what is in windows that are written, or in the others.
int sliced_launch::send_slice(size_t slice, bool written)
{
	int err = 0;
	for (unsigned w = 0; w < slices_.windows().size() && !err; w++) {
		const window &win = slices_.windows()[w];
		if (win.stays || win.writes != written)
			continue;
		wait_until([&] { return is_free(win, slice) || has_failed_.load(); });
		if (has_failed_.load())
			return 0;
		delay_point();
		if (win.reads)
			err = send(w, slice, slices_.slice(slice));
	}
	return err;
}

int sliced_launch::send_all_that_stays()
{
	return for_windows([](const window &w) { return w.stays && w.reads; },
			   [&](unsigned w) { return send(w, 0, slices_.all_rows()); });
}

// The slice before has ended: only then is what it has written there.
int sliced_launch::carry(size_t slice)
{
	wait_until([&] { return ended_slices() >= slice || has_failed_.load() || is_mutant(mutant::carries_early); });
	if (!slice || has_failed_.load())
		return 0;
	return for_windows(
		[](const window &w) { return !w.stays; },
		[&](unsigned w) {
			return frames_.carry({slices_, use_of_window(w), w, slice, group_->moves().carried(w, slice)});
		});
}

int sliced_launch::start(size_t number)
{
	const int8_t level = group_ ? level_of_group_ : urgency();
	reference<slice_of_launch> s(new (std::nothrow) slice_of_launch(*this, number, level));
	if (!s || !s->allocate())
		return fail(HET_ENOMEM, "het_launch: no memory for a slice of kernel %s", kernel_->name.get());
	memory_account &account = device().memory.account;
	if (!is_inspector(number))
		(is_in_place() ? account.moved : account.slices).fetch_add(1, std::memory_order_relaxed);
	started_.fetch_add(1);
	started_at_.store(now_ns());
	start_part(s.give_up(), *lane_.load());
	return 0;
}

// It has no rows in this slice.
void sliced_launch::pass_over(size_t kernel)
{
	started_.fetch_add(1);
	note_over(kernel);
}

// A device with a queue runs them in the order in which they are handed over; the others are given each when the one
// before has ended.
int sliced_launch::start_all(size_t slice)
{
	count_stall(slice);
	if (!group_)
		return start(slice);
	int err = carry(slice);
	for (size_t i = 0; i < nlaunches() && !err && !has_failed_.load(); i++) {
		const size_t kernel = slice * nlaunches() + i;
		if (!device().compute->has_queue())
			wait_until([&] { return ended_.load() == kernel || has_failed_.load(); });
		if (!group_->rows(i, slices_.slice(slice)).count)
			pass_over(kernel);
		else
			err = start(kernel);
	}
	return err;
}

// What is only read comes first: its buffers are free sooner.
int sliced_launch::fetch(size_t slice)
{
	get_parts(slice);
	int err = is_in_place() ? granules_->send(launch_in_place()) : send_slice(slice, false);
	if (!err && !is_in_place())
		err = send_slice(slice, true);
	return err || has_failed_.load() ? err : start_all(slice);
}

// The inspector has the device for itself, and tells what the launch needs there.
int sliced_launch::inspect()
{
	if (int err = fetch(0))
		return err;
	wait_until([&] { return ended_.load() > 0 || has_failed_.load(); });
	return has_failed_.load() ? 0 : granules_->look_at_marks(launch_in_place());
}

void sliced_launch::fetch_all()
{
	level_of_group_ = urgency();
	lane_.store(&device().lanes.open(level_of_group_));
	get_parts(0);
	if (!is_in_place() && !has_failed_.load())
		fail_once(send_all_that_stays());
	if (is_inspector(0))
		fail_once(inspect());
	for (size_t i = is_inspector(0); i < nslices() && !has_failed_.load(); i++)
		fail_once(fetch(i));
	all_started_.store(true);
	announce();
}

void sliced_launch::place_arguments(size_t kernel, std::span<device_arg> args, launch_shape &s, ticket &t) const
{
	const size_t slice = kernel / nlaunches(), launch = kernel % nlaunches();
	const row_span rows = group_ ? group_->rows(launch, slices_.slice(slice)) : slices_.slice(slice);
	const std::span<const range_use> uses = launch_of(kernel).uses();
	const size_t first_use = group_ ? group_->first_use(launch) : 0;
	s.part.first = is_in_place() ? 0 : rows.first;
	s.part.count = is_in_place() ? 0 : rows.count;
	t.granules = is_in_place() ? &granules_->table() : nullptr;
	t.inspection = is_inspector(slice) ? &granules_->inspection() : nullptr;
	size_t use = 0;
	for (device_arg &a : args) {
		if (!is_memory(a.kind))
			continue;
		const unsigned w = slices_.window_of(first_use + use);
		if (is_in_place()) {
			a.buffer = nullptr;
			a.offset = granules_->address_of(w, uses[use++].bytes.begin);
			continue;
		}
		a.buffer = frames_.buffer(slices_, w, slice);
		a.offset = uses[use++].bytes.begin - slices_.bytes_of(w, slice).begin; // may be less than 0
	}
}

// --- the evictor ---------------------------------------------------------------

int sliced_launch::bring(size_t slice)
{
	if (is_inspector(slice))
		return 0;
	if (is_in_place())
		return granules_->bring(launch_in_place(), now_ns() - started_at_.load());
	return for_windows([](const window &w) { return !w.stays && w.writes; },
			   [&](unsigned w) { return bring(w, slice, slices_.slice(slice)); });
}

int sliced_launch::bring_all_that_stays()
{
	return for_windows([](const window &w) { return w.stays && w.writes; },
			   [&](unsigned w) { return bring(w, nslices() - 1, slices_.all_rows()); });
}

// Waits until it has ended, or none will any more, and takes what later ones use meanwhile. On demand nothing is done
// ahead.
void sliced_launch::wait_for_slice(size_t slice)
{
	const bool is_ahead = core().evicts != eviction::demand;
	const auto is_over = [&] {
		return ended_slices() > slice || (all_started_.load() && started_.load() == ended_.load());
	};
	while (!is_over()) {
		if (!is_ahead || !may_take_parts() || !take_parts())
			wait_until([&] { return is_over() || (is_ahead && may_take_parts()); });
	}
}

void sliced_launch::bring_all()
{
	forget_last_error();
	for (size_t i = 0;; i++) {
		wait_for_slice(i);
		if (ended_slices() <= i)
			break;
		delay_point();
		if (!has_failed_.load())
			fail_once(bring(i));
		home_.fetch_add(1);
		announce();
	}
	if (!has_failed_.load() && !is_in_place())
		fail_once(bring_all_that_stays());
	close_uses();
	leave();
}

// --- the end -------------------------------------------------------------------

// If slices have failed, each byte of what is written is as it was or as it should be, or lost as it was.
void sliced_launch::close_uses()
{
	for (range_use &u : all_uses()) {
		if (has_failed_.load() && u.access == HET_WRITE_ONLY)
			abandon_ranges({&u, 1}, host_memory(), started_.load() != 0);
	}
	fail_once(started_.load() ? end_ranges(all_uses(), host_memory())
				  : abandon_ranges(all_uses(), host_memory(), false));
}

void sliced_launch::leave_granules()
{
	if (!granules_)
		return;
	const bool is_kept = !own_granules_ && !has_failed_.load() && keeps_copies(core().evicts);
	granules_->keep(is_kept);
	if (!is_kept)
		granules_->give_back();
	if (!own_granules_)
		return_frames(device());
	granules_ = nullptr;
}

// Callbacks, which may wait for other launches in slices, do not run on this thread.
void sliced_launch::leave()
{
	unwatch(*this);
	end_lateness(has_failed_.load() ? failure_ : 0);
	end_record();
	frames_.give_back();
	leave_granules();
	note_progress();
	for (size_t i = 0; i < nlaunches(); i++)
		launch_of(i).asked_kernel().has_run(device());
	if (has_failed_.load() && failure_ == HET_EDEVICE)
		core().above->failed(device());
	const int status = has_failed_.load() ? failure_ : 0;
	const auto kept = reference<sliced_launch>::to(this);
	end_in_service(*this, status);
	if (!group_)
		return;
	group_->is_over();
	for (size_t i = 1; i < nlaunches(); i++)
		end_in_service(static_cast<sliced_plan &>(group_->launch(i)), status);
}

} // namespace het::rt
