// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/trace/caches.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace noc
{

namespace
{

constexpr unsigned max_cores = 64; // a sharer is a bit

} // namespace

caches::caches(const cache_options &o)
    : o_(o), l1_sets_(o.l1_ways && o.line ? o.l1_bytes / o.line / o.l1_ways : 0),
      l2_sets_(o.l2_ways && o.line && o.cores ? o.l2_bytes / o.line / o.l2_ways / o.cores : 0)
{
	if (o.cores == 0 || o.cores > max_cores || o.controllers == 0 || l1_sets_ == 0 || l2_sets_ == 0)
		throw std::invalid_argument("caches need 1 to 64 cores, a controller, and a set at least");
	l1_.resize(size_t(o.cores) * l1_sets_ * o.l1_ways);
	l2_.resize(size_t(o.cores) * l2_sets_ * o.l2_ways);
}

const caches::entry *caches::find(unsigned core, uint64_t line) const
{
	const entry *const set = &l1_[(size_t(core) * l1_sets_ + line % l1_sets_) * o_.l1_ways];
	for (unsigned w = 0; w < o_.l1_ways; w++)
		if (set[w].used && set[w].line == line)
			return &set[w];
	return nullptr;
}

caches::entry *caches::find(unsigned core, uint64_t line)
{
	return const_cast<entry *>(static_cast<const caches *>(this)->find(core, line));
}

const caches::shared_entry *caches::find_shared(uint64_t line) const
{
	const size_t set = size_t(bank_of(line)) * l2_sets_ + line / o_.cores % l2_sets_;
	const shared_entry *const at = &l2_[set * o_.l2_ways];
	for (unsigned w = 0; w < o_.l2_ways; w++)
		if (at[w].used && at[w].line == line)
			return &at[w];
	return nullptr;
}

caches::shared_entry *caches::find_shared(uint64_t line)
{
	return const_cast<shared_entry *>(static_cast<const caches *>(this)->find_shared(line));
}

caches::state caches::of(unsigned core, uint64_t line) const
{
	const entry *const e = find(core, line);
	return e ? e->what : state::invalid;
}

bool caches::in_second_level(uint64_t line) const
{
	return find_shared(line) != nullptr;
}

uint16_t caches::say(traced_type type, traced_node from_type, unsigned from, traced_node to_type, unsigned to,
		     uint64_t line, unsigned delay, std::span<const uint16_t> after)
{
	coherence_message m;
	m.type = type;
	m.from_type = from_type;
	m.to_type = to_type;
	m.from = uint8_t(from);
	m.to = uint8_t(to);
	m.line = line;
	m.delay = uint16_t(delay);
	m.first_waited = uint16_t(waited_.size());
	for (uint16_t a : after)
		waited_.push_back(a);
	m.waited = uint16_t(waited_.size() - m.first_waited);
	messages_.push_back(m);
	return uint16_t(messages_.size() - 1);
}

// What a core's cache has to leave for @line; its directory hears of it, also where no message says so.
caches::entry &caches::make_room(unsigned core, uint64_t line)
{
	entry *const set = &l1_[(size_t(core) * l1_sets_ + line % l1_sets_) * o_.l1_ways];
	entry &victim = *std::min_element(set, set + o_.l1_ways,
					  [](const entry &a, const entry &b) { return a.used < b.used; });
	if (victim.used) {
		shared_entry &below = *find_shared(victim.line);
		below.sharers &= ~(uint64_t(1) << core);
		if (victim.what == state::modified) {
			below.dirty = true;
			say(traced_type::write_back, traced_node::l1_data, core, traced_node::l2, bank_of(victim.line),
			    victim.line, 0, {});
		}
	}
	victim = {line, clock_, state::invalid};
	return victim;
}

// Takes the line from all its sharers but @except, or leaves them a copy to read. @after gets what the bank has to wait
// for.
void caches::recall(shared_entry &e, unsigned except, bool all, std::vector<uint16_t> &after)
{
	const unsigned bank = bank_of(e.line);
	const std::vector<uint16_t> before = after;
	for (uint64_t left = e.sharers; left != 0; left &= left - 1) {
		const unsigned core = unsigned(std::countr_zero(left));
		entry &copy = *find(core, e.line);
		const bool owned = copy.what == state::modified || copy.what == state::exclusive;
		if (core == except || (!all && !owned))
			continue;
		const uint16_t asked =
			say(owned ? traced_type::downgrade_request : traced_type::invalidate_request, traced_node::l2,
			    bank, traced_node::l1_data, core, e.line, o_.l2_cycles, before);
		after.push_back(say(owned ? traced_type::downgrade_response : traced_type::invalidate_response,
				    traced_node::l1_data, core, traced_node::l2, bank, e.line, o_.l1_cycles,
				    {{asked}}));
		e.dirty |= copy.what == state::modified;
		if (all) {
			copy = {};
			e.sharers &= ~(uint64_t(1) << core);
		} else {
			copy.what = state::shared;
		}
	}
}

caches::shared_entry &caches::make_shared_room(uint64_t line, uint16_t asked)
{
	const size_t set = size_t(bank_of(line)) * l2_sets_ + line / o_.cores % l2_sets_;
	shared_entry *const at = &l2_[set * o_.l2_ways];
	shared_entry &victim = *std::min_element(
		at, at + o_.l2_ways, [](const shared_entry &a, const shared_entry &b) { return a.used < b.used; });
	if (victim.used) {
		std::vector<uint16_t> after = {asked};
		recall(victim, max_cores, true, after);
		if (victim.dirty)
			say(traced_type::write_back, traced_node::l2, bank_of(victim.line), traced_node::controller,
			    controller_of(victim.line), victim.line, o_.l2_cycles, after);
	}
	victim = {line, clock_, 0, false};
	return victim;
}

// The second level has the line, from memory if need be. @after: what the bank waits for.
caches::shared_entry &caches::bring(uint64_t line, uint16_t &after)
{
	if (shared_entry *const e = find_shared(line)) {
		e->used = clock_;
		return *e;
	}
	shared_entry &e = make_shared_room(line, after);
	const unsigned bank = bank_of(line), controller = controller_of(line);
	const uint16_t asked = say(traced_type::read_request, traced_node::l2, bank, traced_node::controller,
				   controller, line, o_.l2_cycles, {{after}});
	after = say(traced_type::read_response, traced_node::controller, controller, traced_node::l2, bank, line,
		    o_.memory_cycles, {{asked}});
	return e;
}

caches::outcome caches::access(unsigned core, uint64_t line, bool write)
{
	messages_.clear();
	waited_.clear();
	clock_++;
	const unsigned bank = bank_of(line);
	const uint64_t mine = uint64_t(1) << core;
	if (entry *const e = find(core, line)) {
		e->used = clock_;
		if (!write || e->what != state::shared) {
			e->what = write ? state::modified : e->what;
			return outcome::hit;
		}
		shared_entry &below = *find_shared(line);
		below.used = clock_;
		std::vector<uint16_t> after = {say(traced_type::upgrade_request, traced_node::l1_data, core,
						   traced_node::l2, bank, line, 0, {})};
		recall(below, core, true, after);
		say(traced_type::upgrade_response, traced_node::l2, bank, traced_node::l1_data, core, line,
		    o_.l2_cycles, after);
		e->what = state::modified;
		return outcome::miss;
	}
	uint16_t asked = say(write ? traced_type::exclusive_request : traced_type::read_request, traced_node::l1_data,
			     core, traced_node::l2, bank, line, 0, {});
	shared_entry &below = bring(line, asked);
	std::vector<uint16_t> after = {asked};
	recall(below, max_cores, write, after);
	// Room is made behind the request, and before the answer comes: what leaves waits for nothing.
	entry &e = make_room(core, line);
	e.what = write ? state::modified : below.sharers ? state::shared : state::exclusive;
	below.sharers |= mine;
	say(write ? traced_type::exclusive_response : traced_type::read_response, traced_node::l2, bank,
	    traced_node::l1_data, core, line, o_.l2_cycles, after);
	return outcome::miss;
}

void caches::check() const
{
	for (const shared_entry &s : l2_) {
		if (!s.used)
			continue;
		unsigned copies = 0, owners = 0;
		for (unsigned core = 0; core < o_.cores; core++) {
			const state what = of(core, s.line);
			if ((what != state::invalid) != (s.sharers >> core & 1))
				throw std::logic_error("the directory does not know who has a line");
			copies += what != state::invalid;
			owners += what == state::modified || what == state::exclusive;
		}
		if (owners > 1 || (owners == 1 && copies > 1))
			throw std::logic_error("a line has an owner and another copy");
	}
	for (const entry &e : l1_)
		if (e.used && !find_shared(e.line))
			throw std::logic_error("a first-level cache has what the second level lacks");
}

} // namespace noc
