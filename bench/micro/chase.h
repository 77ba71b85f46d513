// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Rings of elements, each of which holds the address or the index of the next, and the kernels that walk along them.
#pragma once

#include "micro/random.h"
#include "micro/target.h"

#include <vector>

namespace micro
{

// Takes ring, out, start, warm, steps: one thread follows a ring of addresses, whose places have even numbers.
extern const kernel chase_global;
extern const kernel chase_constant; // the same of a ring of numbers in constant memory
extern const kernel chase_local;    // ring, out, start, words, steps: one thread

// Take ring, order, out, n, base, threads of a group, and the number of the one that fills the caches: with a ring of
// addresses, and of numbers.
extern const kernel chase_fill_global, chase_fill;

constexpr size_t chase_local_words = 2048;

// Take ring, order, n, base, threads: write a ring of addresses, and of numbers, from word @base on, which visits
// places in an order.
extern const kernel chase_link_global, chase_link;

// A ring over a buffer of words. @order has the places in the order in which they are visited.
struct ring {
	size_t bytes = 0;
	std::vector<uint32_t> order;

	// Returns the buffer: each word that is visited holds the number of the next.
	std::vector<uint32_t> words() const;
	// Returns the place after so many steps from the first.
	uint32_t after(uint64_t steps) const { return order[steps % order.size()]; }
};

// Visits a place every @spacing bytes of @footprint in a random order.
ring random_ring(size_t footprint, size_t spacing, random_stream &random);

// Visits blocks of @block bytes in a random order, in each one a place that is a random multiple of @apart bytes from
// its beginning. Then places are far from each other and still use all sets of a cache.
ring sparse_ring(size_t footprint, size_t block, size_t apart, random_stream &random);

// Visits pages in a random order, in each one a place that is a multiple of @spacing from its beginning. All such
// places have their turn before one comes again, in an order that no number of sets goes with.
ring ring_of_pages(size_t pages, size_t page, size_t spacing, random_stream &random);

// Visits blocks of @block bytes in a random order, in each one its first word and then that @apart bytes behind it.
ring paired_ring(size_t footprint, size_t block, size_t apart, random_stream &random);

// Visits the same places, each for itself, in a random order.
ring unpaired_ring(size_t footprint, size_t block, size_t apart, random_stream &random);

} // namespace micro
