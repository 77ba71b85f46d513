// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Lays out a kernel's shared memory.
#include "simt/program.h"

#include <algorithm>

namespace het::ptx::simt
{

namespace
{

constexpr uint32_t dynamic_alignment = 16; // the least

} // namespace

ref program::shared_address(uint32_t symbol, uint64_t offset)
{
	auto index = uint32_t(shared_places_.size());
	return make_ref(place::shared_addresses, shared_places_.try_emplace({symbol, offset}, index).first->second);
}

// A call through a register may go to any function whose address is taken.
std::vector<const code *> program::reachable_from(const code &kernel) const
{
	std::vector<const code *> all{&kernel};
	std::vector<bool> known(codes_.size());
	known[kernel.number] = true;
	auto add = [&](uint32_t number) {
		if (!known[number])
			all.push_back(&codes_[number]);
		known[number] = true;
	};
	for (size_t i = 0; i < all.size(); i++)
		for (const uop &u : all[i]->ops) {
			if (u.action != action::call)
				continue;
			if (uint32_t callee = sites_[u.target].callee; callee != no_index)
				add(callee);
			else
				std::for_each(pointed_to_.begin(), pointed_to_.end(), add);
		}
	return all;
}

shared_layout program::shared_of(const code &kernel) const
{
	std::set<uint32_t> named;
	for (const code *c : reachable_from(kernel))
		named.insert(c->shared.begin(), c->shared.end());
	shared_layout l;
	uint32_t alignment = dynamic_alignment;
	for (uint32_t n : named) {
		const symbol &s = symbols_[n];
		if (s.is_dynamic) {
			alignment = std::max(alignment, s.alignment);
			continue;
		}
		l.at[n] = aligned(l.bytes, s.alignment);
		l.bytes = l.at[n] + s.bytes;
	}
	l.dynamic_at = aligned(l.bytes, alignment);
	return l;
}

std::vector<uint64_t> program::shared_addresses(const shared_layout &l) const
{
	std::vector<uint64_t> all(shared_places_.size() * warp_size);
	for (const auto &[place, index] : shared_places_) {
		auto found = l.at.find(place.first);
		uint64_t base = found == l.at.end() ? l.dynamic_at : found->second;
		std::fill_n(&all[index * warp_size], warp_size, base + place.second);
	}
	return all;
}

} // namespace het::ptx::simt
