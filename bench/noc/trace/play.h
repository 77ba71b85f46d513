// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Plays a trace in a closed loop: a packet is sent when those that it waits for have arrived, and as much later as it
// was in the trace. So the run time is a result.
#pragma once

#include "noc/simulation.h"
#include "noc/trace/netrace.h"

namespace noc
{

struct playback {
	uint64_t cycles = 0;            // until the last packet has arrived
	uint64_t packets = 0, here = 0; // all, and those that never left their node
	uint64_t to_memory = 0;         // from and to controllers
	uint64_t diverted = 0;          // coherence packets through the interposer
	double latency = 0;             // mean of those that left, from when they could be sent
};

struct play_options {
	unsigned nominal = 20;    // cycles that a packet took in the trace: packet_options::nominal
	unsigned flit_bytes = 16; // 128 bits
	uint64_t most_cycles = uint64_t(1) << 32;
};

// It throws std::invalid_argument where the trace doesn't fit the network, which must have two layers, or some packets
// wait for each other; and std::runtime_error where the cycles do not suffice.
playback play(const packet_trace &t, const configuration &c, const play_options &o);

} // namespace noc
