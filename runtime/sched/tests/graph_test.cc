// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests small graphs completely, and large ones under threads.
#include "sched/graph.h"

#include "sched/work_deque.h"

#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

using namespace het;
using namespace het::rt;

namespace
{

constexpr int inherited = -77;

struct use {
	range bytes;
	bool reads, writes;

	bool conflicts(const use &o) const { return bytes.overlaps(o.bytes) && (writes || o.writes); }
};

// Returns all uses of parts of @size bytes.
std::vector<use> all_uses(uintptr_t size)
{
	std::vector<use> all;
	for (uintptr_t begin = 0; begin < size; begin++)
		for (uintptr_t end = begin + 1; end <= size; end++)
			for (int mode = 1; mode <= 3; mode++)
				all.push_back({{begin, end}, bool(mode & 1), bool(mode & 2)});
	return all;
}

struct command : node, task {
	access_entry entries[4];
	std::atomic<int> ran{0}, shown_times{0};
	std::atomic<bool> at_home{false};
	size_t place = 0;

	void set(std::span<const use> uses)
	{
		for (size_t i = 0; i < uses.size(); i++)
			entries[i] = {uses[i].bytes, this, uses[i].reads, uses[i].writes};
		accesses = {entries, uses.size()};
	}
};

// Has three commands with one use each. Follows every order in which they can be added and finished; a command must be
// handed out just when all that it conflicts with has finished.
class every_order
{
      public:
	explicit every_order(const use (&u)[3]) : uses_(u) { explore({}); }
	unsigned paths = 0;

      private:
	// A path is made of steps: 0 adds the next command, and 1 + i finishes command i.
	using path = std::vector<int>;

	void explore(const path &so_far)
	{
		command_graph graph(inherited);
		command commands[3];
		bool ready[3] = {}, done[3] = {};
		int added = 0;
		auto note = [&](node *n) { ready[static_cast<command *>(n) - commands] = true; };
		for (int step : so_far) {
			if (step) {
				done[step - 1] = true;
				for (node *n = graph.finish(commands[step - 1], 0).ready; n; n = n->next_ready)
					note(n);
				continue;
			}
			commands[added].set({&uses_[added], 1});
			if (graph.add(commands[added], {}) == command_graph::added::ready)
				note(&commands[added]);
			added++;
		}
		check(added, ready, done);
		if (added < 3)
			explore_further(so_far, 0);
		bool at_end = added == 3;
		for (int i = 0; i < 3; i++) {
			if (ready[i] && !done[i])
				explore_further(so_far, 1 + i);
			at_end &= done[i];
		}
		paths += at_end;
	}

	void explore_further(path p, int step)
	{
		p.push_back(step);
		explore(p);
	}

	void check(int added, const bool (&ready)[3], const bool (&done)[3])
	{
		for (int i = 0; i < added; i++) {
			bool free = true;
			for (int before = 0; before < i; before++)
				free &= done[before] || !uses_[before].conflicts(uses_[i]);
			ASSERT_EQ(ready[i], free);
		}
	}

