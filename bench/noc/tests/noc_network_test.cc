// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/network.h"
#include "noc/random.h"
#include "noc/simulation.h"
#include "noc/tests/reference.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace noc;

namespace
{

struct network_case {
	topology shape;
	routing how = routing::xy;
	parameters p;
};

// A small network with everything drawn at random.
network_case drawn(random_stream &random)
{
	network_case c;
	const unsigned kind = random.below(4);
	const unsigned width = 1 + random.below(3), height = 1 + random.below(3);
	if (kind == 0)
		c.shape = mesh(width, height);
	if (kind == 1)
		c.shape = concentrated_mesh(width, 1 + random.below(2), 2, 1 + random.below(2));
	if (kind == 2)
		c.shape = two_layers({2 + 2 * random.below(2), 2, 1 + random.below(2), 1 + random.below(3)});
	if (kind == 3)
		c.shape = two_layers({4, 4, 1 + random.below(2), 1 + random.below(3), interposer::double_butterfly});
	const bool order_classes = kind == 3 || random.below(3) == 0;
	if (kind == 3)
		c.how = routing(3 + random.below(2));
	else if (kind == 2)
		c.how = order_classes     ? routing::o1turn_z
			: random.below(3) ? routing(3 + random.below(2))
					  : routing::xy_yx_z;
	else
		c.how = order_classes ? routing::o1turn : routing(random.below(2));
	c.p.message_classes = 1 + random.below(2);
	c.p.vcs = c.p.message_classes * (order_classes ? 2 : 1) * (1 + random.below(2));
	c.p.depth = 1 + random.below(5);
	c.p.vc_allocator = allocator(random.below(2));
	c.p.switch_allocator = allocator(random.below(2));
	c.p.iterations = 1 + random.below(2);
	c.p.input_cycles = random.below(2);
	c.p.switch_cycles = 1 + random.below(2);
	c.p.credit_cycles = random.below(3);
	c.p.latency_fraction = random.below(9);
	c.p.latency_cap = random.below(3) == 0 ? 15 : 255;
	c.p.checked = true;
	for (noc::link &l : c.shape.links)
		l.cycles = uint8_t(1 + random.below(2));
	return c;
}

packet drawn_packet(random_stream &random, const topology &t, const route_table &routes, unsigned source,
		    unsigned message_class)
{
	packet p;
	p.source = uint16_t(source);
	p.message_class = uint8_t(message_class);
	p.length = uint16_t(1 + random.below(5));
	do {
		p.destination = uint16_t(random.below(uint32_t(t.terminals.size())));
		p.route = uint8_t(random.below(routes.routes));
	} while (routes.port(p.route, t.terminals[source].router, p.destination) == route_table::none);
	return p;
}

bool full()
{
	return getenv("HET_TEST_FULL") != nullptr;
}

packet one(unsigned source, unsigned destination, unsigned length, unsigned route = 0)
{
	packet p;
	p.source = uint16_t(source);
	p.destination = uint16_t(destination);
	p.length = uint16_t(length);
	p.route = uint8_t(route);
	return p;
}

} // namespace

TEST(network, moves_every_flit_as_the_reference_does)
{
	const unsigned networks = full() ? 10000 : 60;
	uint64_t moved = 0;
	for (unsigned n = 0; n < networks; n++) {
		random_stream random(1, n);
		const network_case c = drawn(random);
		const route_table routes = routes_of(c.shape, c.how);
		network fast(c.shape, routes, c.p);
		test::reference slow(c.shape, routes, c.p);
		const unsigned busy = 1 + random.below(4); // one terminal in so many starts a packet
		uint64_t tag = 0;
		std::vector<network::movement> moves;
		for (unsigned cycle = 0; cycle < 60; cycle++) {
			for (unsigned t = 0; t < c.shape.terminals.size(); t++)
				for (unsigned m = 0; m < c.p.message_classes; m++) {
					ASSERT_EQ(fast.can_inject(t, m), slow.can_inject(t, m)) << "network " << n;
					if (!fast.can_inject(t, m) || random.below(busy) != 0)
						continue;
					packet p = drawn_packet(random, c.shape, routes, t, m);
					p.tag = tag++;
					fast.inject(p);
					slow.inject(p);
				}
			fast.step();
			slow.step();
			fast.movements(moves);
			ASSERT_EQ(moves, slow.movements()) << "network " << n << ", cycle " << cycle;
			moved += moves.size();
			const std::vector<packet> received = slow.received();
			ASSERT_EQ(fast.received().size(), received.size());
			for (const packet &p : fast.received())
				ASSERT_TRUE(std::any_of(received.begin(), received.end(),
							[&](const packet &q) {
								return q.tag == p.tag &&
								       q.hop_latency == p.hop_latency &&
								       q.hops == p.hops;
							}))
					<< "network " << n << ", cycle " << cycle;
		}
	}
	EXPECT_GT(moved, 5000u);
}

