// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/traffic.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>

using namespace noc;

namespace
{

unsigned at(unsigned x, unsigned y)
{
	return y * 8 + x;
}

traffic_options some(double rate)
{
	traffic_options o;
	o.rate = rate;
	return o;
}

} // namespace

TEST(traffic, permutations)
{
	const auto to = [](pattern what, unsigned core) { return permutation(what, 8, 8)[core]; };
	EXPECT_EQ(to(pattern::transpose, at(1, 5)), at(5, 1));
	EXPECT_EQ(to(pattern::bit_complement, at(1, 5)), at(6, 2));
	EXPECT_EQ(to(pattern::bit_reversal, 0b000011), 0b110000);
	EXPECT_EQ(to(pattern::shuffle, 0b100101), 0b001011);
	EXPECT_EQ(to(pattern::tornado, at(6, 1)), at(1, 4));
	EXPECT_EQ(to(pattern::neighbour, at(7, 7)), at(0, 0));
}

TEST(traffic, permutations_meet_every_core_once)
{
	for (const std::string &name : pattern_names()) {
		std::vector<uint16_t> to = permutation(pattern_named(name), 8, 8);
		std::sort(to.begin(), to.end());
		for (size_t i = 0; i < to.size(); i++)
			EXPECT_EQ(to[i], i) << name;
	}
	const std::vector<uint16_t> pairs = permutation(pattern::pairs, 8, 8);
	for (unsigned i = 0; i < 64; i++)
		EXPECT_EQ(pairs[pairs[i]], i);
	EXPECT_THROW(permutation(pattern::shuffle, 6, 6), std::invalid_argument);
	EXPECT_THROW(permutation(pattern::transpose, 8, 4), std::invalid_argument);
	EXPECT_THROW(pattern_named("knots"), std::invalid_argument);
}

// Counts of 10⁵ cycles lie within five standard deviations of what the rate says.
TEST(traffic, arrivals_are_bernoulli)
{
	constexpr uint64_t cycles = 100000;
	const topology t = mesh(8, 8);
	for (double rate : {0.01, 0.3, 0.9}) {
		core_traffic traffic(some(rate), t, 5);
		uint64_t packets = 0, adjacent = 0, last = ~0ull;
		for (; traffic.next().created < cycles; traffic.pop()) {
			ASSERT_NE(traffic.next().created, last); // one a cycle
			adjacent += packets > 0 && traffic.next().created == last + 1;
			last = traffic.next().created;
			packets++;
		}
		EXPECT_NEAR(double(packets), cycles * rate, 5 * std::sqrt(cycles * rate * (1 - rate)));
		// Trials do not depend on each other.
		EXPECT_NEAR(double(adjacent), cycles * rate * rate, 5 * std::sqrt(cycles * rate) + 5);
	}
	core_traffic always(some(1), t, 5), never(some(0), t, 5);
	for (uint64_t c = 0; c < 10; c++, always.pop())
		EXPECT_EQ(always.next().created, c);
	EXPECT_EQ(never.next().created, ~0ull);
}

TEST(traffic, shares_and_lengths)
{
	traffic_options o = some(0.5);
	o.what = pattern::neighbour;
	o.memory_share = 0.25;
	o.length = 1;
	o.long_length = 5;
	EXPECT_EQ(mean_length(o), 3);
	core_traffic traffic(o, two_layers({}), 9);
	unsigned memory = 0, longer = 0;
	constexpr unsigned packets = 10000;
	for (unsigned i = 0; i < packets; i++, traffic.pop()) {
		const arrival_of_packet &p = traffic.next();
		memory += p.memory;
		longer += p.length == 5;
		ASSERT_EQ(p.memory, p.destination >= 64);
		ASSERT_TRUE(p.memory || p.destination == at(2, 2));
	}
	EXPECT_NEAR(memory, packets * 0.25, 5 * std::sqrt(packets * 0.25 * 0.75));
	EXPECT_NEAR(longer, packets * 0.5, 5 * std::sqrt(packets * 0.25));
	EXPECT_NEAR(double(traffic.next().created), packets / (0.5 / 3), 2000);
	EXPECT_THROW(core_traffic(o, mesh(8, 8), 9), std::invalid_argument);
}