	const use (&uses_)[3];
};

TEST(command_graph, hands_out_when_all_conflicts_are_over)
{
	std::vector<use> all = all_uses(3);
	unsigned paths = 0;
	for (const use &a : all)
		for (const use &b : all)
			for (const use &c : all) {
				const use uses[3] = {a, b, c};
				paths += every_order(uses).paths;
				ASSERT_FALSE(HasFatalFailure());
			}
	EXPECT_GT(paths, all.size() * all.size() * all.size());
}

node *finish(command_graph &graph, command &c, int status = 0)
{
	command_graph::ending e = graph.finish(c, status);
	EXPECT_TRUE(e.shown);
	EXPECT_EQ(e.to_show, nullptr);
	return e.ready;
}

TEST(command_graph, failures_pass_along_events_and_to_readers)
{
	command_graph graph(inherited);
	command writer, reader, overwriter, later;
	use writes{{0, 8}, false, true}, reads{{4, 6}, true, false};
	writer.set({&writes, 1});
	reader.set({&reads, 1});
	overwriter.set({&writes, 1});
	node *waits[] = {&overwriter};
	EXPECT_EQ(graph.add(writer, {}), command_graph::added::ready);
	EXPECT_EQ(graph.add(reader, {}), command_graph::added::waiting);
	EXPECT_EQ(graph.add(overwriter, {}), command_graph::added::waiting);
	EXPECT_EQ(graph.add(later, {.waits = waits}), command_graph::added::waiting);
	EXPECT_EQ(finish(graph, writer, -5), &reader);
	EXPECT_EQ(reader.inherited, inherited);
	EXPECT_EQ(finish(graph, reader, reader.inherited), &overwriter);
	EXPECT_EQ(overwriter.inherited, 0);
	EXPECT_EQ(finish(graph, overwriter, -5), &later);
	EXPECT_EQ(later.inherited, inherited);
	finish(graph, later, later.inherited);
}

// Each behind those that it waits for; what waits for others as well, or for what is not wanted, is left.
TEST(command_graph, finds_what_waits_for_one_alone)
{
	command_graph graph(inherited);
	command over, first, elsewhere, step[3], beside, waits_for_both;
	const use a{{0, 8}, true, false}, b{{8, 16}, true, false}, to_a{{0, 8}, false, true},
		to_b{{8, 16}, false, true}, c{{16, 24}, true, true};
	over.set({&to_a, 1});
	const use first_uses[] = {a, to_b}, there[] = {b, to_a}, back[] = {a, to_b}, both[] = {b, c};
	first.set(first_uses);
	elsewhere.set({&c, 1});
	step[0].set(there);
	step[1].set(back);
	step[2].set(there);
	beside.set({&b, 1});
	waits_for_both.set(both);
	graph.add(over, {});
	graph.add(first, {});
	graph.add(elsewhere, {});
	for (command &s : step)
		graph.add(s, {});
	graph.add(beside, {});
	graph.add(waits_for_both, {});
	EXPECT_EQ(finish(graph, over), &first);
	node *found[8];
	const auto find = [&](std::span<node *> room, const node *but = nullptr) {
		const size_t n = graph.find_behind(first, room, [&](node &n) { return &n != but; });
		return std::vector<node *>(room.data(), room.data() + n);
	};
	using nodes = std::vector<node *>;
	EXPECT_EQ(find(found), (nodes{&step[0], &step[1], &beside, &step[2]}));
	EXPECT_EQ(find({found, 2}), (nodes{&step[0], &step[1]}));
	EXPECT_EQ(find(found, &step[1]), (nodes{&step[0]}));
	EXPECT_EQ(find(found, &step[0]), nodes{});
	finish(graph, elsewhere);
	EXPECT_EQ(find(found).size(), 5u);
	finish(graph, first);
	for (command &s : step)
		finish(graph, s);
	finish(graph, beside);
	finish(graph, waits_for_both);
}

TEST(command_graph, finished_nodes_are_not_waited_for)
{
	command_graph graph(inherited);
	command first, second;
	graph.add(first, {});
	finish(graph, first);
	node *waits[] = {&first};
	EXPECT_EQ(graph.add(second, {.waits = waits}), command_graph::added::ready);
}

TEST(command_graph, failures_that_have_been_pass_along_events)
{
	command_graph graph(inherited);
	command first, second, third;
	graph.add(first, {});
	finish(graph, first, -5);
	node *waits[] = {&first};
	EXPECT_EQ(graph.add(second, {.waits = waits}), command_graph::added::ready);
	EXPECT_EQ(second.inherited, inherited);
	waits[0] = &second;
	EXPECT_EQ(graph.add(third, {.waits = waits}), command_graph::added::waiting);
	EXPECT_EQ(finish(graph, second, second.inherited), &third);
	EXPECT_EQ(third.inherited, inherited);
	finish(graph, third, third.inherited);
}

// A node is held that has the same uses as the one right before it.
struct held_pair {
	command first, held;
	sequence of_held;

