// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Compares what find_pieces() says with what the definition of a reach says, work-item by work-item.
#include "fatbin/reach.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

using namespace het::fatbin;

namespace
{

using use = het::fatbin::access; // keeps unistd.h's access() out

constexpr uint32_t dimensions = 2;
constexpr uint64_t nbytes = 4096;

argument make(use found, int64_t offset, uint64_t length, axis_row x, axis_row y = {})
{
	argument a = {};
	a.is_analysed = true;
	a.found = found;
	a.reach = {offset, length, 0, {x, y}};
	return a;
}

launch_ids line(uint64_t n, uint64_t offset = 0)
{
	return {{n, 1, 1}, {offset, 0, 0}, 0};
}

launch_ids plane(uint64_t x, uint64_t y, unsigned along)
{
	return {{x, y, 1}, {0, 0, 0}, along};
}

// Returns a work-item's bytes by the definition of a reach.
std::set<int64_t> bytes_of(const argument &a, const launch_ids &l, const int64_t (&arguments)[2],
			   const uint64_t (&id)[2])
{
	int64_t multipliers[2], first = a.reach.offset, end = first + int64_t(a.reach.length);
	for (unsigned d = 0; d < 2; d++) {
		uint32_t times = a.reach.axes[d].times;
		multipliers[d] = times >= multiplier_argument ? arguments[d] : times ? int64_t(l.size[times - 1]) : 1;
	}
	for (unsigned d = 0; d < 2; d++) {
		const axis_row &axis = a.reach.axes[d];
		auto value = int64_t(id[d] + (axis.flags & axis_from_zero ? 0 : l.offset[d]));
		if (axis.flags & axis_bounded && value >= multipliers[1 - d])
			return {};
		first += axis.step * multipliers[d] * (value + axis.first);
		end += axis.step * multipliers[d] * (value + axis.last);
	}
	std::set<int64_t> all;
	for (int64_t b = std::max<int64_t>(first, 0); b < std::min<int64_t>(end, nbytes); b++)
		all.insert(b);
	return all;
}

bool has(const pieces &p, uint64_t i, int64_t byte)
{
	for (uint64_t n = 0; n < p.count; n++) {
		auto first = p.offset + int64_t(i * p.step + n * p.stride);
		if (byte >= first && byte < first + int64_t(p.length))
			return true;
	}
	return false;
}

// Checks that each work-item's bytes are in its piece, and that those of a written argument are in no other piece.
void check(const argument &a, const launch_ids &l, const int64_t (&arguments)[2], const pieces &p)
{
	std::map<int64_t, uint64_t> owners;
	for (uint64_t y = 0; y < l.size[1]; y++) {
		for (uint64_t x = 0; x < l.size[0]; x++) {
			uint64_t i = l.along ? y : x;
			for (int64_t byte : bytes_of(a, l, arguments, {x, y})) {
				ASSERT_TRUE(has(p, i, byte)) << "byte " << byte << " of " << x << ", " << y;
				if (a.found == use::read_only)
					continue;
				ASSERT_TRUE(owners.emplace(byte, i).second) << "byte " << byte << " has two owners";
				for (uint64_t j = 0; j < l.size[l.along]; j++)
					ASSERT_TRUE(j == i || !has(p, j, byte)) << "piece " << j << ", byte " << byte;
			}
		}
	}
}

} // namespace

TEST(reach, of_one_element_a_work_item)
{
	pieces p;
	ASSERT_TRUE(find_pieces(make(use::write_only, 0, 4, {4, 0, 0, 0, 0}), 1, line(100, 7), nbytes, {}, p));
	EXPECT_EQ(p.offset, 28);
	EXPECT_EQ(p.step, 4u);
	EXPECT_EQ(p.length, 4u);
	EXPECT_EQ(p.count, 1u);
}

TEST(reach, of_neighbours)
{
	argument a = make(use::read_only, -4, 12, {4, 0, 0, 0, 0});
	pieces p;
	ASSERT_TRUE(find_pieces(a, 1, line(100), nbytes, {}, p));
	EXPECT_EQ(p.offset, -4);
	EXPECT_EQ(p.length, 12u);
	a.found = use::read_write;
	EXPECT_FALSE(find_pieces(a, 1, line(100), nbytes, {}, p)) << "they overlap";
}

