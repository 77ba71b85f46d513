// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Compares what keeps_groups_apart() says with what all work-items do, one by one.
#include "fatbin/apart.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace het::fatbin;

namespace
{

bool is_apart(const std::string &text, const launch_groups &l, std::vector<int64_t> arguments = {})
{
	std::vector<known_number> numbers;
	for (int64_t n : arguments)
		numbers.push_back({true, n});
	EXPECT_TRUE(is_apart_text(text.c_str(), uint32_t(arguments.size()))) << text;
	return keeps_groups_apart(text.c_str(), l, numbers) == groups_are::apart;
}

launch_groups plane(uint64_t x, uint64_t y, uint64_t local_x, uint64_t local_y)
{
	return {{x, y, 1}, {local_x, local_y, 1}, {0, 0, 0}};
}

TEST(apart, rows_do_not_reach_into_each_other)
{
	const char text[] = "A 0 w 4 +4*a1*x1+4*x0";
	EXPECT_TRUE(is_apart(text, plane(32, 8, 8, 2), {0, 32}));
	EXPECT_TRUE(is_apart(text, plane(32, 8, 8, 2), {0, 33}));
	EXPECT_FALSE(is_apart(text, plane(32, 8, 8, 2), {0, 31}));
	EXPECT_FALSE(is_apart(text, plane(32, 8, 8, 2), {0, 0}));
	EXPECT_TRUE(is_apart(text, plane(32, 8, 8, 2), {0, -32}));
}

TEST(apart, a_guard_makes_room)
{
	const char text[] = "F +1*a1-1-1*x0; A 0 w 4 +4*a1*x1+4*x0 f0";
	EXPECT_TRUE(is_apart(text, plane(32, 8, 8, 2), {0, 27}));
	EXPECT_FALSE(is_apart("F +1*a1-1*x0; A 0 w 4 +4*a1*x1+4*x0 f0", plane(32, 8, 8, 2), {0, 27}));
}

TEST(apart, a_fact_holds_where_its_needs_are_met)
{
	const char text[] = "R s8 +8*x0; F +1*a1-1-1*x0 r0; A 0 w 4 +4*a1*x1+4*x0 f0";
	EXPECT_TRUE(is_apart(text, plane(16, 8, 8, 2), {0, 11}));
	EXPECT_FALSE(is_apart(text, plane(32, 8, 8, 2), {0, 11}));
}

TEST(apart, a_sum_has_to_fit)
{
	const char text[] = "R s32 +1*a1*x0; A 0 w 4 +4*a1*x0 r0";
	EXPECT_TRUE(is_apart(text, plane(32, 1, 8, 1), {0, 3}));
	EXPECT_TRUE(is_apart(text, plane(32, 1, 8, 1), {0, (1 << 26)}));
	EXPECT_FALSE(is_apart(text, plane(33, 1, 11, 1), {0, (1 << 26)}));
}

TEST(apart, numbers_that_are_too_large_are_not_known)
{
	for (int64_t n : {INT64_MIN, INT64_MAX})
		EXPECT_FALSE(is_apart("A 0 w 4 +4*x0; A 1 w 4 +1*a1", plane(32, 1, 8, 1), {0, n}));
	EXPECT_FALSE(is_apart("A 0 w 4 +4*a1*x0", plane(32, 1, 8, 1), {0, int64_t{1} << 40}));
}

// The last byte of one access and the first byte of the other are another group's, or just not.
TEST(apart, one_byte_is_enough)
{
	const std::string own = "A 0 w 4 +16*g0", next = "A 0 r 4 +16*g0+";
	for (const auto &[at, is_free] : {std::pair{12, true}, {13, false}, {19, false}, {20, true}}) {
		const std::string other = next + std::to_string(at);
		EXPECT_EQ(is_apart(own + "; " + other, plane(32, 1, 8, 1), {0}), is_free) << at;
		EXPECT_EQ(is_apart(other + "; " + own, plane(32, 1, 8, 1), {0}), is_free) << at;
	}
}

TEST(apart, other_factors_of_a_group_are_other_groups)
{
	EXPECT_FALSE(is_apart("A 0 w 4 +8*g0; A 0 r 4 +4*g0", plane(32, 1, 8, 1), {0}));
	EXPECT_TRUE(is_apart("A 0 w 4 +8*g0; A 0 r 4 +8*g0", plane(32, 1, 8, 1), {0}));
}

TEST(apart, what_is_not_in_the_address_may_be_as_large_as_it_can)
{
	const char rest[] = "-1*k0; F +3-1*x0+1*k0; A 0 w 4 +64*x1+4*x0 f0 f1";
	EXPECT_TRUE(is_apart("F +12" + std::string(rest), plane(32, 4, 8, 1), {0}));
	EXPECT_FALSE(is_apart("F +13" + std::string(rest), plane(32, 4, 8, 1), {0}));
}

TEST(apart, addresses_of_64_bits_begin_again)
{
	const char text[] = "A 0 w 4 +34359738368*x0";
	EXPECT_TRUE(is_apart(text, plane(64, 1, 16, 1), {0}));
	EXPECT_FALSE(is_apart(text, plane(uint64_t{1} << 30, 1, 16, 1), {0}));
}

TEST(apart, tiles_change_places)
{
	const char text[] = "A 1 w 4 +64*a0*g0+4*a0*i1+64*g1+4*i0";
	EXPECT_TRUE(is_apart(text, plane(64, 48, 16, 16), {48, 0}));
	EXPECT_FALSE(is_apart(text, plane(64, 64, 16, 16), {48, 0}));
	EXPECT_FALSE(is_apart(text, plane(64, 48, 16, 24), {48, 0}));
}

TEST(apart, a_grid_goes_on_in_steps)
{
	const char text[] = "F +1*a0-1-1*x0-1*S0*k0; A 1 w 4 +4*x0+4*S0*k0 f0";
	EXPECT_TRUE(is_apart(text, plane(64, 1, 16, 1), {1000, 0}));
	EXPECT_FALSE(is_apart("F +1*a0-1-1*x0-32*k0; A 1 w 4 +4*x0+128*k0 f0", plane(64, 1, 16, 1), {1000, 0}));
}

TEST(apart, what_nobody_writes_is_shared)
{
	EXPECT_TRUE(is_apart("A 0 r 4 +0; A 1 w 4 +4*x0", plane(64, 1, 16, 1), {0, 0}));
	EXPECT_FALSE(is_apart("A 0 r 4 +0; A 0 w 4 +4*x0", plane(64, 1, 16, 1), {0, 0}));
	EXPECT_TRUE(is_apart("A 0 r 4 -8; A 0 w 4 +4*x0", plane(64, 1, 16, 1), {0, 0}));
}

TEST(apart, other_launches_are_not_known)
{
	const char text[] = "A 0 w 4 +4*x0";
	EXPECT_FALSE(is_apart(text, plane(63, 1, 16, 1), {0}));
	EXPECT_FALSE(is_apart(text, {{64, 1, 1}, {16, 1, 1}, {uint64_t{1} << 31, 0, 0}}, {0}));
	EXPECT_FALSE(is_apart("", plane(64, 1, 16, 1)));
	const known_number none[] = {{false, 0}, {false, 1}};
	EXPECT_EQ(keeps_groups_apart("A 0 w 4 +4*a1*x0", plane(64, 1, 16, 1), none), groups_are::unknown);
}

TEST(apart, text_is_looked_at)
{
	EXPECT_TRUE(is_apart_text("", 0));
	for (const char *wrong : {"A",
				  "A ",
				  "A 0 w 4",
				  "A 0 w 4 4",
				  "A 0 w 0 +4",
				  "A 1 w 4 +4*x0",
				  "A 0 w 4 +4*x3",
				  "A 0 w 4 +4*x0*x1",
				  "A 0 w 4 +4*a1*x0",
				  "A 0 w 4 +4*k10",
				  "A 0 w 4 +4 f0",
				  "A 0 w 4 +4 r0",
				  "F +1 r0",
				  "R s0 +1",
				  "R x8 +1",
				  "R s65 +1",
				  "A 0 w 4 +4; ",
				  "A 0 w 4 +4;A 0 w 4 +4",
				  "B 0",
				  "A 0 x 4 +4",
				  "A 0 w 4 +99999999999999999999",
				  "A 0 w 4 +4*",
				  "A 0 w 4 +4 ",
				  "+1"})
		EXPECT_FALSE(is_apart_text(wrong, 1)) << wrong;
}

// Returns a text that is as large as a text can be, with sums that no look makes smaller.
std::string tiresome()
{
	const std::string variables[] = {"g1", "g2", "i0", "i1", "i2", "k0", "k1", "k2",
					 "k3", "k4", "k5", "k6", "k7", "k8", "k9"};
	const unsigned n = std::size(variables);
	std::string text, facts;
	auto product = [&](int sign, unsigned v) {
		return (sign < 0 ? "-" : "+") + std::to_string(1000 + 7 * v) + "*" + variables[v];
	};
	for (unsigned f = 0; f < most_statements; f++) {
		text += "F +" + std::to_string(2000000 + f);
		for (unsigned k = 0; k < 2 + f % 2; k++)
			text += product(-1, 5 + (f + k) % most_counters);
		text += "; ";
		facts += " f" + std::to_string(f);
	}
	for (unsigned a = 0; a < most_accesses; a++) {
		text += (a ? "; A 0 w 4 +" : "A 0 w 4 +") + std::to_string(a) + "+549755813888*g0";
		for (unsigned v = 0; v < n; v++)
			text += product(1, v);
		text += facts;
	}
	return text;
}

TEST(apart, a_text_costs_no_more_than_a_launch_can_wait)
{
	const std::string text = tiresome();
	const known_number one[] = {{true, 1}};
	ASSERT_TRUE(is_apart_text(text.c_str(), 1));
	EXPECT_EQ(keeps_groups_apart(text.c_str(), plane(64, 16, 1, 16), one), groups_are::too_many);
	// The first two accesses of the same text are judged as any others.
	const std::string first = text.substr(0, text.find("; A 0 w 4 +2+"));
	EXPECT_EQ(keeps_groups_apart(first.c_str(), plane(64, 16, 1, 16), one), groups_are::apart);
}

// --- random ones ---------------------------------------------------------------

struct terms {
	std::map<std::string, int64_t> of; // "" stands for the constant

