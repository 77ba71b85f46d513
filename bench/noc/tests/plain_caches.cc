// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/tests/plain_caches.h"

namespace noc::test
{

plain_caches::plain_caches(const cache_options &o)
    : o_(o), l1_sets_(o.l1_bytes / o.line / o.l1_ways), l2_sets_(o.l2_bytes / o.line / o.l2_ways / o.cores)
{
}

char plain_caches::of(unsigned core, uint64_t line) const
{
	const auto at = l1_.find({core, line % l1_sets_});
	if (at != l1_.end())
		for (const copy &c : at->second)
			if (c.line == line)
				return c.what;
	return 'I';
}

bool plain_caches::in_second_level(uint64_t line) const
{
	const auto at = l2_.find({line % o_.cores, line / o_.cores % l2_sets_});
	if (at != l2_.end())
		for (const copy &c : at->second)
			if (c.line == line)
				return true;
	return false;
}

// Finds it, and moves it to the front.
plain_caches::copy *plain_caches::look(set &s, uint64_t line)
{
	for (auto i = s.begin(); i != s.end(); ++i)
		if (i->line == line) {
			s.splice(s.begin(), s, i);
			return &s.front();
		}
	return nullptr;
}

void plain_caches::to_second_level(uint64_t line)
{
	for (copy &c : l2(line))
		if (c.line == line)
			c.what = 'D';
}

void plain_caches::take_back(uint64_t line, unsigned except, bool all)
{
	const unsigned bank = unsigned(line % o_.cores);
	for (unsigned core = 0; core < o_.cores; core++) {
		set &s = l1(core, line);
		for (auto i = s.begin(); i != s.end(); ++i) {
			if (i->line != line || core == except || (!all && i->what == 'S'))
				continue;
			const bool owned = i->what != 'S';
			messages.push_back({owned ? traced_type::downgrade_request : traced_type::invalidate_request,
					    bank, core, line});
			messages.push_back({owned ? traced_type::downgrade_response : traced_type::invalidate_response,
					    core, bank, line});
			if (i->what == 'M')
				to_second_level(line);
			i->what = 'S';
			if (all)
				s.erase(i);
			break;
		}
	}
}

void plain_caches::bring(uint64_t line)
{
	const unsigned bank = unsigned(line % o_.cores);
	set &s = l2(line);
	if (look(s, line))
		return;
	if (s.size() == o_.l2_ways) {
		const uint64_t old = s.back().line;
		take_back(old, ~0u, true);
		if (s.back().what == 'D')
			messages.push_back(
				{traced_type::write_back, bank, unsigned(old / o_.cores % o_.controllers), old});
		s.pop_back();
	}
	s.push_front({line, 'C'});
	const unsigned controller = unsigned(line / o_.cores % o_.controllers);
	messages.push_back({traced_type::read_request, bank, controller, line});
	messages.push_back({traced_type::read_response, controller, bank, line});
}

bool plain_caches::access(unsigned core, uint64_t line, bool write)
{
	messages.clear();
	const unsigned bank = unsigned(line % o_.cores);
	set &s = l1(core, line);
	if (copy *const c = look(s, line)) {
		if (!write)
			return true;
		const bool hit = c->what != 'S';
		c->what = 'M';
		if (hit)
			return true;
		look(l2(line), line);
		messages.push_back({traced_type::upgrade_request, core, bank, line});
		take_back(line, core, true);
		messages.push_back({traced_type::upgrade_response, bank, core, line});
		return false;
	}
	messages.push_back({write ? traced_type::exclusive_request : traced_type::read_request, core, bank, line});
	bring(line);
	take_back(line, ~0u, write);
	bool alone = true;
	for (unsigned other = 0; other < o_.cores; other++)
		alone &= of(other, line) == 'I';
	if (s.size() == o_.l1_ways) {
		const copy old = s.back();
		s.pop_back();
		if (old.what == 'M') {
			to_second_level(old.line);
			messages.push_back({traced_type::write_back, core, unsigned(old.line % o_.cores), old.line});
		}
	}
	s.push_front({line, write ? 'M' : alone ? 'E' : 'S'});
	messages.push_back({write ? traced_type::exclusive_response : traced_type::read_response, bank, core, line});
	return false;
}

} // namespace noc::test
