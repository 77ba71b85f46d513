// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Nodes that go behind others on a stream: all orders of small graphs, against a model that looks at every pair.
#include "sched/graph.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

using namespace het;
using namespace het::rt;

namespace
{

constexpr int inherited = -77;
constexpr int failure = -5;

struct use {
	range bytes;
	bool reads, writes;
	const void *stream;

	bool conflicts(const use &o) const { return bytes.overlaps(o.bytes) && (writes || o.writes); }
	bool follows(const use &o) const { return conflicts(o) && reads && o.writes; }
};

struct command : node {
	access_entry entry;

	void set(const use &u)
	{
		entry = {u.bytes, this, u.reads, u.writes};
		accesses = {&entry, 1};
		stream = u.stream;
	}
};

enum class what : uint8_t { add, submit, give_back, drop, end, fail };

struct step {
	what happens;
	int to;
};

constexpr int count = 3;

// Has three commands with one use each. Follows every order in which they can be added, submitted, given back, and end
// on their stream, which is in the order in which they were submitted, well or with a failure.
class every_order
{
      public:
	explicit every_order(const use (&u)[count]) : uses_(u) { explore({}); }
	unsigned paths = 0, behind = 0, given_back = 0, ended_early = 0;

      private:
	enum class state : uint8_t { absent, waiting, handed_out, submitted, ended, finished };

	// Replays a path, and checks after each step that what is handed out is what the model says.
	struct replay {
		explicit replay(const use (&u)[count]) : uses(u) {}

		bool conflicts(int before, int i) const { return uses[before].conflicts(uses[i]); }
		// What @i has to wait for, as the model has it.
		bool is_free(int i) const
		{
			bool may_go_behind = uses[i].stream && !was_given_back[i] && !commands[i].inherited;
			for (int before = 0; before < i; before++) {
				if (!conflicts(before, i) || at[before] == state::finished)
					continue;
				bool ahead = at[before] == state::submitted || at[before] == state::ended;
				if (!may_go_behind || !ahead || uses[before].stream != uses[i].stream)
					return false;
			}
			return true;
		}
		bool has_unfinished(int i) const
		{
			for (int before = 0; before < i; before++) {
				if (conflicts(before, i) && at[before] != state::finished)
					return true;
			}
			return false;
		}
		void note(node *list)
		{
			for (node *n = list, *next; n; n = next) {
				next = n->next_ready;
				auto i = int(static_cast<command *>(n) - commands);
				if (n->has_ended) {
					ASSERT_EQ(at[i], state::ended);
					ASSERT_FALSE(has_unfinished(i));
					finish(i);
					continue;
				}
				ASSERT_EQ(at[i], state::waiting) << "it was handed out twice";
				at[i] = state::handed_out;
			}
		}
		void finish(int i)
		{
			at[i] = state::finished;
			int status = commands[i].inherited ? commands[i].inherited.load() : failed[i] ? failure : 0;
			note(graph.finish(commands[i], status).ready);
		}
		void take(const step &s)
		{
			command &c = commands[s.to];
			switch (s.happens) {
			case what::add:
				for (int before = 0; before < s.to; before++)
					was_there[s.to][before] = at[before] != state::finished;
				c.set(uses[s.to]);
				at[s.to] = graph.add(c, {}) == command_graph::added::ready ? state::handed_out
											   : state::waiting;
				break;
			case what::submit:
				at[s.to] = state::submitted;
				in_flight.push_back(s.to);
				if (c.stream)
					note(graph.set_under_way(c, c.stream));
				break;
			case what::give_back:
				was_given_back[s.to] = true;
				at[s.to] = state::waiting;
				if (graph.give_back(c))
					at[s.to] = state::handed_out;
				break;
			case what::drop:
				finish(s.to);
				break;
			default:
				in_flight.erase(std::find(in_flight.begin(), in_flight.end(), s.to));
				failed[s.to] = s.happens == what::fail;
				at[s.to] = state::ended;
				bool may = graph.may_finish(c);
				ASSERT_EQ(may, !has_unfinished(s.to));
				if (may)
					finish(s.to);
			}
		}
		void check() const
		{
			for (int i = 0; i < count; i++) {
				if (at[i] == state::waiting) {
					ASSERT_FALSE(is_free(i)) << i << " should have been handed out";
				} else if (at[i] == state::handed_out) {
					ASSERT_TRUE(is_free(i) || commands[i].inherited) << i << " was too early";
				} else if (at[i] == state::ended) {
					ASSERT_TRUE(has_unfinished(i)) << i << " is kept for nothing";
				}
			}
		}
		// A reader has the failure of a writer that had not finished when it was added, and whose bytes nobody
		// has overwritten since.
		bool is_overwritten(int before, int i) const
		{
			for (int k = before + 1; k < i; k++) {
				if (uses[k].writes && uses[k].bytes.covers(uses[before].bytes))
					return true;
			}
			return false;
		}
		void check_failures() const
		{
			for (int i = 0; i < count; i++) {
				bool must = false, may = false;
				for (int before = 0; before < i; before++) {
					bool passes = uses[i].follows(uses[before]) && commands[before].failed;
					may |= passes;
					must |= passes && was_there[i][before] && !is_overwritten(before, i);
				}
				ASSERT_EQ(commands[i].failed, failed[i] || commands[i].inherited) << i;
				ASSERT_TRUE(!must || commands[i].inherited) << i << " has not heard of a failure";
				ASSERT_TRUE(may || !commands[i].inherited) << i << " has inherited from nobody";
			}
		}

