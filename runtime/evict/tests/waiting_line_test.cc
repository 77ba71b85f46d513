// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What waits for memory: the line itself, and that no state of small systems is without progress.
#include "evict/admission.h"
#include "evict/victims.h"
#include "evict/waiting_line.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <gtest/gtest.h>
#include <set>
#include <vector>

using namespace het::rt;

TEST(waiting_line, first_come_first_served)
{
	waiting_line line;
	waiter a, b, c;
	EXPECT_TRUE(line.is_empty());
	EXPECT_TRUE(line.may_begin(a));
	EXPECT_TRUE(line.enter(a));
	EXPECT_TRUE(line.enter(b));
	EXPECT_FALSE(line.enter(a));
	EXPECT_TRUE(line.may_begin(a));
	EXPECT_FALSE(line.may_begin(b));
	EXPECT_FALSE(line.may_begin(c));
	leave_line(c);
	leave_line(a);
	EXPECT_TRUE(line.may_begin(b));
	EXPECT_TRUE(line.enter(a));
	EXPECT_FALSE(line.may_begin(a));
	leave_line(b);
	leave_line(a);
	EXPECT_TRUE(line.is_empty());
}

TEST(waiting_line, any_may_leave)
{
	for (size_t gone = 0; gone < 3; gone++) {
		waiting_line line;
		std::array<waiter, 4> all;
		for (size_t i = 0; i < 3; i++)
			line.enter(all[i]);
		leave_line(all[gone]);
		line.enter(all[3]);
		std::vector<size_t> order;
		while (!line.is_empty()) {
			for (size_t i = 0; i < 4; i++) {
				if (all[i].in.load() && line.may_begin(all[i])) {
					order.push_back(i);
					leave_line(all[i]);
				}
			}
		}
		std::vector<size_t> expected;
		for (size_t i = 0; i < 4; i++) {
			if (i != gone)
				expected.push_back(i);
		}
		EXPECT_EQ(order, expected);
	}
}

TEST(waiting_line, who_enters_another_leaves_this)
{
	waiting_line one, other;
	waiter w;
	one.enter(w);
	other.enter(w);
	EXPECT_TRUE(one.is_empty());
	EXPECT_FALSE(other.is_empty());
	leave_line(w);
}

// --- progress ------------------------------------------------------------------

namespace
{

constexpr unsigned ndevices = 2, nlaunches = 3, narrays = 4;

// A launch uses a set of arrays, of one unit each, on the devices of a mask. If these are several it is a divided one:
// a part for each, whose arrays stay until all have ended.
struct launch_kind {
	uint8_t arrays, devices;
};

struct state {
	// The parts of a launch by device.
	enum part : uint8_t { none, ready, running, ended };
	std::array<std::array<part, ndevices>, nlaunches> parts = {};
	std::array<std::vector<uint8_t>, ndevices> lines = {};    // of launches
	std::array<std::vector<uint8_t>, ndevices> resident = {}; // arrays, in the order of their arrival

	auto operator<=>(const state &) const = default;
};

class system_of_launches
{
      public:
	system_of_launches(std::array<launch_kind, nlaunches> kinds, unsigned budget) : kinds_(kinds), budget_(budget)
	{
	}

	// Follows all that can happen. Each state that is reached must have a next one, until all is done.
	void explore()
	{
		state s;
		for (unsigned l = 0; l < nlaunches; l++) {
			for (unsigned d = 0; d < ndevices; d++)
				s.parts[l][d] = kinds_[l].devices >> d & 1 ? state::ready : state::none;
		}
		std::vector<state> todo = {s};
		seen_.insert(s);
		while (!todo.empty()) {
			state now = todo.back();
			todo.pop_back();
			std::vector<state> next;
			for (unsigned l = 0; l < nlaunches; l++) {
				for (unsigned d = 0; d < ndevices; d++)
					try_part(now, l, d, next);
			}
			ASSERT_TRUE(!next.empty() || is_done(now)) << "nobody gets on";
			for (state &n : next) {
				if (seen_.insert(n).second)
					todo.push_back(n);
			}
		}
		all_from_which_the_end_is_reached();
	}

      private:
	static bool is_over(state::part p) { return p == state::none || p == state::ended; }
	static bool is_done(const state &s)
	{
		for (auto &of_launch : s.parts) {
			for (state::part p : of_launch) {
				if (!is_over(p))
					return false;
			}
		}
		return true;
	}
	bool is_divided(unsigned l) const { return kinds_[l].devices == 3; }
	// Its arrays are where it has begun: those of a divided launch until all parts have ended.
	bool has_arrays(const state &s, unsigned l, unsigned d) const
	{
		bool all_over = true;
		for (state::part p : s.parts[l])
			all_over &= is_over(p);
		state::part p = s.parts[l][d];
		return p == state::running || (p == state::ended && is_divided(l) && !all_over);
	}
	bool is_at_work_elsewhere(const state &s, unsigned l, unsigned d) const
	{
		return is_divided(l) && has_arrays(s, l, 1 - d);
	}

