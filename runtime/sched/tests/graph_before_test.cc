// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Commands that go before others which were there earlier.
#include "sched/graph.h"

#include <gtest/gtest.h>
#include <set>

using namespace het;
using namespace het::rt;

namespace
{

struct command : node {
	access_entry entry = {};

	command(range r, bool writes)
	{
		entry.bytes = r;
		entry.reads = true;
		entry.writes = writes;
		accesses = {&entry, 1};
	}
};

// Waits for these.
struct after_some final : overtaking {
	std::set<node *> some, asked;
	bool has_room = true;

	bool waits_for(node &user) override
	{
		asked.insert(&user);
		return some.contains(&user);
	}
	bool lacks_room() const override { return !has_room; }
	bool make_room() override { return has_room = true; }
};

class graph_before_test : public testing::Test
{
      protected:
	using added = command_graph::added;

	void TearDown() override { EXPECT_EQ(unshown, 0); }
	added add(command &c)
	{
		unshown++;
		return graph.add(c, {});
	}
	// Returns those that have become ready.
	std::set<node *> finish(command &c, int status = 0)
	{
		const command_graph::ending e = graph.finish(c, status);
		std::set<node *> ready;
		for (node *n = e.ready; n; n = n->next_ready)
			ready.insert(n);
		unshown -= e.shown;
		for (node *n = e.to_show; n;) {
			node *next = n->next_ready;
			unshown--;
			EXPECT_EQ(graph.show(*n), nullptr);
			n = next;
		}
		return ready;
	}

	command_graph graph{-77};
	int unshown = 0;
	after_some o;
};

} // namespace

// The first has begun, the second has not, and covers it: who looks at the second alone misses the first.
TEST_F(graph_before_test, it_waits_for_what_others_cover)
{
	command first({0, 10}, true), second({0, 10}, true), elsewhere({20, 30}, true), reader({0, 10}, false);
	EXPECT_EQ(add(first), added::ready);
	EXPECT_EQ(add(second), added::waiting);
	EXPECT_EQ(add(elsewhere), added::ready);
	o.some = {&first};
	unshown++;
	EXPECT_EQ(graph.add_before(reader, {}, o), added::waiting);
	EXPECT_EQ(o.asked, (std::set<node *>{&first, &second}));
	command later({5, 6}, true);
	EXPECT_EQ(add(later), added::waiting);
	EXPECT_EQ(finish(first), (std::set<node *>{&second, &reader}));
	EXPECT_EQ(finish(second), std::set<node *>{});
	EXPECT_EQ(finish(reader), std::set<node *>{&later});
	finish(later);
	finish(elsewhere);
}

TEST_F(graph_before_test, it_inherits_the_failure_of_those_alone)
{
	for (const bool fails_before : {true, false}) {
		command first({0, 10}, true), second({0, 10}, true), reader({0, 10}, false);
		add(first);
		add(second);
		o.some = {fails_before ? &first : &second};
		unshown++;
		EXPECT_EQ(graph.add_before(reader, {}, o), added::waiting);
		finish(first, -5);
		EXPECT_EQ(reader.inherited.load(), fails_before ? -77 : 0);
		finish(second);
		finish(reader);
	}
}

TEST_F(graph_before_test, without_room_nothing_has_changed)
{
	command first({0, 10}, true), reader({0, 10}, false), later({0, 10}, true);
	add(first);
	o.has_room = false;
	o.some = {&first};
	EXPECT_EQ(graph.add_before(reader, {}, o), added::no_memory);
	EXPECT_EQ(finish(first), std::set<node *>{});
	EXPECT_TRUE(o.make_room());
	unshown++;
	EXPECT_EQ(graph.add_before(reader, {}, o), added::ready);
	EXPECT_EQ(add(later), added::waiting);
	EXPECT_EQ(finish(reader), std::set<node *>{&later});
	finish(later);
}

// The follower is the program's event, and in a queue.
TEST_F(graph_before_test, it_may_have_a_follower)
{
	command first({0, 10}, true), reader({0, 10}, false), done({0, 0}, false);
	sequence queue;
	done.accesses = {};
	add(first);
	o.some = {&first};
	unshown += 2;
	EXPECT_EQ(graph.add_before(reader, {&done, &queue}, o), added::waiting);
	EXPECT_EQ(graph.count_of(queue), 1u);
	EXPECT_EQ(finish(first), std::set<node *>{&reader});
	EXPECT_EQ(finish(reader), std::set<node *>{});
	finish(done);
}
