// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Fragments tell which copies are valid of a chunk's bytes where that differs from byte to byte: kernels on several
// devices have written in it, or a device has got the bytes that it reads and no more. This is pure; callers hold the
// lock of the chunk's array.
//
// Every byte has a valid copy. Neighbours differ. The list has fixed room: whoever finds it full makes the chunk whole
// in one place.
#pragma once

#include "core/coherence.h"

#include <array>
#include <span>

namespace het
{

// A fragment begins where the one before ends; offsets are in the chunk.
struct fragment {
	uint32_t end;
	copyset valid;
};

struct extent {
	uint32_t begin, end;
};

class fragments
{
      public:
	static constexpr size_t most = 30;

	// The chunk begins as one fragment of all bytes.
	fragments(uint32_t size, copyset valid) : count_(1) { list_[0] = {size, valid}; }

	std::span<const fragment> all() const { return {list_.data(), count_}; }
	// Returns which copies have every byte.
	copyset common() const;
	bool is_one() const { return count_ == 1; }
	// Returns the fragment that holds the byte.
	const fragment &at(uint32_t offset) const;

	// The bytes were written there, so no other copy is valid. Returns false if there is no room, and nothing has
	// changed.
	bool write(extent e, copyset by) { return change(e, ~copyset{0}, by); }
	// The bytes were copied there. Returns false as above.
	bool add(extent e, copyset copy) { return change(e, 0, copy); }
	// The copy is not valid any longer; without room, nor are bytes beside these. Returns false if some bytes had
	// no other copy; these keep it.
	bool drop(extent e, copyset copy);
	// Bytes of which there are copies beside those in @lost are the host's alone.
	void leave_to_host(copyset lost);

      private:
	bool change(extent e, copyset less, copyset more);
	bool is_boundary(uint32_t offset) const;
	size_t index_of(uint32_t offset) const;
	bool cut(extent e);
	void join();

	std::array<fragment, most> list_ = {};
	size_t count_ = 0;
};

} // namespace het
