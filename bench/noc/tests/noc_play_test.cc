// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/random.h"
#include "noc/trace/packets.h"
#include "noc/trace/play.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <stdexcept>

using namespace noc;

namespace
{

using kind = access_event::kind_t;

configuration target(const std::string &policy = "dor")
{
	configuration c;
	c.network = "two-layers";
	c.how = routing::yx_z;
	c.policy = policy;
	return c;
}

traced_packet from_to(uint32_t id, unsigned from, unsigned to, uint64_t cycle, uint8_t type = 1)
{
	traced_packet p;
	p.id = id;
	p.source = uint8_t(from);
	p.destination = uint8_t(to);
	p.cycle = cycle;
	p.type = type;
	return p;
}

// A chain: each packet waits for the one before.
packet_trace chain(std::vector<traced_packet> packets)
{
	packet_trace t;
	for (size_t i = 0; i < packets.size(); i++) {
		packets[i].first_dependant = uint32_t(i);
		packets[i].dependants = i + 1 < packets.size();
		if (i + 1 < packets.size())
			t.dependants.push_back(packets[i + 1].id);
	}
	t.packets = std::move(packets);
	return t;
}

// What threads that do not know of each other do at random; every thread meets the same barriers.
access_trace drawn(random_stream &random, unsigned threads)
{
	access_trace t(threads);
	for (unsigned phase = 0; phase < 2; phase++)
		for (auto &events : t) {
			for (unsigned i = 0; i < 15 + random.below(15); i++)
				events.push_back({random.below(3) ? kind::read : kind::write,
						  uint16_t(random.below(20)),
						  random.below(4) ? random.next() % 4000 : random.next() % 40});
			events.push_back({kind::barrier, 0, 0});
		}
	return t;
}

} // namespace

// Alone in the network each packet takes what the formula says, and the next one leaves as much later as in the trace.
TEST(play, a_chain_takes_the_sum_of_its_ways)
{
	const configuration c = target();
	const topology t = topology_of(c);
	const route_table routes = routes_of(t, c.how);
	play_options o;
	o.nominal = 20;
	// 7 cycles after the first arrives; at once; inside a node.
	const packet_trace trace = chain(
		{from_to(9, 0, 63, 5), from_to(4, 63, 8, 5 + 20 + 7, 2), from_to(6, 8, 9, 40), from_to(2, 9, 9, 60)});
	const uint64_t ways = zero_load_latency(t, routes, c.router, 0, 63, through_cores, 1) +
			      zero_load_latency(t, routes, c.router, 63, 8, through_cores, 5) +
			      zero_load_latency(t, routes, c.router, 8, 9, through_cores, 1);
	const playback p = play(trace, c, o);
	EXPECT_EQ(p.packets, 4u);
	EXPECT_EQ(p.here, 1u);
	// A packet that is received in a cycle is known of in the next one.
	EXPECT_EQ(p.cycles, 5 + 7 + 1 + ways + 3);
	EXPECT_NEAR(p.latency, double(ways + 3) / 3, 1e-9);
}

