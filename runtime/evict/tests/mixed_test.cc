// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests launches that run mixed, on small ones of which each byte is followed: all sequences of a few kinds of
// launches, with all numbers of rows in a slice, give what the same launches give one after the other, in whatever
// order copies and kernels come that wait for each other no more than they have to.
#include "evict/tile_moves.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace het;
using namespace het::rt;

namespace
{

constexpr uintptr_t at = 0x100000;
constexpr size_t unit = window_grain, units_of_array = 8, arrays = 3, units = units_of_array * arrays;
constexpr uint64_t poison = ~uint64_t{0};

range of_array(size_t a)
{
	return {at + a * units_of_array * unit, at + (a + 1) * units_of_array * unit};
}

row_use rows(size_t a, bool reads, bool writes, int first, int length, unsigned step = 1)
{
	return {of_array(a), reads, writes, true, int64_t(first) * int64_t(unit), step * unit, size_t(length) * unit};
}

// All but the first row of an array is the argument.
row_use but_first(size_t a, bool reads, bool writes)
{
	const range all = of_array(a);
	return {{all.begin + unit, all.end}, reads, writes, true, 0, unit, unit};
}

row_use whole(size_t a)
{
	return {of_array(a), true, false};
}

struct kind_of_launch {
	size_t nrows = units_of_array;
	std::vector<row_use> uses;
};

const kind_of_launch kinds[] = {
	{8, {rows(0, true, false, -1, 3), rows(1, false, true, 0, 1)}}, // a step of a stencil
	{8, {rows(1, true, false, -1, 3), rows(0, false, true, 0, 1)}}, // and back
	{8, {rows(0, true, true, 0, 1)}},                               // in its place
	{8, {rows(0, true, false, 0, 2), rows(1, true, true, 0, 1)}},   // looks to one side
	{8, {rows(0, true, false, -3, 1), rows(1, false, true, 0, 1)}}, // and to the other
	{6, {rows(1, true, false, 0, 3), rows(0, false, true, 1, 1)}},  // has no edges
	{8, {rows(1, true, false, 0, 1), rows(2, false, true, 0, 1)}},  // another array
	{8, {whole(2), rows(0, true, false, 2, 1), rows(1, true, true, 0, 1)}},
	{4, {rows(1, true, false, 0, 2, 2), rows(2, false, true, 0, 2, 2)}}, // has other rows
	{3, {rows(2, true, true, 5, 1), rows(0, true, false, 0, 1)}},        // some bytes alone
	{6, {but_first(0, false, true), rows(1, true, false, -4, 1)}},       // begins in the midst of an array
	{8, {rows(0, true, false, 0, 1), rows(1, false, true, 0, 1)}}, // which this has from its begin, far behind
};

uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ (b + 0x9e3779b97f4a7c15)) * 0xbf58476d1ce4e5b9;
	return (a ^ a >> 29) & ~(uint64_t{1} << 63);
}

size_t unit_of(uintptr_t byte)
{
	return (byte - at) / unit;
}

// One row of a launch, whose bytes are found by place(use, byte).
template <class F> void do_row(const kind_of_launch &k, unsigned launch, size_t row, F place)
{
	uint64_t sum = mix(launch, row);
	for (size_t i = 0; i < k.uses.size(); i++) {
		const range r = used_by(k.uses[i], {row, 1});
		for (uintptr_t b = r.begin; k.uses[i].reads && b < r.end; b += unit) {
			ASSERT_NE(*place(i, b), poison);
			sum = mix(sum, *place(i, b));
		}
	}
	for (size_t i = 0; i < k.uses.size(); i++) {
		const range r = used_by(k.uses[i], {row, 1});
		for (uintptr_t b = r.begin; k.uses[i].writes && b < r.end; b += unit)
			*place(i, b) = mix(sum, b);
	}
}

class simulation
{
      public:
	simulation(std::span<const unsigned> sequence, std::minstd_rand &random) : random_(random)
	{
		for (unsigned k : sequence) {
			mixed_launch l = {kinds[k].nrows, 0, kinds[k].uses};
			if (!find_shift(all_, l))
				return;
			all_.push_back(l);
			kinds_.push_back(&kinds[k]);
			nrows_ = std::max<size_t>(nrows_, l.nrows + l.shift);
		}
		can_mix_ = true;
		for (const mixed_launch &l : all_) {
			for (size_t i = 0; i < l.uses.size(); i++) {
				uses_.emplace_back();
				EXPECT_TRUE(shift_use(l, i, uses_.back()));
			}
		}
		for (size_t i = 0; i < units; i++)
			should_.push_back(mix(99, i));
		before_ = should_;
		for (unsigned l = 0; l < all_.size(); l++) {
			for (size_t row = 0; row < all_[l].nrows; row++)
				do_row(*kinds_[l], l, row, [&](size_t, uintptr_t b) { return &should_[unit_of(b)]; });
		}
	}
	bool can_mix() const { return can_mix_; }
	size_t nrows() const { return nrows_; }

