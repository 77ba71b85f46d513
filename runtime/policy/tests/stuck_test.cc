// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/stuck.h"

#include <gtest/gtest.h>

using namespace het::rt;

namespace
{

constexpr uint64_t second = 1'000'000'000;

struct look {
	uint64_t at; // in seconds
	bool runs;
	uint64_t progress;
	uint64_t quiet; // the look must tell this
};

void expect_quiet(std::initializer_list<look> looks)
{
	quiet_time q;
	for (const look &l : looks)
		EXPECT_EQ(q.look(l.at * second, second, l.runs, l.progress), l.quiet * second) << "at " << l.at;
}

} // namespace

TEST(stuck, table)
{
	const struct {
		double quiet, expected, least;
		bool stuck;
	} rows[] = {
		{9.9, 0.001, 10, false},   // it may end before anybody has noticed
		{10, 0.001, 10, true},     // it takes 10,000 times as long as expected
		{10, 0.1, 10, true},       // it takes 100 times as long, and long enough
		{10, 0.11, 10, false},     // it takes long enough, but not 100 times as long
		{99.9, 1, 10, false},      // long launches have long patience
		{100, 1, 10, true},        //
		{359999, 3600, 10, false}, // an hour is expected
		{360000, 3600, 10, true},  //
		{10, 0, 10, false},        // nothing is known, so it may take that long
		{599, 0, 10, false},       //
		{600, 0, 10, true},        //
		{1, 0.001, 1, true},       // the user sets the limit
		{0.9, 0.001, 1, false},    //
		{0, 0, 10, false},         //
	};
	for (const auto &r : rows)
		EXPECT_EQ(is_stuck(r.quiet, r.expected, r.least), r.stuck)
			<< r.quiet << " s of " << r.expected << " s, " << r.least;
}

TEST(stuck, time_in_which_it_runs_counts)
{
	expect_quiet({{100, true, 0, 0}, {101, true, 0, 1}, {102, true, 0, 2}, {103, true, 0, 3}});
}

TEST(stuck, progress_of_anything_else_begins_anew)
{
	expect_quiet({{100, true, 5, 0}, {101, true, 5, 1}, {102, true, 6, 0}, {103, true, 6, 1}, {104, true, 6, 2}});
}

TEST(stuck, what_does_not_run_yet_is_not_late)
{
	expect_quiet(
		{{100, false, 0, 0}, {101, false, 0, 0}, {102, true, 0, 0}, {103, true, 0, 1}, {104, false, 0, 0}});
}

// A process was stopped for an hour, and then its watch had no processor for a while.
TEST(stuck, gaps_count_as_one_look)
{
	expect_quiet({{100, true, 0, 0}, {3700, true, 0, 1}, {3701, true, 0, 2}, {3731, true, 0, 3}});
}

TEST(stuck, nothing_counts_before_the_first_look)
{
	quiet_time q;
	EXPECT_EQ(q.look(1'000'000 * second, second, true, 0), 0u);
}
