// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "homecomings.h"

#include <gtest/gtest.h>

namespace het_omp
{

namespace
{

constexpr size_t array_bytes = size_t{256} << 20;
constexpr double copy_time = 0.035, move_time = 0.2, launch_time = 0.0005;

// A program maps an array so many times, frees it, and maps another one at the same place. Each time it goes there and
// comes home.
struct program {
	int lives, times;
};

struct spent {
	double time = 0;
	int moves = 0;
};

spent run(const program &p, double copy = copy_time, double move = move_time)
{
	homecomings h(array_bytes);
	move_price price;
	spent s;
	for (int life = 0; life < p.lives; life++) {
		bool is_array = false;
		for (int time = 0; time < p.times; time++) {
			s.time += is_array ? launch_time : copy;
			is_array ? h.launched(launch_time) : h.copied_there(copy);
			if (h.is_watched() && !is_array)
				h.gone(price);
			if (is_array) {
				h.launched(launch_time);
				s.time += launch_time;
			} else if (h.pays(price)) {
				price.measured(array_bytes, move);
				h.moved();
				is_array = true;
				s.time += move;
				s.moves++;
			} else {
				h.copied_home(copy);
				s.time += copy;
			}
		}
	}
	return s;
}

double copies_alone(const program &p, double copy = copy_time)
{
	return 2 * copy * p.lives * p.times;
}

TEST(Homecomings, TheFirstMoveComesWhenCopiesHaveTakenAsLong)
{
	homecomings h(array_bytes);
	const move_price price;
	const double whole = price.of(array_bytes);
	EXPECT_FALSE(h.pays(price));
	h.copied_there(0.6 * whole);
	EXPECT_FALSE(h.pays(price));
	h.copied_home(0.39 * whole);
	EXPECT_FALSE(h.pays(price));
	h.copied_home(0.02 * whole);
	EXPECT_TRUE(h.pays(price));
	EXPECT_EQ(h.copies_home(), 2u);
}

TEST(Homecomings, ThePriceIsWhatMovingHasTaken)
{
	move_price price;
	EXPECT_DOUBLE_EQ(price.of(1 << 20), 1e-9 * (1 << 20));
	price.measured(1000, 500e-9); // takes the place of the guess
	EXPECT_DOUBLE_EQ(price.of(1000), 500e-9);
	price.measured(1000, 900e-9);
	EXPECT_DOUBLE_EQ(price.of(1000), 600e-9);
	price.measured(1000, 1); // a disturbed one counts as ten times the guess at most
	EXPECT_DOUBLE_EQ(price.of(1000), (3 * 600e-9 + 10e-6) / 4);
}

TEST(Homecomings, ShortCopiesNeverPay)
{
	homecomings h(size_t{256} << 10);
	const move_price price;
	for (int i = 0; i < 10000; i++)
		h.copied_home(30e-6);
	EXPECT_FALSE(h.pays(price));
}

TEST(Homecomings, WhatCannotBeMovedIsCopied)
{
	homecomings h(array_bytes);
	const move_price price;
	h.copied_home(100);
	EXPECT_TRUE(h.pays(price));
	h.refused();
	h.copied_home(100);
	EXPECT_FALSE(h.pays(price));
}

TEST(Homecomings, EarlyFreesMakePatientAndLongLivesMakeBold)
{
	homecomings h(array_bytes);
	const move_price price;
	const double whole = price.of(array_bytes);
	auto fill = [&](double time) { h.copied_home(time); };
	for (int early = 1; early <= 16; early *= 2) {
		fill(early * whole * 0.99);
		EXPECT_FALSE(h.pays(price)) << early;
		fill(early * whole * 0.02);
		EXPECT_TRUE(h.pays(price)) << early;
		h.moved();
		h.gone(price);
	}
	fill(33 * whole);
	h.moved();
	for (int i = 0; i < 10; i++)
		h.launched(0);
	h.gone(price); // by then launches have saved more than the price
	fill(1.01 * whole);
	EXPECT_TRUE(h.pays(price));
}

struct bound {
	program p;
	double most; // of the time of copies alone
	int most_moves;
};

TEST(Homecomings, ProgramsTakeAtMostSoMuchOfTheTimeOfCopies)
{
	const bound bounds[] = {
		{{1, 20}, 0.40, 1},    // the array lives
		{{1, 200}, 0.06, 1},   // and lives
		{{1, 3}, 1.00, 0},     // not worth it, and not done
		{{1, 4}, 1.70, 1},     // the worst: it is freed when it was moved
		{{1000, 1}, 1.05, 12}, // each array is mapped once
		{{1000, 2}, 1.05, 12}, {{300, 4}, 1.10, 12}, {{100, 20}, 0.45, 100}, // each lives long enough
	};
	for (const bound &b : bounds) {
		const spent s = run(b.p);
		EXPECT_LE(s.time, b.most * copies_alone(b.p)) << b.p.lives << " lives of " << b.p.times;
		EXPECT_LE(s.moves, b.most_moves) << b.p.lives << " lives of " << b.p.times;
	}
}

// The bound holds where moving takes no longer than was guessed.
TEST(Homecomings, NoProgramTakesMuchLongerThanTwiceTheTimeOfCopies)
{
	const double guess = move_price().of(array_bytes);
	for (double move : {0.1 * guess, 0.5 * guess, guess}) {
		for (int lives = 1; lives <= 300; lives += lives < 10 ? 1 : 90) {
			for (int times = 1; times <= 40; times += times < 12 ? 1 : 7) {
				const program p = {lives, times};
				EXPECT_LE(run(p, copy_time, move).time, 2 * copies_alone(p) + launch_time)
					<< lives << " lives of " << times << ", " << move << " s to move";
			}
		}
	}
	// A price that is ten times the guess is paid once before it is known.
	const program one_life = {1, 40};
	EXPECT_LE(run(one_life, copy_time, 10 * guess).time, copies_alone(one_life) + 10 * guess);
	EXPECT_EQ(run({20, 8}, copy_time, 10 * guess).moves, 2);
}

} // namespace

} // namespace het_omp
