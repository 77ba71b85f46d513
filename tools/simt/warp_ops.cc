// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Executes operations that lanes do together: votes, matches, shuffles, reductions.
#include "simt/decoder.h"

#include <algorithm>

namespace het::ptx::simt
{

namespace
{

enum vote_mode : uint8_t { vote_all, vote_any, vote_uniform, vote_ballot };

void vote(context &c, const uop &u, lanes m)
{
	lanes yes = c.predicate(u.c, u.c_negated) & m;
	if (u.mode == vote_ballot) {
		uint64_t *d = c.at(u.d);
		for_lanes(m, [&](unsigned l) { d[l] = yes; });
		return;
	}
	bool all = yes == m, any = yes != 0;
	bool answer = u.mode == vote_all ? all : u.mode == vote_any ? any : all || !any;
	c.set_predicate(u.d, m, answer ? all_lanes : 0);
}

template <typename T> void match_any(context &c, const uop &u, lanes m)
{
	const uint64_t *a = c.at(u.a);
	T values[warp_size];
	for (unsigned l = 0; l < warp_size; l++)
		values[l] = get<T>(a[l]);
	uint64_t *d = c.at(u.d);
	for_lanes(m, [&](unsigned l) {
		lanes same = 0;
		for_lanes(m, [&](unsigned k) { same |= lanes(values[k] == values[l]) << k; });
		d[l] = same;
	});
}

template <typename T> void match_all(context &c, const uop &u, lanes m)
{
	const uint64_t *a = c.at(u.a);
	T first = get<T>(a[std::countr_zero(m)]);
	bool same = true;
	for_lanes(m, [&](unsigned l) { same = same && get<T>(a[l]) == first; });
	uint64_t *d = c.at(u.d);
	for_lanes(m, [&](unsigned l) { d[l] = same ? m : 0; });
	if (u.e.valid())
		c.set_predicate(u.e, m, same ? all_lanes : 0);
}

enum shuffle_mode : uint8_t { shuffle_up, shuffle_down, shuffle_butterfly, shuffle_index };

// Tells which lane @lane reads, and whether that lies in its segment. The words are PTX's own; see shfl.sync.
struct source_lane {
	unsigned lane;
	bool inside;
};

source_lane shuffle_source(uint8_t mode, unsigned lane, uint32_t b, uint32_t c)
{
	unsigned distance = b & 31, clamp = c & 31, segment = c >> 8 & 31;
	int first = int(lane & segment), last = int((lane & segment) | (clamp & ~segment)), from = int(lane);
	bool inside = true;
	if (mode == shuffle_up) {
		from -= int(distance);
		inside = from >= last;
	} else {
		if (mode == shuffle_down)
			from += int(distance);
		else if (mode == shuffle_butterfly)
			from ^= int(distance);
		else
			from = first | int(distance & ~segment);
		inside = from <= last;
	}
	return {inside ? unsigned(from) & 31 : lane, inside};
}

void shuffle(context &c, const uop &u, lanes m)
{
	const uint64_t *b = c.at(u.b), *clamp = c.at(u.c);
	uint64_t values[warp_size];
	memcpy(values, c.at(u.a), sizeof(values));
	uint64_t *d = c.at(u.d);
	lanes inside = 0, defined = 0;
	for_lanes(m, [&](unsigned l) {
		auto from = shuffle_source(u.mode, l, uint32_t(b[l]), uint32_t(clamp[l]));
		d[l] = values[from.lane];
		inside |= lanes(from.inside) << l;
		defined |= (c.value_defined >> from.lane & 1) << l;
	});
	c.value_defined = defined; // as it was, since what the lane had itself does not count
	if (u.e.valid())
		c.set_predicate(u.e, m, inside);
}

template <typename T, typename F> run_fn reduction(F)
{
	return [](context &c, const uop &u, lanes m) {
		const uint64_t *a = c.at(u.a);
		T all = get<T>(a[std::countr_zero(m)]);
		for (lanes left = m & (m - 1); left; left &= left - 1)
			all = F{}(all, get<T>(a[std::countr_zero(left)]));
		uint64_t *d = c.at(u.d);
		for_lanes(m, [&](unsigned l) { d[l] = put<T>(all); });
	};
}

template <typename T> run_fn reduction_of(const mnemonic &m)
{
	if (m.has("add"))
		return reduction<T>([](T a, T b) { return T(uint32_t(a) + uint32_t(b)); });
	if (m.has("min"))
		return reduction<T>([](T a, T b) { return std::min(a, b); });
	if (m.has("max"))
		return reduction<T>([](T a, T b) { return std::max(a, b); });
	if (m.has("and"))
		return reduction<T>([](T a, T b) { return T(a & b); });
	if (m.has("or"))
		return reduction<T>([](T a, T b) { return T(a | b); });
	if (m.has("xor"))
		return reduction<T>([](T a, T b) { return T(a ^ b); });
	return nullptr;
}

void elect_one(context &c, const uop &u, lanes m)
{
	uint64_t first = uint64_t(std::countr_zero(m));
	uint64_t *d = c.at(u.d);
	for_lanes(m, [&](unsigned l) { d[l] = first; });
	if (u.e.valid())
		c.set_predicate(u.e, m, lanes{1} << first);
}

void active_lanes(context &c, const uop &u, lanes m)
{
	uint64_t *d = c.at(u.d);
	for_lanes(m, [&](unsigned l) { d[l] = m; });
}

} // namespace

run_fn vote_op(const mnemonic &)
{
	return vote;
}

run_fn match_op(const mnemonic &m)
{
	bool wide = bits_of(m.last_type()) == 64;
	if (m.has("any"))
		return wide ? match_any<uint64_t> : match_any<uint32_t>;
	return wide ? match_all<uint64_t> : match_all<uint32_t>;
}

run_fn shuffle_op(const mnemonic &)
{
	return shuffle;
}

run_fn reduce_op(const mnemonic &m)
{
	if (is_real(m.last_type()))
		return nullptr;
	return m.last_type() == type::s32 ? reduction_of<int32_t>(m) : reduction_of<uint32_t>(m);
}

run_fn elect_op()
{
	return elect_one;
}

run_fn active_mask_op()
{
	return active_lanes;
}

} // namespace het::ptx::simt
