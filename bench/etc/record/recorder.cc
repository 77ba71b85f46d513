// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/record/recorder.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

namespace etc::record
{

using namespace het::ptx;

namespace
{

bool meet(const std::vector<uint32_t> &a, const std::vector<uint32_t> &b)
{
	return std::any_of(a.begin(), a.end(), [&](uint32_t r) { return std::find(b.begin(), b.end(), r) != b.end(); });
}

} // namespace

recorder::recorder(std::string name, std::initializer_list<const bench::kernel_text *> texts, uint32_t page_bytes)
    : page_bytes_(page_bytes), runner_(name, texts)
{
	trace_.name = std::move(name);
}

array recorder::add(void *bytes, uint64_t n)
{
	const uint64_t address = runner_.attach(bytes, n).address;
	places_.push_back({address, address + n, trace_.bytes});
	trace_.bytes += (n + page_bytes_ - 1) / page_bytes_ * page_bytes_;
	return {address};
}

void recorder::run(const std::string &kernel, simt::extent grid, simt::extent block,
		   const std::vector<std::vector<uint8_t>> &values)
{
	trace_.launches.emplace_back().kernel = kernel;
	const size_t warps = (block.count() + lanes_of_warp - 1) / lanes_of_warp;
	warps_.assign(warps, {});
	block_ = 0;
	simt::options with;
	with.trace_barriers = true;
	with.trace = [&](const simt::step &s) { step(s); };
	runner_.run(kernel, grid, block, values, with);
	end_block();
	if (trace_.launches.back().blocks.size() != grid.count())
		throw std::runtime_error(kernel + ": a block did nothing at all");
}

void recorder::end_block()
{
	std::vector<std::vector<warp_item>> items;
	for (warp_state &w : warps_)
		items.push_back(std::move(w.items));
	add_block(trace_.launches.back(), items);
	warps_.assign(warps_.size(), {});
}

const recorder::operation &recorder::look(const simt::step &s)
{
	const auto [at, is_new] = known_.try_emplace({s.function, s.statement});
	if (!is_new)
		return at->second;
	operation &o = at->second;
	for (const simt::uop &u : s.function->ops) {
		if (u.statement != s.statement)
			continue;
		o.loads |= u.touches & simt::touches_read;
		o.stores |= u.touches & simt::touches_write;
		o.meets |= u.action == simt::action::barrier;
		o.bytes = std::max(o.bytes, uint32_t{u.vector} * u.element);
		for (uint32_t r = 0; r < u.uses + u.defs; r++) {
			const simt::ref &named = runner_.program().refs()[u.first_use + r];
			if (named.is_register())
				(r < u.uses ? o.uses : o.sets).push_back(named.index());
		}
	}
	return o;
}

void recorder::put(warp_state &w, item::kind_t kind, std::vector<uint32_t> lines, bool whole)
{
	warp_item i;
	i.what.kind = kind;
	i.what.whole = whole;
	i.what.gap = uint16_t(std::min<unsigned>(w.gap, std::numeric_limits<uint16_t>::max()));
	i.lines = std::move(lines);
	w.items.push_back(std::move(i));
	w.gap = 0;
}

void recorder::step(const simt::step &s)
{
	if (s.block != block_) {
		end_block();
		block_ = s.block;
	}
	warp_state &w = warps_[s.warp];
	const operation &o = look(s);
	// Who uses, or overwrites, what was loaded waits for it.
	if (!w.loaded.empty() && (meet(o.uses, w.loaded) || meet(o.sets, w.loaded))) {
		put(w, item::kind_t::use);
		w.loaded.clear();
	}
	if (o.meets)
		put(w, item::kind_t::barrier);
	else if (s.addresses && (o.loads || o.stores))
		touch(w, o, s);
	else
		w.gap++;
}

// Shared, local and parameter memory are the processor's own: such an access is an instruction like others.
void recorder::touch(warp_state &w, const operation &o, const simt::step &s)
{
	std::map<uint32_t, uint32_t> bytes; // of each line
	for (uint64_t left = s.mask; left != 0; left &= left - 1) {
		const uint64_t address = s.addresses[std::countr_zero(left)];
		const auto in = std::find_if(places_.begin(), places_.end(),
					     [&](const place &p) { return address >= p.begin && address < p.end; });
		if (in == places_.end())
			continue;
		bytes[uint32_t((in->at + address - in->begin) / line_bytes)] += o.bytes;
	}
	if (bytes.empty()) {
		w.gap++;
		return;
	}
	std::vector<uint32_t> lines;
	bool whole = o.stores && !o.loads;
	for (const auto &[line, n] : bytes) {
		lines.push_back(line);
		whole = whole && n >= line_bytes;
	}
	put(w,
	    o.loads && o.stores ? item::kind_t::change
	    : o.stores          ? item::kind_t::store
				: item::kind_t::load,
	    std::move(lines), whole);
	if (o.loads)
		w.loaded.insert(w.loaded.end(), o.sets.begin(), o.sets.end());
}

} // namespace etc::record