	held_pair(command_graph &graph, bool writes)
	{
		use u = {{0, 8}, true, writes};
		first.set({&u, 1});
		held.set({&u, 1});
		EXPECT_EQ(graph.add(first, {}, {&held, &of_held}), command_graph::added::ready);
	}
};

TEST(command_graph, what_is_held_keeps_others_off_until_it_is_let_go_of)
{
	for (bool writes : {false, true}) {
		command_graph graph(inherited);
		held_pair pair(graph, writes);
		command reader, writer, ends, after;
		use reads = {{4, 5}, true, false}, changes = {{5, 6}, false, true};
		reader.set({&reads, 1});
		writer.set({&changes, 1});
		EXPECT_EQ(graph.add(reader, {}) == command_graph::added::ready, !writes);
		EXPECT_EQ(graph.add(writer, {}), command_graph::added::waiting);
		EXPECT_EQ(finish(graph, pair.first), nullptr);
		auto any = [](node &) { return true; };
		EXPECT_EQ(graph.find(pair.of_held, any), &pair.held);
		EXPECT_EQ(graph.add(ends, {.lets_go_of = &pair.held}), command_graph::added::ready);
		EXPECT_EQ(finish(graph, ends, -5), &pair.held);
		EXPECT_EQ(pair.held.inherited, 0);
		int ready = 0;
		for (node *n = finish(graph, pair.held); n; n = n->next_ready)
			ready++;
		EXPECT_EQ(ready, writes ? 2 : 1);
		EXPECT_EQ(graph.find(pair.of_held, any), nullptr);
		EXPECT_EQ(graph.add(after, {.lets_go_of = &pair.held}), command_graph::added::ready);
		for (command *c : {&reader, &writer, &after})
			EXPECT_EQ(c->inherited, 0);
		for (command *c : {&reader, &writer, &after})
			finish(graph, *c);
	}
}

TEST(command_graph, what_is_held_is_let_go_of_before_its_time)
{
	command_graph graph(inherited);
	held_pair pair(graph, true);
	command ends;
	EXPECT_EQ(graph.add(ends, {.lets_go_of = &pair.held}), command_graph::added::ready);
	EXPECT_EQ(finish(graph, ends), nullptr);
	EXPECT_EQ(finish(graph, pair.first), &pair.held);
	finish(graph, pair.held);
}

TEST(command_graph, what_is_held_fails_with_the_one_before)
{
	command_graph graph(inherited);
	held_pair pair(graph, true);
	EXPECT_EQ(finish(graph, pair.first, -5), &pair.held);
	EXPECT_EQ(pair.held.inherited, inherited);
	finish(graph, pair.held, pair.held.inherited);
}

TEST(command_graph, queues_keep_their_order)
{
	command_graph graph(inherited);
	sequence in_order;
	command c[3];
	EXPECT_EQ(graph.add(c[0], {.in = &in_order, .how = ordering::in_order}), command_graph::added::ready);
	EXPECT_EQ(graph.add(c[1], {.in = &in_order, .how = ordering::in_order}), command_graph::added::waiting);
	EXPECT_EQ(graph.add(c[2], {.in = &in_order, .how = ordering::in_order}), command_graph::added::waiting);
	EXPECT_EQ(finish(graph, c[0], -5), &c[1]);
	EXPECT_EQ(c[1].inherited, 0);
	EXPECT_EQ(finish(graph, c[1]), &c[2]);
	EXPECT_EQ(finish(graph, c[2]), nullptr);
}

// Its follower stands in the queue for who waits for that, and for markers and barriers, and not for what comes later.
TEST(command_graph, what_stands_aside_holds_up_nobody)
{
	command_graph graph(inherited);
	sequence in_order;
	command before, cut, done, after, marker, barrier;
	done.aside = true;
	graph.add(before, {.in = &in_order, .how = ordering::in_order});
	EXPECT_EQ(graph.add(cut, {.in = &in_order, .how = ordering::in_order}, {&done, &in_order}),
		  command_graph::added::waiting);
	EXPECT_EQ(graph.add(after, {.in = &in_order, .how = ordering::in_order}), command_graph::added::waiting);
	EXPECT_EQ(finish(graph, before), &cut);
	EXPECT_EQ(finish(graph, cut), &after);
	EXPECT_EQ(finish(graph, after), nullptr);
	EXPECT_EQ(graph.find(in_order, [](node &) { return true; }), &done);
	EXPECT_EQ(graph.add(marker, {.in = &in_order, .how = ordering::marker}), command_graph::added::waiting);
	EXPECT_EQ(graph.add(barrier, {.in = &in_order, .how = ordering::barrier}), command_graph::added::waiting);
	EXPECT_EQ(finish(graph, done), &marker);
	EXPECT_EQ(finish(graph, marker), &barrier);
	EXPECT_EQ(finish(graph, barrier), nullptr);
}

TEST(command_graph, markers_wait_and_barriers_hold_up)
{
	command_graph graph(inherited);
	sequence queue;
	command before[12], marker, barrier, after;
	for (command &c : before)
		graph.add(c, {.in = &queue});
	EXPECT_EQ(graph.add(marker, {.in = &queue, .how = ordering::marker}), command_graph::added::waiting);
	EXPECT_EQ(graph.add(barrier, {.in = &queue, .how = ordering::barrier}), command_graph::added::waiting);
	EXPECT_EQ(graph.add(after, {.in = &queue}), command_graph::added::waiting);
	for (command &c : before) {
		node *ready = finish(graph, c);
		EXPECT_EQ(ready, &c == &before[11] ? &marker : nullptr);
	}
	EXPECT_EQ(finish(graph, marker), &barrier);
	EXPECT_EQ(finish(graph, barrier), &after);
	finish(graph, after);
}

TEST(command_graph, fences_wait_for_their_list_alone)
{
	command_graph graph(inherited);
	sequence queue;
	command before, named, fence, after;
	node *waits[] = {&named};
	graph.add(before, {.in = &queue});
	graph.add(named, {.in = &queue});
	EXPECT_EQ(graph.add(fence, {.in = &queue, .how = ordering::fence, .waits = waits}),
		  command_graph::added::waiting);
	EXPECT_EQ(graph.add(after, {.in = &queue}), command_graph::added::waiting);
	EXPECT_EQ(finish(graph, named), &fence);
	EXPECT_EQ(finish(graph, fence), &after);
	finish(graph, after);
	finish(graph, before);
}

TEST(command_graph, users_are_found_though_a_later_writer_covers_them)
{
	command_graph graph(inherited);
	command first, second;
	use writes{{0, 8}, true, true};
	first.set({&writes, 1});
	second.set({&writes, 1});
	graph.add(first, {});
	graph.add(second, {});
	unsigned users = 0;
	auto count = [&](node &) {
		users++;
		return false;
	};
	graph.forget_users({3, 4}, count);
	EXPECT_EQ(users, 2u);
	finish(graph, first);
	finish(graph, second);
	graph.forget_users({0, 8}, count);
	EXPECT_EQ(users, 2u);
}

TEST(command_graph, users_are_found_when_their_coverer_is_forgotten)
{
	command_graph graph(inherited);
	command chain[3];
	use writes{{0, 8}, true, true};
	for (command &c : chain) {
		c.set({&writes, 1});
		graph.add(c, {});
	}
	graph.forget_users({0, 8}, [&](node &n) { return &n == &chain[2]; });
	std::set<node *> users;
	auto collect = [&](node &n) {
		users.insert(&n);
		return false;
	};
	graph.forget_users({0, 8}, collect);
	EXPECT_EQ(users, (std::set<node *>{&chain[0], &chain[1]}));
	finish(graph, chain[0]);
	users.clear();
	graph.forget_users({0, 8}, collect);
	EXPECT_EQ(users, (std::set<node *>{&chain[1]}));
	finish(graph, chain[1]);
	finish(graph, chain[2]);
}

// The memory has a new owner. An earlier command that will not use it holds nobody up, and its failure is nobody's.
TEST(command_graph, what_is_forgotten_does_not_concern_later_ones)
{
	command_graph graph(inherited);
	command running, cancelled, other, later;
	use there{{0, 8}, true, true}, elsewhere{{20, 28}, true, true};
	running.set({&there, 1});
	const use both[] = {there, elsewhere};
	cancelled.set(both);
	graph.add(running, {});
	graph.add(cancelled, {});
	graph.forget_users({0, 8}, [&](node &n) { return &n == &cancelled; });
	finish(graph, running);
	later.set({&there, 1});
	other.set({&elsewhere, 1});
	EXPECT_EQ(graph.add(later, {}), command_graph::added::ready);
	EXPECT_EQ(graph.add(other, {}), command_graph::added::waiting);
	finish(graph, cancelled, -5);
	EXPECT_EQ(later.inherited, 0);
	EXPECT_EQ(other.inherited, inherited);
	finish(graph, later);
	finish(graph, other, other.inherited);
}

// --- what comes home ---------------------------------------------------------

std::set<node *> set_of(node *list)
{
	std::set<node *> all;
	for (node *n = list; n; n = n->next_ready)
		all.insert(n);
	return all;
}

TEST(command_graph, what_comes_home_holds_up_nobody)
{
	command_graph graph(inherited);
	sequence queue;
	command writer, before, by_data, by_event, marker, in_order, other;
	use writes{{0, 8}, false, true}, reads{{4, 6}, true, false}, elsewhere{{8, 9}, true, true};
	writer.set({&writes, 1});
	before.set({&reads, 1});
	by_data.set({&reads, 1});
	other.set({&elsewhere, 1});
	node *waits[] = {&writer};
	graph.add(writer, {.in = &queue});
	EXPECT_EQ(graph.add(before, {}), command_graph::added::waiting);
	command_graph::ending end = graph.finish(writer, 0, true);
	EXPECT_EQ(end.ready, &before);
	EXPECT_FALSE(end.shown);
	EXPECT_EQ(graph.add(by_data, {}), command_graph::added::ready);
	EXPECT_EQ(graph.add(by_event, {.waits = waits}), command_graph::added::ready);
	EXPECT_EQ(graph.add(in_order, {.in = &queue, .how = ordering::in_order}), command_graph::added::ready);
	EXPECT_EQ(graph.add(other, {}), command_graph::added::ready);
	finish(graph, other);
	for (command *c : {&before, &by_data, &by_event, &in_order}) {
		end = graph.finish(*c, 0);
		EXPECT_EQ(end.ready, nullptr);
		EXPECT_FALSE(end.shown) << "what it waited for has not been shown";
	}
	EXPECT_EQ(graph.add(marker, {.in = &queue, .how = ordering::marker}), command_graph::added::ready);
	EXPECT_TRUE(graph.is_home(writer));
	EXPECT_EQ(set_of(graph.show(writer)), (std::set<node *>{&before, &by_data, &by_event, &in_order}))
		<< "the marker has not finished";
	EXPECT_FALSE(graph.finish(marker, 0).shown) << "one of the queue has not been shown";
	for (command *c : {&before, &by_data, &by_event})
		EXPECT_EQ(graph.show(*c), nullptr);
	EXPECT_EQ(graph.show(in_order), &marker);
	EXPECT_EQ(graph.show(marker), nullptr);
	EXPECT_EQ(graph.find(queue, [](node &) { return true; }), nullptr);
}

TEST(command_graph, who_comes_home_first_is_shown_after_those_before)
{
	command_graph graph(inherited);
	command first, second, third;
	use writes{{0, 8}, true, true};
	for (command *c : {&first, &second, &third}) {
		c->set({&writes, 1});
		graph.add(*c, {});
	}
	EXPECT_EQ(graph.finish(first, 0, true).ready, &second);
	EXPECT_EQ(graph.finish(second, 0, true).ready, &third);
	EXPECT_FALSE(graph.is_home(second));
	EXPECT_FALSE(graph.finish(third, -5).shown);
	EXPECT_TRUE(graph.is_home(first));
	EXPECT_EQ(graph.show(first), &second);
	EXPECT_EQ(graph.show(second), &third);
	EXPECT_EQ(graph.show(third), nullptr);
}

TEST(command_graph, failures_that_are_not_shown_pass_along)
{
	command_graph graph(inherited);
	command first, failed, by_data, by_event, overwrites;
	use writes{{0, 8}, true, true}, reads{{0, 1}, true, false}, only_writes{{2, 3}, false, true};
	first.set({&writes, 1});
	failed.set({&writes, 1});
	by_data.set({&reads, 1});
	overwrites.set({&only_writes, 1});
	graph.add(first, {});
	graph.add(failed, {});
	graph.finish(first, 0, true);
	EXPECT_FALSE(graph.finish(failed, -5).shown);
	node *waits[] = {&failed};
	graph.add(by_data, {});
	graph.add(by_event, {.waits = waits});
	graph.add(overwrites, {});
	EXPECT_EQ(by_data.inherited, inherited);
	EXPECT_EQ(by_event.inherited, inherited);
	EXPECT_EQ(overwrites.inherited, 0);
	for (command *c : {&by_data, &by_event, &overwrites})
		EXPECT_FALSE(graph.finish(*c, c->inherited).shown);
	EXPECT_TRUE(graph.is_home(first));
	EXPECT_EQ(graph.show(first), &failed);
	std::set<node *> last = set_of(graph.show(failed));
	EXPECT_EQ(last.size(), 3u);
	for (node *n : last)
		EXPECT_EQ(graph.show(*n), nullptr);
}

TEST(command_graph, finds_what_will_be_used)
{
	command_graph graph(inherited);
	command self, reader, writer, covers;
	use all{{0, 100}, true, true}, reads{{10, 20}, true, false}, writes{{30, 40}, true, true},
		wide{{25, 120}, false, true};
	range found[2], readers[2];
	self.set({&all, 1});
	graph.add(self, {});
	EXPECT_EQ(graph.find_uses({0, 100}, self, found, readers).written, 0u);
	reader.set({&reads, 1});
	graph.add(reader, {});
	EXPECT_EQ(graph.find_uses({0, 100}, self, found, readers).written, 0u);
	EXPECT_EQ(graph.find_uses({15, 100}, self, found, readers).read, 1u);
	EXPECT_EQ(readers[0], (range{15, 20}));
	writer.set({&writes, 1});
	graph.add(writer, {});
	EXPECT_EQ(graph.find_uses({0, 100}, self, found, readers).read, 1u) << "who writes, too, is no reader";
	EXPECT_EQ(graph.find_uses({35, 100}, self, found, readers).written, 1u);
	EXPECT_EQ(found[0], (range{35, 40}));
	covers.set({&wide, 1});
	graph.add(covers, {});
	EXPECT_EQ(graph.find_uses({0, 100}, self, found, readers).written, 1u) << "one covers the other";
	EXPECT_EQ(found[0], (range{25, 100}));
	EXPECT_EQ(graph.find_uses({0, 25}, self, found, readers).written, 0u);
	EXPECT_EQ(graph.find_uses({0, 100}, self, {}, {}).written, 1u) << "though there is no room";
	finish(graph, self);
	finish(graph, reader);
	EXPECT_EQ(graph.find_uses({0, 100}, self, found, readers).read, 0u) << "it has read";
	finish(graph, writer);
	graph.finish(covers, 0, true);
	EXPECT_EQ(graph.find_uses({0, 100}, self, found, readers).written, 0u) << "it has written";
	EXPECT_TRUE(graph.is_home(covers));
	graph.show(covers);
}

// --- under threads -----------------------------------------------------------

// Commands work on plain memory: two at once that must not would be a race that ThreadSanitizer sees, and a wrong order
// gives a wrong result.
class crowd
{
      public:
	static constexpr unsigned bytes = 24, workers = 3;

