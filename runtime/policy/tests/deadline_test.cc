// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/deadline.h"

#include "policy/ageing.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace het::rt
{

namespace
{

constexpr uint64_t ms = 1'000'000;

TEST(Deadline, RisesAsItComesNearer)
{
	const timed_command c = {0, 1000 * ms, 100 * ms};
	EXPECT_EQ(level_by_deadline(c, 0), 0);
	EXPECT_EQ(level_by_deadline(c, 644 * ms), 0);
	EXPECT_EQ(level_by_deadline(c, 645 * ms), 2);
	EXPECT_EQ(level_by_deadline(c, 837 * ms), 4);
	EXPECT_EQ(level_by_deadline(c, 885 * ms), 6);
	EXPECT_EQ(level_by_deadline(c, 897 * ms), highest_level);
	EXPECT_EQ(level_by_deadline(c, 5000 * ms), highest_level);
}

// Whoever looks only then misses nothing.
TEST(Deadline, TellsWhenItRises)
{
	for (int own : {lowest_level, -1, 0, 3, highest_level})
		for (uint64_t takes : {uint64_t{0}, 3 * ms, 2000 * ms}) {
			const timed_command c = {own, 1000 * ms, takes};
			int level = level_by_deadline(c, 0);
			for (uint64_t now = 0;;) {
				const uint64_t at = next_rise(c, now);
				if (at == no_time)
					break;
				ASSERT_GT(at, now);
				EXPECT_EQ(level_by_deadline(c, at - 1), level);
				EXPECT_GT(level_by_deadline(c, at), level);
				level = level_by_deadline(c, at);
				now = at;
			}
			EXPECT_EQ(level, highest_level);
		}
}

struct job {
	uint64_t came, deadline, takes, left, due;
	uint64_t ended = 0;
};

// One device does the most urgent of what is there, and changes at once for a more urgent one. Levels rise by ageing as
// in an executor, and in a level that is next which is due first.
void simulate(std::vector<job> &jobs, bool by_deadline)
{
	ageing a(10 * ms);
	constexpr uint64_t tick = ms / 4;
	size_t left = jobs.size();
	for (uint64_t now = 0; left; now += tick) {
		job *next[level_count] = {};
		uint32_t waiting = 0;
		for (job &j : jobs) {
			if (j.came > now || j.ended)
				continue;
			const bool counts = by_deadline && j.deadline;
			const int level = counts ? level_by_deadline({0, j.deadline, j.takes}, now) : 0;
			job *&first = next[index_of_level(level)];
			const bool is_first = !first || (by_deadline ? j.due < first->due : j.came < first->came);
			first = is_first ? &j : first;
			waiting |= uint32_t{1} << index_of_level(level);
		}
		if (!waiting)
			continue;
		job &j = *next[a.choose(waiting, now)];
		j.left -= std::min(j.left, tick);
		if (j.left)
			continue;
		j.ended = now + tick;
		left--;
	}
}

size_t count_late(const std::vector<job> &jobs)
{
	return size_t(std::count_if(jobs.begin(), jobs.end(),
				    [](const job &j) { return j.deadline && j.ended > j.deadline; }));
}

// Half of the device's time goes to what has a deadline, of one to twenty times its length; the rest, and more, is
// wanted by what has none.
std::vector<job> draw_jobs(unsigned seed)
{
	std::mt19937_64 random(seed);
	std::vector<job> jobs;
	uint64_t now = 0;
	for (unsigned i = 0; i < 200; i++) {
		const uint64_t takes = (1 + random() % 20) * ms;
		const bool is_timed = i % 2;
		const uint64_t deadline = is_timed ? now + takes * (2 + random() % 19) : 0;
		jobs.push_back({now, deadline, takes, takes, due_time(deadline, now)});
		now += random() % (20 * ms);
	}
	return jobs;
}

TEST(Deadline, FewComeTooLateThatCouldBeInTime)
{
	size_t late = 0, late_by_priority = 0, all = 0;
	for (unsigned seed = 1; seed <= 2; seed++) {
		std::vector<job> jobs = draw_jobs(seed), same = jobs;
		simulate(jobs, true);
		simulate(same, false);
		late += count_late(jobs);
		late_by_priority += count_late(same);
		all += 100;
	}
	EXPECT_LE(late, all / 20);
	EXPECT_GE(late_by_priority, all / 4);
}

// Others come all the time, each with a deadline, and are more than the device can do: what has none ends all the same,
// as it is overtaken by nothing that is due later, and by what has risen above its level only until it has aged.
TEST(Deadline, NobodyWaitsForEver)
{
	for (uint64_t deadline : {100 * ms, 300 * ms, 1000 * ms}) {
		std::vector<job> jobs = {{0, 0, 5 * ms, 5 * ms, due_time(0, 0)}};
		for (uint64_t now = 0; now < 3000 * ms; now += 8 * ms)
			jobs.push_back({now, now + deadline, 10 * ms, 10 * ms, due_time(now + deadline, now)});
		simulate(jobs, true);
		EXPECT_LE(jobs[0].ended, 2000 * ms) << deadline;
	}
}

} // namespace

} // namespace het::rt
