// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches in a file are what was written, or refused: nothing outside of the tables is ever looked at.
#include "checkpoint/launches.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace het::checkpoint;

namespace
{

// Two programs, three kernels, and commands that wait for each other, with arguments of each kind.
std::vector<std::byte> example()
{
	launch_list_builder b;
	const uint32_t value = 17;
	bool ok = b.add_program("steps", 123) && b.add_program("other", 0) && b.add_item("grid", 5000) &&
		  b.add_item("sum", 8) && b.add_kernel("add", 0) && b.add_kernel("combine", 0) && b.add_kernel("f", 1);
	for (uint32_t i = 0; i < 5; i++) {
		const bool is_launch = i != 2;
		ok = ok && b.add_command({.kernel = is_launch ? i % 3 : no_kernel,
					  .dimensions = 1,
					  .flags = i,
					  .priority = int32_t(i) - 2,
					  .global = {100 + i, 0, 0},
					  .local = {0, 0, 0}});
		for (uint32_t before = 0; before < i; before++)
			ok = ok && b.add_before(before);
		if (!is_launch)
			continue;
		ok = ok &&
		     b.add_argument({.kind = argument_kind::memory, .access = 3, .nbytes = 100, .at = 4900 - i}) &&
		     b.add_argument({.kind = argument_kind::value}, std::as_bytes(std::span(&value, 1))) &&
		     b.add_argument({.kind = argument_kind::local, .nbytes = 64}) &&
		     b.add_argument({.kind = argument_kind::memory,
				     .access = 1,
				     .nbytes = 8,
				     .item = 1,
				     .has_pattern = 1,
				     .offset = -4,
				     .step = 4,
				     .length = 2,
				     .count = 1});
	}
	list<std::byte> all;
	EXPECT_TRUE(ok && b.build(all));
	return {all.all().begin(), all.all().end()};
}

// Looks at all that there is, as who launches it again does. Returns a sum of it.
uint64_t look_at(const launch_list &l)
{
	uint64_t sum = l.nlaunches();
	for (size_t i = 0; i < l.head().nprograms; i++)
		sum = sum * 31 + l.program(i).identity + strlen(l.text(l.program(i).name));
	for (size_t i = 0; i < l.head().nitems; i++)
		sum = sum * 31 + l.item(i).nbytes + strlen(l.text(l.item(i).name));
	for (size_t i = 0; i < l.head().nkernels; i++)
		sum = sum * 31 + l.program(l.kernel(i).program).identity + strlen(l.text(l.kernel(i).name));
	size_t before = 0, argument = 0;
	for (size_t i = 0; i < l.head().ncommands; i++) {
		const launch_command c = l.command(i);
		sum = sum * 31 + (c.kernel == no_kernel ? 0 : l.kernel(c.kernel).name);
		for (size_t end = before + c.nbefore; before < end; before++)
			sum = sum * 31 + l.command(l.before(before)).flags;
		for (size_t end = argument + c.nargs; argument < end; argument++) {
			const launch_argument a = l.argument(argument);
			if (a.kind == argument_kind::memory)
				sum = sum * 31 + a.at + l.item(a.item).nbytes;
			for (size_t k = 0; a.kind == argument_kind::value && k < a.nbytes; k++)
				sum = sum * 31 + static_cast<const uint8_t *>(l.value(a))[k];
		}
	}
	return sum;
}

outcome open(const std::vector<std::byte> &all, uint64_t *sum = nullptr)
{
	launch_list l;
	fault why;
	const outcome o = l.open(all, why);
	EXPECT_EQ(o == outcome::done, !*why.text);
	if (o == outcome::done) {
		const uint64_t s = look_at(l);
		if (sum)
			*sum = s;
	}
	return o;
}

TEST(checkpoint_launches_test, are_what_was_written)
{
	const std::vector<std::byte> all = example();
	launch_list l;
	fault why;
	ASSERT_EQ(l.open(all, why), outcome::done) << why.text;
	EXPECT_EQ(l.nlaunches(), 4u);
	EXPECT_EQ(l.head().ncommands, 5u);
	EXPECT_STREQ(l.text(l.program(1).name), "other");
	EXPECT_EQ(l.program(0).identity, 123u);
	EXPECT_STREQ(l.text(l.item(0).name), "grid");
	EXPECT_STREQ(l.text(l.kernel(2).name), "f");
	EXPECT_EQ(l.kernel(2).program, 1u);
	EXPECT_EQ(l.command(3).priority, 1);
	EXPECT_EQ(l.command(3).global[0], 103u);
	EXPECT_EQ(l.command(3).nbefore, 3u);
	EXPECT_EQ(l.before(1 + 2 + 2), 2u); // the last that the fourth one waits for
	const launch_argument value = l.argument(5);
	uint32_t v = 0;
	ASSERT_EQ(value.nbytes, sizeof(v));
	memcpy(&v, l.value(value), sizeof(v));
	EXPECT_EQ(v, 17u);
	EXPECT_EQ(l.argument(4).at, 4899u);
	EXPECT_EQ(l.argument(7).offset, -4);
	uint64_t sum = 0;
	EXPECT_EQ(open(all, &sum), outcome::done);
	EXPECT_NE(sum, 0u);
}

TEST(checkpoint_launches_test, cut_off_they_are_refused)
{
	const std::vector<std::byte> all = example();
	for (size_t n = 0; n < all.size(); n++)
		EXPECT_EQ(open({all.begin(), all.begin() + long(n)}), outcome::damaged) << n;
	std::vector<std::byte> longer = all;
	longer.resize(all.size() + 8);
	EXPECT_EQ(open(longer), outcome::damaged);
}

TEST(checkpoint_launches_test, changed_they_are_read_within_their_tables)
{
	const std::vector<std::byte> all = example();
	size_t refused = 0;
	for (size_t at = 0; at < all.size(); at++) {
		for (const int bits : {0x01, 0x80, 0xff}) {
			std::vector<std::byte> changed = all;
			changed[at] ^= std::byte(bits);
			refused += open(changed) != outcome::done;
		}
	}
	EXPECT_GT(refused, all.size() / 2);
}

TEST(checkpoint_launches_test, what_can_not_be_is_refused)
{
	const auto refused = [](auto fill) {
		launch_list_builder b;
		list<std::byte> bytes;
		EXPECT_TRUE(b.add_program("p", 1) && b.add_item("i", 100) && b.add_kernel("k", 0));
		fill(b);
		EXPECT_TRUE(b.build(bytes));
		return open({bytes.all().begin(), bytes.all().end()}) != outcome::done;
	};
	using builder = launch_list_builder;
	const launch_command one = {.kernel = 0, .dimensions = 1};
	EXPECT_FALSE(refused([&](builder &b) { b.add_command(one); }));
	EXPECT_TRUE(refused([&](builder &b) { b.add_command({.kernel = 1}); }));
	EXPECT_TRUE(refused([&](builder &b) { b.add_kernel("l", 1); }));
	EXPECT_TRUE(refused([&](builder &b) { b.add_item("none", 0); }));
	EXPECT_TRUE(refused([&](builder &b) { b.add_program("", 0); }));
	EXPECT_TRUE(refused([&](builder &b) { b.add_command(one) && b.add_before(0); })); // for itself
	EXPECT_TRUE(refused([&](builder &b) {
		b.add_command({.kernel = no_kernel}) && b.add_argument({.kind = argument_kind::local, .nbytes = 1});
	}));
	const auto with = [&](const launch_argument &a) {
		return refused([&](builder &b) { b.add_command(one) && b.add_argument(a); });
	};
	EXPECT_FALSE(with({.kind = argument_kind::memory, .nbytes = 100}));
	EXPECT_TRUE(with({.kind = argument_kind::memory, .nbytes = 101}));
	EXPECT_TRUE(with({.kind = argument_kind::memory, .nbytes = 100, .at = 1}));
	EXPECT_TRUE(with({.kind = argument_kind::memory, .nbytes = 8, .at = UINT64_MAX - 3}));
	EXPECT_TRUE(with({.kind = argument_kind::memory, .nbytes = 0}));
	EXPECT_TRUE(with({.kind = argument_kind::memory, .nbytes = 1, .item = 1}));
	EXPECT_TRUE(with({.kind = argument_kind::memory, .nbytes = 1, .has_pattern = 2}));
	EXPECT_TRUE(with({.kind = argument_kind(4), .nbytes = 1}));
	EXPECT_TRUE(with({.kind = argument_kind::value})); // of no bytes
}

} // namespace
