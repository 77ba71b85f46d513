// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/strips.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace het::rt
{

namespace
{

constexpr uint64_t longest = 200'000;

// The clock is the rows' own. Two strips are given before the first is measured, as a device has two. Returns the
// times.
std::vector<uint64_t> run(strip_sizes &s, size_t total, const std::function<uint64_t(size_t)> &row_ns)
{
	std::vector<uint64_t> times;
	std::vector<rows> under_way;
	size_t done = 0;
	for (;;) {
		while (under_way.size() < 2) {
			const rows r = s.next();
			if (!r.count)
				break;
			under_way.push_back(r);
		}
		if (under_way.empty())
			break;
		const rows r = under_way.front();
		under_way.erase(under_way.begin());
		EXPECT_EQ(r.first, done); // each row once, in their order
		uint64_t ns = 0;
		for (size_t i = r.first; i < r.end(); i++)
			ns += row_ns(i);
		s.measured(r.count, ns);
		times.push_back(ns);
		done = r.end();
	}
	EXPECT_EQ(done, total);
	return times;
}

TEST(Strips, TakeAsLongAsTheyMay)
{
	for (double known : {0.0, 1e-3, 1.0}) {
		strip_sizes s(100'000, 2, longest, known);
		const auto times = run(s, 100'000, [](size_t) { return 1000; });
		EXPECT_LE(*std::max_element(times.begin(), times.end()), longest);
		EXPECT_LE(times.size(), 515u) << known; // 500 would be the least
	}
}

TEST(Strips, OneRowMayTakeLonger)
{
	strip_sizes s(10, 1, longest, 0);
	EXPECT_EQ(run(s, 10, [](size_t) { return 3 * longest; }).size(), 10u);
}

// With fewer than its least the device would not be busy, but the last one has what is left.
TEST(Strips, HaveTheLeastRows)
{
	strip_sizes s(50, 16, longest, 0);
	EXPECT_EQ(run(s, 50, [](size_t) { return 100 * longest; }).size(), 4u);
}

// Rows of a fractal: what was measured says little of the next ones.
TEST(Strips, UnequalRowsAreNotMuchLonger)
{
	for (unsigned seed = 1; seed <= 5; seed++) {
		std::mt19937_64 random(seed);
		std::vector<uint64_t> ns(28'000);
		for (size_t i = 0; i < ns.size(); i++)
			ns[i] = (i / 7000 % 2 ? 4000 : 400) + random() % 400;
		strip_sizes s(ns.size(), 1, longest, 0);
		auto times = run(s, ns.size(), [&](size_t i) { return ns[i]; });
		std::sort(times.begin(), times.end());
		EXPECT_LE(times[times.size() * 9 / 10], longest * 11 / 10);
		EXPECT_LE(times.back(), 12 * longest); // where rows of a tenth are followed by others
	}
}

} // namespace

} // namespace het::rt
