// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/flow.h"

#include "ptx/passes/branches.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

bool is_branch(std::string_view base)
{
	return base == "bra" || base == "brx";
}

bool is_leaving(std::string_view base)
{
	return base == "ret" || base == "exit" || base == "trap";
}

} // namespace

control_flow::control_flow(const module &m, const function &f) : m_(m), f_(f), indexed_(indexed_targets(m, f))
{
	find_labels();
	find_blocks();
	connect();
	for (uint32_t n = 0; n < f_.statements; n++)
		for (uint32_t to : targets_of(n))
			if (to <= n)
				last_back_[to] = std::max(last_back_[to], n);
	for (auto [header, last] : last_back_)
		headers_.push_back(header);
}

void control_flow::find_labels()
{
	for (uint32_t n = 0; n < f_.statements; n++) {
		const statement &s = m_.statements_of(f_)[n];
		if (s.kind == statement::kind_t::label)
			labels_[m_.str(m_.labels[s.index])].push_back({n, s.block});
	}
}

// Of labels with one name, that of the innermost scope around the branch counts.
uint32_t control_flow::target_of(const statement &s, std::string_view label) const
{
	auto found = labels_.find(label);
	if (found == labels_.end())
		return no_index;
	for (uint32_t scope = s.block; scope; scope = m_.block_parents[scope])
		for (const place &p : found->second)
			if (p.scope == scope)
				return p.statement;
	return found->second.front().statement;
}

std::vector<uint32_t> control_flow::targets_of(uint32_t n) const
{
	const statement &s = m_.statements_of(f_)[n];
	std::vector<uint32_t> all;
	if (s.kind != statement::kind_t::instruction)
		return all;
	const instruction &i = m_.instructions[s.index];
	auto base = mnemonic(m_.str(i.opcode)).base();
	auto add = [&](std::string_view label) {
		if (uint32_t to = target_of(s, label); to != no_index)
			all.push_back(to);
	};
	if (base == "bra" && i.operands)
		add(m_.str(m_.operand_of(i, 0)));
	for (span label : indexed_)
		if (base == "brx")
			add(m_.str(label));
	return all;
}

void control_flow::find_blocks()
{
	std::vector<bool> leads(f_.statements + 1);
	leads[0] = true;
	for (uint32_t n = 0; n < f_.statements; n++) {
		const statement &s = m_.statements_of(f_)[n];
		if (s.kind == statement::kind_t::label)
			leads[n] = true;
		if (s.kind != statement::kind_t::instruction)
			continue;
		auto base = mnemonic(m_.str(m_.instructions[s.index].opcode)).base();
		if (is_branch(base) || is_leaving(base))
			leads[n + 1] = true;
	}
	block_of_.resize(f_.statements);
	for (uint32_t n = 0; n < f_.statements; n++) {
		if (leads[n])
			blocks_.push_back({n, n, {}, {}, false});
		blocks_.back().end = n + 1;
		block_of_[n] = uint32_t(blocks_.size() - 1);
	}
}

void control_flow::edge(uint32_t from, uint32_t to)
{
	auto &next = blocks_[from].next;
	if (std::find(next.begin(), next.end(), to) != next.end())
		return;
	next.push_back(to);
	blocks_[to].before.push_back(from);
}

void control_flow::connect()
{
	for (uint32_t b = 0; b < blocks_.size(); b++) {
		uint32_t last = blocks_[b].end - 1;
		const statement &s = m_.statements_of(f_)[last];
		bool goes_on = true;
		if (s.kind == statement::kind_t::instruction) {
			const instruction &i = m_.instructions[s.index];
			auto base = mnemonic(m_.str(i.opcode)).base();
			for (uint32_t to : targets_of(last))
				edge(b, block_of_[to]);
			blocks_[b].leaves = is_leaving(base);
			goes_on = !i.guard.empty() || !(is_branch(base) || is_leaving(base));
		}
		if (goes_on && b + 1 < blocks_.size())
			edge(b, b + 1);
		else if (goes_on)
			blocks_[b].leaves = true;
	}
}

std::vector<bool> control_flow::reached_from(uint32_t from) const
{
	return reached_from(from, std::vector<bool>(blocks_.size()));
}

bool control_flow::comes_back(uint32_t block, const std::vector<bool> &barred) const
{
	return !barred[block] && reached_from(block, barred)[block];
}

