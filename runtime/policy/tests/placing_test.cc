// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/placing.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

using namespace het::rt;

namespace
{

size_t placed(std::vector<candidate> c)
{
	return place(c, 1000);
}

} // namespace

TEST(placing, nothing_is_known)
{
	EXPECT_EQ(placed({{0, 0, 0, 1}}), 0u);
	EXPECT_EQ(placed({{0, 5, 100, 1}, {0, 0, 0, 1}}), 0u);
}

TEST(placing, the_first_is_tried_though_others_are_known)
{
	EXPECT_EQ(placed({{0, 0, 0, 1}, {1000, 0, 0, 1}}), 0u);
	EXPECT_EQ(placed({{0, 1, 0, 1}, {1000, 0, 0, 1}}), 1u);
}

TEST(placing, the_faster)
{
	EXPECT_EQ(placed({{1000, 0, 0, 1}, {3000, 0, 0, 1}}), 1u);
	EXPECT_EQ(placed({{3000, 0, 0, 1}, {1000, 0, 0, 1}}), 0u);
}

TEST(placing, equals_go_to_the_first)
{
	EXPECT_EQ(placed({{1000, 0, 0, 1}, {1000, 0, 0, 1}}), 0u);
}

TEST(placing, work_ahead_counts)
{
	EXPECT_EQ(placed({{1000, 1.1, 0, 1}, {500, 0, 0, 1}}), 1u);
	EXPECT_EQ(placed({{1000, 0.9, 0, 1}, {500, 0, 0, 1}}), 0u);
}

TEST(placing, transfers_count)
{
	EXPECT_EQ(placed({{1000, 0, 0, 10}, {10000, 0, 8, 10}}), 1u);
	EXPECT_EQ(placed({{1000, 0, 0, 10}, {10000, 0, 10, 10}}), 0u);
}

TEST(placing, an_idle_stranger_is_tried_when_others_have_much_ahead)
{
	EXPECT_EQ(placed({{1000, 0.01, 0, 1}, {0, 0, 0, 1}}), 0u);
	EXPECT_EQ(placed({{1000, 1, 0, 1}, {0, 0, 0, 1}}), 1u);
	EXPECT_EQ(placed({{1000, 1, 0, 1}, {0, 0.1, 0, 1}}), 0u);
	EXPECT_EQ(placed({{1000, 1, 0, 1}, {0, 0, 0, 1}, {1000, 0, 0, 1}}), 2u);
}

// --- devices that share processors ---------------------------------------------

namespace
{

constexpr unsigned host = 1;

candidate sharing(double speed, double ahead, double since = 0, bool sure = true)
{
	return {speed, ahead, 0, 1, 0, host, sure, since};
}

// Simulates devices as they are, and what is learned of them. Launches have one size; they come one after the other, or
// as many ahead as there may be.
struct simulated {
	double kernel, cost; // seconds that a launch takes
	unsigned processors;
	double known = 0, since = 0, ahead = 0; // known is the kernel's speed, in launches a second
	unsigned launches = 0;
};

// Devices that share processors run one after the other. Returns when all is done.
double run(std::vector<simulated> &devices, unsigned launches, unsigned in_flight)
{
	double now = 0;
	std::vector<double> free_at(devices.size());
	std::vector<std::pair<double, size_t>> flights; // the end and the device of each
	for (unsigned n = 0; n < launches; n++) {
		if (flights.size() == in_flight) {
			auto [end, d] = flights.front();
			flights.erase(flights.begin());
			now = std::max(now, end);
			simulated &s = devices[d];
			s.known = 1 / s.kernel;
			s.ahead -= s.ahead > 0 ? std::min(s.ahead, s.kernel + s.cost) : 0;
			for (simulated &other : devices)
				other.since +=
					other.processors && other.processors == s.processors ? s.kernel + s.cost : 0;
		}
		std::vector<candidate> all;
		for (const simulated &s : devices)
			all.push_back({s.known, s.ahead, 0, 1, s.known > 0 ? s.cost : 0, s.processors, s.launches > 2,
				       s.since});
		size_t d = place(all, 1);
		simulated &s = devices[d];
		s.since = 0;
		s.launches++;
		s.ahead += s.known > 0 ? s.kernel + s.cost : 0;
		double begin = now;
		for (size_t i = 0; i < devices.size(); i++)
			if (i == d || (s.processors && devices[i].processors == s.processors))
				begin = std::max(begin, free_at[i]);
		free_at[d] = begin + s.kernel + s.cost;
		flights.push_back({free_at[d], d});
	}
	return *std::max_element(free_at.begin(), free_at.end());
}

} // namespace

TEST(placing, what_one_has_ahead_holds_up_all_that_share_its_processors)
{
	EXPECT_EQ(placed({sharing(1000, 1.1), sharing(500, 0)}), 0u);
	EXPECT_EQ(placed({sharing(1000, 1.1), {500, 0, 0, 1}, sharing(900, 0)}), 1u);
	EXPECT_EQ(placed({sharing(1000, 0), {1000, 0.9, 0, 1}, sharing(900, 1)}), 1u);
}

TEST(placing, what_a_launch_costs_counts)
{
	EXPECT_EQ(placed({{1000, 0, 0, 1, 0.6}, {500, 0, 0, 1, 0.1}}), 0u);
	EXPECT_EQ(placed({{1000, 0, 0, 1, 1.2}, {500, 0, 0, 1, 0.1}}), 1u);
}

TEST(placing, a_stranger_is_not_tried_for_help_where_it_can_not_help)
{
	EXPECT_EQ(placed({sharing(1000, 1), sharing(0, 0)}), 0u);
	EXPECT_EQ(placed({sharing(1000, 1), sharing(0, 0), {0, 0, 0, 1}}), 2u);
}

TEST(placing, the_others_of_shared_processors_are_tried_where_that_costs_little)
{
	EXPECT_EQ(placed({sharing(1000, 0), sharing(0, 0, 2)}), 0u);
	EXPECT_EQ(placed({sharing(1000, 0), sharing(0, 0, 4)}), 1u);
	EXPECT_EQ(placed({sharing(1000, 0), sharing(500, 0, 5, false)}), 0u);
	EXPECT_EQ(placed({sharing(1000, 0), sharing(500, 0, 7, false)}), 1u);
	EXPECT_EQ(placed({sharing(1000, 0), sharing(500, 0, 199)}), 0u);
	EXPECT_EQ(placed({sharing(1000, 0), sharing(500, 0, 201)}), 1u);
	EXPECT_EQ(placed({sharing(1000, 0), {500, 0, 0, 1, 0, 2, true, 1000}}), 0u);
}

// Two devices on the same processors are worth what the better one is, whatever their order, however many launches are
// ahead, and whether the kernel or the launch is what differs.
TEST(placing, devices_that_share_processors_are_as_good_as_the_best_of_them)
{
	constexpr unsigned launches = 5000;
	const simulated quick = {8e-6, 1e-6, host}, slow = {5e-6, 40e-6, host}, slower_kernel = {50e-6, 1e-6, host};
	for (const simulated &other : {slow, slower_kernel}) {
		for (unsigned in_flight : {1u, 20u}) {
			for (bool first : {false, true}) {
				std::vector<simulated> devices = {first ? quick : other, first ? other : quick};
				double best = launches * (quick.kernel + quick.cost);
				EXPECT_LT(run(devices, launches, in_flight), best / 0.95)
					<< in_flight << " in flight, " << devices[0].launches << " and "
					<< devices[1].launches;
				EXPECT_GT(devices[first].launches, 2u); // checks that both were tried
			}
		}
	}
}