	crowd(unsigned count, unsigned seed) : random_(seed)
	{
		for (unsigned i = 0; i < count; i++)
			commands_.emplace_back(std::make_unique<command>())->place = i;
	}

	void run()
	{
		std::vector<std::thread> threads;
		for (unsigned w = 0; w < workers; w++)
			threads.emplace_back([this, w] { work(w); });
		for (auto &c : commands_)
			add(*c);
		for (auto &t : threads)
			t.join();
		for (auto &c : commands_) {
			ASSERT_EQ(c->ran.load(), 1);
			ASSERT_EQ(c->shown_times.load(), 1);
		}
		for (unsigned i = 0; i < bytes; i++)
			ASSERT_EQ(memory_[i], model_[i]) << "byte " << i;
	}

      private:
	static void apply(std::span<const access_entry> accesses, uint32_t *memory)
	{
		uint32_t sum = 0;
		for (const access_entry &a : accesses)
			for (uintptr_t i = a.bytes.begin; a.reads && i < a.bytes.end; i++)
				sum = sum * 31 + memory[i];
		for (const access_entry &a : accesses)
			for (uintptr_t i = a.bytes.begin; a.writes && i < a.bytes.end; i++)
				memory[i] = sum + uint32_t(i);
	}

	void add(command &c)
	{
		use uses[2];
		for (use &u : uses) {
			uintptr_t begin = random_() % bytes;
			unsigned mode = 1 + random_() % 3;
			u = {{begin, std::min<uintptr_t>(bytes, begin + 1 + random_() % 4)},
			     bool(mode & 1),
			     bool(mode & 2)};
		}
		c.set(uses);
		apply(c.accesses, model_);
		ordering how = random_() % 50 ? ordering::free : ordering::barrier;
		if (graph_.add(c, {.in = &queue_, .how = how}) == command_graph::added::ready)
			deques_[random_() % workers].push(c);
		if (random_() % 64 == 0)
			std::this_thread::yield();
	}

