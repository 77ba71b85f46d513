// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/arithmetic.h"
#include "micro/chase.h"
#include "micro/patterns.h"
#include "micro/stream.h"
#include "micro/texture.h"

#include <algorithm>
#include <bit>
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

TEST(ring_of_pages, uses_all_lines_of_pages_alike)
{
	random_stream random(1);
	const ring r = ring_of_pages(200, 4096, 64, random);
	ASSERT_EQ(r.order.size(), 200u);
	EXPECT_EQ(r.bytes, 200u * 4096);
	std::set<uint32_t> pages;
	std::vector<unsigned> lines(64), sets(240);
	for (uint32_t place : r.order) {
		pages.insert(place / 1024);
		lines[place % 1024 / 16]++;
		sets[place / 16 % sets.size()]++;
	}
	EXPECT_EQ(pages.size(), 200u);
	EXPECT_LE(*std::max_element(lines.begin(), lines.end()), 4u);
	EXPECT_GE(*std::min_element(lines.begin(), lines.end()), 3u);
	// A stride of 65 lines would use 48 of them.
	EXPECT_GT(std::count_if(sets.begin(), sets.end(), [](unsigned n) { return n > 0; }), 100);
}

// The paper's listing 1: index = data[index].
TEST(chase, follows_the_ring)
{
	random_stream random(2);
	const ring r = random_ring(2048, 64, random);
	std::vector<uint32_t> words(512), order = r.order;
	const argument of_ring[] = {words.data(), order.data(), int(order.size()), 0, 2};
	chase_link_global.host(arguments(of_ring), 0, 2);
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

// The kernel makes the ring that the host would, and those that fill caches visit each of its places once.
TEST(chase, fills_by_parts_of_the_ring)
{
	random_stream random(2);
	const ring r = random_ring(2048, 64, random);
	std::vector<uint32_t> words(512), order = r.order;
	const argument of_ring[] = {words.data(), order.data(), int(order.size()), 0, 2};
	uint32_t out = 0;
	const argument of_fill[] = {words.data(), order.data(), &out, int(order.size()), 0, 5, 1};
	for (bool addresses : {false, true}) {
		const kernel &link = addresses ? chase_link_global : chase_link,
			     &fill = addresses ? chase_fill_global : chase_fill;
		link.host(arguments(of_ring), 0, 2);
		EXPECT_EQ(words == r.words(), !addresses);
		listener l;
		for (uint32_t t = 0; t < 15; t++)
			fill.traced(arguments(of_fill), t, l); // of three groups one has work
		std::vector<uint64_t> visited = places(l, words.data());
		EXPECT_EQ(visited, std::vector<uint64_t>(order.begin(), order.end())) << addresses;
	}
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

TEST(patterns, spread_brings_all_numbers_into_another_order)
{
	for (uint32_t mask : {1u, 7u, 255u, 65535u}) {
		std::set<uint32_t> seen;
		for (uint32_t i = 0; i <= mask; i++)
			seen.insert(spread(i, mask, shift_of(mask)));
		EXPECT_EQ(seen.size(), size_t{mask} + 1);
		EXPECT_EQ(*seen.rbegin(), mask);
	}
	unsigned neighbours = 0;
	for (uint32_t i = 0; i < 1000; i++)
		neighbours += spread(i, 65535, 8) + 1 == spread(i + 1, 65535, 8);
	EXPECT_LT(neighbours, 5u);
}

// The paper's listing 3, in its own words: start = thread ^ (thread & (group - 1)), offset = (thread ^ (thread &
// (together - 1))) & (group - 1), and then again and again start = data[start + offset].
TEST(patterns, coherent_access_is_the_papers)
{
	constexpr uint32_t n = 1024, group = 16, together = 4, steps = 3;
	std::vector<uint32_t> data(n), ends(n);
	const argument of_links[] = {data.data(), int(n), 1, int(group), 2};
	link_groups.host(arguments(of_links), 0, 1);
	for (uint32_t i = 0; i < n; i++) {
		EXPECT_EQ(data[i] % group, 0u);
		EXPECT_EQ(data[i], data[i / group * group]); // all words of a group lead to one place
	}
	for (uint32_t thread : {0u, 5u, 77u, 1023u}) {
		const argument a[] = {data.data(), ends.data(), int(n - 1), int(group), int(together), int(steps)};
		listener l;
		coherent_kernel.traced(arguments(a), thread, l);
		uint32_t start = thread ^ (thread & (group - 1));
		const uint32_t offset = (thread ^ (thread & (together - 1))) & (group - 1);
		std::vector<uint64_t> expected;
		for (uint32_t i = 0; i < steps; i++) {
			expected.push_back(start + offset);
			start = data[start + offset];
		}
		EXPECT_EQ(places(l, data.data()), expected) << thread;
		EXPECT_EQ(ends[thread], start);
	}
}

TEST(patterns, scatter_is_the_reverse_of_gather)
{
	constexpr uint32_t n = 256, threads = 16;
	std::vector<uint32_t> from(n), there(n), back(n);
	for (uint32_t i = 0; i < n; i++)
		from[i] = i * i + 7;
	const auto run = [&](const kernel &k, std::vector<uint32_t> &a, std::vector<uint32_t> &b) {
		const argument args[] = {a.data(), b.data(), int(n - 1), 4, int(threads), 0, int(n / threads), 99};
		k.host(arguments(args), 0, threads);
	};
	run(gather_kernel, from, there);
	EXPECT_NE(there, from);
	run(scatter_kernel, there, back);
	EXPECT_EQ(back, from); // the salt is taken away again
}

TEST(patterns, apex_and_strides_read_what_they_say)
{
	constexpr uint32_t n = 64;
	std::vector<uint32_t> from(n), sums(4), at = {8, 32, 0, 5};
	const argument apex[] = {from.data(), at.data(), sums.data(), 3, 2, 2, 0, 2};
	listener l;
	apex_kernel.traced(arguments(apex), 1, l);
	std::vector<uint64_t> read;
	for (uint64_t place : places(l, from.data()))
		if (place < n)
			read.push_back(place);
	EXPECT_EQ(read, (std::vector<uint64_t>{32, 33, 5, 6}));
	const argument strides[] = {from.data(), sums.data(), int(n - 1), 4, 4, 1, 2};
	listener other;
	strided_kernel.traced(arguments(strides), 3, other);
	EXPECT_EQ(places(other, from.data()), (std::vector<uint64_t>{(3 + 4) * 4, (3 + 8) * 4}));
}

TEST(arithmetic, chains_do_what_they_say)
{
	std::vector<uint32_t> out(2);
	for (const operation &op : all_operations()) {
		const argument none[] = {out.data(), op.a, op.b, 0}, one[] = {out.data(), op.a, op.b, 1};
		op.one_chain.host(arguments(none), 1, 2);
		const uint32_t before = out[1];
		op.one_chain.host(arguments(one), 1, 2);
		// Multiplied by one, and divided twice, a number stays.
		const std::string name = op.name;
		EXPECT_EQ(out[1] == before, name == "float multiply" || name == "float divide") << name;
	}
	const argument mad[] = {out.data(), 5, 1, 1};
	all_operations()[1].one_chain.host(arguments(mad), 0, 1);
	uint32_t x = 5;
	for (unsigned i = 0; i < operations_of_step; i++)
		x = x * 5 + 1;
	EXPECT_EQ(out[0], x);
}

TEST(vectors, read_words_in_a_row)
{
	std::vector<uint32_t> from(64), sums(4);
	for (size_t which = 0; which < vector_widths.size(); which++) {
		const uint32_t width = vector_widths[which];
		const argument a[] = {from.data(), sums.data(), int(std::bit_floor(64 / width) - 1), 4, 1, 1};
		listener l;
		vector_kernel(which).traced(arguments(a), 2, l);
		std::vector<uint64_t> expected;
		for (uint32_t i = 0; i < width; i++)
			expected.push_back((2 + 4) * width + i);
		EXPECT_EQ(places(l, from.data()), expected) << width;
	}
}

TEST(vectors, are_copied_and_changed_by_a_salt)
{
	constexpr uint32_t words = 64, salt = 77;
	std::vector<uint32_t> from(words), to(words);
	for (uint32_t i = 0; i < words; i++)
		from[i] = i * i;
	for (size_t which = 0; which < vector_widths.size(); which++) {
		const uint32_t width = vector_widths[which];
		const argument a[] = {from.data(), to.data(), int(std::bit_floor(words / width) - 1), 4, 1,
				      1,           int(salt)};
		std::fill(to.begin(), to.end(), 0);
		listener l;
		copy_kernel(which).traced(arguments(a), 2, l);
		EXPECT_EQ(l.all.size(), 2 * width);
		for (uint32_t i = 0; i < words; i++)
			EXPECT_EQ(to[i], i / width == 2 + 4 ? from[i] ^ salt : 0) << width << " " << i;
	}
}

// Threads of a group read the words that one place names, and the next group those of the next place.
TEST(patterns, groups_read_the_same_places)
{
	std::vector<uint32_t> from(64), places_of = {8, 32, 0, 5}, sums(8);
	const argument a[] = {from.data(), places_of.data(), sums.data(), 3, 2, 8, 0, 1, 4};
	for (uint32_t t = 0; t < 8; t++) {
		listener l;
		located_kernel.traced(arguments(a), t, l);
		const std::vector<uint64_t> read = places(l, from.data());
		ASSERT_EQ(read.size(), 3u);
		EXPECT_EQ(read[1], places_of[t / 4]) << t;
		EXPECT_EQ(read[2], places_of[t / 4] + 1) << t;
	}
}

// A texture holds words, which the kernels read as those of global memory do.
TEST(texture, reads_what_other_kernels_do)
{
	constexpr uint32_t n = 256, threads = 16, rounds = 5;
	std::vector<uint32_t> from(n), none(n), sums[2];
	for (uint32_t i = 0; i < n; i++)
		from[i] = i * i;
	for (order o : orders) {
		for (auto &s : sums)
			s.assign(threads, 0);
		const argument of_texture[] = {from.data(), sums[0].data(), int(n - 1), int(threads), 3, int(rounds)};
		const argument of_memory[] = {from.data(),  none.data(), sums[1].data(), int(n - 1),
					      int(threads), 3,           int(rounds),    0};
		texture_kernel(o).host(arguments(of_texture), 0, threads);
		stream_kernel(deed::read, o).host(arguments(of_memory), 0, threads);
		EXPECT_EQ(sums[0], sums[1]) << name_of(o);
	}
}