	void try_part(const state &s, unsigned l, unsigned d, std::vector<state> &next)
	{
		state n = s;
		if (s.parts[l][d] == state::running) {
			n.parts[l][d] = state::ended;
			next.push_back(n);
		}
		if (s.parts[l][d] != state::ready)
			return;
		if (try_begin(n, l, d))
			n.parts[l][d] = state::running;
		else
			turn_away(n, l, d);
		if (n != s)
			next.push_back(n);
	}

	bool try_begin(state &s, unsigned l, unsigned d)
	{
		waiting_line line;
		std::array<waiter, nlaunches> waiters;
		for (uint8_t w : s.lines[d])
			line.enter(waiters[w]);
		bool may = line.may_begin(waiters[l]) && make_room(s, l, d);
		for (waiter &w : waiters)
			leave_line(w);
		if (may)
			std::erase(s.lines[d], uint8_t(l));
		return may;
	}

	bool make_room(state &s, unsigned l, unsigned d)
	{
		std::vector<tenant> tenants;
		uint8_t there = 0;
		for (size_t i = 0; i < s.resident[d].size(); i++) {
			uint8_t a = s.resident[d][i];
			there |= uint8_t(1 << a);
			bool used = false;
			for (unsigned other = 0; other < nlaunches; other++)
				used |= (kinds_[other].arrays >> a & 1) && has_arrays(s, other, d);
			tenants.push_back({a, 1, i,
					   kinds_[l].arrays >> a & 1 ? tenant::own
					   : used                    ? tenant::in_use
								     : tenant::idle});
		}
		uint8_t lacking = kinds_[l].arrays & uint8_t(~there);
		auto wanted = unsigned(__builtin_popcount(lacking));
		auto free = unsigned(budget_ - s.resident[d].size());
		victims v = choose_victims(tenants, wanted > free ? wanted - free : 0);
		if (v.what != room::enough)
			return false;
		for (size_t i = 0; i < v.count; i++)
			std::erase(s.resident[d], uint8_t(tenants[i].at));
		for (uint8_t a = 0; a < narrays; a++) {
			if (lacking >> a & 1)
				s.resident[d].push_back(a);
		}
		return true;
	}

	void turn_away(state &s, unsigned l, unsigned d)
	{
		switch (refuse({.at_work_elsewhere = is_at_work_elsewhere(s, l, d)})) {
		case refusal::give_up:
			std::erase(s.lines[d], uint8_t(l));
			s.parts[l][d] = state::none;
			break;
		case refusal::wait:
			if (std::find(s.lines[d].begin(), s.lines[d].end(), l) == s.lines[d].end())
				s.lines[d].push_back(uint8_t(l));
			break;
		case refusal::come_back:
			break;
		}
	}

	// No circle of states, in which something happens for ever, is without a way out.
	void all_from_which_the_end_is_reached()
	{
		std::set<state> good;
		for (const state &s : seen_) {
			if (is_done(s))
				good.insert(s);
		}
		for (bool more = true; more;) {
			more = false;
			for (const state &s : seen_) {
				if (good.contains(s))
					continue;
				std::vector<state> next;
				for (unsigned l = 0; l < nlaunches; l++) {
					for (unsigned d = 0; d < ndevices; d++)
						try_part(s, l, d, next);
				}
				bool leads = std::any_of(next.begin(), next.end(),
							 [&](const state &n) { return good.contains(n); });
				if (leads)
					more |= good.insert(s).second;
			}
		}
		EXPECT_EQ(good.size(), seen_.size()) << "some states lead nowhere";
	}

	const std::array<launch_kind, nlaunches> kinds_;
	const unsigned budget_;
	std::set<state> seen_;
};

} // namespace

// Three launches may have any two or three of four arrays, on either device or divided over both, where the memory has
// room for three. The arrays of the first have the first numbers, as it does not matter which they are. There are a few
// thousand such systems; all are for thorough runs.
TEST(waiting_line, no_state_is_without_progress)
{
	std::vector<launch_kind> kinds;
	for (uint8_t arrays = 1; arrays < 1 << narrays; arrays++) {
		int n = __builtin_popcount(arrays);
		for (uint8_t devices : {1, 2, 3}) {
			if (n == 2 || n == 3)
				kinds.push_back({arrays, devices});
		}
	}
	const size_t step = getenv("HET_TEST_FULL") ? 1 : 37;
	size_t systems = 0, number = 0;
	for (uint8_t arrays : {3, 7}) {
		for (uint8_t devices : {1, 3}) {
			for (size_t j = 0; j < kinds.size(); j++) {
				for (size_t k = j; k < kinds.size(); k++) {
					if (number++ % step)
						continue;
					system_of_launches s({launch_kind{arrays, devices}, kinds[j], kinds[k]}, 3);
					s.explore();
					if (HasFailure())
						return;
					systems++;
				}
			}
		}
	}
	EXPECT_GE(systems, number / step);
}