TEST(reach, of_rows_of_a_plane)
{
	argument a = make(use::write_only, 0, 4, {4, 0, 0, 0, 0}, {4, multiplier_argument + 3, 0, 0, 0});
	pieces p;
	uint32_t number = 0;
	ASSERT_TRUE(multiplier_of(a.reach.axes[1], &number));
	EXPECT_EQ(number, 3u);
	ASSERT_TRUE(find_pieces(a, 2, plane(16, 8, 1), nbytes, {0, 20}, p));
	EXPECT_EQ(p.step, 80u);
	EXPECT_EQ(p.length, 64u);
	ASSERT_TRUE(find_pieces(a, 2, plane(16, 8, 0), nbytes, {0, 20}, p));
	EXPECT_EQ(p.step, 4u);
	EXPECT_EQ(p.count, 8u);
	EXPECT_EQ(p.stride, 80u);
	EXPECT_FALSE(find_pieces(a, 2, plane(24, 8, 1), nbytes, {0, 20}, p)) << "rows overlap";
	EXPECT_FALSE(find_pieces(a, 2, plane(16, 8, 1), nbytes, {0, -20}, p));
	a.reach.axes[0].flags = axis_bounded;
	ASSERT_TRUE(find_pieces(a, 2, plane(24, 8, 1), nbytes, {0, 20}, p)) << "those beyond the row do nothing";
	EXPECT_EQ(p.length, 80u);
	EXPECT_FALSE(find_pieces(a, 2, plane(24, 8, 0), nbytes, {0, 20}, p)) << "those beyond the row own nothing";
}

TEST(reach, is_of_the_launches_that_were_looked_at)
{
	argument a = make(use::write_only, 0, 4, {4, 0, 0, 0, 0});
	pieces p;
	EXPECT_FALSE(find_pieces(a, 1, plane(16, 8, 0), nbytes, {}, p)) << "more dimensions";
	EXPECT_FALSE(find_pieces(a, 0, line(16), nbytes, {}, p)) << "not analysed";
	EXPECT_FALSE(find_pieces(a, 2, plane(16, 8, 0), nbytes, {}, p)) << "all rows write the same";
	EXPECT_FALSE(find_pieces(a, 1, line(uint64_t{1} << 31, 1), nbytes, {}, p)) << "ids of more than 31 bits";
	a.reach.limit = 400;
	EXPECT_TRUE(find_pieces(a, 1, line(100), 400, {}, p));
	EXPECT_FALSE(find_pieces(a, 1, line(101), 400, {}, p)) << "the index would wrap";
	EXPECT_FALSE(find_pieces(a, 1, line(100), 401, {}, p)) << "an index that wraps would be inside";
	a.is_analysed = false;
	EXPECT_FALSE(find_pieces(a, 1, line(16), nbytes, {}, p));
}

TEST(reach, with_numbers_of_any_size_does_not_overflow)
{
	constexpr int64_t most = INT64_MAX;
	pieces p;
	for (int64_t step : {most, -most, int64_t{1} << 60})
		for (int32_t around : {0, INT32_MAX}) {
			axis_row axis = {step, multiplier_argument, 0, -around, around};
			argument a = make(use::read_only, most, ~uint64_t{0}, axis, axis);
			launch_ids l = {{uint64_t{1} << 31, uint64_t{1} << 31, 1}, {}, 1};
			EXPECT_FALSE(find_pieces(a, 2, l, nbytes, {most, most}, p));
			EXPECT_FALSE(find_pieces(a, 2, l, ~uint64_t{0}, {int64_t{1} << 31, 1}, p));
		}
}

TEST(reach, agrees_with_its_definition)
{
	std::mt19937 random(1); // NOLINT(cert-msc51-cpp): the same each time
	auto below = [&](uint32_t n) { return uint32_t(random() % n); };
	unsigned found = 0;
	for (unsigned round = 0; round < 20000; round++) {
		axis_row axes[2];
		for (axis_row &axis : axes) {
			axis = {below(12), below(5), below(4), -int32_t(below(3) / 2), int32_t(below(3) / 2)};
			axis.times = axis.times ? axis.times : multiplier_one;
		}
		argument a = make(use(1 + below(3)), int64_t(below(9)) - 4, 1 + below(5), axes[0], axes[1]);
		launch_ids l = {{1 + below(9), 1 + below(9), 1}, {below(3), below(3), 0}, below(2)};
		int64_t arguments[2] = {int64_t(below(14)), int64_t(below(14))};
		pieces p;
		if (!find_pieces(a, dimensions, l, nbytes, arguments, p))
			continue;
		found++;
		ASSERT_NO_FATAL_FAILURE(check(a, l, arguments, p)) << "round " << round;
	}
	EXPECT_GT(found, 2000u);
}