	// It is false if there is too little memory.
	bool run(uint64_t budget)
	{
		slice_plan plan;
		EXPECT_TRUE(plan.take(uses_, nrows_, true));
		if (!plan.choose(budget, 1))
			return false;
		EXPECT_LE(plan.nbytes(), budget);
		plan_ = &plan;
		EXPECT_TRUE(moves_.find(plan, all_));
		check_moves();
		host_ = before_;
		const size_t n = plan.windows().size();
		fetched_.assign(n, 0);
		home_.assign(n, 0);
		buffers_.clear();
		for (const window &w : plan.windows())
			buffers_.emplace_back(w.buffers, std::vector<uint64_t>(w.room / unit, poison));
		done_.assign(all_.size(), 0);
		for (kernels_ = 0; step();)
			;
		EXPECT_EQ(host_, should_);
		for (size_t l = 0; l < all_.size(); l++)
			EXPECT_EQ(done_[l], all_[l].nrows);
		return true;
	}

      private:
	void check_moves()
	{
		for (unsigned w = 0; w < plan_->windows().size(); w++) {
			range_set fetched, left;
			for (size_t s = 0; s < plan_->nslices(); s++) {
				ASSERT_LE(plan_->bytes_of(w, s).size(), plan_->windows()[w].room);
				for (range r : moves_.fetched(w, s)) {
					check_once(fetched, r, w, s);
					for (range earlier : left.runs())
						ASSERT_FALSE(earlier.overlaps(r));
				}
				for (range r : moves_.left(w, s))
					check_once(left, r, w, s);
			}
		}
	}
	void check_once(range_set &had, range r, unsigned w, size_t s) const
	{
		ASSERT_FALSE(r.empty());
		ASSERT_TRUE(plan_->bytes_of(w, s).covers(r));
		for (range other : had.runs())
			ASSERT_FALSE(other.overlaps(r));
		ASSERT_TRUE(had.add(r));
	}
	uint64_t *place(unsigned w, size_t s, uintptr_t b)
	{
		std::vector<std::vector<uint64_t>> &of = buffers_[w];
		return &of[s % of.size()].at((b - plan_->bytes_of(w, s).begin) / unit);
	}
	bool is_over(size_t s) const { return s >= plan_->nslices(); }

	// A window's buffer is free when what it had is home, or has ended, and was carried.
	bool may_fetch(unsigned w) const
	{
		const window &win = plan_->windows()[w];
		const size_t s = fetched_[w], n = win.buffers;
		if (is_over(s) || s < n || win.stays)
			return !is_over(s);
		return (win.writes ? home_[w] : kernels_) > s - n && kernels_ > s - n + 1;
	}
	bool may_compute() const
	{
		return !is_over(kernels_) &&
		       std::all_of(fetched_.begin(), fetched_.end(), [&](size_t f) { return f > kernels_; });
	}
	void fetch(unsigned w)
	{
		const size_t s = fetched_[w]++;
		if (!plan_->windows()[w].stays)
			std::fill(buffers_[w][s % buffers_[w].size()].begin(),
				  buffers_[w][s % buffers_[w].size()].end(), poison);
		for (range r : moves_.fetched(w, s))
			for (uintptr_t b = r.begin; b < r.end; b += unit)
				*place(w, s, b) = host_[unit_of(b)];
	}
	void bring(unsigned w)
	{
		const size_t s = home_[w]++;
		for (range r : moves_.left(w, s))
			for (uintptr_t b = r.begin; b < r.end; b += unit)
				host_[unit_of(b)] = *place(w, s, b);
	}
	void compute()
	{
		const size_t s = kernels_++;
		for (unsigned w = 0; w < buffers_.size(); w++)
			for (range r : moves_.carried(w, s))
				for (uintptr_t b = r.begin; b < r.end; b += unit)
					*place(w, s, b) = *place(w, s - 1, b);
		size_t first_use = 0;
		for (unsigned l = 0; l < all_.size(); l++) {
			const row_span rows = rows_of(all_[l], plan_->slice(s));
			for (size_t row = rows.first + rows.count; row-- > rows.first;) {
				do_row(*kinds_[l], l, row, [&](size_t use, uintptr_t b) {
					return place(plan_->window_of(first_use + use), s, b);
				});
			}
			EXPECT_TRUE(!rows.count || done_[l] == rows.first);
			done_[l] += rows.count;
			first_use += all_[l].uses.size();
		}
	}
	// Does one of the things that may be done. It is false if there is none left.
	bool step()
	{
		const auto n = unsigned(buffers_.size());
		std::vector<unsigned> may; // number n computes
		for (unsigned w = 0; w < n; w++) {
			if (may_fetch(w))
				may.push_back(w);
			if (home_[w] < kernels_)
				may.push_back(n + 1 + w);
		}
		if (may_compute())
			may.push_back(n);
		if (may.empty()) {
			EXPECT_TRUE(is_over(kernels_)) << "no progress";
			return false;
		}
		const unsigned what = may[random_() % may.size()];
		if (what == n)
			compute();
		else if (what < n)
			fetch(what);
		else
			bring(what - n - 1);
		return true;
	}

