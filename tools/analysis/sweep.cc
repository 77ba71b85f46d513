// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "analysis/sweep.h"

#include <algorithm>
#include <cstdlib>

namespace tool::analysis
{

namespace
{

constexpr int64_t most_rows = 1 << 16;

// Finds what multiplies the id, if that is all that the product has besides one factor.
bool take_id(const product &p, symbol &id, product &times)
{
	unsigned ids = 0;
	times.clear();
	for (const symbol &s : p) {
		if (s.differs_in_launch()) {
			id = s;
			ids++;
		} else {
			times.push_back(s);
		}
	}
	return ids == 1 && times.size() <= 1;
}

bool is_multiplier(const product &times)
{
	if (times.empty())
		return true;
	switch (times[0].is) {
	case symbol::kind::global_size:
		return times[0].number < format::most_axes;
	case symbol::kind::argument:
	case symbol::kind::unsigned_argument:
		return true;
	default:
		return false;
	}
}

// Returns the product of offset and id together.
product offset_product(const product &times, uint32_t dimension)
{
	product p = times;
	p.push_back({symbol::kind::global_offset, dimension});
	std::sort(p.begin(), p.end());
	return p;
}

// Terms without ids that are whole steps of an axis belong to it.
void take_steps(sweep &s)
{
	for (uint32_t d = 0; d < format::most_axes; d++) {
		sweep_axis &axis = s.axes[d];
		if (!axis.is_there() || axis.is_group)
			continue;
		auto offset = s.others.find(offset_product(axis.times, d));
		if (offset != s.others.end() && offset->second == -axis.step) {
			axis.is_from_zero = true;
			s.others.erase(offset);
		}
		auto steps = axis.times.empty() ? s.others.end() : s.others.find(axis.times);
		if (steps == s.others.end() || steps->second % axis.step)
			continue;
		int64_t rows = steps->second / axis.step;
		if (std::abs(rows) > most_rows)
			continue;
		axis.first = axis.last = int32_t(rows);
		s.others.erase(steps);
	}
}

uint32_t times_word(const product &times)
{
	if (times.empty())
		return format::multiplier_one;
	if (times[0].is == symbol::kind::global_size)
		return times[0].number ? format::multiplier_size_1 : format::multiplier_size_0;
	return format::multiplier_argument + times[0].number;
}

} // namespace

void sweep::include(const sweep &o)
{
	is_exact = is_exact && o.is_exact;
	begin = std::min(begin, o.begin);
	end = std::max(end, o.end);
	limit = !limit || !o.limit ? std::max(limit, o.limit) : std::min(limit, o.limit);
	for (unsigned d = 0; d < format::most_axes; d++) {
		axes[d].first = std::min(axes[d].first, o.axes[d].first);
		axes[d].last = std::max(axes[d].last, o.axes[d].last);
	}
}

std::optional<sweep> sweep_of(const form &offset, uint64_t length)
{
	sweep s;
	s.limit = offset.limit;
	s.is_wrapped = offset.is_wrapped;
	s.is_exact = offset.spread.low == offset.spread.high;
	s.begin = offset.spread.low + offset.constant();
	s.end = offset.spread.high + offset.constant() + __int128{length};
	for (const auto &[p, factor] : offset.terms) {
		if (p.empty())
			continue;
		if (!differs_in_launch(p)) {
			s.others[p] = factor;
			continue;
		}
		symbol id{};
		product times;
		if (!take_id(p, id, times) || id.is == symbol::kind::local_id || id.number >= format::most_axes)
			return std::nullopt;
		sweep_axis &axis = s.axes[id.number];
		if (axis.is_there() || !is_multiplier(times))
			return std::nullopt;
		axis.step = factor;
		axis.times = times;
		axis.is_group = id.is == symbol::kind::group_id;
	}
	take_steps(s);
	return s;
}

uint32_t dimensions_of(const sweep &s)
{
	return s.axes[1].is_there() ? 2 : 1;
}

namespace
{

// No launch changes these steps.
ownership owner_of_fixed(const sweep &s, __int128 length)
{
	__int128 x = s.axes[0].step < 0 ? -__int128{s.axes[0].step} : s.axes[0].step, y = s.axes[1].step;
	if (x < length)
		return ownership::shared;
	if (!s.axes[1].is_there())
		return !s.limit ? ownership::own : reach_of(s) ? ownership::by_rows : ownership::unknown;
	if (x == y)
		return ownership::shared;
	return reach_of(s) && std::min(x, y) >= length && std::max(x, y) >= std::min(x, y) + length
		       ? ownership::by_rows
		       : ownership::unknown;
}

// With this limit, products with numbers of 32 bits do not overflow.
constexpr int64_t longest_step = int64_t{1} << 30;

// There is one id alone, and the launch has one work-item in the other dimensions, or it is not known.
ownership owner_of_wrapped(const sweep &s, __int128 length)
{
	const sweep_axis &x = s.axes[0];
	const int64_t step = std::abs(x.step);
	bool is_own =
		x.is_there() && !s.axes[1].is_there() && x.times.empty() && step >= length && step <= longest_step;
	return is_own ? ownership::own : ownership::unknown;
}

} // namespace

// Work-items of any two groups next to each other in the launch use the same byte, whatever its dimensions: those that
// differ in others than the first one have the same address, and neighbours in the first one overlap.
bool is_certainly_shared(const sweep &s)
{
	const sweep_axis &x = s.axes[0], &y = s.axes[1];
	const bool overlaps = x.first != x.last || (x.times.empty() && std::abs(x.step) < s.end - s.begin);
	return s.is_exact && !s.is_wrapped && !y.is_there() && (!x.is_there() || overlaps);
}

ownership owner_of(const sweep &s)
{
	const sweep_axis &x = s.axes[0], &y = s.axes[1];
	__int128 length = s.end - s.begin;
	if (s.is_wrapped)
		return owner_of_wrapped(s, length);
	if (!s.is_exact && (!x.is_there() || (x.times.empty() && x.step < length && x.step > -length)))
		return ownership::unknown;
	// Without x there are work-items that differ in the first dimension alone.
	if (!x.is_there() || x.first != x.last || y.first != y.last)
		return ownership::shared;
	if (x.times.empty() && y.times.empty())
		return owner_of_fixed(s, length);
	bool is_grid = x.times.empty() && x.step == y.step && x.step >= length && !x.is_group && !y.is_group &&
		       y.times == product{{symbol::kind::global_size, 0}};
	if (is_grid && !s.limit)
		return ownership::own;
	if (!reach_of(s) || x.times == y.times)
		return ownership::unknown;
	bool overlap = (x.times.empty() && x.step < length) || (y.is_there() && y.times.empty() && y.step < length);
	return overlap ? ownership::shared : ownership::by_rows;
}

std::optional<format::reach_row> reach_of(const sweep &s)
{
	// A quarter of what a number can hold stays for what is added to a sum with a limit.
	auto near = __int128{s.limit ? s.limit / 2 : INT64_MAX / 2};
	if (s.is_wrapped || !s.others.empty() || s.begin < -near || s.end > near || s.end <= s.begin)
		return std::nullopt;
	format::reach_row r = {};
	r.offset = int64_t(s.begin);
	r.length = uint64_t(s.end - s.begin);
	r.limit = s.limit;
	for (unsigned d = 0; d < format::most_axes; d++) {
		const sweep_axis &axis = s.axes[d];
		if (axis.step < 0 || axis.is_group)
			return std::nullopt;
		r.axes[d] = {.step = axis.step,
			     .times = times_word(axis.times),
			     .flags = axis.is_from_zero ? format::axis_from_zero : 0,
			     .first = axis.first,
			     .last = axis.last};
	}
	return r;
}

} // namespace tool::analysis
