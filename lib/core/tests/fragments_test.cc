// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests the fragments of a chunk against a list of copies for each byte: each step from each state of a small chunk,
// and long random histories up to a full list.
#include "core/fragments.h"

#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

namespace het
{

namespace
{

constexpr copyset host = host_copy, one = device_copy(0), two = device_copy(1);

using bytes = std::vector<copyset>;

bytes bytes_of(const fragments &f)
{
	bytes b;
	for (const fragment &g : f.all())
		b.resize(g.end, g.valid);
	return b;
}

void expect_sound(const fragments &f, const bytes &b)
{
	ASSERT_EQ(bytes_of(f), b);
	copyset common = ~copyset{0};
	size_t runs = 1;
	for (size_t i = 0; i < b.size(); i++) {
		ASSERT_NE(b[i], 0u);
		ASSERT_EQ(f.at(uint32_t(i)).valid, b[i]);
		common &= b[i];
		runs += i && b[i] != b[i - 1];
	}
	ASSERT_EQ(f.common(), common);
	ASSERT_EQ(f.all().size(), runs);
	ASSERT_EQ(f.is_one(), runs == 1);
}

enum class act : uint8_t { write, add, drop };

// Does the same to the bytes. Returns false if a byte had no other copy.
bool apply(bytes &b, act what, extent e, copyset c)
{
	bool others = true;
	for (uint32_t i = e.begin; i < e.end; i++) {
		if (what == act::write)
			b[i] = c;
		else if (what == act::add)
			b[i] |= c;
		else if (b[i] == c)
			others = false;
		else
			b[i] &= ~c;
	}
	return others;
}

bool apply(fragments &f, act what, extent e, copyset c)
{
	switch (what) {
	case act::write:
		return f.write(e, c);
	case act::add:
		return f.add(e, c);
	case act::drop:
		return f.drop(e, c);
	}
	return false;
}

// This walks through all states that four bytes can have, and all steps from each.
TEST(fragments, all_steps_of_a_small_chunk)
{
	constexpr uint32_t size = 4;
	std::vector<fragments> open = {fragments(size, host)};
	std::set<bytes> seen = {bytes_of(open[0])};
	size_t steps = 0;
	while (!open.empty()) {
		fragments from = open.back();
		open.pop_back();
		for (act what : {act::write, act::add, act::drop}) {
			for (uint32_t i = 0; i < size * size * 3; i++) {
				extent e = {i / 3 % size, i / 3 / size + 1};
				copyset c = std::array{host, one, two}[i % 3];
				if (e.begin >= e.end)
					continue;
				fragments to = from;
				bytes b = bytes_of(from);
				ASSERT_EQ(apply(to, what, e, c), apply(b, what, e, c));
				expect_sound(to, b);
				steps++;
				if (seen.insert(b).second)
					open.push_back(to);
			}
		}
	}
	EXPECT_EQ(seen.size(), 7u * 7 * 7 * 7); // each byte has any set of copies but the empty one
	EXPECT_EQ(steps, seen.size() * 3 * 10 * 3);
}

TEST(fragments, the_host_gets_what_is_not_lost)
{
	fragments f(40, host | one);
	ASSERT_TRUE(f.write({8, 16}, one));
	ASSERT_TRUE(f.write({16, 24}, two));
	ASSERT_TRUE(f.add({32, 40}, two));
	f.leave_to_host(one);
	bytes want(40, host);
	std::fill(want.begin() + 8, want.begin() + 16, one);
	expect_sound(f, want);
}

TEST(fragments, an_empty_extent_changes_nothing)
{
	fragments f(100, host);
	EXPECT_TRUE(f.write({50, 50}, one));
	EXPECT_TRUE(f.add({7, 3}, one));
	expect_sound(f, bytes(100, host));
}

TEST(fragments, a_full_list_refuses_and_stays)
{
	fragments f(1000, host);
	for (uint32_t i = 0; i + 2 <= fragments::most - 1; i += 2)
		ASSERT_TRUE(f.write({i * 10 + 10, i * 10 + 20}, one));
	ASSERT_EQ(f.all().size(), fragments::most - 1);
	bytes before = bytes_of(f);
	EXPECT_FALSE(f.write({900, 910}, one));
	EXPECT_FALSE(f.add({900, 910}, one));
	EXPECT_EQ(bytes_of(f), before);
	EXPECT_TRUE(f.write({900, 1000}, one)); // one fragment more is enough
	EXPECT_FALSE(f.write({950, 1000}, two));
	EXPECT_TRUE(f.write({0, 1000}, two));
	EXPECT_TRUE(f.is_one());
}

// Without room, more may go than was asked for, but never an only copy.
TEST(fragments, a_full_list_drops_more)
{
	fragments f(1000, host | one);
	for (uint32_t i = 0; i < fragments::most / 2; i++)
		ASSERT_TRUE(f.write({i * 20, i * 20 + 10}, two));
	ASSERT_EQ(f.all().size(), fragments::most);
	EXPECT_TRUE(f.drop({15, 16}, one));
	bytes b = bytes_of(f);
	EXPECT_EQ(b[15], host);
	EXPECT_EQ(b[5], two);
	EXPECT_EQ(b[35], host | one);
	EXPECT_FALSE(f.drop({25, 26}, two));
	EXPECT_EQ(bytes_of(f)[25], two);
}

TEST(fragments, random_histories)
{
	std::mt19937 random(20261122);
	size_t refused = 0;
	for (unsigned round = 0; round < 200; round++) {
		constexpr uint32_t size = 300;
		fragments f(size, host);
		bytes b(size, host);
		for (unsigned i = 0; i < 300; i++) {
			uint32_t begin = random() % size,
				 end = begin + 1 + uint32_t(random() % (size - begin) / (1 + random() % 30));
			auto what = act(random() % 2);
			copyset c = std::array{host, one, two}[random() % 3];
			if (apply(f, what, {begin, end}, c))
				apply(b, what, {begin, end}, c);
			else
				refused++;
			expect_sound(f, b);
		}
	}
	EXPECT_GT(refused, 0u);
}

} // namespace

} // namespace het
