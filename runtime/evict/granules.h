// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Plans which bytes are on the device while one launch works on host memory in place: granules of the arguments. Some
// have frames there, of a granule's size each. Accesses to all others go over the bus to the host.
//
// The kernel has addresses that are nobody's: those of the windows (evict/slices.h), side by side, each from the begin
// of a granule on. So no granule has bytes of two windows, and a table by granules is as small as can be.
#pragma once

#include "core/range.h"

#include <memory>
#include <span>

namespace het::rt
{

// No device and no host has memory there, nor has PTX its windows for shared and local memory.
inline constexpr uint64_t first_granule_address = uint64_t{1} << 52;
// Begins of windows are as even, or as odd, as they would be in a buffer for the whole array.
inline constexpr size_t granule_grain = 256;

struct granule {
	unsigned window;
	range bytes; // those of the window that it has
	// It can't be used where the host has it.
	bool must_be_there = false;
	// The more, the sooner it gets a frame; with 0 it gets none.
	uint64_t worth = 0;
	static constexpr size_t none = ~size_t{0};
	size_t frame = none; // its number, if it has one
	bool is_chosen = false;
};

// Returns the binary logarithm of a granule's bytes where so many bytes are there for frames: 2 MiB, but with few of
// them less, so that there are frames to choose.
unsigned granule_bits(uint64_t budget);

// Returns no less than there will be granules.
size_t most_granules(std::span<const range> windows, unsigned bits);

class granule_map
{
      public:
	// A window's begin lies so many bytes behind that of its array.
	struct place {
		range bytes;
		size_t in_array;
	};
	// It is false without memory.
	bool take(std::span<const place> windows, unsigned bits);

	std::span<granule> all() { return {granules_.get(), count_}; }
	std::span<const granule> all() const { return {granules_.get(), count_}; }
	unsigned bits() const { return bits_; }
	uint64_t size() const { return uint64_t{count_} << bits_; }
	// Returns the kernel's address for a byte of the window.
	uint64_t address_of(unsigned window, uintptr_t byte) const
	{
		return addresses_[window] + (byte - begins_[window]);
	}
	// Returns the address where a granule begins, by its number.
	uint64_t address_of(size_t number) const { return first_granule_address + (uint64_t{number} << bits_); }
	// Returns the number of the granule that has the byte.
	size_t number_of(unsigned window, uintptr_t byte) const
	{
		return size_t((address_of(window, byte) - first_granule_address) >> bits_);
	}
	// Returns the distance of the granule's first used byte from where it begins.
	size_t offset_of(const granule &g) const
	{
		return size_t(address_of(g.window, g.bytes.begin) & ((uint64_t{1} << bits_) - 1));
	}

	// Gives so many frames away: to those that must be there, and then by worth, the first first where that is
	// equal. Who has one of them keeps that, or loses it. It is false, and nothing has changed, if there are not
	// enough for those that must be there, or no memory.
	bool give_frames(size_t nframes);

      private:
	unsigned bits_ = 0;
	size_t count_ = 0;
	std::unique_ptr<granule[]> granules_;
	std::unique_ptr<uint64_t[]> addresses_; // of the windows
	std::unique_ptr<uintptr_t[]> begins_;
};

} // namespace het::rt