std::vector<bool> control_flow::reached_from(uint32_t from, const std::vector<bool> &barred) const
{
	std::vector<bool> all(blocks_.size());
	std::vector<uint32_t> open = blocks_[from].next;
	while (!open.empty()) {
		uint32_t b = open.back();
		open.pop_back();
		if (all[b] || barred[b])
			continue;
		all[b] = true;
		open.insert(open.end(), blocks_[b].next.begin(), blocks_[b].next.end());
	}
	return all;
}

std::vector<uint32_t> control_flow::ways_from(uint32_t block, const std::vector<bool> &without) const
{
	std::vector<uint32_t> to;
	for (uint32_t n : blocks_[block].next)
		if (!without[n] || without[block])
			to.push_back(n);
	return to;
}

// Returns the blocks from which no way leads to an end.
std::vector<bool> control_flow::endless(const std::vector<bool> &without) const
{
	std::vector<bool> all(blocks_.size(), true);
	for (bool changed = true; changed;) {
		changed = false;
		for (auto b = uint32_t(blocks_.size()); b-- > 0;) {
			auto to = ways_from(b, without);
			bool ends =
				to.empty() || std::any_of(to.begin(), to.end(), [&](uint32_t n) { return !all[n]; });
			changed = changed || (ends && all[b]);
			all[b] = all[b] && !ends;
		}
	}
	return all;
}

// The algorithm is Cooper, Harvey and Kennedy's, on the reversed graph.
std::vector<uint32_t> control_flow::nearest_common(const std::vector<bool> &without) const
{
	const auto end = uint32_t(blocks_.size());
	// Loops that threads leave only for such blocks have an end, too.
	auto leaves = endless(without);
	auto ways = [&](uint32_t b) {
		auto to = ways_from(b, without);
		if (to.empty() || (leaves[b] && to.size() < blocks_[b].next.size()))
			to.push_back(end);
		return to;
	};
	std::vector<std::vector<uint32_t>> before(end + 1);
	for (uint32_t b = 0; b < end; b++)
		for (uint32_t n : ways(b))
			before[n].push_back(b);
	std::vector<uint32_t> order, rank(end + 1, no_index);
	std::vector<std::pair<uint32_t, size_t>> path{{end, 0}};
	std::vector<bool> seen(end + 1);
	seen[end] = true;
	while (!path.empty()) {
		auto &[b, at] = path.back();
		if (at == before[b].size()) {
			rank[b] = uint32_t(order.size());
			order.push_back(b);
			path.pop_back();
			continue;
		}
		uint32_t p = before[b][at++];
		if (!seen[p])
			path.push_back({p, 0});
		seen[p] = true;
	}
	std::vector<uint32_t> nearest(end + 1, no_index);
	nearest[end] = end;
	auto meet = [&](uint32_t a, uint32_t b) {
		while (a != b) {
			uint32_t &lower = rank[a] < rank[b] ? a : b;
			lower = nearest[lower];
		}
		return a;
	};
	for (bool changed = true; changed;) {
		changed = false;
		for (auto b = order.rbegin(); b != order.rend(); b++) {
			if (*b == end)
				continue;
			uint32_t found = no_index;
			for (uint32_t n : ways(*b))
				if (nearest[n] != no_index)
					found = found == no_index ? n : meet(found, n);
			changed = changed || found != nearest[*b];
			nearest[*b] = found;
		}
	}
	return nearest;
}

// A block runs because of a branch if it lies on one of the ways from it, before the place where all of them meet.
std::vector<std::vector<uint32_t>> control_flow::deciders(const std::vector<bool> &without) const
{
	auto nearest = nearest_common(without);
	std::vector<std::vector<uint32_t>> all(blocks_.size());
	for (uint32_t b = 0; b < blocks_.size(); b++) {
		auto ways = ways_from(b, without);
		if (ways.size() < 2)
			continue;
		for (uint32_t way : ways) {
			// A loop without an end has no such place: all that it reaches is decided by its branches.
			if (nearest[b] == no_index || nearest[way] == no_index) {
				auto reached = reached_from(b);
				for (uint32_t x = 0; x < blocks_.size(); x++)
					if (reached[x])
						all[x].push_back(b);
				continue;
			}
			for (uint32_t x = way; x != nearest[b] && x < blocks_.size(); x = nearest[x])
				all[x].push_back(b);
		}
	}
	return all;
}

} // namespace het::ptx
