// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A policy decides which layer a coherence packet takes in a network of two. Each has a file in policy/; none has
// input, output or a clock of its own, so that a test can show it any situation.
#pragma once

#include "noc/ceiling.h"
#include "noc/network.h"
#include "noc/random.h"
#include "noc/ring.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace noc
{

// What the thesis leaves open has a default here and a line in Documentation/noc.rst.
struct policy_options {
	unsigned threshold = 8;         // cycles a hop by which the cores' layer must be slower
	unsigned second_threshold = 8;  // of the interposer's latency, below which it takes more
	double occupancy = 0.6;         // of buffers: above it a router is congested (LocalBuf)
	bool of_port = true;            // of the fullest input port's buffers, not of all of the router's
	unsigned congested_routers = 2; // of a grid, from which the grid is (LocalBuf)
	double divert = 0.5;            // probability (random)
	unsigned ring_cycles = 2;       // a hop of DLL's ring
	unsigned fifo = 5;              // latencies that a grid remembers of each layer, and a node of DestDetect
	unsigned ring_queue = 1;        // messages that wait for a place on the ring, at each grid
	bool ideal_ring = false;        // ablation: messages arrive at once
	ring_direction direction = ring_direction::forward;
	bool ring_in_rows = true; // its grids row by row; if not, every second row the other way (no long wire)
	unsigned sample = 8;      // packets that a grid receives for each message it sends (adaptive)
	unsigned nominal = 26;    // of 64 packets, that go down while nobody waits and none goes to memory (adaptive)
	unsigned gain = 1;        // of 64 packets, for a quarter of a cycle a hop between routes (adaptive)
	unsigned empty_hop = 3;   // cycles of a hop where nobody waits (adaptive)
	uint64_t seed = 1;
};

// It knows cores and grids by their numbers: a grid is 2 × 2 cores, and both are numbered row by row.
struct floor_plan {
	unsigned cores = 0, grids = 0;
	std::vector<uint8_t> grid_of;                // of each terminal; controllers belong to the grid beside them
	std::vector<uint16_t> router_of_core;        // in the layer of cores
	std::vector<uint16_t> router_of_grid;        // in the interposer
	std::vector<std::vector<uint16_t>> cores_of; // each grid
	unsigned grids_a_row = 0;
};

floor_plan floor_plan_of(const topology &t);

struct surroundings {
	floor_plan plan;
	std::function<double(unsigned router)> occupancy; // share of its buffers that is full, as the options say
	bool both_orders = false;                         // there are the routes of O1TURN-Z
	std::shared_ptr<const ceiling> split = nullptr;   // for ideal
};

class policy
{
      public:
	virtual ~policy() = default;
	// Chooses for a coherence packet that @core is about to send.
	virtual layer_route choose(unsigned core, unsigned destination) = 0;
	// @core is about to send a packet to memory, for which there is no choice.
	virtual void memory_packet(unsigned /*core*/) {}
	// A packet's last flit has reached its destination.
	virtual void received(const packet &) {}
	// A cycle has ended.
	virtual void cycle() {}
};

std::unique_ptr<policy> make_dor(const policy_options &, const surroundings &);
std::unique_ptr<policy> make_localbuf(const policy_options &, const surroundings &);
std::unique_ptr<policy> make_destdetect(const policy_options &, const surroundings &);
std::unique_ptr<policy> make_dll(const policy_options &, const surroundings &);
std::unique_ptr<policy> make_ideal(const policy_options &, const surroundings &);
std::unique_ptr<policy> make_adaptive(const policy_options &, const surroundings &);
std::unique_ptr<policy> make_random(const policy_options &, const surroundings &);

// It throws std::invalid_argument.
std::unique_ptr<policy> make_policy(const std::string &name, const policy_options &, const surroundings &);
std::vector<std::string> policy_names();

} // namespace noc
