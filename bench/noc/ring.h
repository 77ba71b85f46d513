// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// DLL's ring: it carries a hop latency from the grid that saw it to the grid that sent the packet.
//
// A message has 9 bits: the grid that it is for (4), the latency (4), the layer (1). Four links of 7 bits lie side by
// side; the grid's upper 2 bits say which, and are not sent. A link has no buffer: a message moves one register a
// cycle, two registers a hop, and what is on the way goes before what wants to start. Grids stand on the ring in the
// order of their numbers or in one that is given, and a link has one direction.
#pragma once

#include <cstdint>
#include <vector>

namespace noc
{

struct congestion_message {
	uint8_t grid = 0;    // for which it is
	uint8_t latency = 0; // of a hop, in cycles
	uint8_t layer = 0;

	bool operator==(const congestion_message &) const = default;
};

constexpr unsigned message_bits = 9, link_bits = 7, ring_links = 4;
constexpr unsigned max_message_latency = 15;

// Returns the message as its 9 bits. On a link travel the lower 2 bits of the grid, latency and layer.
uint16_t encode(const congestion_message &m);
congestion_message decode(uint16_t bits);

// Where the messages of a link go: on all four links to the grid that comes next in the ring's order, or to the one
// before; or on every second link the other way round.
enum class ring_direction : uint8_t { forward, backward, alternate };

class congestion_ring
{
      public:
	// There are at most 16 @grids, @registers a hop, and @queue messages that wait at a grid before more are
	// dropped. @order has all grids as they follow each other on the ring; empty, it is that of their numbers.
	congestion_ring(unsigned grids, unsigned registers, unsigned queue,
			ring_direction direction = ring_direction::forward, std::vector<uint8_t> order = {});

	// It is false if the message is dropped because the grid's queue is full.
	bool send(unsigned from, const congestion_message &m);

	// Does one cycle, and calls arrived(message) for each that has come to its grid.
	template <typename F> void step(F &&arrived)
	{
		for (uint16_t &place : move()) {
			if (place == empty)
				continue;
			arrived(decode(place));
			place = empty;
		}
	}

	uint64_t sent() const { return sent_; }
	uint64_t dropped() const { return dropped_; }

      private:
	static constexpr uint16_t empty = 0xffff;

	struct queue {
		std::vector<uint16_t> places;
		unsigned first = 0, count = 0;
	};

	// Returns the messages that leave the ring in this cycle.
	std::vector<uint16_t> &move();
	void move_link(unsigned link);
	bool is_backward(unsigned link) const;
	uint16_t &place(unsigned link, unsigned i) { return places_[link * length_ + i]; }

	unsigned grids_, registers_, length_;
	const ring_direction direction_;
	std::vector<uint8_t> order_;
	// These are all registers of each link in the ring's order; the grid at position i reads the one numbered i ×
	// registers_.
	std::vector<uint16_t> places_;
	std::vector<queue> queues_;
	std::vector<uint16_t> leaving_; // at most one a grid and link
	uint64_t sent_ = 0, dropped_ = 0;
};

} // namespace noc
