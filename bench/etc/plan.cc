// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/plan.h"

#include <algorithm>
#include <list>

namespace etc
{

namespace
{

// A slice's pages are no more than such a part of the memory, unless one block has more.
constexpr uint32_t slices_in_memory = 16;

struct piece {
	slice what;
	used_pages uses;
	page_set set;
	std::vector<uint32_t> after; // pieces
	bool ordered = false;
};

// A memory of pages from which what was used longest ago leaves.
class recent_pages
{
      public:
	recent_pages(uint32_t npages, uint32_t capacity) : there_(npages), capacity_(capacity) {}
	const page_set &there() const { return there_; }
	void use(const std::vector<uint32_t> &pages)
	{
		for (const uint32_t p : pages) {
			if (there_.has(p))
				order_.remove(p);
			there_.add(p);
			order_.push_back(p);
		}
		while (order_.size() > capacity_) {
			there_.remove(order_.front());
			order_.pop_front();
		}
	}

      private:
	page_set there_;
	std::list<uint32_t> order_;
	uint32_t capacity_;
};

class planner
{
      public:
	planner(const program_trace &t, const machine &m, uint32_t capacity, const plan_options &o)
	    : t_(t), m_(m), o_(o), npages_(uint32_t((t.bytes + m.page_bytes - 1) / m.page_bytes)), capacity_(capacity),
	      memory_(npages_, capacity)
	{
	}

	std::vector<slice> plan()
	{
		for (uint32_t l = 0; l < t_.launches.size(); l++)
			cut(l);
		find_order();
		std::vector<slice> all;
		std::vector<uint32_t> place(pieces_.size());
		for (uint32_t i = 0; i < order_.size(); i++)
			place[order_[i]] = i;
		for (const uint32_t p : order_) {
			slice s = pieces_[p].what;
			for (const uint32_t before : pieces_[p].after)
				s.after.push_back(place[before]);
			all.push_back(std::move(s));
		}
		return all;
	}

      private:
	void cut(uint32_t number)
	{
		const launch &l = t_.launches[number];
		const auto nblocks = uint32_t(l.blocks.size());
		const size_t first_piece = pieces_.size();
		std::vector<used_pages> blocks;
		bool in_place = false;
		for (uint32_t b = 0; b < nblocks; b++) {
			blocks.push_back(pages_of_blocks(l, b, b + 1, m_, npages_));
			in_place |= blocks.back().all().count() > capacity_ / 2;
		}
		for (uint32_t first = 0; first < nblocks;) {
			page_set set = blocks[first].all();
			uint32_t end = first + 1;
			while (end < nblocks) {
				page_set more = set;
				more |= blocks[end].all();
				if (!in_place && more.count() > std::max(1u, capacity_ / slices_in_memory))
					break;
				set = std::move(more);
				end++;
			}
			add(number, first, end, in_place);
			first = end;
		}
		for (size_t p = first_piece; p < pieces_.size(); p++)
			find_before(pieces_[p], first_piece);
	}

	void add(uint32_t number, uint32_t first, uint32_t end, bool in_place)
	{
		piece p;
		p.uses = pages_of_blocks(t_.launches[number], first, end, m_, npages_);
		p.set = p.uses.all();
		p.what.launch = number;
		p.what.first = first;
		p.what.end = end;
		p.what.in_place = in_place;
		p.what.fresh = p.uses.fresh;
		p.what.pages = p.set.pages();
		pieces_.push_back(std::move(p));
	}

	// A piece waits for those of former launches that write what it uses, or use what it writes.
	void find_before(piece &p, size_t before)
	{
		for (uint32_t i = 0; i < before; i++) {
			const piece &other = pieces_[i];
			if (!o_.mix ? other.what.launch + 1 == p.what.launch
				    : other.uses.writes.meets(p.set) || p.uses.writes.meets(other.set))
				p.after.push_back(i);
		}
	}

	bool may_follow(const piece &p) const
	{
		return !p.ordered && std::all_of(p.after.begin(), p.after.end(),
						 [&](uint32_t before) { return pieces_[before].ordered; });
	}

	// Next comes what lacks the least; of equals the first one.
	void find_order()
	{
		size_t first = 0;
		while (order_.size() < pieces_.size()) {
			while (pieces_[first].ordered)
				first++;
			size_t best = pieces_.size();
			uint32_t least = ~0u;
			for (size_t i = first; i < pieces_.size() && least > 0; i++) {
				if (!may_follow(pieces_[i]))
					continue;
				const uint32_t lacks = pieces_[i].set.count_without(memory_.there());
				if (lacks < least) {
					best = i;
					least = lacks;
				}
				if (!o_.turn)
					break;
			}
			piece &p = pieces_[best];
			p.ordered = true;
			if (p.what.in_place)
				choose(p.what);
			memory_.use(p.what.pages);
			order_.push_back(uint32_t(best));
		}
	}

	// Those are there that are used most; of equals, what is there already.
	void choose(slice &s)
	{
		const std::vector<uint64_t> uses = uses_of_pages(t_.launches[s.launch], m_, npages_);
		std::stable_sort(s.pages.begin(), s.pages.end(), [&](uint32_t a, uint32_t b) {
			return uses[a] != uses[b] ? uses[a] > uses[b] : memory_.there().has(a) > memory_.there().has(b);
		});
		if (s.pages.size() > capacity_)
			s.pages.resize(capacity_);
		std::sort(s.pages.begin(), s.pages.end());
	}

	const program_trace &t_;
	const machine &m_;
	const plan_options o_;
	const uint32_t npages_, capacity_;
	std::vector<piece> pieces_;
	std::vector<uint32_t> order_;
	recent_pages memory_;
};

} // namespace

std::vector<slice> plan_of_launches(const program_trace &t)
{
	std::vector<slice> all;
	for (uint32_t l = 0; l < t.launches.size(); l++) {
		slice s;
		s.launch = l;
		s.end = uint32_t(t.launches[l].blocks.size());
		if (l > 0)
			s.after.push_back(l - 1);
		all.push_back(std::move(s));
	}
	return all;
}

std::vector<slice> plan_of_slices(const program_trace &t, const machine &m, uint32_t capacity_pages,
				  const plan_options &o)
{
	return planner(t, m, capacity_pages, o).plan();
}

} // namespace etc
