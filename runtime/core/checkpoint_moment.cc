// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/checkpoint_moment.h"

#include "core/executor.h"
#include "core/kernel_command.h"
#include "core/mapping.h"
#include "core/runtime.h"
#include "os/clock.h"
#include "os/log.h"

#include <utility>

namespace het::rt
{

namespace
{

constexpr size_t usual_room = 1024;
// A command waits for so many others, on the average, before there has to be more room.
constexpr size_t usual_edges = 8;

bool writes_something(const het_event &e)
{
	return std::ranges::any_of(e.accesses, [](const access_entry &a) { return a.writes; });
}

// The program ends it, with a call that nobody can foresee.
bool is_held_by_program(const het_event &e)
{
	return e.held && (e.in == &core().user_events || e.in == &core().mappings);
}

// The program has it, or will as soon as what has begun is over, and may write its bytes until it ends it.
bool is_program_writing(const het_event &e)
{
	if (!is_held_by_program(e) || !writes_something(e))
		return false;
	return !e.missing || (e.in == &core().mappings && static_cast<const mapping &>(e).first->begun);
}

} // namespace

checkpoint_moment::~checkpoint_moment()
{
	end();
	forget_found();
}

void checkpoint_moment::forget_found()
{
	for (numbered_events *found : {&order_, &begun_}) {
		for (size_t i = 0; i < found->size(); i++)
			(*found)[i].release();
		found->clear();
	}
}

void checkpoint_moment::end()
{
	numbered_events held;
	het_event *set_aside = nullptr;
	core().graph.locked([&] {
		held = std::move(held_);
		held_ = {};
		for (size_t i = 0; i < held.size(); i++) {
			het_event &e = held[i];
			if (--e.held_back || !std::exchange(e.set_aside, false))
				continue;
			e.next_ready = set_aside;
			set_aside = &e;
		}
	});
	while (set_aside) {
		het_event &e = *set_aside;
		set_aside = static_cast<het_event *>(std::exchange(e.next_ready, nullptr));
		e.where.load()->hand_over(e);
	}
	for (size_t i = 0; i < held.size(); i++)
		held[i].release();
}

bool checkpoint_moment::allocate(size_t n)
{
	ends_.reset(new (std::nothrow) size_t[n]);
	before_.reset(new (std::nothrow) uint32_t[n * usual_edges]);
	is_launch_.reset(new (std::nothrow) bool[n]);
	path_.reset(new (std::nothrow) step[n]);
	return held_.make_room(n) && begun_.make_room(n) && order_.make_room(n) && ends_ && before_ && is_launch_ &&
	       path_;
}

bool checkpoint_moment::make_room()
{
	const bool lacked = std::exchange(lacks_room_, false);
	return lacked && held_.grow();
}

// --- the graph's lock is held ----------------------------------------------------

bool checkpoint_moment::wait_for(het_event &e)
{
	if (begun_.find(e) != numbered_events::none)
		return true;
	if (!begun_.add(e))
		return false;
	e.retain();
	return true;
}

bool checkpoint_moment::hold_back(het_event &e)
{
	if (held_.find(e) != numbered_events::none)
		return true;
	if (!held_.add(e))
		return false;
	e.retain();
	e.held_back++;
	return true;
}

// It uses bytes of an item, not only of an edge that an item shares with others, and not only for another write.
bool checkpoint_moment::is_for_file(const het_event &e) const
{
	if (const kernel_command *launch = e.as_launch())
		return std::ranges::any_of(launch->uses(), [&](const range_use &u) {
			return items_->find_overlap(u.bytes) != item_ranges::none;
		});
	return writes_something(e) && std::ranges::any_of(e.accesses, [&](const access_entry &a) {
		       return items_->find_overlap(a.bytes) != item_ranges::none;
	       });
}

checkpoint_moment::refusal checkpoint_moment::check(const het_event &e) const
{
	if (is_held_by_program(e))
		return e.in == &core().mappings ? refusal::mapping : refusal::user_event;
	return is_for_file(e) && !e.as_launch() ? refusal::other : refusal::none;
}

// All that it waits for and that is to be in the file is there.
checkpoint_moment::refusal checkpoint_moment::note(het_event &e)
{
	const size_t i = order_.size(), most = usual_edges * order_.room();
	size_t end = i ? ends_[i - 1] : 0;
	for (const edge &x : e.edges_before()) {
		const uint32_t number = x.from ? order_.find(static_cast<het_event &>(*x.from)) : numbered_events::none;
		if (number == numbered_events::none)
			continue;
		if (end == most)
			return refusal::no_room;
		before_[end++] = number;
	}
	if (!order_.add(e))
		return refusal::no_room;
	e.retain();
	ends_[i] = end;
	is_launch_[i] = is_for_file(e);
	return refusal::none;
}

// Notes the command, and first what it waits for and has not begun. Paths may be long, so they are not on the stack.
checkpoint_moment::refusal checkpoint_moment::go_through(het_event &first)
{
	size_t depth = 0;
	refusal r = refusal::none;
	const auto enter = [&](het_event &e) {
		r = depth == order_.room() ? refusal::no_room : check(e);
		if (r == refusal::none)
			path_[depth++] = {&e, 0};
	};
	if (order_.find(first) == numbered_events::none)
		enter(first);
	while (depth && r == refusal::none) {
		step &s = path_[depth - 1];
		const std::span<edge> edges = s.e->edges_before();
		if (s.next_edge == edges.size()) {
			r = note(*s.e);
			depth--;
			continue;
		}
		auto *before = static_cast<het_event *>(edges[s.next_edge++].from);
		if (before && !before->finished && !before->begun && order_.find(*before) == numbered_events::none)
			enter(*before);
	}
	return r;
}

checkpoint_moment::refusal checkpoint_moment::collect(std::span<const access_entry> accesses)
{
	return core().graph.with_users([&](auto for_users) {
		refusal r = refusal::none;
		const auto look_at = [&](node &n) {
			auto &e = static_cast<het_event &>(n);
			if (r != refusal::none || e.finished || (!e.as_launch() && !writes_something(e)))
				return;
			if (!(e.begun ? wait_for(e) : hold_back(e)))
				r = refusal::no_room;
			else if (!e.begun && is_for_file(e))
				r = go_through(e);
		};
		for (const access_entry &a : accesses)
			for_users(a.bytes, look_at);
		return r;
	});
}

// What has been added since the moment has begun is held back, too, unless it has begun before this. What had begun
// then may not have done so after all, as it had to wait for memory.
bool checkpoint_moment::waits_for(node &user)
{
	auto &e = static_cast<het_event &>(user);
	if (!e.as_launch() && !writes_something(e))
		return false;
	if (e.begun || e.finished || begun_.find(e) != numbered_events::none || is_program_writing(e))
		return true;
	lacks_room_ |= !hold_back(e);
	return false;
}

// --- no lock is held ---------------------------------------------------------------

int checkpoint_moment::say(refusal why)
{
	switch (why) {
	case refusal::none:
		return 0;
	case refusal::user_event:
		return fail(HET_ESTATE, "het_checkpoint_write: a launch that uses an item waits for an event of the "
					"program's own, which no file can hold: set that first");
	case refusal::mapping:
		return fail(HET_ESTATE, "het_checkpoint_write: bytes that launches on the items use are mapped: unmap "
					"them first");
	case refusal::other:
		return fail(HET_ESTATE, "het_checkpoint_write: a command that is no launch uses an item and has not "
					"begun: wait for it first");
	default:
		return fail(HET_ENOMEM, "het_checkpoint_write: no memory for the launches");
	}
}

int checkpoint_moment::begin(std::span<const access_entry> accesses, const item_ranges &items)
{
	items_ = &items;
	begun_at_ = now_ns();
	refusal r = refusal::no_room;
	for (size_t n = usual_room; r == refusal::no_room; n *= 4) {
		end();
		forget_found();
		if (!allocate(n))
			return say(refusal::no_room);
		r = collect(accesses);
	}
	return say(r);
}

} // namespace het::rt
