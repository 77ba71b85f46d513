// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/chase.h"
#include "micro/stream.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <span>

using namespace micro;

namespace
{

// Writes down what a kernel's work accesses.
struct listener final : tracer {
	std::vector<std::pair<access_kind, uint64_t>> all;
	void on(access_kind how, uint64_t address, unsigned) override { all.emplace_back(how, address); }
};

std::vector<uint64_t> places(const listener &l, const void *base)
{
	std::vector<uint64_t> p;
	for (const auto &[how, address] : l.all)
		p.push_back((address - reinterpret_cast<uintptr_t>(base)) / 4);
	return p;
}

} // namespace

TEST(random_ring, visits_each_place_once)
{
	random_stream random(1);
	const ring r = random_ring(4096, 64, random);
	const std::vector<uint32_t> words = r.words();
	ASSERT_EQ(r.order.size(), 64u);
	std::set<uint32_t> seen;
	uint32_t at = r.order[0];
	for (int i = 0; i < 64; i++) {
		EXPECT_EQ(at % 16, 0u);
		EXPECT_EQ(at, r.after(uint64_t(i) + 640));
		seen.insert(at);
		at = words[at];
	}
	EXPECT_EQ(seen.size(), 64u);
	EXPECT_EQ(at, r.order[0]);
	EXPECT_FALSE(std::is_sorted(r.order.begin(), r.order.end()));
}

TEST(paired_ring, visits_two_places_of_each_block)
{
	random_stream random(1);
	const ring r = paired_ring(8192, 1024, 32, random);
	ASSERT_EQ(r.order.size(), 16u);
	for (size_t i = 0; i < r.order.size(); i += 2) {
		EXPECT_EQ(r.order[i] % 256, 0u);
		EXPECT_EQ(r.order[i + 1], r.order[i] + 8);
	}
}

// The paper's listing 1: index = data[index].
TEST(chase, follows_the_ring)
{
	random_stream random(2);
	const ring r = random_ring(2048, 64, random);
	// The kernel makes the ring that the host would.
	std::vector<uint32_t> words(512), order = r.order;
	const argument of_ring[] = {words.data(), order.data(), int(order.size()), 0, 2};
	chase_link.host(arguments(of_ring), 0, 2);
	ASSERT_EQ(words, r.words());
	uint32_t end = 0;
	const argument a[] = {words.data(), &end, int(r.order[0]), 5, 40};
	listener l;
	chase_global.traced(arguments(a), 0, l);
	ASSERT_EQ(l.all.size(), 45u);
	const std::vector<uint64_t> p = places(l, words.data());
	for (size_t i = 0; i < p.size(); i++)
		EXPECT_EQ(p[i], r.after(i));
	EXPECT_EQ(end, r.after(45));
	end = 0;
	chase_global.host(arguments(a), 0, 1);
	EXPECT_EQ(end, r.after(45));
}

TEST(stream, each_order_visits_every_element)
{
	for (order o : orders) {
		if (o == order::random)
			continue; // it takes the low bits of a permutation of 32
		std::set<uint32_t> seen;
		for (uint32_t i = 0; i < 1024; i++)
			seen.insert(element_at(o, i, 1023));
		EXPECT_EQ(seen.size(), 1024u) << name_of(o);
	}
}

TEST(stream, shifted_neighbours_share_no_line)
{
	for (uint32_t i = 0; i < 1000; i++) {
		const uint32_t a = element_at(order::shifted, i, 0xffff), b = element_at(order::shifted, i + 1, 0xffff);
		EXPECT_GE(std::max(a, b) - std::min(a, b), 32u);
	}
}

TEST(stream, host_and_trace_do_the_same)
{
	constexpr uint32_t n = 256, threads = 16, rounds = 5;
	for (deed d : deeds) {
		for (order o : orders) {
			std::vector<uint32_t> from(n), to[2], sums[2];
			for (uint32_t i = 0; i < n; i++)
				from[i] = i * i;
			listener l;
			for (int way : {0, 1}) {
				to[way].resize(n);
				sums[way].resize(threads);
				const argument a[] = {from.data(),      to[way].data(),
						      sums[way].data(), int(n - 1),
						      int(threads),     3,
						      int(rounds),      77};
				const kernel &k = stream_kernel(d, o);
				if (way == 0)
					k.host(arguments(a), 0, threads);
				for (uint32_t t = 0; way == 1 && t < threads; t++)
					k.traced(arguments(a), t, l);
			}
			EXPECT_EQ(to[0], to[1]);
			EXPECT_EQ(sums[0], sums[1]);
			EXPECT_EQ(l.all.size(), size_t{threads} * rounds * (d == deed::both ? 2 : 1));
			// Thread 1's second round: place 1 + (3 + 1) * 16 of the order.
			const size_t each = rounds * (d == deed::both ? 2u : 1u),
				     second = each + (d == deed::both ? 2 : 1);
			const void *base = d == deed::write ? to[1].data() : from.data();
			EXPECT_EQ(places(l, base)[second], element_at(o, 65, n - 1)) << name_of(d) << name_of(o);
		}
	}
}