	std::string text() const
	{
		std::string all;
		for (const auto &[name, factor] : of)
			all += (factor < 0 ? "-" : "+") + std::to_string(std::abs(factor)) +
			       (name.empty() ? "" : "*" + name);
		return all.empty() ? "+0" : all;
	}
	int64_t value(const std::map<std::string, int64_t> &at) const
	{
		int64_t sum = 0;
		for (const auto &[name, factor] : of)
			sum += factor * (name.empty() ? 1 : at.at(name));
		return sum;
	}
};

constexpr int64_t most_turns = 3;

class random_case
{
      public:
	explicit random_case(unsigned seed) : random_(seed)
	{
		for (unsigned d = 0; d < 3; d++) {
			launch.local[d] = uint64_t(1 + pick(d ? 2 : 4));
			launch.size[d] = launch.local[d] * uint64_t(1 + pick(d ? 3 : 4));
			launch.offset[d] = uint64_t(pick(4) ? 0 : pick(4));
		}
		needed_ = make(true);
		bits_ = 5 + pick(4);
		text = "R s" + std::to_string(bits_) + " " + needed_.text() + "; ";
		terms turns = {{{"", most_turns - 1}, {"k0", -1}}};
		facts_.push_back(turns);
		for (int n = pick(3); n >= 0; n--)
			facts_.push_back(make(pick(2)));
		for (const terms &f : facts_)
			text += "F " + f.text() + "; ";
		for (int n = pick(2); n >= 0; n--)
			accesses_.push_back(
				{make(true), 1 + pick(4), n == 0 || pick(2), pick(3) == 0, unsigned(pick(8)) << 1 | 1});
		for (const one &a : accesses_) {
			text += "A 0 " + std::string(a.writes ? "w " : "r ") + std::to_string(a.length) + " " +
				a.from.text();
			for (unsigned f = 0; f < facts_.size(); f++)
				text += a.facts >> f & 1 ? " f" + std::to_string(f) : "";
			text += std::string(a.has_need ? " r0" : "") + (&a == &accesses_.back() ? "" : "; ");
		}
	}

