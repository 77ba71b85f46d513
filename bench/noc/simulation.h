// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A run has a network, its traffic and a policy, and the statistics of what was created while it was measured.
#pragma once

#include "noc/network.h"
#include "noc/policy.h"
#include "noc/statistics.h"
#include "noc/traffic.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace noc
{

// These packets cause a reply, which goes back to where they came from.
enum class replies : uint8_t { none, to_memory_packets, to_all };

struct configuration {
	std::string network = "mesh"; // mesh, cmesh, two-layers
	routing how = routing::xy;
	unsigned width = 8, height = 8; // cores
	parameters router;
	two_layer_options layers;
	traffic_options traffic; // width, height and seed are set from here
	std::string policy = "dor";
	// A packet chooses its layer when it is created, and not when its first flit could leave.
	bool choose_at_creation = false;
	policy_options choice;
	std::shared_ptr<const ceiling> split; // for ideal; found if it is not given
	replies answered = replies::none;
	unsigned reply_length = 5; // flits
	unsigned reply_queue = 4;  // that a terminal holds; while it is full, the terminal takes no more requests
	// Replies have VCs of their own. If not, the network can deadlock.
	bool reply_class = true;
	uint64_t seed = 1;
	unsigned cycles = 10000; // in which packets are created; the warm-up is found among them
	unsigned drain = 10000;  // at most, until all of them are received
};

// Throws std::invalid_argument.
topology topology_of(const configuration &c);
// Returns the policy for @t, which has two layers; it looks at @n, which must outlive it.
std::unique_ptr<policy> policy_for(const configuration &c, const topology &t, const network &n);

// This is a network with its terminals: it steps, and does nothing else.
class machine
{
      public:
	explicit machine(const configuration &c);

	void step();
	const network &net() const { return network_; }
	network &net() { return network_; }
	// Returns whether no source has a packet left that was created before the measurement's end.
	bool all_injected() const;
	// Returns the packets created before that end.
	uint64_t injected() const { return injected_; }
	uint64_t packets() const { return next_tag_; }
	const topology &shape() const { return topology_; }
	uint64_t diverted() const { return diverted_; }

      private:
	void choose_way(packet &p, bool memory);
	packet made(unsigned core, const arrival_of_packet &a);
	void feed(unsigned core);
	void feed_chosen(unsigned core);
	bool concerns_memory(const packet &p) const;
	void feed_reply(unsigned terminal);
	void answer(const packet &p);
	void watch();

	const configuration c_;
	const topology topology_;
	const route_table routes_;
	network network_;
	std::vector<core_traffic> traffic_;
	std::vector<uint64_t> due_;                // cycle of each core's next packet
	std::vector<std::deque<packet>> chosen_;   // of each core, that wait after they chose
	std::vector<std::vector<packet>> replies_; // of each terminal, in order
	std::unique_ptr<policy> policy_;
	random_stream random_;
	bool two_layers_;
	uint64_t next_tag_ = 0;
	uint64_t diverted_ = 0, injected_ = 0;
	uint64_t moved_ = 0, moved_at_ = 0; // flits so far, and when that was last another number
};

struct result {
	double offered = 0;  // flits a core and cycle, replies included
	double accepted = 0; // the same, received
	estimate latency;    // of packets, from creation to the last flit, with batch means
	uint64_t p99 = 0;
	double slowest_flow = 0; // mean latency of the source and destination for which it is highest
	unsigned warm_up = 0;    // cycles left out: half where not all was received
	bool drained = false;    // all that was measured was received
	double diverted = 0;     // share of all packets
	// These are the mean cycles that head flits spend in a router, in the second half of the measured cycles: those
	// of cores, and in the interposer those beside memory controllers and the others.
	double in_cores = 0, in_edge = 0, in_centre = 0;
	uint64_t cycles = 0, router_cycles = 0;
	std::vector<double> timeline; // mean latency of the packets created in each window; 0: none was received
};

constexpr unsigned timeline_window = 100; // cycles

// Returns what no split of the traffic over the network's routes can exceed; memory packets have one route, and there
// are no replies.
ceiling ceiling_of(const configuration &c);

// It throws std::runtime_error that names a cycle of channels where the network deadlocks.
result simulate(const configuration &c);

// Return the replies for each packet that the traffic makes, and the flits a core and cycle with them.
double replies_a_packet(const configuration &c);
double offered_flits(const configuration &c);

// Returns the latency of a packet alone in the network, by formula: the mean over what the traffic sends.
double zero_load_latency(const configuration &c);
// Returns that from @source to @destination by @route.
unsigned zero_load_latency(const topology &t, const route_table &routes, const parameters &p, unsigned source,
			   unsigned destination, unsigned route, unsigned length);

} // namespace noc