	std::minstd_rand &random_;
	std::vector<mixed_launch> all_;
	std::vector<const kind_of_launch *> kinds_;
	std::vector<row_use> uses_;
	size_t nrows_ = 0;
	bool can_mix_ = false;
	std::vector<uint64_t> before_, should_, host_;
	const slice_plan *plan_ = nullptr;
	tile_moves moves_;
	std::vector<std::vector<std::vector<uint64_t>>> buffers_;
	size_t kernels_ = 0;
	std::vector<size_t> fetched_, home_, done_; // done_ are rows of launches
};

struct count_of_runs {
	unsigned mixed = 0, refused = 0, ran = 0, slices = 0;
};

void run_with_all_budgets(std::span<const unsigned> sequence, std::minstd_rand &random, count_of_runs &n)
{
	simulation s(sequence, random);
	(s.can_mix() ? n.mixed : n.refused)++;
	for (uint64_t budget = unit; s.can_mix() && budget < 3 * units * unit; budget += 4 * unit)
		n.ran += s.run(budget);
}

TEST(mixed, all_sequences_of_three_launches)
{
	std::minstd_rand random(1);
	count_of_runs n;
	const auto nkinds = unsigned(std::size(kinds));
	for (unsigned i = 0; i < nkinds * nkinds * nkinds && !testing::Test::HasFailure(); i++) {
		const unsigned sequence[] = {i % nkinds, i / nkinds % nkinds, i / nkinds / nkinds};
		run_with_all_budgets(sequence, random, n);
	}
	EXPECT_GT(n.mixed, 300u);
	EXPECT_GT(n.refused, 300u);
	EXPECT_GT(n.ran, 4000u);
}

TEST(mixed, long_sequences)
{
	std::minstd_rand random(2);
	count_of_runs n;
	for (unsigned i = 0; i < 300 && !testing::Test::HasFailure(); i++) {
		unsigned sequence[9];
		for (unsigned &k : sequence)
			k = unsigned(random() % 7);
		run_with_all_budgets({sequence, 4 + i % 6}, random, n);
	}
	EXPECT_EQ(n.refused, 0u);
	EXPECT_GT(n.ran, 1500u);
}

TEST(mixed, steps_of_a_stencil_lag_by_a_row)
{
	std::vector<mixed_launch> all;
	for (unsigned i = 0; i < 32; i++) {
		mixed_launch l = {8, 0, kinds[i % 2].uses};
		ASSERT_TRUE(find_shift(all, l));
		EXPECT_EQ(l.shift, i);
		all.push_back(l);
	}
}

// What each row of a launch may use, or has rows of another size, is for it alone if it is written.
TEST(mixed, what_is_not_known_by_rows_runs_alone)
{
	const mixed_launch writes = {8, 0, kinds[6].uses};
	mixed_launch reads = {8, 0, kinds[7].uses}, other_rows = {4, 0, kinds[8].uses};
	EXPECT_FALSE(find_shift({&writes, 1}, reads));
	EXPECT_FALSE(find_shift({&writes, 1}, other_rows));
	row_use no_rows = rows(1, true, false, 0, 1);
	no_rows.by_rows = false;
	mixed_launch not_by_rows = {8, 0, {&no_rows, 1}}, step = {8, 0, kinds[0].uses};
	EXPECT_FALSE(find_shift({&step, 1}, not_by_rows));
	not_by_rows.shift = 0;
	EXPECT_FALSE(find_shift({&not_by_rows, 1}, step));
	const mixed_launch reads_too = {8, 0, kinds[7].uses};
	EXPECT_TRUE(find_shift({&reads_too, 1}, reads));
	EXPECT_EQ(reads.shift, 0u);
}