	// Finds the answer by going through all work-items.
	bool is_apart() const
	{
		std::map<int64_t, std::vector<std::pair<uint64_t, bool>>> users;
		bool is_met = true;
		for_all([&](uint64_t group, const std::map<std::string, int64_t> &at) {
			for (const one &a : accesses_) {
				bool runs = true;
				for (unsigned f = 0; f < facts_.size(); f++)
					runs = runs && (!(a.facts >> f & 1) || facts_[f].value(at) >= 0);
				if (!runs)
					continue;
				int64_t n = needed_.value(at), half = int64_t{1} << (bits_ - 1);
				is_met = is_met && (!a.has_need || (n >= -half && n < half));
				for (int64_t b = a.from.value(at), end = b + a.length; b < end; b++)
					users[b].emplace_back(group, a.writes);
			}
		});
		for (const auto &[byte, of] : users)
			for (const auto &u : of)
				for (const auto &v : of)
					if (u.first != v.first && u.second)
						return false;
		return is_met;
	}

	launch_groups launch;
	std::string text;

      private:
	struct one {
		terms from;
		int length;
		bool writes, has_need;
		unsigned facts;
	};

	int pick(int n) { return int(random_() % unsigned(n)); }

	// Often makes a sum of which each step leaves room for what is below.
	terms make(bool is_address)
	{
		terms t;
		const int64_t ids = pick(2);
		int64_t step = is_address ? 1 + pick(4) : 1;
		std::vector<std::string> names = ids ? std::vector<std::string>{"x0", "x1", "x2", "k0"}
						     : std::vector<std::string>{"i0", "g0", "i1", "g1", "k0", "g2"};
		if (pick(3))
			std::shuffle(names.begin(), names.end(), random_);
		for (const std::string &n : names) {
			if (pick(5) == 0)
				continue;
			t.of[n] = pick(12) ? step : -step;
			uint64_t d = uint64_t(n[1] - '0');
			int64_t count = n[0] == 'k' ? most_turns
						    : int64_t(n[0] == 'i'   ? launch.local[d]
							      : n[0] == 'g' ? launch.size[d] / launch.local[d]
									    : launch.size[d]);
			step = std::min<int64_t>(step * std::max<int64_t>(1, count - (pick(4) ? 0 : 1)) + pick(2),
						 1 << 20);
		}
		if (!is_address)
			for (auto &[n, factor] : t.of)
				factor = -factor;
		t.of[""] = is_address ? pick(9) - 4 : pick(40);
		return t;
	}

