// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/device_memory.h"

#include <algorithm>
#include <stdexcept>

namespace etc
{

device_memory::device_memory(const machine &m, uint64_t bytes, uint64_t capacity)
    : lines_of_page_(m.lines_of_page()), pages_of_granule_(m.pages_of_granule()), page_bytes_(m.page_bytes)
{
	if (lines_of_page_ == 0 || pages_of_granule_ == 0)
		throw std::invalid_argument("a page has a line at least, and a granule a page");
	pages_.resize((bytes + m.page_bytes - 1) / m.page_bytes);
	granules_.resize((pages_.size() + pages_of_granule_ - 1) / pages_of_granule_);
	set_capacity(capacity);
}

void device_memory::set_capacity(uint64_t bytes)
{
	capacity_ = std::max(1u, uint32_t(bytes / page_bytes_));
}

bool device_memory::take(uint32_t number)
{
	page_record &p = pages_[number];
	if (p.is != state::absent || used_ >= capacity_)
		return false;
	p.is = state::coming;
	p.dirty = false;
	used_++;
	return true;
}

void device_memory::arrive(uint32_t number)
{
	page_record &p = pages_[number];
	if (p.is != state::coming)
		throw std::logic_error("a page arrives that nobody has sent for");
	p.is = state::present;
	granule_record &g = granules_[granule_of(number)];
	if (g.present++ == 0)
		g.arrived = ++arrivals_;
}

void device_memory::leave(uint32_t number)
{
	page_record &p = pages_[number];
	if (p.is != state::present)
		throw std::logic_error("a page leaves that is not there");
	p.is = state::leaving;
	p.generation++;
	leaving_++;
	granules_[granule_of(number)].present--;
}

void device_memory::gone(uint32_t number)
{
	page_record &p = pages_[number];
	if (p.is != state::leaving)
		throw std::logic_error("a page is gone that was not leaving");
	p.is = state::absent;
	p.dirty = false;
	used_--;
	leaving_--;
}

bool device_memory::find_oldest(uint32_t *found) const
{
	const granule_record *oldest = nullptr;
	for (const granule_record &g : granules_)
		if (g.present && (!oldest || g.arrived < oldest->arrived))
			oldest = &g;
	if (oldest)
		*found = uint32_t(oldest - granules_.data());
	return oldest;
}

std::vector<uint32_t> device_memory::present_of(uint32_t granule) const
{
	std::vector<uint32_t> found;
	const uint32_t first = granule * pages_of_granule_;
	for (uint32_t p = first; p < std::min(first + pages_of_granule_, npages()); p++)
		if (is_present(p))
			found.push_back(p);
	return found;
}

void device_memory::check() const
{
	uint32_t used = 0, leaving = 0;
	std::vector<uint32_t> present(granules_.size());
	for (uint32_t p = 0; p < npages(); p++) {
		used += of(p) != state::absent;
		leaving += of(p) == state::leaving;
		present[granule_of(p)] += is_present(p);
	}
	if (used != used_ || leaving != leaving_)
		throw std::logic_error("the counts of pages are wrong");
	if (used > capacity_)
		throw std::logic_error("more pages are there than fit");
	for (size_t g = 0; g < granules_.size(); g++)
		if (present[g] != granules_[g].present)
			throw std::logic_error("a granule's count of pages is wrong");
}

} // namespace etc