// Each byte that is read comes once for all steps, and each one that is written goes once.
TEST(mixed, steps_of_a_stencil_move_each_byte_once)
{
	constexpr size_t row = 64 << 10, nrows = 4096, n = row * nrows; // is 256 MiB
	const range a = {at, at + n}, b = {at + n, at + 2 * n};
	const row_use there[] = {{a, true, false, true, -int64_t{row}, row, 3 * row},
				 {b, false, true, true, 0, row, row}},
		      back[] = {{b, true, false, true, -int64_t{row}, row, 3 * row},
				{a, false, true, true, 0, row, row}};
	std::vector<mixed_launch> all;
	std::vector<row_use> uses;
	for (unsigned i = 0; i < 32; i++) {
		mixed_launch l = {nrows, 0, i % 2 ? back : there};
		ASSERT_TRUE(find_shift(all, l));
		all.push_back(l);
		for (size_t k = 0; k < 2; k++) {
			uses.emplace_back();
			ASSERT_TRUE(shift_use(l, k, uses.back()));
		}
	}
	slice_plan p;
	ASSERT_TRUE(p.take(uses, nrows + 31, true));
	ASSERT_TRUE(p.choose(n, 64));
	EXPECT_LE(p.nbytes(), n);
	EXPECT_GT(p.nslices(), 8u);
	tile_moves m;
	ASSERT_TRUE(m.find(p, all));
	size_t fetched[2] = {}, left[2] = {};
	for (unsigned w = 0; w < 2; w++) {
		EXPECT_EQ(p.windows()[w].buffers, 3u);
		for (size_t s = 0; s < p.nslices(); s++) {
			for (range r : m.fetched(w, s))
				fetched[w] += r.size();
			for (range r : m.left(w, s))
				left[w] += r.size();
		}
	}
	EXPECT_EQ(fetched[0], n);
	EXPECT_EQ(fetched[1], 0u);
	EXPECT_EQ(left[0], n);
	EXPECT_EQ(left[1], n);
}

// What a slice has no room for is in no slice again, also where a launch far behind begins before all others.
TEST(mixed, windows_slide_one_way)
{
	constexpr size_t nrows = 200, n = nrows * unit;
	const row_use u[] = {{{at + 5 * unit, at + n}, false, true, true, 0, unit, unit},
			     {{at, at + n}, true, false, true, -40 * int64_t{unit}, unit, unit}};
	slice_plan p;
	ASSERT_TRUE(p.take(u, nrows + 40, true));
	ASSERT_TRUE(p.choose(2 * 60 * unit, 1));
	ASSERT_FALSE(p.windows()[0].stays);
	ASSERT_GT(p.nslices(), 5u);
	for (size_t s = 1; s < p.nslices(); s++) {
		EXPECT_GE(p.bytes_of(0, s).begin, p.bytes_of(0, s - 1).begin);
		EXPECT_GE(p.bytes_of(0, s).end, p.bytes_of(0, s - 1).end);
		for (const row_use &of : u)
			EXPECT_TRUE(used_by(of, p.slice(s)).empty() ||
				    p.bytes_of(0, s).covers(used_by(of, p.slice(s))));
	}
}

// With too little memory for slices of that size they do not run mixed.
TEST(mixed, slices_are_not_too_small)
{
	constexpr size_t row = 1 << 10, nrows = 1000;
	const row_use u[] = {{{at, at + row * nrows}, true, true, true, 0, row, row}};
	slice_plan p;
	ASSERT_TRUE(p.take(u, nrows, true));
	EXPECT_FALSE(p.choose(2 * 100 * row, 101));
	EXPECT_TRUE(p.choose(2 * 103 * row, 101));
	EXPECT_EQ(p.windows()[0].buffers, 2u);
}

TEST(range_sets, hold_what_they_are_told)
{
	std::minstd_rand random(3);
	for (unsigned round = 0; round < 200; round++) {
		range_set s, copy;
		bool has[64] = {};
		for (unsigned i = 0; i < 30; i++) {
			const size_t a = random() % 64, b = random() % 65, what = random() % 8;
			const range r = {std::min(a, b), std::max(a, b)};
			if (what < 4)
				ASSERT_TRUE(s.add(r));
			else if (what < 7)
				ASSERT_TRUE(s.cut(r));
			else
				s.keep(r);
			for (size_t k = 0; k < 64; k++)
				has[k] = what < 4 ? has[k] || r.contains(k) : has[k] && r.contains(k) == (what == 7);
			ASSERT_TRUE(copy.copy(s));
			uintptr_t last = 0;
			for (range run : copy.runs()) {
				ASSERT_FALSE(run.empty());
				ASSERT_TRUE(run.begin > last || (!last && !run.begin));
				last = run.end;
			}
			for (size_t k = 0; k < 64; k++)
				ASSERT_EQ(has[k], std::any_of(copy.runs().begin(), copy.runs().end(),
							      [&](range x) { return x.contains(k); }));
		}
	}
}

} // namespace
