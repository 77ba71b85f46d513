// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "evict/granules.h"

#include <algorithm>
#include <bit>
#include <new>

namespace het::rt
{

namespace
{

constexpr unsigned least_granule_bits = 12, most_granule_bits = 21;
constexpr uint64_t wanted_frames = 64;

// The chosen ones keep their frames, or get one that nobody has.
void hand_out(std::span<granule> all, std::span<granule *const> chosen, std::span<bool> is_taken)
{
	for (granule &g : all)
		g.is_chosen = false;
	for (granule *g : chosen)
		g->is_chosen = true;
	for (granule &g : all) {
		if (!g.is_chosen)
			g.frame = granule::none;
		else if (g.frame != granule::none)
			is_taken[g.frame] = true;
	}
	size_t next = 0;
	for (granule *g : chosen) {
		while (g->frame == granule::none && is_taken[next])
			next++;
		if (g->frame == granule::none)
			g->frame = next++;
	}
}

} // namespace

unsigned granule_bits(uint64_t budget)
{
	const uint64_t each = std::max<uint64_t>(budget / wanted_frames, 1);
	return std::clamp(unsigned(std::bit_width(each)) - 1, least_granule_bits, most_granule_bits);
}

// A window's first byte may lie anywhere in the grain of its first granule.
size_t most_granules(std::span<const range> windows, unsigned bits)
{
	size_t n = 0;
	for (range w : windows)
		n += ((w.size() + granule_grain) >> bits) + 1;
	return n;
}

bool granule_map::take(std::span<const place> windows, unsigned bits)
{
	size_t most = 0;
	for (const place &w : windows)
		most += most_granules({&w.bytes, 1}, bits);
	bits_ = bits;
	count_ = 0;
	granules_.reset(new (std::nothrow) granule[most]);
	addresses_.reset(new (std::nothrow) uint64_t[windows.size()]);
	begins_.reset(new (std::nothrow) uintptr_t[windows.size()]);
	if (!granules_ || !addresses_ || !begins_)
		return false;
	for (unsigned w = 0; w < windows.size(); w++) {
		const range all = windows[w].bytes;
		begins_[w] = all.begin;
		addresses_[w] = address_of(count_) + windows[w].in_array % granule_grain;
		for (uintptr_t at = all.begin; at < all.end;) {
			const uint64_t granule_end = address_of(number_of(w, at) + 1);
			const uintptr_t end = std::min<uint64_t>(all.end, at + (granule_end - address_of(w, at)));
			granules_[count_++] = {.window = w, .bytes = {at, end}};
			at = end;
		}
	}
	return true;
}

bool granule_map::give_frames(size_t nframes)
{
	const std::unique_ptr<granule *[]> order(new (std::nothrow) granule *[count_]);
	const std::unique_ptr<bool[]> is_taken(new (std::nothrow) bool[nframes]());
	if (!order || !is_taken)
		return false;
	size_t wanted = 0, musts = 0;
	for (granule &g : all()) {
		musts += g.must_be_there;
		if (g.must_be_there || g.worth)
			order[wanted++] = &g;
	}
	if (musts > nframes)
		return false;
	std::sort(order.get(), order.get() + wanted, [](const granule *a, const granule *b) {
		if (a->must_be_there != b->must_be_there)
			return a->must_be_there;
		return a->worth != b->worth ? a->worth > b->worth : a < b;
	});
	const std::span<granule *const> chosen(order.get(), std::min(wanted, nframes));
	hand_out(all(), chosen, {is_taken.get(), nframes});
	return true;
}

} // namespace het::rt
