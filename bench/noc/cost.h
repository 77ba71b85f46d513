// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This counts what a network of two layers is made of, and what a policy adds to it: bits, gates, wires, from the
// topology and the parameters that are simulated. Coefficients of a process turn the counts into area and power.
#pragma once

#include "noc/simulation.h"

#include <string>
#include <vector>

namespace noc
{

// The thesis gives none of these.
struct cost_options {
	unsigned flit_bits = 128;
	double tile = 1.5;          // mm from a core to the next one
	double clock = 1e9;         // Hz
	bool sram = false;          // buffers are arrays of 6-transistor cells, not of flip-flops
	unsigned counted_bits = 12; // of the latency's arithmetic: 4 bits and 8 after the point
};

// These are what there is, and how much of it changes in a cycle on the average.
struct parts {
	double stored = 0;    // bits of buffers, which have a clock only when they are written
	double registers = 0; // bits that have a clock in every cycle
	double gates = 0;     // as NAND gates of two inputs
	double wires = 0;     // mm, of one bit each
	double stored_now = 0, gates_now = 0, wires_now = 0;

	parts &operator+=(const parts &o);
};

struct named_parts {
	std::string name;
	parts what;
};

// They throw std::invalid_argument for other networks.
//
// Returns the network's parts: buffers, crossbars, allocators, links. A router at the edge is made like the others.
// Coherence packets are uniform, and stay among the cores.
std::vector<named_parts> parts_of_network(const configuration &c, const cost_options &o);
// Returns what the policy @c names adds.
std::vector<named_parts> parts_of_policy(const configuration &c, const cost_options &o);

struct cost {
	double area = 0;                   // mm² of transistors
	double wiring = 0;                 // mm² of the wires' layer, above them
	double leakage = 0, switching = 0; // W
	double power() const { return leakage + switching; }
};
cost cost_of(const parts &p, const cost_options &o);

} // namespace noc
