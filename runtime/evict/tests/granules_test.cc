// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "evict/granules.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace het::rt
{

namespace
{

using places = std::vector<granule_map::place>;

size_t with_frames(const granule_map &m)
{
	size_t n = 0;
	for (const granule &g : m.all())
		n += g.frame != granule::none;
	return n;
}

TEST(granules, are_as_large_as_there_is_memory_for)
{
	EXPECT_EQ(granule_bits(0), 12u);
	EXPECT_EQ(granule_bits(1 << 18), 12u);
	EXPECT_EQ(granule_bits(1 << 20), 14u);
	EXPECT_EQ(granule_bits((1 << 27) - 1), 20u);
	EXPECT_EQ(granule_bits(1 << 27), 21u);
	EXPECT_EQ(granule_bits(uint64_t{1} << 40), 21u);
}

// Each byte lies in one granule, at the address that the window has for it, and no granule has bytes of two windows.
TEST(granules, have_each_byte_once)
{
	std::mt19937 random(1);
	for (unsigned round = 0; round < 300; round++) {
		places windows;
		std::vector<range> bytes;
		uintptr_t at = 0x7000'0000'0000;
		for (unsigned w = 0; w < 1 + random() % 4; w++) {
			at += random() % 10000;
			const size_t n = 1 + random() % (random() % 2 ? 300 : 40000);
			windows.push_back({{at, at + n}, random() % 1000});
			bytes.push_back({at, at + n});
			at += n;
		}
		granule_map m;
		ASSERT_TRUE(m.take(windows, 12));
		EXPECT_LE(m.all().size(), most_granules(bytes, 12));
		EXPECT_EQ(m.size(), m.all().size() << 12);
		size_t number = 0;
		for (unsigned w = 0; w < windows.size(); w++) {
			uintptr_t next = windows[w].bytes.begin;
			EXPECT_EQ(m.address_of(w, next) % granule_grain, windows[w].in_array % granule_grain);
			for (; number < m.all().size() && m.all()[number].window == w; number++) {
				const granule &g = m.all()[number];
				EXPECT_EQ(g.bytes.begin, next);
				EXPECT_FALSE(g.bytes.empty());
				for (uintptr_t byte : {g.bytes.begin, g.bytes.end - 1}) {
					EXPECT_EQ(m.number_of(w, byte), number);
					EXPECT_GE(m.address_of(w, byte), m.address_of(number));
					EXPECT_LT(m.address_of(w, byte), m.address_of(number + 1));
				}
				EXPECT_EQ(m.address_of(number) + m.offset_of(g), m.address_of(w, g.bytes.begin));
				next = g.bytes.end;
			}
			EXPECT_EQ(next, windows[w].bytes.end);
		}
		EXPECT_EQ(number, m.all().size());
	}
}

TEST(granules, get_frames_by_worth)
{
	granule_map m;
	const places windows = {{{0x10000, 0x18000}, 0}, {{0x20000, 0x24000}, 0}};
	ASSERT_TRUE(m.take(windows, 12));
	ASSERT_EQ(m.all().size(), 12u);
	for (granule &g : m.all())
		g.worth = g.window ? 2 : 1;
	m.all()[5].worth = 0;
	m.all()[7].must_be_there = true;
	m.all()[7].worth = 0;
	EXPECT_TRUE(m.give_frames(7));
	EXPECT_EQ(with_frames(m), 7u);
	std::vector<bool> used(7);
	for (size_t i : {7, 8, 9, 10, 11, 0, 1}) {
		ASSERT_LT(m.all()[i].frame, 7u) << i;
		EXPECT_FALSE(used[m.all()[i].frame]) << "two granules have one frame";
		used[m.all()[i].frame] = true;
	}
	for (granule &g : m.all())
		g.frame = granule::none;
	EXPECT_TRUE(m.give_frames(100));
	EXPECT_EQ(with_frames(m), 11u);
}

TEST(granules, keep_the_frames_that_they_have)
{
	granule_map m;
	const places windows = {{{0x10000, 0x18000}, 0}};
	ASSERT_TRUE(m.take(windows, 12));
	for (granule &g : m.all())
		g.worth = 10;
	ASSERT_TRUE(m.give_frames(4)); // to the first ones
	const size_t first = m.all()[1].frame, third = m.all()[3].frame;
	for (size_t i : {0, 2})
		m.all()[i].worth = 0;
	for (size_t i : {5, 6})
		m.all()[i].worth = 20;
	ASSERT_TRUE(m.give_frames(4));
	EXPECT_EQ(with_frames(m), 4u);
	EXPECT_EQ(m.all()[1].frame, first);
	EXPECT_EQ(m.all()[3].frame, third);
	std::vector<bool> used(4);
	for (size_t i : {1, 3, 5, 6}) {
		ASSERT_LT(m.all()[i].frame, 4u) << i;
		EXPECT_FALSE(used[m.all()[i].frame]) << "two granules have one frame";
		used[m.all()[i].frame] = true;
	}
}

TEST(granules, must_be_there_or_nothing_goes)
{
	granule_map m;
	const places windows = {{{0x10000, 0x18000}, 0}};
	ASSERT_TRUE(m.take(windows, 12));
	for (size_t i : {0, 3, 7})
		m.all()[i].must_be_there = true;
	EXPECT_FALSE(m.give_frames(2));
	EXPECT_EQ(with_frames(m), 0u);
	EXPECT_TRUE(m.give_frames(3));
	EXPECT_EQ(with_frames(m), 3u);
}

} // namespace

} // namespace het::rt
