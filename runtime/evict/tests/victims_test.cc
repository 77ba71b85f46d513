// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "evict/victims.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

using namespace het::rt;

namespace
{

constexpr decltype(tenant::is) states[] = {tenant::idle, tenant::in_use, tenant::own};
constexpr size_t most = 4;
constexpr uint64_t sizes[most] = {1, 2, 4, 3}, arrivals[most] = {30, 10, 20, 40};

std::vector<tenant> make(unsigned states_of, size_t n)
{
	std::vector<tenant> all;
	for (size_t i = 0; i < n; i++, states_of /= 3)
		all.push_back({i, sizes[i], arrivals[i], states[states_of % 3]});
	return all;
}

uint64_t sum(const std::vector<tenant> &all, decltype(tenant::is) state)
{
	uint64_t n = 0;
	for (const tenant &t : all)
		n += t.is == state ? t.nbytes : 0;
	return n;
}

void check(unsigned states_of, size_t n, uint64_t wanted)
{
	const std::vector<tenant> before = make(states_of, n);
	std::vector<tenant> all = before;
	const victims v = choose_victims(all, wanted);
	const uint64_t idle = sum(before, tenant::idle), in_use = sum(before, tenant::in_use);
	EXPECT_EQ(v.what, idle >= wanted ? room::enough : idle + in_use >= wanted ? room::must_wait : room::impossible);
	if (v.what != room::enough) {
		EXPECT_EQ(v.count, 0u);
		return;
	}
	uint64_t left = 0, last = 0;
	for (size_t i = 0; i < v.count; i++) {
		EXPECT_EQ(all[i].is, tenant::idle);
		EXPECT_GT(all[i].arrived, last) << "older ones leave first";
		EXPECT_LT(left, wanted) << "one leaves in vain";
		last = all[i].arrived;
		left += all[i].nbytes;
	}
	EXPECT_EQ(left, v.nbytes);
	EXPECT_GE(left, wanted);
	for (const tenant &t : all)
		EXPECT_TRUE(t.is != tenant::idle || t.arrived <= last ||
			    std::find_if(all.begin(), all.begin() + ptrdiff_t(v.count), [&](const tenant &o) {
				    return o.at == t.at;
			    }) == all.begin() + ptrdiff_t(v.count));
}

} // namespace

TEST(victims, all_small_cases)
{
	unsigned cases = 1;
	for (size_t n = 0; n <= most; n++, cases *= 3) {
		for (unsigned c = 0; c < cases; c++) {
			for (uint64_t wanted = 0; wanted <= 12; wanted++)
				check(c, n, wanted);
		}
	}
}