TEST(traffic, lengths_are_uniform)
{
	traffic_options o = some(0.5);
	o.length = 2;
	o.long_length = 5;
	o.uniform_lengths = true;
	EXPECT_EQ(mean_length(o), 3.5);
	core_traffic traffic(o, mesh(8, 8), 0);
	unsigned of[6] = {};
	constexpr unsigned packets = 10000;
	for (unsigned i = 0; i < packets; i++, traffic.pop()) {
		ASSERT_GE(traffic.next().length, 2);
		ASSERT_LE(traffic.next().length, 5);
		of[traffic.next().length]++;
	}
	for (unsigned n = 2; n <= 5; n++)
		EXPECT_NEAR(of[n], packets / 4.0, 5 * std::sqrt(packets * 0.25 * 0.75));
	EXPECT_NEAR(double(traffic.next().created), packets / (0.5 / 3.5), 2000);
	o.long_length = 1;
	EXPECT_THROW(core_traffic(o, mesh(8, 8), 0), std::invalid_argument);
}

// At the highest rate a burst is a row of packets, one in each cycle, so bursts and silences can be counted.
TEST(traffic, bursts_have_their_length_and_share)
{
	traffic_options o;
	o.burst = 20;
	o.burst_share = 0.25;
	o.rate = highest_rate(o);
	EXPECT_EQ(o.rate, 0.25);
	constexpr uint64_t cycles = 400000;
	core_traffic traffic(o, mesh(8, 8), 3);
	uint64_t packets = 0, bursts = 0, last = ~0ull - 1;
	for (; traffic.next().created < cycles; traffic.pop()) {
		bursts += traffic.next().created != last + 1;
		last = traffic.next().created;
		packets++;
	}
	// A burst and its silence are 80 cycles, with a standard deviation of 63; two bursts without one between them
	// are seen as one, once in 61 times.
	const double expected = cycles / 80.0;
	EXPECT_NEAR(double(bursts), expected * 60 / 61, 5 * std::sqrt(expected) * 63 / 80);
	EXPECT_NEAR(double(packets), cycles * 0.25, 5 * std::sqrt(expected) * 20);
}

TEST(traffic, bursts_keep_the_rate)
{
	traffic_options o = some(0.1);
	o.burst = 50;
	o.length = 2;
	constexpr uint64_t cycles = 400000;
	double sum = 0, squares = 0;
	constexpr unsigned cores = 8;
	for (unsigned core = 0; core < cores; core++) {
		core_traffic traffic(o, mesh(8, 8), core);
		uint64_t of_window = 0, window = 0;
		for (; traffic.next().created < cycles; traffic.pop()) {
			for (; traffic.next().created / 100 > window; window++, of_window = 0)
				squares += double(of_window * of_window);
			of_window++;
			sum++;
		}
	}
	const double windows = cycles / 100.0 * cores, mean = sum / windows;
	EXPECT_NEAR(mean, 5, 0.25);
	// Trials alone would give a variance below the mean.
	EXPECT_GT(squares / windows - mean * mean, 5 * mean);
	o.rate = 0.6; // 0.25 of the cycles, at most 2 flits in each
	EXPECT_THROW(core_traffic(o, mesh(8, 8), 0), std::invalid_argument);
	o.burst_share = 0;
	EXPECT_THROW(core_traffic(o, mesh(8, 8), 0), std::invalid_argument);
}

TEST(traffic, patterns_come_in_turn)
{
	traffic_options o = some(0.9);
	o.what = pattern::neighbour;
	o.then = {pattern::bit_complement, pattern::uniform};
	o.period = 100;
	core_traffic traffic(o, mesh(8, 8), 9);
	unsigned elsewhere = 0;
	for (; traffic.next().created < 3000; traffic.pop()) {
		const arrival_of_packet &p = traffic.next();
		const uint64_t turn = p.created / 100 % 3;
		if (turn < 2)
			ASSERT_EQ(p.destination, turn ? 63 - 9 : at(2, 2)) << p.created;
		else
			elsewhere += p.destination != 63 - 9 && p.destination != at(2, 2);
	}
	EXPECT_GT(elsewhere, 700u);
}
