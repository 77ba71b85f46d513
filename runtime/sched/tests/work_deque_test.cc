// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "sched/work_deque.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace het::rt;

namespace
{

bool any(task &)
{
	return true;
}

TEST(work_deque, owners_take_the_oldest_and_thieves_the_newest)
{
	work_deque deque;
	task a, b, c;
	for (task *t : {&a, &b, &c})
		deque.push(*t);
	EXPECT_EQ(deque.size(), 3u);
	EXPECT_EQ(deque.steal(any), &c);
	EXPECT_EQ(deque.take(), &a);
	EXPECT_EQ(deque.take(), &b);
	EXPECT_EQ(deque.take(), nullptr);
	EXPECT_EQ(deque.steal(any), nullptr);
	EXPECT_TRUE(deque.empty());
}

TEST(work_deque, thieves_may_choose)
{
	work_deque deque;
	task a, b, c;
	for (task *t : {&a, &b, &c})
		deque.push(*t);
	EXPECT_EQ(deque.steal([&](task &t) { return &t == &b; }), &b);
	EXPECT_EQ(deque.steal([&](task &t) { return &t == &b; }), nullptr);
	EXPECT_EQ(deque.size(), 2u);
}

TEST(work_deque, the_oldest_that_is_wanted_comes_first)
{
	work_deque deque;
	task a, b, c;
	for (task *t : {&a, &b, &c})
		deque.push(*t);
	auto but_a = [&](task &t) { return &t != &a; };
	EXPECT_EQ(deque.take_first(but_a), &b);
	EXPECT_EQ(deque.take_first(but_a), &c);
	EXPECT_EQ(deque.take_first(but_a), nullptr);
	EXPECT_EQ(deque.take(), &a);
}

TEST(work_deque, what_is_due_first_comes_first)
{
	work_deque deque;
	task none, late, later, soon, same, last;
	late.due = 20;
	later.due = 30;
	soon.due = same.due = last.due = 10;
	for (task *t : {&none, &later, &late, &soon, &same})
		deque.push(*t);
	deque.push_last(last);
	for (task *t : {&none, &soon, &same, &late, &later, &last})
		EXPECT_EQ(deque.take(), t);
	EXPECT_TRUE(deque.empty());
	for (task *t : {&late, &soon})
		deque.push(*t);
	EXPECT_EQ(deque.steal(any), &late);
	EXPECT_EQ(deque.steal(any), &soon);
}

// A task that was put back does not hide those before it, and keeps its place among those that come later.
TEST(work_deque, what_was_put_back_changes_no_order)
{
	work_deque deque;
	task soon, late, later, none, back, next;
	soon.due = 10;
	late.due = 20;
	later.due = 30;
	back.due = 5;
	for (task *t : {&back, &later})
		deque.push(*t);
	EXPECT_EQ(deque.take(), &back);
	deque.push_last(back);
	deque.push(late);
	deque.push(soon);
	next.due = 40;
	deque.push(next);
	deque.push(none);
	for (task *t : {&soon, &late, &later, &back, &next, &none})
		EXPECT_EQ(deque.take(), t);
	deque.push(later);
	deque.push(back); // it has its place again
	for (task *t : {&back, &later})
		EXPECT_EQ(deque.take(), t);
}

TEST(work_deque, one_task_can_be_taken_out)
{
	work_deque deque, other;
	task a, b;
	deque.push(a);
	deque.push(b);
	EXPECT_FALSE(other.take(b));
	EXPECT_TRUE(deque.take(b));
	EXPECT_FALSE(deque.take(b));
	EXPECT_EQ(deque.take(), &a);
	EXPECT_FALSE(deque.take(a));
}

// Tasks wander between deques, and each thread takes, steals and takes out. Every visit must count once.
TEST(work_deque, nothing_is_lost_or_taken_twice)
{
	constexpr unsigned threads = 4, tasks = 200, visits = 300;
	struct counted : task {
		unsigned visits = 0; // belong to whoever has taken the task
	};
	std::vector<counted> all(tasks);
	work_deque deques[threads];
	std::atomic<unsigned> left{tasks};
	for (unsigned i = 0; i < tasks; i++)
		deques[i % threads].push(all[i]);
	auto work = [&](unsigned me) {
		for (unsigned round = me; left.load(); round++) {
			task *t = nullptr;
			work_deque &where = deques[round % threads];
			if (&where == &deques[me])
				t = where.take();
			else if (round % 3)
				t = where.steal(any);
			else if (where.take(all[round % tasks]))
				t = &all[round % tasks];
			if (!t)
				continue;
			if (++static_cast<counted *>(t)->visits == visits)
				left--;
			else
				deques[(round / 7) % threads].push(*t);
		}
	};
	std::vector<std::thread> crowd;
	for (unsigned i = 0; i < threads; i++)
		crowd.emplace_back(work, i);
	for (std::thread &t : crowd)
		t.join();
	for (counted &t : all)
		EXPECT_EQ(t.visits, visits);
	for (work_deque &d : deques)
		EXPECT_TRUE(d.empty());
}

} // namespace
