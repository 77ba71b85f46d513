// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "evict/range_set.h"

#include "evict/runs.h"

#include <algorithm>
#include <new>

namespace het::rt
{

bool range_set::make_room(size_t n)
{
	if (n <= room_)
		return true;
	const size_t room = std::max<size_t>(2 * n, 8);
	std::unique_ptr<range[]> runs(new (std::nothrow) range[room]);
	if (!runs)
		return false;
	std::copy_n(runs_.get(), n_, runs.get());
	runs_ = std::move(runs);
	room_ = room;
	return true;
}

bool range_set::add(range r)
{
	if (r.empty())
		return true;
	if (!make_room(n_ + 1))
		return false;
	size_t first = 0;
	while (first < n_ && runs_[first].end < r.begin)
		first++;
	size_t end = first;
	for (; end < n_ && are_one_run(runs_[end], r); end++)
		r = hull_of(r, runs_[end]);
	range *const all = runs_.get();
	if (end == first)
		std::copy_backward(all + first, all + n_, all + n_ + 1);
	else
		std::copy(all + end, all + n_, all + first + 1);
	all[first] = r;
	n_ += 1 - (end - first);
	return true;
}

bool range_set::cut(range r)
{
	if (!make_room(n_ + 1))
		return false;
	size_t n = 0;
	for (size_t i = 0; i < n_; i++) {
		const rest_of_run rest = without(runs_[i], r);
		if (rest.is_split()) { // nothing else is cut then
			std::copy_backward(runs_.get() + i + 1, runs_.get() + n_, runs_.get() + n_ + 1);
			runs_[i] = rest.before;
			runs_[i + 1] = rest.behind;
			n_++;
			return true;
		}
		if (!rest.first().empty())
			runs_[n++] = rest.first();
	}
	n_ = n;
	return true;
}

void range_set::keep(range r)
{
	size_t n = 0;
	for (range run : runs()) {
		const range in = intersect(run, r);
		if (!in.empty())
			runs_[n++] = in;
	}
	n_ = n;
}

bool range_set::copy(const range_set &from)
{
	if (!make_room(from.n_))
		return false;
	std::copy_n(from.runs_.get(), from.n_, runs_.get());
	n_ = from.n_;
	return true;
}

} // namespace het::rt
