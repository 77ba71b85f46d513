// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests every policy on simulated devices: each row is done exactly once, and devices finish as the policy promises.
#include "policy/policy.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <span>
#include <vector>

using namespace het::rt;

namespace
{

struct kind {
	const char *name;
	std::unique_ptr<policy> (*make)(const sharing &);
	double least; // the ideal time divided by its own is at least this, if speeds are told rightly
};

const kind kinds[] = {{"single", make_single_policy, 0.69},
		      {"static", make_static_policy, 0.97},
		      {"dynamic", make_dynamic_policy, 0.75},
		      {"hguided", make_hguided_policy, 0.93},
		      {"steal", make_steal_policy, 0.93}};

struct outcome {
	double time = 0; // ends when the last device has finished
	std::vector<unsigned> done;
	std::vector<size_t> blocks;
};

// All devices have the same grain.
struct grains_of {
	explicit grains_of(size_t n, size_t rows) : all(n, rows) {}
	operator std::span<const size_t>() const { return all; }
	std::vector<size_t> all;
};

// Devices do blocks at their true speeds, and the one that is free first asks first. After @broken blocks device 0
// gives its block back and asks no more. @work has the work of each row, which is 1 if it is empty.
outcome simulate(const kind &k, const sharing &told, const std::vector<double> &truly, size_t broken = SIZE_MAX,
		 const std::vector<double> &work = {})
{
	outcome o;
	o.done.resize(told.total);
	o.blocks.resize(truly.size());
	std::unique_ptr<policy> p = k.make(told);
	std::vector<double> free_at(truly.size(), 0);
	struct {
		size_t rows = 0;
		double seconds = 0;
	} last[16];
	std::vector<bool> out(truly.size(), false);
	rows returned = {0, 0};
	for (;;) {
		size_t d = truly.size();
		for (size_t i = 0; i < truly.size(); i++) {
			if (!out[i] && (d == truly.size() || free_at[i] < free_at[d]))
				d = i;
		}
		if (d == truly.size())
			return o;
		if (o.blocks[d])
			p->measured(unsigned(d), last[d].rows, last[d].seconds);
		rows r = std::exchange(returned, {0, 0});
		if (!r.count)
			r = p->next(unsigned(d));
		if (!r.count) {
			out[d] = true;
			continue;
		}
		if (d == 0 && o.blocks[0] == broken) {
			returned = r;
			p->leave(0);
			out.assign(truly.size(), false);
			out[0] = true;
			continue;
		}
		double all = 0;
		for (size_t i = r.first; i < r.end(); i++) {
			o.done.at(i)++;
			all += work.empty() ? 1 : work[i];
		}
		o.blocks[d]++;
		last[d] = {r.count, all / truly[d]};
		free_at[d] += all / truly[d];
		o.time = std::max(o.time, free_at[d]);
	}
}

void expect_each_once(const outcome &o, const char *name)
{
	for (size_t i = 0; i < o.done.size(); i++)
		ASSERT_EQ(o.done[i], 1u) << name << ", row " << i;
}

double ideal(size_t total, const std::vector<double> &truly)
{
	double sum = 0;
	for (double s : truly)
		sum += s;
	return double(total) / sum;
}

} // namespace

TEST(policies, every_row_once)
{
	std::mt19937 random(1);
	for (const kind &k : kinds) {
		for (int round = 0; round < 2000; round++) {
			std::vector<double> speeds(1 + random() % 6);
			for (double &s : speeds)
				s = 0.01 + double(random() % 1000);
			grains_of grains(speeds.size(), 1 + random() % 50);
			sharing s = {1 + random() % 3000, grains, speeds};
			expect_each_once(simulate(k, s, speeds), k.name);
		}
	}
}

TEST(policies, what_a_broken_device_gives_back_is_done_by_others)
{
	std::mt19937 random(2);
	for (const kind &k : kinds) {
		for (int round = 0; round < 500; round++) {
			std::vector<double> speeds = {5.0 + double(random() % 5), 5, 1};
			grains_of grains(speeds.size(), 1 + random() % 20);
			sharing s = {100 + random() % 3000, grains, speeds};
			expect_each_once(simulate(k, s, speeds, random() % 3), k.name);
		}
	}
}

TEST(policies, devices_of_known_speed_finish_together)
{
	const std::vector<double> speeds = {7, 2, 1};
	for (const kind &k : kinds) {
		outcome o = simulate(k, {10000, grains_of(3, 10), speeds}, speeds);
		EXPECT_GE(ideal(10000, speeds) / o.time, k.least) << k.name;
	}
}

TEST(policies, stealing_makes_up_for_a_wrong_calibration)
{
	const std::vector<double> truly = {10, 1}, told = {1, 1};
	outcome o = simulate(kinds[4], {10000, grains_of(2, 10), told}, truly);
	EXPECT_GE(ideal(10000, truly) / o.time, 0.85);
	outcome fixed = simulate(kinds[1], {10000, grains_of(2, 10), told}, truly);
	EXPECT_LT(ideal(10000, truly) / fixed.time, 0.25) << "the test's devices are not unlike enough";
}

TEST(policies, static_gives_one_block_to_each)
{
	const std::vector<double> speeds = {3, 1};
	outcome o = simulate(kinds[1], {4000, grains_of(2, 1), speeds}, speeds);
	EXPECT_EQ(o.blocks, (std::vector<size_t>{1, 1}));
}

TEST(policies, blocks_last_as_long_as_they_are_to)
{
	const std::vector<double> speeds = {1000, 100};
	for (int k : {3, 4}) {
		outcome o = simulate(kinds[k], {11000, grains_of(2, 1), speeds, 1.0}, speeds);
		expect_each_once(o, kinds[k].name);
		EXPECT_LE(o.blocks[0], 11u) << kinds[k].name;
		EXPECT_LE(o.blocks[1], 11u) << kinds[k].name;
	}
}

TEST(policies, blocks_are_large_where_the_device_wants_them)
{
	const std::vector<double> speeds = {1000, 100};
	const std::vector<size_t> grains = {2000, 10};
	for (int k : {2, 3, 4}) {
		outcome o = simulate(kinds[k], {11000, grains, speeds}, speeds);
		expect_each_once(o, kinds[k].name);
		EXPECT_LE(o.blocks[0], 6u) << kinds[k].name;
	}
}

// The rows are like those of a picture of the Mandelbrot set: some have a hundred times the work of others.
TEST(policies, rows_that_differ_are_shared_well)
{
	constexpr size_t n = 300;
	const std::vector<double> speeds = {3, 1};
	for (size_t heavy = 0; heavy + n / 3 <= n; heavy += n / 6) {
		std::vector<double> work(n, 1);
		std::fill_n(work.begin() + ptrdiff_t(heavy), n / 3, 100);
		const double all = std::accumulate(work.begin(), work.end(), 0.0);
		outcome o = simulate(kinds[4], {n, grains_of(2, 1), speeds, 0.1}, speeds, SIZE_MAX, work);
		expect_each_once(o, kinds[4].name);
		EXPECT_GE(all / 4 / o.time, 0.93) << heavy;
	}
}

TEST(policies, sharing_must_gain_more_than_it_costs)
{
	const std::vector<double> alike = {100, 100}, unlike = {100, 1};
	EXPECT_TRUE(is_worth_sharing(1000, alike, 4.9));
	EXPECT_FALSE(is_worth_sharing(1000, alike, 5.1));
	EXPECT_TRUE(is_worth_sharing(1000, unlike, 0.09));
	EXPECT_FALSE(is_worth_sharing(1000, unlike, 0.1));
}