TEST(network, zero_load_latency_is_the_formulas)
{
	parameters slow_router;
	slow_router.input_cycles = 1;
	slow_router.switch_cycles = 2;
	two_layer_options small;
	small.width = small.height = 4;
	small.z_cycles = 2;
	two_layer_options woven = small;
	woven.below = interposer::double_butterfly;
	const std::pair<topology, routing> networks[] = {{mesh(4, 3), routing::xy},
							 {concentrated_mesh(2, 2, 2, 2), routing::yx},
							 {two_layers(small), routing::yx_z},
							 {two_layers(woven), routing::xy_z}};
	for (const auto &[t, how] : networks)
		for (const parameters &p : {parameters(), slow_router}) {
			const route_table routes = routes_of(t, how);
			network net(t, routes, p);
			for (unsigned s = 0; s < t.terminals.size(); s++)
				for (unsigned d = 0; d < t.terminals.size(); d++)
					for (unsigned route = 0; route < routes.routes; route++) {
						if (routes.port(route, t.terminals[s].router, d) == route_table::none)
							continue;
						const unsigned length = 1 + (s + d) % 6;
						net.inject(one(s, d, length, route));
						const uint64_t start = net.now();
						while (net.received().empty() || net.packets_inside() > 0)
							net.step();
						// The last flit was received in the cycle before now.
						ASSERT_EQ(net.now() - 1 - start,
							  zero_load_latency(t, routes, p, s, d, route, length))
							<< t.name << " " << s << " to " << d;
						// What the next packet finds is not the last one's credits.
						for (unsigned i = 0; i < 12; i++)
							net.step();
					}
		}
}

TEST(network, a_head_flit_counts_three_cycles_a_hop_where_it_is_alone)
{
	const topology t = mesh(8, 1);
	network net(t, routes_of(t, routing::xy), parameters());
	net.inject(one(0, 7, 3));
	while (net.packets_inside() > 0)
		net.step();
	ASSERT_EQ(net.received().size(), 1u);
	EXPECT_EQ(net.received()[0].hops, 8);
	EXPECT_EQ(net.received()[0].hop_latency, 3);
}

namespace
{

// Mean hop latency of a packet that crosses 8 routers and waits, for some 70 cycles, in the one numbered @where.
unsigned mean_after_a_wait(unsigned where, unsigned fraction, unsigned cap)
{
	const topology t = mesh(8, 1);
	parameters p;
	p.latency_fraction = fraction;
	p.latency_cap = cap;
	p.vcs = 1;
	network net(t, routes_of(t, routing::xy), p);
	net.inject(one(where, 7, 70 + 4 * where)); // it has the only VC to the next router
	net.inject(one(0, 7, 1));
	while (true) {
		net.step();
		for (const packet &q : net.received())
			if (q.source == 0)
				return q.hop_latency;
	}
}

} // namespace

// A wait of 70 cycles in one of 8 routers is some 8 cycles a hop more, whichever it is, if the counter can hold it.
// Where the counter itself ends at 15, the hops that follow make a long wait look like none.
TEST(network, where_the_hop_latency_is_capped_decides_what_is_heard)
{
	for (unsigned where : {1u, 4u, 7u}) {
		const unsigned exact = mean_after_a_wait(where, 8, 255);
		EXPECT_GE(exact, 10u) << where;
		EXPECT_LE(exact, 13u) << where;
		EXPECT_LE(mean_after_a_wait(where, 0, 255), exact);
	}
	EXPECT_LE(mean_after_a_wait(1, 8, 15), 6u);
	EXPECT_GE(mean_after_a_wait(7, 8, 15), 10u);
}

