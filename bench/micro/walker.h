// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Walks along rings in global memory.
#pragma once

#include "micro/chase.h"
#include "micro/curve.h"
#include "micro/test.h"

#include <memory>

namespace micro
{

// Each walk goes on where the last one ended: else a short one would stay where the caches have everything.
class walker
{
      public:
	// Rings lie in one buffer of @most bytes. Walks go through a texture if @textured.
	walker(context &c, size_t most, bool textured = false);

	// Takes a ring, which put() then makes at a random place, a whole number of pages from the buffer's beginning.
	void take(ring r);
	void put();
	// Lets the next rings lie at the places where those after the last call lay: what differs is not by chance
	// then.
	void begin_again() { places_ = random_stream(c_.seed, 33); }
	// Makes it so that no cache has any of it.
	void put_cold();
	// Brings the ring into the caches of the unit that group @group of @groups runs on, and of no other.
	void fill(unsigned group, unsigned groups);
	// Returns the ns of a walk, in which the first loads make up for what a launch begins without.
	double walk(uint64_t steps);

	using ring_maker = std::function<ring(random_stream &)>;
	// Measures a load of several rings, each of which gives the point one sample. The figure has them all; if it
	// has trouble, the point has none.
	figure measure(const ring_maker &make, point &p);
	// Measures loads of places none of which was visited since @prepare, such as put_cold().
	figure measure_first_visits(const ring_maker &make, const std::function<void()> &prepare, point &p);

      private:
	void link();
	void fill();
	double walk(uint64_t warm, uint64_t steps);

	context &c_;
	const size_t most_;
	const uint32_t helpers_; // threads that make rings and fill caches
	memory buffer_, out_;
	std::unique_ptr<texture> texture_;
	std::unique_ptr<memory> order_; // of the ring
	std::unique_ptr<memory> other_; // of which reads empty the caches
	size_t order_bytes_ = 0;
	random_stream random_, places_;
	ring ring_;
	uint32_t base_ = 0;
	uint64_t at_ = 0;
};

// Measures walks at several places, each of which gives the point one sample; at more of them if these differ and
// @more_places says so. The figure has them all; if it has trouble, the point has none.
figure measure_places(context &c, point &p, bool more_places, const std::function<void()> &place,
		      const std::function<double(uint64_t)> &walk);

} // namespace micro
