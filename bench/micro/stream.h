// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels in which many threads read and write a large array, in three orders.
#pragma once

#include "micro/target.h"

#include <array>

namespace micro
{

enum class order { sequential, shifted, random };
enum class deed { read, write, both };

inline constexpr std::array orders = {order::sequential, order::shifted, order::random};
inline constexpr std::array deeds = {deed::read, deed::write, deed::both};
const char *name_of(order o);
const char *name_of(deed d);

// The kernels take from, to, sums, mask, threads, first, rounds, salt.
const kernel &stream_kernel(deed d, order o);

inline constexpr std::array<uint32_t, 4> vector_widths = {1, 2, 3, 4}; // in words

// Takes from, sums, mask (of vectors), threads, first, rounds. @which is the place of the width above.
const kernel &vector_kernel(size_t which);

// Takes from, to, mask (of vectors), threads, first, rounds, salt: what is copied is changed by the salt.
const kernel &copy_kernel(size_t which);

// Takes words, n, threads: each word gets content_of() of its number.
extern const kernel fill_words;

constexpr uint32_t content_of(uint32_t i)
{
	return i * 2654435761u;
}

// Returns the element that place @i of an order of all has, whose number is @mask + 1.
uint32_t element_at(order o, uint32_t i, uint32_t mask);

} // namespace micro
