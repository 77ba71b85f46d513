// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/split_launch.h"

#include "core/block.h"
#include "core/dispatch.h"
#include "os/clock.h"
#include "os/log.h"

#include <algorithm>
#include <new>
#include <utility>

namespace het::rt
{

static_assert(most_devices <= ledger::most);

int split_launch::prepare()
{
	int err = plan();
	if (err)
		return err;
	ledger_.open(std::move(policy_), unsigned(members().size()), is_repeatable());
	where.store(&core().service);
	return 0;
}

// --- its blocks ----------------------------------------------------------------

// One block runs while the next is on its way.
unsigned split_launch::room(unsigned member) const
{
	return device(member).compute->has_queue() ? 2 : 1;
}

// Returns null if there are no rows, or no memory. The caller holds the lock.
block *split_launch::make_block(unsigned member, rows r)
{
	if (!r.count)
		return nullptr;
	reference<block> b(new (std::nothrow) block(*this, member, r));
	if (!b || !b->allocate()) {
		failure_ = fail(HET_ENOMEM, "het_launch: no memory for a part of kernel %s", kernel_->name.get());
		keep_why();
		return nullptr;
	}
	ledger_.enter(b->entry, now_ns());
	b->next = blocks_;
	blocks_ = b.get();
	return b.give_up();
}

// The caller holds the lock.
block *split_launch::block_of(const ledger_entry &e) const
{
	block *b = blocks_;
	while (&b->entry != &e)
		b = b->next;
	return b;
}

// Returns the block of rows that another has not begun. The caller holds the lock.
block *split_launch::make_taken(const ledger::taking &t, block **emptied)
{
	block *made = t.from ? make_block(t.by, t.what) : nullptr;
	if (!made)
		return nullptr;
	made->entry.was_taken_back = true;
	if (!t.from->what.count) {
		block *b = block_of(*t.from);
		b->next_emptied = *emptied;
		*emptied = b;
	}
	return made;
}

// Devices that have room get what there is. Where @asks has ended a block those that have nothing then get what is
// taken back, this one first. The caller holds the lock.
split_launch::handed_out split_launch::hand_out(unsigned asks)
{
	handed_out h;
	auto add = [&h](block *b) {
		if (!b)
			return false;
		b->next_start = h.list;
		h.list = b;
		return true;
	};
	for (unsigned i = 0; i < members().size(); i++) {
		while (!failure_ && add(make_block(i, ledger_.next(i, room(i), now_ns()))))
			;
	}
	while (asks != nobody && !failure_ && add(make_taken(ledger_.take_back(asks, now_ns()), &h.emptied)))
		;
	return h;
}

void split_launch::start(block *list)
{
	for (block *b = list, *next; b; b = next) {
		next = b->next_start;
		b->retain();
		b->level.store(level.load(std::memory_order_relaxed), std::memory_order_relaxed);
		start_part(b, device(b->entry.member).lanes.at(lane_level_.load()));
	}
}

// They would lie in their queues for as long as the devices have other things to do. What does not lie there has just
// been taken to be begun.
void split_launch::withdraw(block *emptied)
{
	for (block *b = emptied, *next; b; b = next) {
		next = b->next_emptied;
		executor *where = b->where.load();
		if (where && where->withdraw(*b))
			finish(*b, 0);
	}
}

void split_launch::add_lanes(uint32_t (&lanes)[most_devices]) const
{
	for (unsigned i = 0; i < members().size() && begun; i++) {
		const executor &x = device(i).lanes.at(lane_level_.load());
		x.add_lane(x.lane(), lanes);
	}
}

begin_result split_launch::begin(executor &)
{
	// The blocks may be over when they have been started, and with them the launch.
	auto keep = reference<split_launch>::to(this);
	lane_level_.store(level.load()); // it may become more urgent later, and stays there
	// Who takes rows later may hold another device's submit lock, under which nothing is made.
	for (unsigned i = 0; i < members().size(); i++)
		device(i).lanes.open(lane_level_.load());
	lock_.lock(lock_rank::graph);
	block *list = hand_out(nobody).list;
	int err = failure_;
	lock_.unlock(lock_rank::graph);
	if (!list)
		return err;
	watch(*this);
	start(list);
	return begin_result::detached;
}

// What the device has done can be had from it still, and told from what others did. The caller holds the lock.
bool split_launch::keeps_results(unsigned member) const
{
	return !ledger_.of(member).out || outlives_loss(member);
}

// So it is although it does no more. The caller holds the lock.
bool split_launch::outlives_loss(unsigned member) const
{
	return !has_twins() && !device(member).lost.load();
}

// The device does no more of this launch. It is false if others can't do it. The caller holds the lock.
bool split_launch::lose(unsigned member, int err, bool again, bool short_of_memory)
{
	ledger::loss l = ledger_.lose(member, again, outlives_loss(member));
	if (l == ledger::loss::final)
		failure_ = failure_ ? failure_ : err;
	else if (l == ledger::loss::first)
		warn("%s has %s: others do its part of kernel %s", device(member).compute->info().name,
		     short_of_memory ? "no room for its arrays" : "failed", kernel_->name.get());
	return l != ledger::loss::final;
}

// The caller holds the lock.
void split_launch::note(block &b, int err, bool again)
{
	ledger_.end(b.entry);
	if (!b.entry.what.count)
		ledger_.drop_empty(b.entry);
	else if (!err && keeps_results(b.entry.member)) {
		b.ended_at = now_ns();
		ledger_.count(b.entry, b.begun_at, b.ended_at);
	} else if (!err || lose(b.entry.member, err, again, b.is_short_of_memory)) {
		ledger_.give_back(b.entry);
	} else {
		ledger_.fail(b.entry);
		if (!why)
			why = std::move(b.why);
	}
}

bool split_launch::begin_block(block &b)
{
	runtime_guard<lock_rank::graph> g(lock_);
	return ledger_.begin(b.entry, now_ns());
}

// Who has nothing gets what is taken from it by way of his queue, as the caller may hold this device's submit lock.
bool split_launch::put_off(block &b)
{
	lock_.lock(lock_rank::graph);
	block *emptied = nullptr;
	block *taken = failure_ ? nullptr : make_taken(ledger_.put_off(b.entry, now_ns()), &emptied);
	lock_.unlock(lock_rank::graph);
	start(taken);
	return !emptied;
}

// What was taken back comes to its new device when the block that had it is out of the way: this one keeps the launch
// from ending meanwhile.
void split_launch::block_is_over(block &b, int err, bool again)
{
	lock_.lock(lock_rank::graph);
	note(b, err, again);
	const handed_out h = hand_out(b.entry.what.count ? b.entry.member : nobody);
	bool last = !ledger_.under_way(), was_late = b.is_late && !err;
	has_late_ended_ |= was_late;
	lock_.unlock(lock_rank::graph);
	withdraw(h.emptied);
	start(h.list);
	if (was_late)
		tell_ended(b);
	if (last)
		complete();
}

// --- its end: no block is under way --------------------------------------------

// What a device has written that can't tell it any longer is for others to do. Returns their blocks.
block *split_launch::compare_twins()
{
	auto all = members();
	int errors[most_devices] = {};
	for (unsigned i = 0; i < all.size() && has_twins(); i++)
		errors[i] = ledger_.of(i).out ? 0 : twins_.compare(*all[i].device);
	lock_.lock(lock_rank::graph);
	for (unsigned i = 0; i < all.size(); i++) {
		if (errors[i])
			lose(i, errors[i], true, false);
	}
	block *list = hand_out(nobody).list;
	lock_.unlock(lock_rank::graph);
	return list;
}

int split_launch::bring_together()
{
	for (block *b = blocks_; b; b = b->next) {
		if (b->entry.state == ledger_entry::given_back || b->entry.state == ledger_entry::done_again)
			b->abandon();
	}
	int err = 0;
	for (block *b = blocks_; b; b = b->next) {
		if (int e = b->end_joint(has_twins() ? &twins_ : nullptr); e && !err)
			err = e;
	}
	return err;
}

// The speeds are those of the launch, not of its blocks: one row may be a hundred times the work of the next, and who
// had the light ones is not the faster.
void split_launch::note_speeds()
{
	for (unsigned i = 0; i < members().size(); i++) {
		const ledger::member &p = ledger_.of(i);
		if (p.rows > 0) {
			kernel_->speeds.note_shared(device(i), p.rows / p.seconds * items_of_row());
			kernel_->speeds.note_spent(device(i), p.seconds);
		}
	}
}

// Devices make their twins side by side.
void split_launch::note_twin_cost(uint64_t end_ns)
{
	uint64_t of[most_devices] = {};
	for (const block *b = blocks_; b; b = b->next)
		of[b->entry.member] += b->ended_at ? b->twins_ns : 0;
	uint64_t begin_ns = *std::max_element(of, of + most_devices);
	kernel_->speeds.note_twin_cost(double(begin_ns + end_ns) * 1e-9 / double(twin_bytes()));
}

// Notes who did which part. Without memory for that nobody can ask.
void split_launch::note_parts()
{
	auto for_counting = [this](auto f) {
		for (const block *b = blocks_; b; b = b->next) {
			if (b->entry.state == ledger_entry::counts)
				f(*b);
		}
	};
	uint32_t n = 0;
	for_counting([&n](const block &) { n++; });
	parts_done_.reset(new (std::nothrow) het_event_part_info[n]);
	if (!parts_done_)
		return;
	size_t items = shape_.local[shape_.part.along];
	for_counting([&](const block &b) {
		const rows &r = b.entry.what;
		parts_done_[nparts_done_++] = {
			0, &device(b.entry.member), r.first * items, r.count * items, b.begun_at, b.ended_at};
	});
}

// The watch may look at them for a moment still.
void split_launch::release_blocks()
{
	lock_.lock(lock_rank::graph);
	block *all = std::exchange(blocks_, nullptr);
	lock_.unlock(lock_rank::graph);
	while (block *b = all) {
		all = b->next;
		b->release();
	}
}

void split_launch::complete()
{
	uint64_t began = now_ns();
	forget_last_error();
	if (block *more = compare_twins()) {
		start(more);
		return;
	}
	unwatch(*this);
	note_speeds();
	int err = bring_together();
	pinned().release();
	if (has_twins())
		note_twin_cost(now_ns() - began);
	note_parts();
	release_blocks();
	if (failure_ || err)
		keep_why();
	finish(*this, failure_ ? failure_ : err);
}

} // namespace het::rt