// A wait of 2^24 cycles, in units of 1/256 of one, is 0 to a counter of 32 bits.
TEST(network, no_wait_is_too_long_to_be_counted)
{
	const topology t = mesh(1, 1);
	parameters p;
	p.vcs = p.depth = 1;
	network net(t, routes_of(t, routing::xy), p);
	net.accept(0, 0, false);
	for (unsigned sent = 0; sent < 2; net.step()) { // the second stays in the router while the first is refused
		if (net.can_inject(0)) {
			net.inject(one(0, 0, 1));
			sent++;
		}
	}
	while (net.now() < (1u << 24) + 10)
		net.step();
	net.accept(0, 0, true);
	std::vector<unsigned> latencies;
	while (latencies.size() < 2) {
		net.step();
		for (const packet &q : net.received())
			latencies.push_back(q.hop_latency);
	}
	EXPECT_EQ(latencies[0], 3u);
	EXPECT_EQ(latencies[1], p.latency_cap);
}

TEST(network, checks_find_what_is_broken)
{
	const topology t = mesh(3, 3);
	parameters p;
	p.checked = true;
	for (network::damage d :
	     {network::damage::lose_credit, network::damage::lose_flit, network::damage::second_owner}) {
		network net(t, routes_of(t, routing::xy), p);
		for (unsigned i = 0; i < 40; i++) {
			for (unsigned s = 0; s < 9; s++)
				if (net.can_inject(s))
					net.inject(one(s, 4, 4));
			net.step();
		}
		net.hurt(d);
		EXPECT_THROW(net.check(), std::logic_error) << int(d);
	}
}

TEST(network, refuses_parameters_that_do_not_fit)
{
	const topology t = mesh(2, 2);
	const auto make = [&](unsigned vcs, unsigned depth, unsigned classes) {
		parameters p;
		p.vcs = vcs;
		p.depth = depth;
		p.message_classes = classes;
		network net(t, routes_of(t, routing::o1turn), p);
	};
	EXPECT_NO_THROW(make(4, 1, 2));
	EXPECT_THROW(make(3, 1, 1), std::invalid_argument); // O1TURN's orders share nothing
	EXPECT_THROW(make(2, 1, 2), std::invalid_argument);
	EXPECT_THROW(make(17, 1, 1), std::invalid_argument);
	EXPECT_THROW(make(2, 0, 1), std::invalid_argument);
	EXPECT_THROW(routes_of(t, routing::xy_z), std::invalid_argument);
	parameters wide;
	wide.latency_fraction = 9;
	EXPECT_THROW(network(t, routes_of(t, routing::xy), wide), std::invalid_argument);
	wide.latency_fraction = 8;
	wide.latency_cap = 256;
	EXPECT_THROW(network(t, routes_of(t, routing::xy), wide), std::invalid_argument);
}

namespace
{

// Requests from everyone to everyone, and a reply for each before the next request is taken. @return whether flits
// stopped.
bool stops(unsigned message_classes)
{
	const topology t = mesh(3, 3);
	parameters p;
	p.vcs = 2;
	p.depth = 2;
	p.message_classes = message_classes;
	network net(t, routes_of(t, routing::xy), p);
	random_stream random(7);
	const unsigned reply_class = message_classes - 1;
	constexpr uint64_t is_reply = 1ull << 63;
	std::vector<std::vector<uint16_t>> owed(9);
	uint64_t before = 0;
	for (unsigned cycle = 0; cycle < 4000; cycle++) {
		for (unsigned s = 0; s < 9; s++) {
			if (!owed[s].empty() && net.can_inject(s, reply_class)) {
				packet back = one(s, owed[s].back(), 4);
				back.message_class = uint8_t(reply_class);
				back.tag = is_reply;
				owed[s].pop_back();
				net.inject(back);
			}
			// A terminal with a reply to send takes nothing that could cause another.
			net.accept(s, 0, owed[s].empty());
			if (owed[s].empty() && net.can_inject(s, 0))
				net.inject(one(s, random.below(9), 4));
		}
		net.step();
		for (const packet &q : net.received())
			if (q.tag != is_reply)
				owed[q.destination].push_back(q.source);
		if (cycle % 500 == 499) {
			if (net.flits_received() == before)
				return true;
			before = net.flits_received();
		}
	}
	return false;
}

} // namespace

