// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The parts of the machine, each by itself.
#include "etc/caches.h"
#include "etc/neighbours.h"
#include "etc/tests/machines.h"

#include <gtest/gtest.h>
#include <stdexcept>

using namespace etc;

TEST(etc_parts, parameters_have_names)
{
	machine m;
	set(m, "processors=7");
	set(m, "fault_us=2.5");
	set(m, "prefetcher=0");
	EXPECT_EQ(m.processors, 7u);
	EXPECT_EQ(m.fault_cycles(), 2550u);
	EXPECT_FALSE(m.prefetcher);
	for (const char *wrong : {"processor=7", "processors", "processors=", "processors=7x", "processors=-1", "=",
				  "processors=0", "detection_cycles=0"})
		EXPECT_THROW(set(m, wrong), std::invalid_argument) << wrong;
	machine other;
	for (const parameter &p : parameters_of(m))
		set(other, p.name + "=" + std::to_string(p.value));
	EXPECT_EQ(other.processors, 7u);
	EXPECT_EQ(parameters_of(other).size(), parameters_of(m).size());
}

// A granule takes as long on the bus, and there are as many of a program's pages.
TEST(etc_parts, a_smaller_machine_takes_as_long_for_less)
{
	const machine m, s = scaled(m, 4);
	EXPECT_EQ(s.processors, 8u);
	EXPECT_EQ(s.channels, 2u);
	EXPECT_EQ(s.page_bytes, 16u << 10);
	EXPECT_EQ(s.pages_of_granule(), m.pages_of_granule());
	EXPECT_EQ(s.bus_cycles(s.granule_bytes), m.bus_cycles(m.granule_bytes));
	EXPECT_EQ(m.bus_cycles(m.page_bytes), 4178u); // 64 KiB at 16 GB/s and 1020 MHz
	EXPECT_EQ(s.fault_cycles(), m.fault_cycles());
	EXPECT_THROW(scaled(m, 0), std::invalid_argument);
}

TEST(etc_parts, the_tag_used_longest_ago_leaves)
{
	tags t(2, 2);
	t.put(1, 10);
	t.put(2, 20, true);
	EXPECT_EQ(t.find(1)->ready, 10u);
	const tags::entry left = t.put(3, 30);
	EXPECT_EQ(left.key, 2u);
	EXPECT_TRUE(left.dirty);
	EXPECT_FALSE(t.find(2));
	EXPECT_TRUE(t.find(1));
	t.remove(1);
	EXPECT_FALSE(t.find(1));
	EXPECT_THROW(tags(1, 2), std::invalid_argument);
}

TEST(etc_parts, an_open_row_is_quicker_and_wires_carry_one_line_at_a_time)
{
	machine m = plain_machine();
	m.banks = 2;
	memory_channels c(m);
	EXPECT_EQ(c.access(0, 100), 109u);
	EXPECT_EQ(c.access(1, 100), 111u) << "the row is open, and the wires are busy until 109";
	EXPECT_EQ(c.access(2, 200), 207u);
	c.occupy(3 * line_bytes, 300);
	EXPECT_EQ(c.access(3, 300), 308u) << "the wires are busy until 306";
}

TEST(etc_parts, a_walk_comes_once)
{
	machine m = plain_machine();
	m.processors = 2;
	translation t(m);
	EXPECT_EQ(t.find(0, 5, 5, 100), 121u) << "2 for the TLB of all, 10 + 7 + 2 for the table";
	EXPECT_EQ(t.find(0, 5, 5, 200), 200u);
	EXPECT_EQ(t.find(1, 5, 5, 200), 202u);
	EXPECT_EQ(t.find(1, 6, 6, 200), 212u) << "the table's line is in the walk cache";
	EXPECT_EQ(t.walks(), 2u);
}

TEST(etc_parts, as_many_walks_at_once_as_there_are_walkers)
{
	machine m = plain_machine();
	m.walks = 1;
	translation t(m);
	EXPECT_EQ(t.find(0, 0, 0, 100), 121u);
	EXPECT_EQ(t.find(0, 1, 1, 100), 131u) << "10 behind the one before";
}