		const use (&uses)[count];
		command_graph graph{inherited};
		command commands[count];
		state at[count] = {};
		bool was_given_back[count] = {}, failed[count] = {}, was_there[count][count] = {};
		std::vector<int> in_flight;
	};

	void explore(const std::vector<step> &so_far)
	{
		replay r(uses_);
		for (const step &s : so_far) {
			r.take(s);
			r.check();
			if (testing::Test::HasFatalFailure())
				return;
		}
		if (!go_on(so_far, r)) {
			paths++;
			for (state s : r.at)
				ASSERT_EQ(s, state::finished);
			r.check_failures();
		}
	}

	// Tries all that can happen next. It is false if nothing can.
	bool go_on(const std::vector<step> &so_far, const replay &r)
	{
		std::vector<step> next;
		for (int i = 0; i < count; i++) {
			const command &c = r.commands[i];
			if (r.at[i] == state::absent && (!i || r.at[i - 1] != state::absent))
				next.push_back({what::add, i});
			if (r.at[i] == state::ended)
				ended_early++;
			if (r.at[i] != state::handed_out)
				continue;
			bool is_behind = c.missing;
			behind += is_behind;
			if (is_behind) {
				next.push_back({what::give_back, i});
				given_back++;
			}
			// What has inherited a failure does not begin, as executors have it.
			if (!c.inherited)
				next.push_back({what::submit, i});
			else if (!is_behind)
				next.push_back({what::drop, i});
		}
		for (int i : r.in_flight) {
			// Lanes run side by side, and what has none by itself.
			auto is_on_its_stream = [&](int other) { return uses_[other].stream == uses_[i].stream; };
			if (!uses_[i].stream ||
			    *std::find_if(r.in_flight.begin(), r.in_flight.end(), is_on_its_stream) == i) {
				next.push_back({what::end, i});
				next.push_back({what::fail, i});
			}
		}
		for (const step &s : next) {
			std::vector<step> longer = so_far;
			longer.push_back(s);
			explore(longer);
			if (testing::Test::HasFatalFailure())
				return true;
		}
		return !next.empty();
	}

	const use (&uses_)[count];
};

TEST(streams, every_order_of_three_commands)
{
	static const char streams[2] = {};
	const range ranges[] = {{0, 2}, {1, 3}};
	std::vector<use> all;
	for (range r : ranges)
		for (int mode = 1; mode <= 3; mode++)
			for (const void *stream :
			     {static_cast<const void *>(nullptr), static_cast<const void *>(&streams[0]),
			      static_cast<const void *>(&streams[1])})
				all.push_back({r, bool(mode & 1), bool(mode & 2), stream});
	unsigned behind = 0, given_back = 0, ended_early = 0;
	for (const use &a : all) {
		if (a.stream == &streams[1] || a.bytes == ranges[1])
			continue; // is the same with names exchanged
		for (const use &b : all)
			for (const use &c : all) {
				const use uses[count] = {a, b, c};
				every_order e(uses);
				ASSERT_FALSE(HasFatalFailure());
				behind += e.behind;
				given_back += e.given_back;
				ended_early += e.ended_early;
			}
	}
	EXPECT_GT(behind, 0u);
	EXPECT_GT(given_back, 0u);
	EXPECT_EQ(ended_early, 0u) << "one stream ends in order";
}

// Who waits on the device may be slower to tell of an end than the next one.
TEST(streams, an_end_that_is_told_late)
{
	const char stream = 0;
	const use step = {{0, 10}, true, true, &stream};
	for (int status : {0, failure}) {
		command_graph graph(inherited);
		command first, second, third;
		for (command *c : {&first, &second, &third}) {
			c->set(step);
			ASSERT_EQ(graph.add(*c, {}), command_graph::added::ready);
			ASSERT_EQ(graph.set_under_way(*c, &stream), nullptr);
		}
		EXPECT_FALSE(graph.may_finish(third));
		EXPECT_FALSE(graph.may_finish(second));
		EXPECT_TRUE(graph.may_finish(first));
		node *n = graph.finish(first, status).ready;
		ASSERT_EQ(n, &second);
		EXPECT_TRUE(n->has_ended);
		EXPECT_EQ(n->next_ready, nullptr);
		EXPECT_EQ(second.inherited != 0, status != 0);
		ASSERT_EQ(graph.finish(second, second.inherited).ready, &third);
		EXPECT_EQ(third.inherited != 0, status != 0);
		EXPECT_EQ(graph.finish(third, third.inherited).ready, nullptr);
	}
}

TEST(streams, what_is_held_stays_so)
{
	const char stream = 0;
	command_graph graph(inherited);
	command first, second, user;
	const use step = {{0, 10}, true, true, &stream};
	user.held = true;
	ASSERT_EQ(graph.add(user, {}), command_graph::added::waiting);
	first.set(step);
	ASSERT_EQ(graph.add(first, {}), command_graph::added::ready);
	second.set(step);
	node *waits[] = {&user};
	ASSERT_EQ(graph.add(second, {.waits = waits}), command_graph::added::waiting);
	EXPECT_EQ(graph.set_under_way(first, &stream), nullptr) << "the user event is on no stream";
	EXPECT_EQ(graph.finish(user, 0).ready, &second) << "the other is under way";
	EXPECT_TRUE(second.behind);
	EXPECT_EQ(graph.finish(first, 0).ready, nullptr) << "it was handed out already";
	EXPECT_TRUE(graph.may_finish(second));
}

} // namespace
