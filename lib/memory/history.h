// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What is known of the host's touches of an array's chunks (core/foresight.h), in one piece of memory. The array's lock
// guards it.
#pragma once

#include "core/foresight.h"
#include "memory/array.h"

namespace het
{

struct array_history : foresight {
	bool has_expected = false; // anything, ever
	chunk_history chunks[];
};

// It is null if there is no memory. @asks_in_place: answers come from memory/asked.h.
array_history *open_history(const array &a, bool asks_in_place = false);
// What is known of the array goes with its chunks. Its lock is held, or it is not live.
void forget_touches(array &a);

// Bits of array::touched.
inline constexpr uint8_t touched_since_end = 1, touched_before = 2, written_since_begin = 4, written_before = 8;

// A program may have many arrays that the host touches once, or never: nothing is remembered of them. So this is true
// when the bit @since has been set in two intervals; it is taken down, and @before says so.
bool is_worth_a_history(array &a, uint8_t since, uint8_t before);

// A touch has been served: chunks are shown.
void note_touch(array &a, layout::span s, bool write);

// The host has written to a chunk, and nobody was caught for it: the page source's counter has told so.
void note_unseen_write(array &a, uint32_t c);

// The same bytes on the same device. It is a hash: who shares it is taken for the same kernel, at no harm but a guess.
uint64_t name_of(const usage &u);

// A kernel that uses these bytes has come to where the host may go on: as foresight::kernel_ended(), with what a touch
// has cost of late.
foresight::verdict learn(array &a, array_history &h, const usage &u, uint32_t unseen, bool may);

} // namespace het