TEST(network, requests_and_replies_need_two_classes)
{
	EXPECT_TRUE(stops(1));
	EXPECT_FALSE(stops(2));
}

// The turns of dependencies.a_turn_that_closes_a_ring_is_found, with packets: each goes two routers clockwise.
TEST(network, a_turn_that_closes_a_ring_stops_it_and_is_named)
{
	const topology t = mesh(2, 2);
	route_table routes = routes_of(t, routing::xy);
	routes.port(0, 1, 2) = south;
	routes.port(0, 3, 2) = west;
	routes.port(0, 3, 0) = west;
	routes.port(0, 2, 0) = north;
	routes.port(0, 2, 1) = north;
	parameters p;
	p.vcs = 1;
	p.depth = 2;
	const uint16_t opposite[] = {3, 2, 1, 0};
	const auto stopped = [&](const route_table &table) {
		network net(t, table, p);
		EXPECT_TRUE(net.waiting_chain().empty());
		uint64_t before = 0;
		for (unsigned cycle = 0; cycle < 600; cycle++) {
			if (cycle == 400)
				before = net.flits_received();
			for (unsigned s = 0; s < 4; s++)
				if (net.can_inject(s))
					net.inject(one(s, opposite[s], 8));
			net.step();
		}
		return net.flits_received() == before ? net.waiting_chain() : std::vector<std::string>();
	};
	EXPECT_TRUE(stopped(routes_of(t, routing::xy)).empty());
	const std::vector<std::string> chain = stopped(routes);
	ASSERT_GE(chain.size(), 5u);
	EXPECT_EQ(std::count(chain.begin(), chain.end(), chain.back()), 2); // it closes
	for (const char *router : {"router 0 ", "router 1 ", "router 2 ", "router 3 "})
		EXPECT_TRUE(std::any_of(chain.begin(), chain.end(), [&](const std::string &c) {
			return c.find(router) == 0;
		})) << router;
}

TEST(network, a_port_can_be_full_where_the_router_is_not)
{
	const topology t = mesh(2, 1);
	network n(t, routes_of(t, routing::xy), {});
	n.accept(1, 0, false);
	for (unsigned cycle = 0; cycle < 500; cycle++) {
		if (n.can_inject(0))
			n.inject(one(0, 1, 1));
		n.step();
	}
	EXPECT_EQ(n.fullest_port(1), 1); // that from the west; of the other one, from its own core, nothing comes
	EXPECT_EQ(n.occupancy(1), 0.5);
}

// What waits there while it is refused is taken from both VCs in turn.
TEST(network, a_terminal_takes_from_its_vcs_in_turn)
{
	const topology t = mesh(2, 1);
	parameters p;
	p.vcs = 2;
	p.depth = 4;
	network net(t, routes_of(t, routing::xy), p);
	net.accept(1, 0, false);
	std::vector<unsigned> vcs(2 * p.depth);
	std::vector<network::movement> moves;
	for (unsigned cycle = 0, sent = 0; cycle < 100; cycle++) {
		if (sent < vcs.size() && net.can_inject(0)) {
			packet q = one(0, 1, 1);
			q.tag = sent++;
			net.inject(q);
		}
		net.step();
		net.movements(moves);
		for (const network::movement &m : moves)
			vcs[m.tag] = m.vc; // the last one is to the terminal
	}
	net.accept(1, 0, true);
	for (size_t n = 0, last = p.vcs; n < vcs.size(); n++) {
		net.step();
		ASSERT_EQ(net.received().size(), 1u);
		const unsigned vc = vcs[net.received()[0].tag];
		EXPECT_NE(vc, last);
		last = vc;
	}
}