	void work(unsigned me)
	{
		std::mt19937 random(me);
		while (finished_.load() < commands_.size()) {
			task *t = deques_[me].take();
			for (unsigned other = 0; other < workers && !t; other++)
				t = deques_[other].steal([](task &) { return true; });
			if (!t) {
				std::this_thread::yield();
				continue;
			}
			auto &c = *static_cast<command *>(t);
			if (random() % 100 == 0)
				std::this_thread::sleep_for(std::chrono::microseconds(random() % 50));
			apply(c.accesses, memory_);
			c.ran++;
			bool comes_home = random() % 3 == 0;
			c.at_home = !comes_home;
			command_graph::ending end = graph_.finish(c, 0, comes_home);
			for (node *n = end.ready; n;) {
				node *next = n->next_ready;
				deques_[random() % workers].push(*static_cast<command *>(n));
				n = next;
			}
			if (end.shown)
				note_shown(c);
			show_all(end.to_show);
			if (comes_home)
				bring_home(c, random);
			finished_++;
		}
	}

	void bring_home(command &c, std::mt19937 &random)
	{
		if (random() % 4 == 0)
			std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
		c.at_home = true;
		if (graph_.is_home(c))
			show_all(&c);
	}

	void show_all(node *list)
	{
		while (node *n = list) {
			list = n->next_ready;
			n->next_ready = nullptr;
			node *more = graph_.show(*n);
			note_shown(*static_cast<command *>(n));
			node **end = &more;
			while (*end)
				end = &(*end)->next_ready;
			*end = list;
			list = more;
		}
	}

	// Those that came before it are at home. The longer ago they came the less there is to see.
	void note_shown(command &c)
	{
		constexpr size_t recent = 200;
		EXPECT_EQ(c.shown_times++, 0);
		for (size_t i = c.place - std::min(c.place, recent); i < c.place; i++)
			EXPECT_TRUE(commands_[i]->at_home || !meet(*commands_[i], c));
	}

	static bool meet(const command &one, const command &other)
	{
		for (const access_entry &a : one.accesses)
			for (const access_entry &b : other.accesses)
				if (a.bytes.overlaps(b.bytes) && (a.writes || b.writes))
					return true;
		return false;
	}

	std::mt19937 random_;
	command_graph graph_{inherited};
	sequence queue_;
	work_deque deques_[workers];
	std::vector<std::unique_ptr<command>> commands_;
	std::atomic<size_t> finished_{0};
	uint32_t memory_[bytes] = {}, model_[bytes] = {};
};

TEST(command_graph, crowds_of_commands_give_the_result_of_one_after_the_other)
{
	for (unsigned seed = 0; seed < 3; seed++) {
		crowd(4000, seed).run();
		ASSERT_FALSE(HasFatalFailure());
	}
}

} // namespace
