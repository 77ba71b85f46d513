// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Traffic is what is sent where and when, as long as the network does not matter: patterns, lengths and arrivals.
#pragma once

#include "noc/random.h"
#include "noc/topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace noc
{

enum class pattern : uint8_t {
	uniform, // itself included, as in booksim2
	transpose,
	bit_complement,
	bit_reversal,
	shuffle,
	tornado,
	neighbour,
	hot_spot, // a fixed share to four cores in the middle, the rest uniform
	pairs     // fixed random pairs
};

pattern pattern_named(const std::string &name); // throws std::invalid_argument
std::vector<std::string> pattern_names();

// Returns the destination of every core under a permutation; for uniform traffic and hot spots, nothing.
std::vector<uint16_t> permutation(pattern what, unsigned width, unsigned height);

struct traffic_options {
	pattern what = pattern::uniform;
	std::vector<pattern> then; // if there are any, the pattern changes every @period cycles, and they come in turn
	unsigned period = 1000;
	unsigned width = 8, height = 8; // of the cores
	double rate = 0.1;              // flits a core and cycle
	double memory_share = 0;        // of packets, to a controller drawn at random; the rest follow the pattern
	double hot_share = 0.2;         // of hot_spot's packets
	unsigned length = 1;            // flits
	unsigned long_length = 0;       // if not 0, with probability @long_share: bimodal lengths
	double long_share = 0.5;
	bool uniform_lengths = false; // instead: all from @length to @long_length, one as likely as another
	// A core sends in bursts of so many cycles on the average, and is silent between them; all its packets fall
	// into this share of the cycles. 0: one trial a cycle (Bernoulli).
	unsigned burst = 0;
	double burst_share = 0.25;
	uint64_t seed = 1;
};

struct arrival_of_packet {
	uint64_t created = 0;
	uint16_t destination = 0;
	uint16_t length = 1;
	bool memory = false;
};

// These are the packets of one core in the order of their creation, made when they are asked for: a source queue
// without end takes no memory.
class core_traffic
{
      public:
	core_traffic(const traffic_options &o, const topology &t, unsigned core);

	// Returns the next packet, which may lie in the future.
	const arrival_of_packet &next() const { return next_; }
	void pop();

      private:
	// It tells how many trials fail before one succeeds: geometric, drawn without making the trials.
	class failures
	{
	      public:
		// A trial succeeds with probability @p, in (0, 1].
		explicit failures(double p = 1);
		uint64_t draw(random_stream &random) const;

	      private:
		double scale_; // 0: none fails
	};
	// This is the permutation of a pattern, or is empty if there is none.
	struct phase {
		pattern what;
		std::vector<uint16_t> to;
	};

	void begin_burst(uint64_t at);
	uint16_t length();
	uint16_t destination();

	const traffic_options o_;
	std::vector<phase> phases_;
	std::vector<uint16_t> controllers_;
	unsigned core_;
	bool silent_;
	failures gap_, silence_, more_of_burst_;
	uint64_t burst_end_;
	random_stream random_;
	arrival_of_packet next_;
};

// Returns the mean flits of a packet.
double mean_length(const traffic_options &o);
// Returns the highest rate that core_traffic can make: a packet in each cycle in which the core may send.
double highest_rate(const traffic_options &o);

} // namespace noc
