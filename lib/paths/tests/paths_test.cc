// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Copies on simulated links: who takes which path, and how soon all is there.
#include "paths/request.h"
#include "paths/tests/machine.h"
#include "paths/vessels.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace het::paths::test
{

namespace
{

constexpr size_t mib = 1 << 20;
constexpr uint64_t ms = 1'000'000;

class two_gpus : public testing::Test
{
      protected:
	void open(const char *policy, unsigned gpus = 2)
	{
		for (direction d : {direction::to_device, direction::to_host}) {
			chooser &c = of[d == direction::to_host];
			c = {};
			c.open(0, d, *find_policy(policy));
			for (unsigned path = 1; path < gpus; path++)
				c.add(path);
		}
	}

	uint64_t copy(machine &m, size_t bytes, direction d = direction::to_device)
	{
		uint64_t begin = now;
		now = m.copy(of[d == direction::to_host], {0, d}, bytes, now);
		return now - begin;
	}
	// Returns the median of several.
	uint64_t usual(machine &m, size_t bytes, unsigned times = 9, direction d = direction::to_device)
	{
		std::vector<uint64_t> took;
		for (unsigned i = 0; i < times; i++)
			took.push_back(copy(m, bytes, d));
		std::nth_element(took.begin(), took.begin() + times / 2, took.end());
		return took[times / 2];
	}

	chooser of[2];
	uint64_t now = 0;
};

double loaded(link l, link which, double share)
{
	return l == which ? share : 0;
}

} // namespace

TEST(links, each_has_a_number)
{
	std::vector<unsigned> seen(most_links);
	for (unsigned a = 0; a < most_gpus; a++) {
		seen[pcie_link(a, direction::to_device)]++;
		seen[pcie_link(a, direction::to_host)]++;
		for (unsigned b = 0; b < most_gpus; b++)
			seen[peer_link(a, b)]++;
	}
	EXPECT_EQ(seen, std::vector<unsigned>(most_links, 1));
	route in = route_of(2, 5, direction::to_device), out = route_of(2, 5, direction::to_host);
	EXPECT_EQ(in.count, 2u);
	EXPECT_EQ(in.links[0], pcie_link(5, direction::to_device));
	EXPECT_EQ(in.links[1], peer_link(5, 2));
	EXPECT_EQ(out.links[0], peer_link(2, 5));
	EXPECT_EQ(out.links[1], pcie_link(5, direction::to_host));
	EXPECT_EQ(route_of(2, 2, direction::to_host).count, 1u);
}

TEST(links, join_two_gpus_directly_by_a_third_and_by_the_host)
{
	const journey j = {5, direction::between, 2};
	route direct = route_of(j, 5), host = route_of(j, 2), third = route_of(j, 7);
	EXPECT_EQ(direct.count, 1u);
	EXPECT_EQ(direct.links[0], peer_link(2, 5));
	EXPECT_EQ(host.count, 2u);
	EXPECT_EQ(host.links[0], pcie_link(2, direction::to_host));
	EXPECT_EQ(host.links[1], pcie_link(5, direction::to_device));
	EXPECT_EQ(third.count, 2u);
	EXPECT_EQ(third.links[0], peer_link(2, 7));
	EXPECT_EQ(third.links[1], peer_link(7, 5));
	EXPECT_EQ(route_of(journey{2, direction::to_host}, 5).links[0], peer_link(2, 5));
}

TEST(links, know_what_is_under_way)
{
	traffic t;
	t.add(route_of(0, 1, direction::to_device), 100);
	t.add(route_of(1, 1, direction::to_device), 30);
	EXPECT_EQ(t.ahead(route_of(1, 1, direction::to_device)), 130u);
	EXPECT_EQ(t.ahead(route_of(0, 1, direction::to_device)), 130u);
	EXPECT_EQ(t.ahead(route_of(0, 0, direction::to_device)), 0u);
	EXPECT_EQ(t.ahead(route_of(1, 1, direction::to_host)), 0u);
	t.remove(route_of(0, 1, direction::to_device), 100);
	EXPECT_EQ(t.ahead(route_of(1, 1, direction::to_device)), 30u);
}

TEST(estimates, tell_start_from_rate)
{
	estimate e;
	EXPECT_FALSE(e.known());
	for (unsigned i = 0; i < 60; i++) {
		e.saw_first(4 * mib, 20'000 + uint64_t(4 * mib / 50));
		for (unsigned n = 0; n < 3; n++)
			e.saw_next(4 * mib, uint64_t(4 * mib / 50));
	}
	EXPECT_NEAR(e.rate(), 50, 1);
	EXPECT_NEAR(e.start(), 20'000, 2000);
	EXPECT_LT(e.noise(), 0.01);
	EXPECT_FALSE(e.is_congested());
	for (unsigned i = 0; i < 60; i++)
		e.saw_next(4 * mib, uint64_t(4 * mib / 5));
	EXPECT_NEAR(e.rate(), 5, 0.5);
	EXPECT_TRUE(e.is_congested());
	// One piece shows that it is over.
	e.saw_next(4 * mib, uint64_t(4 * mib / 50));
	EXPECT_GT(e.rate(), 25);
	EXPECT_FALSE(e.is_congested());
}

TEST(policies, have_names)
{
	for (const char *name : {"direct", "static", "queue", "latency"})
		EXPECT_STREQ(find_policy(name)->name(), name);
	EXPECT_EQ(find_policy("other"), nullptr);
}

TEST(requests, name_a_policy_and_helpers)
{
	EXPECT_EQ(read_request(nullptr).chosen, &latency_policy());
	EXPECT_FALSE(read_request(nullptr).is_set);
	for (const char *policy : {"direct", "static", "queue", "latency"}) {
		const request r = read_request(policy);
		EXPECT_STREQ(r.chosen->name(), policy);
		EXPECT_TRUE(r.is_set && r.is_understood);
		for (unsigned gpu = 0; gpu < 70; gpu++)
			EXPECT_FALSE(r.asks_for(gpu));
	}
	struct {
		const char *text;
		const policy &chosen;
		std::vector<unsigned> helpers;
	} rows[] = {{"0", latency_policy(), {0}},
		    {"3,63", latency_policy(), {3, 63}},
		    {"queue,1", queue_policy(), {1}},
		    {"7,static,7", static_policy(), {7}},
		    {"direct,1", direct_policy(), {}}};
	for (const auto &row : rows) {
		const request r = read_request(row.text);
		EXPECT_EQ(r.chosen, &row.chosen) << row.text;
		EXPECT_TRUE(r.is_set && r.is_understood && !r.all) << row.text;
		for (unsigned gpu = 0; gpu < 70; gpu++)
			EXPECT_EQ(r.asks_for(gpu), std::ranges::count(row.helpers, gpu) == 1) << row.text << gpu;
	}
	for (const char *text : {"all", "latency,all", "all,latency,2"}) {
		EXPECT_TRUE(read_request(text).asks_for(0) && read_request(text).asks_for(63)) << text;
		EXPECT_FALSE(read_request(text).asks_for(64)) << text;
	}
	EXPECT_FALSE(read_request("direct,all").asks_for(0));
}

// Nothing of it counts.
TEST(requests, with_a_mistake_count_as_not_made)
{
	for (const char *text :
	     {"", "other", "static,", ",static", "static,,1", "static,queue", "static,static", "64", "-1", "+1", "1 ",
	      " 1", "1x", "0x1", "99999999999", "all,any", "Latency", "latency;1"}) {
		const request r = read_request(text);
		EXPECT_FALSE(r.is_understood) << text;
		EXPECT_FALSE(r.is_set) << text;
		EXPECT_EQ(r.chosen, &latency_policy()) << text;
		EXPECT_FALSE(r.asks_for(0) || r.asks_for(1)) << text;
	}
}

// Three vessels: begin at 0, 10 and 1000 ns, one byte a ns each.
TEST(policies, fill_paths_like_vessels)
{
	estimate slow, fast, late;
	for (unsigned i = 0; i < 200; i++) {
		fast.saw_next(1000, 1000);
		slow.saw_first(1000, i ? 1010 : 1000);
		late.saw_first(1000, i ? 2000 : 1000);
	}
	candidate all[] = {{0, &fast, 0}, {1, &slow, 0}, {2, &late, 0}};
	EXPECT_NEAR(end_of({100, all, 0}, 1), 100, 1);
	EXPECT_NEAR(end_of({100, all, 0}, 3), 55, 1);
	EXPECT_NEAR(end_of({100, all, 0}, 7), 55, 1);
	EXPECT_EQ(quickest({100, all, 0}, 7).carriers, 3);
	EXPECT_EQ(quickest({8, all, 0}, 7).carriers, 1);
	EXPECT_EQ(quickest({100'000, all, 0}, 7).carriers, 7);
	// What this process has under way begins first.
	all[0].ahead = 5000;
	EXPECT_EQ(quickest({100, all, 0}, 7).carriers, 2);
	EXPECT_EQ(queue_policy().choose({100, all, 1}), 6);
	EXPECT_EQ(direct_policy().choose({100, all, 1}), 1);
	EXPECT_EQ(static_policy().choose({100, all, 1}), 7);
}

// Both links have much of this process under way, so a copy takes the one that is free first: the other, by a little
// and then by much, from the direct path and back.
TEST(policies, leave_for_more_than_the_noise)
{
	for (unsigned now : {0, 1}) {
		for (uint64_t ns : {95'000, 60'000}) {
			estimate known[2];
			known[now].saw_next(mib, 100'000);
			known[1 - now].saw_next(mib, ns);
			const candidate both[] = {{0, &known[0], 100 * mib}, {1, &known[1], 100 * mib}};
			path_set chosen = latency_policy().choose({mib / 16, both, only(now)});
			EXPECT_EQ(chosen, only(ns == 95'000 ? now : 1 - now));
		}
	}
}

// The other path should end the copy a fifth earlier. That is worth it as long as what was seen is steady.
TEST(policies, stay_while_noise_is_more_than_the_gain)
{
	for (unsigned noisy : {0, 1}) {
		estimate known[2];
		for (unsigned i = 0; i < 64; i++)
			known[0].saw_next(mib, noisy ? 100'000 + (i % 2 ? 25'000 : -20'000) : 100'000);
		for (unsigned i = 0; i < 64; i++)
			known[1].saw_next(mib, 80'000);
		EXPECT_NEAR(known[0].rate(), double(mib) / 100'000, 0.3);
		const candidate both[] = {{0, &known[0], 100 * mib}, {1, &known[1], 100 * mib}};
		EXPECT_EQ(latency_policy().choose({mib / 16, both, only(0)}), only(noisy ? 0 : 1));
	}
}

// DLL's second threshold: the other path would still be quicker than the direct one, but somebody else fills it. It is
// taken only by a copy whose own paths are as full.
TEST(policies, do_not_leave_for_a_path_that_is_congested)
{
	for (bool all_are_full : {false, true}) {
		estimate known[2];
		auto fill = [](estimate &e, uint64_t before, uint64_t now) {
			e.saw_next(mib, before);
			for (unsigned i = 0; i < 40; i++)
				e.saw_next(mib, now);
		};
		fill(known[0], all_are_full ? 10'000 : 100'000, 100'000);
		fill(known[1], 5'000, 50'000);
		EXPECT_EQ(known[0].is_congested(), all_are_full);
		EXPECT_TRUE(known[1].is_congested());
		const candidate both[] = {{0, &known[0], 100 * mib}, {1, &known[1], 100 * mib}};
		EXPECT_EQ(latency_policy().choose({mib / 16, both, only(0)}), only(all_are_full ? 1 : 0));
	}
}

TEST_F(two_gpus, share_a_copy_in_both_directions)
{
	for (direction d : {direction::to_device, direction::to_host}) {
		open("direct");
		machine alone;
		uint64_t direct = usual(alone, 256 * mib, 3, d);
		EXPECT_EQ(alone.carried[1], 0u);
		open("latency");
		machine m;
		EXPECT_GT(double(direct) / double(usual(m, 256 * mib, 9, d)), 1.9);
	}
}

TEST_F(two_gpus, four_share_by_what_they_can_carry)
{
	open("latency", 4);
	machine m([](link l, uint64_t) { return l == pcie_link(2, direction::to_device) ? 0.5 : 0.0; });
	usual(m, 256 * mib, 15);
	m.carried[1] = m.carried[2] = 0;
	uint64_t took = usual(m, 256 * mib, 15);
	EXPECT_NEAR(double(256 * mib) / double(took), 55 * 3.5, 55 * 0.25);
	EXPECT_NEAR(double(m.carried[2]) / double(m.carried[1]), 0.5, 0.08);
}

// Others leave the direct path almost nothing. All that it carries after the first copies are questions.
// Of both paths, and of small copies, which go directly.
TEST_F(two_gpus, tell_when_a_copy_should_end)
{
	open("latency");
	machine m([](link l, uint64_t) { return loaded(l, pcie_link(1, direction::to_device), 0.5); });
	EXPECT_EQ(of[0].expected_ns(64 * mib, m.under_way), 0);
	usual(m, 64 * mib, 100);
	const double took = double(usual(m, 64 * mib));
	EXPECT_NEAR(of[0].expected_ns(64 * mib, m.under_way), took, took / 8);
	EXPECT_NEAR(of[0].expected_ns(4 * mib, m.under_way), double(4 * mib) / 55, double(mib) / 55);
	EXPECT_EQ(of[0].carried(0), m.carried[0]);
	EXPECT_EQ(of[0].carried(1), m.carried[1]);
	m.under_way.add(route_of(0, 0, direction::to_device), 64 * mib);
	EXPECT_GT(of[0].expected_ns(64 * mib, m.under_way), 1.2 * took);
}

TEST_F(two_gpus, leave_a_path_that_others_fill)
{
	machine m([](link l, uint64_t) { return loaded(l, pcie_link(0, direction::to_device), 0.97); });
	open("latency");
	usual(m, 64 * mib, 20);
	m.carried[0] = m.carried[1] = 0;
	uint64_t took = usual(m, 256 * mib, 20);
	EXPECT_LT(double(took), 1.06 * double(256 * mib) / 55);
	EXPECT_LT(m.carried[0], m.carried[1] / 20);
}

TEST_F(two_gpus, share_copies_that_one_path_could_take_at_once)
{
	machine m;
	open("latency");
	EXPECT_LT(double(usual(m, 8 * mib, 15)), 0.65 * double(8 * mib) / 55);
	EXPECT_GT(m.carried[1], m.carried[0] / 2);
}

// What came while nobody looked came at no time that is known.
TEST_F(two_gpus, learn_nothing_while_away)
{
	for (uint64_t away : {100'000, 1'000'000}) {
		machine m;
		m.nap(away);
		open("latency");
		usual(m, 64 * mib, 40);
		for (unsigned path : {0, 1}) {
			EXPECT_NEAR(of[0].known(path, 64 * mib).rate(), 55, 12);
			EXPECT_FALSE(of[0].known(path, 64 * mib).is_congested());
		}
	}
}

TEST_F(two_gpus, drop_a_path_that_fails_again)
{
	open("static");
	for (unsigned i = 0; i < 2; i++)
		EXPECT_FALSE(of[0].failed(1));
	EXPECT_EQ(of[0].present(), 3);
	EXPECT_TRUE(of[0].failed(1));
	EXPECT_EQ(of[0].present(), 1);
	of[0].add(1);
	EXPECT_FALSE(of[0].failed(1));
}

// With seven idle peers that are all too slow to be used.
TEST_F(two_gpus, ask_with_a_hundredth_of_all_bytes)
{
	machine m([](link l, uint64_t) { return l % 2 == 0 && l > 0 && l < 2 * most_gpus ? 0.995 : 0.0; });
	open("latency", most_gpus);
	usual(m, 64 * mib, 40);
	size_t before[most_gpus], others = 0;
	std::copy(m.carried, m.carried + most_gpus, before);
	usual(m, 64 * mib, 400);
	for (unsigned path = 1; path < most_gpus; path++) {
		EXPECT_GT(m.carried[path], before[path]) << path;
		others += m.carried[path] - before[path];
	}
	EXPECT_LT(others, 400 * 64 * mib / 100);
}

// One that answers before the copy ends, and is worth nothing all the same. The least question is more than a hundredth
// of a small copy, so there is one in some of these alone.
TEST_F(two_gpus, ask_in_some_small_copies_alone)
{
	machine m([](link l, uint64_t) { return loaded(l, pcie_link(1, direction::to_device), 0.95); });
	open("latency");
	usual(m, 8 * mib, 100);
	const size_t before = m.carried[1];
	usual(m, 8 * mib, 1000);
	EXPECT_EQ(of[0].taken(8 * mib), only(0));
	EXPECT_GT(m.carried[1], before);
	EXPECT_LT(m.carried[1] - before, 1000 * 8 * mib / 99);
}

// Its answer comes after the copy's end, which waits for it. So a twentieth of the time may go there, not a hundredth
// of the bytes.
TEST_F(two_gpus, wait_for_a_slow_path_for_a_twentieth_of_the_time)
{
	machine m([](link l, uint64_t) { return loaded(l, pcie_link(1, direction::to_device), 0.995); });
	open("latency");
	usual(m, 64 * mib, 100);
	const size_t before = m.carried[1];
	const uint64_t begin = now;
	usual(m, 64 * mib, 1000);
	const double asked = double(m.carried[1] - before) / (55 * 0.005);
	EXPECT_GT(asked, double(now - begin) / 40);
	EXPECT_LT(asked, double(now - begin) / 20);
}

TEST_F(two_gpus, ask_a_path_that_carries_nothing)
{
	machine m([](link l, uint64_t ns) {
		return ns < 400 * ms ? loaded(l, pcie_link(1, direction::to_device), 0.99) : 0.0;
	});
	open("latency");
	while (now < 400 * ms)
		copy(m, 64 * mib);
	EXPECT_LT(m.carried[1], m.carried[0] / 33) << "of which a hundredth are questions";
	EXPECT_GT(m.carried[1], 0u);
	uint64_t before = now;
	while (double(64 * mib) / double(copy(m, 64 * mib)) < 100 && now < before + 1000 * ms)
		;
	EXPECT_LT(now - before, 100 * ms) << "until it is noticed that the path is free";
}

// Others fill the relay's link but for a pause now and then: a copy that asks there waits for the pause.
TEST_F(two_gpus, seldom_ask_where_the_answer_takes_long)
{
	machine m([](link l, uint64_t ns) {
		return l == pcie_link(1, direction::to_device) && ns % (105 * ms) < 100 * ms ? 1.0 : 0.0;
	});
	open("latency");
	usual(m, 64 * mib, 20);
	const uint64_t before = now, direct = uint64_t(64 * mib / 55) + 8000;
	EXPECT_LT(double(usual(m, 64 * mib, 999)), 1.02 * double(direct));
	RecordProperty("mean", std::to_string(double(now - before) / 999 / double(direct)));
	EXPECT_LT(double(now - before) / 999, 1.05 * double(direct));
}

TEST_F(two_gpus, do_not_swing_under_constant_load)
{
	for (double share : {0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99}) {
		for (link which : {pcie_link(0, direction::to_device), pcie_link(1, direction::to_device)}) {
			for (double noise : {0.0, 0.1, 0.3}) {
				machine m([=](link l, uint64_t) { return loaded(l, which, share); }, noise);
				open("latency");
				usual(m, 64 * mib, 60);
				uint64_t settled = of[0].switches();
				usual(m, 64 * mib, 300);
				EXPECT_LE(of[0].switches(), settled + 1)
					<< share << " of link " << unsigned(which) << ", noise " << noise;
			}
		}
	}
}

// All histories of three phases, or four, with three loads on each PCIe link, which change every 50 ms. The bound is
// the best single path of each phase in hindsight, which knows the loads beforehand.
TEST_F(two_gpus, all_small_load_histories)
{
	constexpr double loads[] = {0, 0.6, 0.97};
	constexpr unsigned kinds = 9;
	constexpr uint64_t phase = 50 * ms;
	const unsigned phases = getenv("HET_TEST_FULL") ? 4 : 3;
	double worst = 0, sum = 0;
	const auto histories = unsigned(std::pow(kinds, phases));
	for (unsigned history = 0; history < histories; history++) {
		unsigned kind[] = {history % 9, history / 9 % 9, history / 81 % 9, history / 729};
		machine m(
			[&](link l, uint64_t ns) {
				unsigned k = kind[std::min<uint64_t>(ns / phase, phases - 1)];
				return l == pcie_link(0, direction::to_device)   ? loads[k % 3]
				       : l == pcie_link(1, direction::to_device) ? loads[k / 3]
										 : 0.0;
			},
			0.05);
		open("latency");
		now = 0;
		double moved = 0, best = 0;
		for (; now < phases * phase; moved += double(32 * mib))
			copy(m, 32 * mib);
		for (unsigned i = 0; i < phases; i++)
			best += double(phase) * 55 * (1 - std::min(loads[kind[i] % 3], loads[kind[i] / 3]));
		double ratio = best / moved * double(now) / double(phases * phase);
		worst = std::max(worst, ratio);
		sum += ratio;
	}
	RecordProperty("worst", std::to_string(worst));
	RecordProperty("mean", std::to_string(sum / histories));
	EXPECT_LT(worst, 1.9) << "time over that of the best single path";
	EXPECT_LT(sum / histories, 0.9);
}

// A link serves others' copy engines alone for 50 ms, then it is the other one: what an engine of ours was given just
// before waits so long. All that one path could carry in hindsight takes as long as the whole. Kernels share the link.
TEST_F(two_gpus, carry_by_kernels_where_links_stop)
{
	double over_best[2];
	for (bool kernels : {false, true}) {
		machine m([](link l, uint64_t ns) {
			const unsigned full = ns / (50 * ms) % 2;
			return l == pcie_link(full, direction::to_device) ? 2.0 : 0.0;
		});
		now = 0;
		open("latency");
		for (unsigned path : {0, 1}) {
			if (kernels)
				of[0].add_kernel(path);
		}
		double moved = 0;
		for (; now < 500 * ms;)
			copy(m, 32 * mib);
		const uint64_t begin = now;
		for (; now < begin + 2000 * ms; moved += double(32 * mib))
			copy(m, 32 * mib);
		over_best[kernels] = double(now - begin) / (moved / 55);
	}
	RecordProperty("over_best", std::to_string(over_best[1]));
	RecordProperty("over_best_without", std::to_string(over_best[0]));
	EXPECT_GT(over_best[0], 1.3);
	EXPECT_LT(over_best[1], 0.9);
}

TEST_F(two_gpus, go_on_without_a_path_that_fails)
{
	for (unsigned after = 0; after < 12; after++) {
		machine m;
		open("static");
		m.fail(1, after);
		copy(m, 64 * mib);
		EXPECT_EQ(of[0].present(), only(0));
		size_t carried = m.carried[1];
		copy(m, 64 * mib);
		EXPECT_EQ(m.carried[1], carried);
	}
}

// Two GPUs are copied to at the same time: each finds the other's link in use, and both take their own.
TEST(choosers, of_two_gpus_keep_out_of_each_others_way)
{
	machine m;
	chooser c[2];
	uint64_t now = 0;
	for (unsigned gpu : {0, 1}) {
		c[gpu].open(gpu, direction::to_device, latency_policy());
		c[gpu].add(1 - gpu);
		for (unsigned i = 0; i < 9; i++)
			now = m.copy(c[gpu], {gpu, direction::to_device}, 256 * mib, now);
	}
	EXPECT_EQ(c[0].choose(256 * mib, m.under_way).carriers, 3);
	for (unsigned gpu : {0, 1})
		m.under_way.add(route_of(gpu, gpu, direction::to_device), 256 * mib);
	for (unsigned gpu : {0, 1}) {
		traffic others;
		others.add(route_of(1 - gpu, 1 - gpu, direction::to_device), 256 * mib);
		chooser &mine = c[gpu];
		path_set taken = 0;
		for (unsigned i = 0; i < 4; i++)
			taken = mine.choose(256 * mib, others).carriers;
		EXPECT_EQ(taken & only(gpu), only(gpu));
	}
}

// Copies from GPU 0 to GPU 1, with two more beside them. Returns the mean time of one, when that has settled.
double between_two(machine &m, const policy &p, size_t bytes)
{
	const journey j = {1, direction::between, 0};
	chooser c;
	c.open(j, p);
	for (unsigned path : {0, 2, 3})
		c.add(path);
	constexpr unsigned times = 200;
	uint64_t now = 0, begin = 0;
	for (unsigned i = 0; i < 2 * times; i++) {
		begin = i == times ? now : begin;
		now = m.copy(c, j, bytes, now);
	}
	return double(now - begin) / times;
}

// Two GPUs are copied to at once, one of them a little later. Until then its link helps the other's copy. At the end
// of both no link has stood still for long: nearly all is as if each copy were one piece by its own link.
TEST(choosers, of_two_gpus_end_together)
{
	constexpr uint64_t us = 1000;
	double worst = 0;
	for (uint64_t later : {5 * us, 10 * us, 30 * us, 60 * us, 150 * us, 300 * us, ms, 3 * ms}) {
		machine m;
		m.pause(5 * us);
		chooser c[2];
		std::vector<machine::job> both;
		for (unsigned gpu : {0, 1}) {
			c[gpu].open(gpu, direction::to_device, latency_policy());
			c[gpu].add(1 - gpu);
			both.push_back({c[gpu], {gpu, direction::to_device}, 256 * mib, 0});
		}
		uint64_t now = 0, took = 0;
		for (unsigned i = 0; i < 20; i++) {
			both[0].begin = now;
			both[1].begin = now + later;
			took = m.copy_at_once(both) - now;
			now += took + ms;
		}
		const double direct = double(later) + double(256 * mib) / 55 + 8000;
		worst = std::max(worst, double(took) / direct);
	}
	RecordProperty("worst", std::to_string(worst));
	EXPECT_LT(worst, 1.02);
}

TEST(choosers, share_copies_between_gpus_where_that_pays)
{
	machine alone, m;
	double direct = between_two(alone, direct_policy(), 256 * mib);
	EXPECT_LT(between_two(m, latency_policy(), 256 * mib), 0.5 * direct) << "with 3.14 times the rate";
}

// All that leaves a GPU takes one port, so only the host's way is worth anything: a seventh of that.
TEST(choosers, do_not_share_copies_between_gpus_where_that_does_not_pay)
{
	machine alone, m;
	alone.join_by_switch();
	m.join_by_switch();
	double direct = between_two(alone, direct_policy(), 256 * mib);
	EXPECT_LT(between_two(m, latency_policy(), 256 * mib), 1.02 * direct);
}

TEST(choosers, leave_a_link_between_gpus_that_others_fill)
{
	auto loaded_link = [](link l, uint64_t) { return loaded(l, peer_link(0, 1), 0.99); };
	machine m(loaded_link), alone(loaded_link);
	double direct = between_two(alone, direct_policy(), 256 * mib);
	EXPECT_LT(between_two(m, latency_policy(), 256 * mib), 0.02 * direct);
}

TEST(choosers, take_the_host_s_way_between_gpus_only_where_the_link_is_full)
{
	const journey j = {1, direction::between, 0};
	chooser c;
	c.open(j, latency_policy());
	c.add(0);
	uint64_t now = 0;
	machine m([](link l, uint64_t ns) { return ns > 100 * ms ? loaded(l, peer_link(0, 1), 0.99) : 0; });
	for (; now < 100 * ms; now = m.copy(c, j, 64 * mib, now))
		;
	EXPECT_EQ(m.carried[0], 0u);
	for (unsigned i = 0; i < 100; i++)
		now = m.copy(c, j, 64 * mib, now);
	EXPECT_GT(m.carried[0], 50 * 64 * mib);
}

// Whole copies were quicker by the direct path: it makes the next ones, after each trial for twice as long.
TEST(choosers, try_again_after_sharing_was_in_vain)
{
	const journey j = {1, direction::between, 0};
	estimate quick;
	quick.saw_next(mib, 3000);
	traffic nothing;
	chooser c;
	c.open(j, latency_policy());
	c.add(2);
	unsigned alone = 0, trials = 0, most = 0;
	c.learn(1, 256 * mib, mib, quick);
	c.passed(256 * mib, 700'000, only(1));
	c.learn(2, 256 * mib, mib, quick);
	for (unsigned i = 0; i < 400; i++) {
		const bool shared = c.choose(256 * mib, nothing).carriers != only(1);
		c.passed(256 * mib, 700'000, shared ? 6 : 2);
		trials += shared;
		alone = shared ? 0 : alone + 1;
		most = std::max(most, alone);
	}
	EXPECT_GE(trials, 8u);
	EXPECT_LE(trials, 14u);
	EXPECT_EQ(most, 64u);
	// The direct link gets slow: the others help at once.
	estimate slow;
	slow.saw_next(mib, 30'000);
	while (c.choose(256 * mib, nothing).carriers != only(1))
		c.passed(256 * mib, 700'000, 6);
	c.learn(1, 256 * mib, mib, slow);
	EXPECT_NE(c.choose(256 * mib, nothing).carriers, only(1));
}

TEST(splitters, cut_no_piece_across_an_end)
{
	const size_t ends[] = {3 * mib, 3 * mib + 100, 20 * mib, 21 * mib + 7};
	estimate known[most_paths];
	splitter s(ends, {.carriers = 3}, 0, known, 0);
	size_t at = 0;
	for (uint64_t now = 1; !s.is_done(); now += 1000) {
		for (unsigned path : {0, 1}) {
			piece p = s.take(path, now);
			if (!p.bytes)
				continue;
			EXPECT_EQ(p.offset, at);
			at += p.bytes;
			EXPECT_LE(p.bytes, to_and_from_host.resting);
			EXPECT_EQ(std::upper_bound(ends, std::end(ends), p.offset),
				  std::lower_bound(ends, std::end(ends), at));
			s.arrived(path, 1, now + 500, 0);
		}
	}
	EXPECT_EQ(at, 21 * mib + 7);
}

TEST(splitters, give_no_more_than_the_depth)
{
	const size_t size = 64 * mib;
	estimate known[most_paths];
	splitter s({&size, 1}, {.carriers = 1}, 0, known, 0);
	for (size_t i = 0; i < splitter::pieces_under_way; i++)
		EXPECT_EQ(s.take(0, 1).bytes, splitter::most_relayed);
	EXPECT_EQ(s.take(0, 1).bytes, 0u);
	EXPECT_EQ(s.take(1, 1).bytes, 0u) << "which is no path of this copy";
}

// A relay that rests carries nothing, however good it was: the copy would never end if the direct path waited for it.
TEST(splitters, do_not_leave_bytes_to_a_path_that_rests)
{
	const size_t size = 64 * mib;
	estimate known[most_paths];
	known[0].saw_next(mib, 100 * ms);
	known[1].saw_next(mib, 20'000);
	for (size_t question : {size_t{0}, mib}) {
		splitter s({&size, 1}, {.carriers = 3, .question = question}, 0, known, 0);
		EXPECT_EQ(s.take(0, 1).bytes, 0u);
		s.rests(1, true);
		EXPECT_GT(s.take(0, 1).bytes, 0u);
	}
	splitter alone({&size, 1}, {.carriers = 2}, 0, known, 0);
	EXPECT_EQ(alone.paths(1), 2);
	alone.rests(1, true);
	EXPECT_EQ(alone.paths(1), 3) << "of which the one that rests may wake up";
	EXPECT_GT(alone.take(0, 1).bytes, 0u);
	alone.rests(1, false);
	EXPECT_EQ(alone.paths(1), 2);
}

TEST(splitters, give_larger_pieces_while_relays_rest)
{
	const size_t size = 256 * mib;
	estimate known[most_paths];
	splitter s({&size, 1}, {.carriers = 3}, 0, known, 0);
	EXPECT_EQ(s.take(0, 1).bytes, splitter::most_relayed);
	s.rests(1, true);
	EXPECT_EQ(s.take(0, 1).bytes, to_and_from_host.resting);
	EXPECT_EQ(s.take(0, 1).bytes, 0u) << "two are under way";
	s.arrived(0, 2, 2, 0);
	s.rests(1, false);
	EXPECT_EQ(s.take(1, 3).bytes, splitter::first_relayed);
	EXPECT_EQ(s.take(0, 3).bytes, splitter::most_relayed);
	s.arrived(1, 1, 4, 0);
	EXPECT_EQ(s.take(1, 4).bytes, splitter::most_relayed);
}

// Where the others rest to the end, too, there is a half for them until little is left.
TEST(splitters, leave_something_to_those_that_rest)
{
	const size_t size = 256 * mib;
	estimate known[most_paths];
	splitter s({&size, 1}, {.carriers = 3}, 0, known, 0);
	s.rests(1, true);
	size_t left = size;
	unsigned pieces = 0;
	for (uint64_t now = 1; !s.is_done(); now++) {
		for (piece p = s.take(0, now); p.bytes; p = s.take(0, now)) {
			EXPECT_LE(p.bytes, std::max(left / 2, std::min(left, to_and_from_host.alone)));
			left -= p.bytes;
			pieces++;
		}
		EXPECT_LE(s.under_way(0), 2u);
		ASSERT_GT(s.under_way(0), 0u);
		s.arrived(0, 1, now, 0);
	}
	EXPECT_LE(pieces, 10u) << "as an engine pauses behind each";
}

// The copy takes longer than expected, and both others are spare: the one that answers soon is asked first.
TEST(splitters, ask_a_slow_path_when_its_answer_could_be_there)
{
	const size_t size = 64 * mib;
	estimate known[most_paths];
	known[0].saw_next(mib, 20'000);
	known[1].saw_next(mib, 20'000);
	known[2].saw_next(mib, 50 * ms);
	splitter s({&size, 1}, {.carriers = 1, .spare = 6, .question = mib}, 0, known, 0);
	EXPECT_EQ(s.paths(ms), 1);
	EXPECT_EQ(s.paths(3 * ms), 3);
	EXPECT_EQ(s.paths(40 * ms), 3);
	EXPECT_EQ(s.paths(60 * ms), 7);
}

// The relay answers long after the direct path has done everything.
TEST(splitters, do_not_cut_small_pieces_for_a_path_that_begins_too_late)
{
	const size_t size = 64 * mib;
	estimate known[most_paths];
	for (unsigned path : {0, 1})
		known[path].saw_next(mib, 20'000);
	known[1].saw_first(mib, 100 * ms);
	splitter s({&size, 1}, {.carriers = 3, .question = mib}, 0, known, 0);
	EXPECT_EQ(s.paths(1), 1);
	for (uint64_t now = 1; !s.is_done(); now += 160'000) {
		EXPECT_EQ(s.take(0, now).bytes, to_and_from_host.alone);
		s.arrived(0, 1, now + 160'000, 0);
	}
}

TEST(choosers, take_kernels_for_some_time_after_a_stall)
{
	traffic nothing;
	chooser c;
	c.open(0, direction::to_device, latency_policy());
	c.add(1);
	auto by_kernel = [&] { return c.choose(64 * mib, nothing).by_kernel; };
	c.stalled(0, 6 * ms);
	EXPECT_EQ(by_kernel(), 0) << "where there is none";
	c.add(1);
	c.add_kernel(0);
	c.add_kernel(1);
	EXPECT_EQ(by_kernel(), only(0));
	c.stalled(1, ms);
	EXPECT_EQ(by_kernel(), only(0)) << "as the other one was short";
	c.passed(64 * mib, 500 * ms, 1);
	EXPECT_EQ(by_kernel(), only(0));
	c.kernel_waited(0);
	EXPECT_EQ(by_kernel(), 0) << "while others have the multiprocessors";
	c.passed(64 * mib, 60 * ms, 1);
	EXPECT_EQ(by_kernel(), only(0));
	c.passed(64 * mib, 41 * ms, 1);
	EXPECT_EQ(by_kernel(), 0);
	c.stalled(1, 6 * ms);
	EXPECT_EQ(by_kernel(), only(1));
	c.drop(1);
	EXPECT_EQ(by_kernel(), 0);
}

// What a kernel has carried, slowly, is not what is expected of the engine.
TEST(choosers, know_kernels_apart)
{
	traffic nothing;
	chooser c;
	c.open(0, direction::to_device, latency_policy());
	c.add_kernel(0);
	estimate engine, kernel;
	engine.saw_next(mib, 20'000);
	kernel.saw_next(mib, 100'000);
	c.learn(0, 64 * mib, mib, engine);
	const double before = c.expected_ns(64 * mib, nothing);
	c.stalled(0, 6 * ms);
	EXPECT_FALSE(c.known(0, 64 * mib).known());
	c.learn(0, 64 * mib, mib, kernel, true);
	EXPECT_NEAR(c.expected_ns(64 * mib, nothing), 5 * before, before / 10);
	c.passed(64 * mib, 601 * ms, 1);
	EXPECT_EQ(c.expected_ns(64 * mib, nothing), before);
}

// Kernels find the link full, or half full, or free.
TEST(choosers, return_to_the_engine_when_the_link_is_free)
{
	traffic nothing;
	for (uint64_t ns : {200'000, 40'000, 21'000}) {
		chooser c;
		c.open(0, direction::to_device, latency_policy());
		c.add_kernel(0);
		estimate engine, kernel;
		engine.saw_next(mib, 19'000);
		kernel.saw_next(mib, ns);
		c.learn(0, 64 * mib, mib, engine);
		c.stalled(0, 10 * ms);
		for (unsigned i = 0; i < 80; i++) {
			EXPECT_EQ(c.choose(64 * mib, nothing).by_kernel, ns > 30'000 || i <= 75);
			c.learn(0, 64 * mib, mib, kernel, true);
			c.passed(64 * mib, 2 * ms, only(0));
		}
	}
}

TEST(splitters, tell_how_long_a_piece_has_waited)
{
	const size_t size = 64 * mib;
	estimate known[most_paths];
	known[0].saw_next(mib, 20'000);
	splitter s({&size, 1}, {.carriers = 1}, 0, known, 0);
	EXPECT_EQ(s.take(0, 1).bytes, to_and_from_host.alone);
	s.arrived(0, 1, 160'001, 0);
	EXPECT_LT(s.stall(0), 10'000u);
	EXPECT_GT(s.take(0, 160'001).bytes, 0u);
	s.arrived(0, 1, 10 * ms, 9 * ms);
	EXPECT_LT(s.stall(0), 2 * ms) << "as nobody knows when it has arrived";
	EXPECT_GT(s.take(0, 10 * ms).bytes, 0u);
	s.arrived(0, 1, 20 * ms, 0);
	EXPECT_GT(s.stall(0), 9 * ms);
}

TEST(splitters, cut_again_what_is_taken_back)
{
	const size_t size = 32 * mib;
	estimate known[most_paths];
	for (unsigned path : {0, 1})
		known[path].saw_next(mib, 20'000);
	for (unsigned path : {0, 1}) {
		splitter s({&size, 1}, {.carriers = 3}, 0, known, 0);
		EXPECT_GT(s.take(path, 5).bytes, 0u);
		EXPECT_GT(s.take(path, 7).bytes, 0u);
		EXPECT_EQ(s.waits_since(path), 5u);
		s.taken_back(path);
		EXPECT_EQ(s.under_way(path), 0u);
		size_t carried[2] = {};
		for (uint64_t now = 10; !s.is_done(); now += 80'000) {
			for (unsigned by : {path, 1 - path}) {
				const piece p = s.take(by, now);
				carried[by] += p.bytes;
				if (p.bytes)
					s.arrived(by, 1, now + 80'000, 0);
			}
		}
		EXPECT_EQ(carried[0] + carried[1], size);
		EXPECT_GT(carried[path], size / 4) << "by the same path";
	}
}

TEST(splitters, do_not_wait_for_a_path_that_hangs)
{
	const size_t size = 8 * mib;
	estimate known[most_paths];
	for (unsigned path : {0, 1})
		known[path].saw_next(mib, 20'000);
	splitter s({&size, 1}, {.carriers = 3}, 0, known, 0);
	EXPECT_GT(s.take(1, 0).bytes, 0u);
	uint64_t now = 10 * ms;
	EXPECT_TRUE(s.is_overdue(1, now));
	size_t carried = 0;
	for (piece p = s.take(0, now); p.bytes; p = s.take(0, now)) {
		now += 20'000;
		carried += p.bytes;
		s.arrived(0, 1, now, 0);
	}
	EXPECT_EQ(carried + splitter::first_relayed, size) << "all but the piece that hangs";
	s.arrived(1, 1, now + ms, 0);
	EXPECT_TRUE(s.is_done());
}

} // namespace het::paths::test