TEST(play, long_silence_takes_no_time_and_changes_nothing)
{
	play_options o;
	const playback soon = play(chain({from_to(0, 0, 63, 0), from_to(1, 0, 63, 1000)}), target("dll"), o);
	const playback late = play(chain({from_to(0, 0, 63, 0), from_to(1, 0, 63, 3'000'000'000)}), target("dll"), o);
	EXPECT_EQ(late.cycles - soon.cycles, 3'000'000'000u - 1000);
	EXPECT_EQ(late.latency, soon.latency);
}

TEST(play, memory_packets_take_the_interposer_to_their_controller)
{
	traced_packet to = from_to(0, 5, 3, 0);
	to.node_types = uint8_t(traced_node::l2) << 4 | uint8_t(traced_node::controller);
	traced_packet back = from_to(1, 3, 5, 120, 2);
	back.node_types = uint8_t(traced_node::controller) << 4 | uint8_t(traced_node::l2);
	const configuration c = target();
	const topology t = topology_of(c);
	const route_table routes = routes_of(t, c.how);
	unsigned third = 0; // controller
	for (unsigned i = 0, n = 0; i < t.terminals.size(); i++)
		if (t.terminals[i].memory && n++ == 3)
			third = i;
	const playback p = play(chain({to, back}), c, {});
	EXPECT_EQ(p.to_memory, 2u);
	EXPECT_EQ(p.diverted, 0u);
	EXPECT_EQ(p.cycles, zero_load_latency(t, routes, c.router, 5, third, through_interposer, 1) + 100 +
				    zero_load_latency(t, routes, c.router, third, 5, through_interposer, 5) + 2);
}

TEST(play, refuses_what_cannot_be_played)
{
	packet_trace circle = chain({from_to(0, 0, 1, 0), from_to(1, 1, 0, 0)});
	circle.packets[1].first_dependant = 1;
	circle.packets[1].dependants = 1;
	circle.dependants.push_back(0);
	EXPECT_THROW(play(circle, target(), {}), std::invalid_argument);
	EXPECT_THROW(play(chain({from_to(0, 0, 1, 0), from_to(0, 1, 0, 0)}), target(), {}), std::invalid_argument);
	EXPECT_THROW(play(chain({from_to(0, 0, 64, 0)}), target(), {}), std::invalid_argument);
	packet_trace unknown = chain({from_to(0, 0, 1, 0), from_to(1, 1, 0, 0)});
	unknown.dependants[0] = 7;
	EXPECT_THROW(play(unknown, target(), {}), std::invalid_argument);
	configuration c = target();
	c.network = "mesh";
	c.how = routing::xy;
	EXPECT_THROW(play(chain({from_to(0, 0, 1, 0)}), c, {}), std::invalid_argument);
	EXPECT_THROW(play(chain({from_to(0, 0, 1, 0)}), target("ideal"), {}), std::invalid_argument);
}

// What the caches say: a core that misses to read waits for the answer, and says so to what it does next.
TEST(packets, a_core_waits_for_what_it_reads)
{
	packet_options o;
	const packet_trace t = packets_of({{{kind::read, 0, 1}, {kind::read, 10, 1}, {kind::read, 0, 2}}}, o);
	// Two misses of four packets: core, bank, controller, and back.
	ASSERT_EQ(t.packets.size(), 8u);
	std::map<uint32_t, const traced_packet *> by_id;
	for (const traced_packet &p : t.packets)
		by_id[p.id] = &p;
	for (uint32_t id = 0; id < 7; id++) {
		ASSERT_EQ(by_id[id]->dependants, 1u) << id;
		EXPECT_EQ(t.dependants[by_id[id]->first_dependant], id + 1);
	}
	EXPECT_EQ(by_id[7]->dependants, 0u);
	EXPECT_EQ(by_id[0]->cycle, 1u);
	// Its answer took 20 cycles; then a hit of 10 + 1 cycles and the miss itself.
	EXPECT_EQ(by_id[4]->cycle, by_id[3]->cycle + 20 + 11 + 1);
	EXPECT_EQ(by_id[2]->cycle, by_id[1]->cycle + 20 + o.cache.memory_cycles);
	EXPECT_EQ(by_id[2]->from(), traced_node::controller);
}

TEST(packets, eight_writes_are_under_way_and_the_ninth_waits)
{
	access_trace a(1);
	for (uint64_t line = 0; line < 10; line++)
		a[0].push_back({kind::write, 0, line * 64 + 1});
	const packet_trace t = packets_of(a, {});
	std::vector<uint64_t> requests;
	std::set<uint32_t> waits;
	for (const traced_packet &p : t.packets)
		waits.insert(t.dependants.begin() + p.first_dependant,
			     t.dependants.begin() + p.first_dependant + p.dependants);
	std::vector<uint32_t> free;
	for (const traced_packet &p : t.packets)
		if (p.type == uint8_t(traced_type::exclusive_request) && !waits.count(p.id))
			free.push_back(p.id);
	EXPECT_EQ(free.size(), 9u); // the ninth makes the core wait, so the tenth does
}

TEST(packets, all_threads_meet_at_a_barrier)
{
	const access_trace a = {{{kind::barrier, 100, 0}, {kind::read, 0, 1}},
				{{kind::barrier, 5, 0}, {kind::read, 0, 2}}};
	const packet_trace t = packets_of(a, {});
	uint64_t first_read = ~0ull;
	for (const traced_packet &p : t.packets)
		if (p.type == uint8_t(traced_type::read_request))
			first_read = std::min(first_read, p.cycle);
	EXPECT_EQ(first_read, 100 + 3 * 20 + 1u); // there, known, and back
	EXPECT_THROW(packets_of({{{kind::barrier, 0, 0}}, {}}, {}), std::invalid_argument);
	packet_options o;
	o.cache.cores = 1;
	EXPECT_THROW(packets_of(a, o), std::invalid_argument);
}

// Whatever the threads do: a file holds it, all policies play it whole, always in the same time, and never sooner than
// without any network.
TEST(packets, what_threads_do_at_random_is_played_by_every_policy)
{
	for (unsigned n = 0; n < 2; n++) {
		random_stream random(31, n);
		packet_options o;
		o.cache.l1_bytes = 4096;
		cache_counts counts;
		const access_trace a = drawn(random, 64);
		const packet_trace t = packets_of(a, o, &counts);
		EXPECT_EQ(packets_of(a, o), t);
		EXPECT_GT(counts.misses, 500u);
		EXPECT_LT(counts.misses, counts.accesses);
		EXPECT_EQ(read_netrace(write_netrace(t)), t);
		for (const char *policy : {"dor", "localbuf", "destdetect", "dll", "adaptive"}) {
			configuration c = target(policy);
			c.router.checked = n == 0 && c.policy == "dor";
			const playback p = play(t, c, {});
			EXPECT_EQ(p.packets, t.packets.size());
			EXPECT_GT(p.to_memory, 0u);
			EXPECT_GT(p.latency, 10);
			EXPECT_EQ(play(t, c, {}).cycles, p.cycles) << policy;
		}
	}
}
