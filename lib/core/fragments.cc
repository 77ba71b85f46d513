// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/fragments.h"

#include <algorithm>

namespace het
{

copyset fragments::common() const
{
	copyset c = ~copyset{0};
	for (const fragment &f : all())
		c &= f.valid;
	return c;
}

size_t fragments::index_of(uint32_t offset) const
{
	auto ends_behind = [&](const fragment &f) { return f.end > offset; };
	return size_t(std::find_if(list_.begin(), list_.begin() + count_, ends_behind) - list_.begin());
}

const fragment &fragments::at(uint32_t offset) const
{
	return list_[index_of(offset)];
}

bool fragments::is_boundary(uint32_t offset) const
{
	auto ends_there = [&](const fragment &f) { return f.end == offset; };
	return !offset || std::any_of(list_.begin(), list_.begin() + count_, ends_there);
}

bool fragments::cut(extent e)
{
	size_t more = size_t{!is_boundary(e.begin)} + !is_boundary(e.end);
	if (count_ + more > most)
		return false;
	for (uint32_t offset : {e.begin, e.end}) {
		if (is_boundary(offset))
			continue;
		size_t i = index_of(offset);
		std::copy_backward(list_.begin() + i, list_.begin() + count_, list_.begin() + count_ + 1);
		count_++;
		list_[i].end = offset;
	}
	return true;
}

void fragments::join()
{
	size_t kept = 0;
	for (size_t i = 1; i < count_; i++) {
		if (list_[i].valid == list_[kept].valid)
			list_[kept].end = list_[i].end;
		else
			list_[++kept] = list_[i];
	}
	count_ = kept + 1;
}

bool fragments::change(extent e, copyset less, copyset more)
{
	if (e.begin >= e.end)
		return true;
	if (!cut(e))
		return false;
	for (size_t i = index_of(e.begin); i < count_ && list_[i].end <= e.end; i++)
		list_[i].valid = (list_[i].valid & ~less) | more;
	join();
	return true;
}

void fragments::leave_to_host(copyset lost)
{
	for (fragment &f : std::span{list_.data(), count_}) {
		if (f.valid & ~lost)
			f.valid = host_copy;
	}
	join();
}

bool fragments::drop(extent e, copyset copy)
{
	cut(e);
	bool others = true;
	uint32_t begin = 0;
	for (fragment &f : std::span{list_.data(), count_}) {
		bool meets = begin < e.end && e.begin < f.end;
		begin = f.end;
		if (!meets || !(f.valid & copy))
			continue;
		if (f.valid == copy)
			others = false;
		else
			f.valid &= ~copy;
	}
	join();
	return others;
}

} // namespace het