	template <class F> void for_all(F f) const
	{
		uint64_t n[3];
		for (unsigned d = 0; d < 3; d++)
			n[d] = launch.size[d] / launch.local[d];
		for (uint64_t item = 0; item < launch.size[0] * launch.size[1] * launch.size[2]; item++) {
			const uint64_t id[3] = {item % launch.size[0], item / launch.size[0] % launch.size[1],
						item / launch.size[0] / launch.size[1]};
			std::map<std::string, int64_t> at;
			uint64_t group = 0;
			for (unsigned d = 0; d < 3; d++) {
				auto name = std::to_string(d);
				at["x" + name] = int64_t(id[d] + launch.offset[d]);
				at["g" + name] = int64_t(id[d] / launch.local[d]);
				at["i" + name] = int64_t(id[d] % launch.local[d]);
				group = group * n[d] + id[d] / launch.local[d];
			}
			for (at["k0"] = 0; at["k0"] < most_turns; at["k0"]++)
				f(group, at);
		}
	}

	std::mt19937 random_;
	std::vector<terms> facts_;
	std::vector<one> accesses_;
	terms needed_;
	int bits_ = 0;
};

TEST(apart, no_random_case_is_wrong)
{
	const char *wanted = getenv("HET_TEST_CASES");
	const unsigned cases = wanted ? unsigned(atoi(wanted)) : 400;
	unsigned apart = 0, known = 0;
	for (unsigned seed = 1; seed <= cases; seed++) {
		random_case c(seed);
		bool says = is_apart(c.text, c.launch, {0}), is = c.is_apart();
		ASSERT_FALSE(says && !is) << c.text << "\nseed " << seed;
		apart += is;
		known += says;
	}
	RecordProperty("apart", int(apart));
	RecordProperty("known", int(known));
	EXPECT_GT(apart, cases / 20);
	EXPECT_GT(known, apart / 2) << apart;
}

} // namespace