TEST(etc_parts, the_bus_carries_both_ways_at_once)
{
	bus b(plain_machine());
	EXPECT_EQ(b.carry(bus::to_device, 512, 100), 140u);
	EXPECT_EQ(b.carry(bus::to_device, 512, 100), 180u);
	EXPECT_EQ(b.carry(bus::to_host, 512, 100), 140u);
	EXPECT_EQ(b.carried(bus::to_device), 1024u);
	EXPECT_EQ(b.busy(bus::to_host), 40u);
}

TEST(etc_parts, more_than_half_of_a_tree_brings_the_rest)
{
	std::vector<bool> there(8);
	there[0] = true;
	EXPECT_TRUE(ask_for_neighbours(there, 0).empty()) << "half of two is not more than half";
	there[1] = true;
	EXPECT_TRUE(ask_for_neighbours(there, 1).empty());
	there[2] = true;
	EXPECT_EQ(ask_for_neighbours(there, 2), (std::vector<uint32_t>{3}));
	there[5] = true;
	EXPECT_EQ(ask_for_neighbours(there, 5), (std::vector<uint32_t>{4, 6, 7})) << "five of eight";
	std::vector<bool> odd = {true, true, false};
	EXPECT_EQ(ask_for_neighbours(odd, 1), (std::vector<uint32_t>{2}));
}

TEST(etc_parts, granules_leave_in_the_order_of_their_arrival)
{
	device_memory d(plain_machine(), 6 * 512, 4 * 512);
	for (const uint32_t page : {4u, 0u, 1u}) {
		EXPECT_TRUE(d.take(page));
		d.arrive(page);
	}
	EXPECT_FALSE(d.take(0)) << "it is there";
	EXPECT_EQ(d.free(), 1u);
	EXPECT_TRUE(d.take(2));
	EXPECT_FALSE(d.take(3)) << "there is no frame";
	uint32_t oldest = 0;
	EXPECT_TRUE(d.find_oldest(&oldest));
	EXPECT_EQ(oldest, 2u);
	d.write(4);
	const uint64_t generation = d.generation(4);
	d.leave(4);
	EXPECT_NE(d.generation(4), generation);
	EXPECT_FALSE(d.take(3)) << "the frame is free when it has left";
	d.gone(4);
	EXPECT_TRUE(d.take(3));
	EXPECT_TRUE(d.find_oldest(&oldest));
	EXPECT_EQ(oldest, 0u);
	d.check();
	EXPECT_THROW(d.arrive(0), std::logic_error);
	EXPECT_THROW(d.leave(5), std::logic_error);
	EXPECT_THROW(d.gone(0), std::logic_error);
}

// What was known of a page before it left is void.
TEST(etc_parts, caches_forget_what_has_left)
{
	const machine m = plain_machine();
	device_memory d(m, 2 * 512, 2 * 512);
	bus b(m);
	caches c(m, d, b);
	d.take(0);
	d.arrive(0);
	EXPECT_EQ(c.load(0, 0, 100), 140u) << "21 to find it, 10 to the second cache, 9 to memory";
	EXPECT_EQ(c.load(0, 0, 200), 203u);
	d.leave(0);
	d.gone(0);
	d.take(0);
	d.arrive(0);
	EXPECT_GT(c.load(0, 0, 300), 310u);
}

TEST(etc_parts, a_page_that_is_not_there_is_used_over_the_bus)
{
	const machine m = plain_machine();
	device_memory d(m, 2 * 512, 512);
	bus b(m);
	caches c(m, d, b);
	EXPECT_EQ(c.load(0, 4, 100), 341u) << "31 to the second cache, 10 on the bus, 200 to the host";
	EXPECT_EQ(c.remote(), 1u);
	EXPECT_EQ(b.carried(bus::to_device), line_bytes);
}
