// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What something urgent waits for becomes as urgent.
#include "sched/graph.h"

#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <vector>

namespace het::rt
{

namespace
{

constexpr int inherited = -77;

struct command : node {
	access_entry entry;

	command(int8_t urgency, range bytes = {}, bool writes = true)
	{
		level = urgency;
		if (bytes.empty())
			return;
		entry = {bytes, this, !writes, writes};
		accesses = {&entry, 1};
	}
};

struct levels : testing::Test {
	command_graph graph{inherited};
	sequence queue;

	void add(command &c, std::vector<node *> waits = {}, ordering how = ordering::free)
	{
		graph.add(c, {.in = &queue, .how = how, .waits = waits});
	}
	// Returns those that were raised.
	std::set<node *> raise(command &c)
	{
		std::set<node *> all;
		graph.raise_predecessors(c, [&](node &n) { EXPECT_TRUE(all.insert(&n).second); });
		return all;
	}
	void finish(command &c)
	{
		if (graph.finish(c, 0).shown)
			return;
		ADD_FAILURE();
	}
};

TEST_F(levels, WhatItWaitsForIsRaisedWithWhatThatWaitsFor)
{
	command a(-3), b(0), c(5), beside(0), urgent(4);
	add(a);
	add(b, {&a});
	add(c, {&a});
	add(beside);
	add(urgent, {&b, &c});
	EXPECT_EQ(raise(urgent), (std::set<node *>{&a, &b}));
	EXPECT_EQ(a.level, 4);
	EXPECT_EQ(b.level, 4);
	EXPECT_EQ(c.level, 5);
	EXPECT_EQ(beside.level, 0);
	EXPECT_EQ(raise(urgent), std::set<node *>{});
}

TEST_F(levels, BytesAndQueuesCountAsEventsDo)
{
	command writer(0, {100, 200}), reader(1, {150, 160}, false), before(0), urgent(7, {120, 155});
	sequence other;
	graph.add(before, {.in = &other});
	graph.add(writer, {.in = &other, .how = ordering::in_order});
	add(reader);
	add(urgent);
	EXPECT_EQ(raise(urgent), (std::set<node *>{&before, &writer, &reader}));
}

TEST_F(levels, WhatHasFinishedIsLeftAlone)
{
	auto gone = std::make_unique<command>(0);
	command first(0), urgent(3);
	add(*gone);
	add(first, {gone.get()});
	add(urgent, {gone.get(), &first});
	finish(*gone);
	gone.reset();
	EXPECT_EQ(raise(urgent), (std::set<node *>{&first}));
}

TEST_F(levels, MoreThanFewPredecessorsAndLongChainsAreRaised)
{
	constexpr size_t count = 100000;
	std::deque<command> all;
	std::vector<node *> last;
	for (size_t n = 0; n < count; n++) {
		command &c = all.emplace_back(0);
		add(c, n ? std::vector<node *>{&all[n - 1]} : std::vector<node *>{});
		if (n % 10000 == 0)
			last.push_back(&c);
	}
	last.push_back(&all.back());
	command urgent(1);
	add(urgent, last);
	EXPECT_EQ(raise(urgent).size(), count);
}

} // namespace

} // namespace het::rt
