// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/ring.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace noc
{

namespace
{

constexpr unsigned max_grids = 16;
constexpr unsigned grid_shift = 5, latency_shift = 1, latency_mask = 15;

unsigned link_of(uint16_t bits)
{
	return bits >> link_bits;
}

} // namespace

uint16_t encode(const congestion_message &m)
{
	const unsigned latency = std::min<unsigned>(m.latency, max_message_latency);
	return uint16_t(m.grid << grid_shift | latency << latency_shift | m.layer);
}

congestion_message decode(uint16_t bits)
{
	return {uint8_t(bits >> grid_shift), uint8_t(bits >> latency_shift & latency_mask), uint8_t(bits & 1)};
}

congestion_ring::congestion_ring(unsigned grids, unsigned registers, unsigned queue_length, ring_direction direction,
				 std::vector<uint8_t> order)
    : grids_(grids), registers_(registers), length_(grids * registers), direction_(direction), order_(std::move(order)),
      places_(ring_links * length_, empty), queues_(grids), leaving_(ring_links * grids, empty)
{
	std::vector<uint8_t> numbers(grids);
	std::iota(numbers.begin(), numbers.end(), uint8_t(0));
	if (order_.empty())
		order_ = numbers;
	if (!std::is_permutation(order_.begin(), order_.end(), numbers.begin(), numbers.end()))
		throw std::invalid_argument("the order of the ring has each grid once");
	if (grids > max_grids || registers == 0 || queue_length == 0)
		throw std::invalid_argument(
			"the ring has at most 16 grids, a register a hop and a place in each queue");
	for (queue &q : queues_)
		q.places.resize(queue_length);
}

bool congestion_ring::send(unsigned from, const congestion_message &m)
{
	queue &q = queues_[from];
	if (q.count == q.places.size()) {
		dropped_++;
		return false;
	}
	q.places[(q.first + q.count++) % q.places.size()] = encode(m);
	sent_++;
	return true;
}

std::vector<uint16_t> &congestion_ring::move()
{
	for (unsigned l = 0; l < ring_links; l++)
		move_link(l);
	return leaving_;
}

bool congestion_ring::is_backward(unsigned link) const
{
	return direction_ == ring_direction::backward || (direction_ == ring_direction::alternate && link % 2 == 1);
}

// What is on the link moves one register, and leaves it where it is for; then the grids may start what finds the
// register behind them free.
void congestion_ring::move_link(unsigned link)
{
	const auto begin = places_.begin() + link * length_;
	std::rotate(begin, begin + (is_backward(link) ? 1 : length_ - 1), begin + length_);
	for (unsigned i = 0; i < grids_; i++) {
		const unsigned g = order_[i];
		uint16_t &here = place(link, i * registers_);
		if (here != empty && decode(here).grid == g) {
			leaving_[link * grids_ + g] = here;
			here = empty;
		}
		queue &q = queues_[g];
		if (here != empty || q.count == 0 || link_of(q.places[q.first]) != link)
			continue;
		here = q.places[q.first];
		q.first = unsigned((q.first + 1) % q.places.size());
		q.count--;
	}
}

} // namespace noc
