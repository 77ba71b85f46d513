// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Plans how a launch whose own arrays do not fit into a device's memory runs there all the same: as slices, one after
// the other, each of some rows of groups.
//
// What a slice uses of an argument lies in a window, a buffer for the bytes from the first to the last of them. The
// next slice has another buffer, so that its bytes travel while this one computes. Arguments that share bytes share
// windows, as equal bytes have one place on a device. What every slice uses whole stays in one buffer.
//
// A window of which two slices could write the same bytes, or bytes between those of the other, would lose one's. So
// such bytes stay, too. But where windows slide (evict/tile_moves.h) each slice gets from the one before what they have
// in common, whatever has been written.
#pragma once

#include "core/range.h"
#include "evict/eviction.h"

#include <memory>
#include <span>

namespace het::rt
{

// What a launch uses by one argument. If it is known row by row, row number r uses @length bytes from @first + r *
// @step on; what lies outside of @bytes does not count. Otherwise any row may use all of @bytes.
struct row_use {
	range bytes;
	bool reads, writes;
	bool by_rows = false;
	int64_t first = 0;
	uint64_t step = 0, length = 0;
};

struct row_span {
	size_t first, count;
};

// Returns the bytes from the first to the last that the rows use; they are empty if there are none.
range used_by(const row_use &u, row_span rows);

struct window {
	range bytes;        // all that any row uses
	bool stays = false; // every slice has all of it, in one buffer
	bool reads = false, writes = false;
	uint64_t step = 0;      // if it does not stay, each row has so many bytes more than the one before
	uint64_t row_bytes = 0; // of one row, from the first to the last
	uint64_t least = 0;     // bytes of a buffer for the smallest slice
	// This is chosen by choose().
	uint64_t room = 0; // bytes of a buffer
	unsigned buffers = 1;
};

// A window's first byte is at such a distance from that of all its bytes, so that addresses are as even as they would
// be in a buffer for all.
inline constexpr size_t window_grain = 256;

class slice_plan
{
      public:
	// It is false without memory. The uses live as long as the plan. If windows slide, what they have begins and
	// ends no earlier in a later slice.
	bool take(std::span<const row_use> uses, size_t nrows, bool slides = false);
	// Chooses, once, the rows of a slice, and the buffers, for so many bytes. It should have @least_rows to keep
	// the device busy. It is false if not even one row fits, or where windows slide, if less than that do.
	bool choose(uint64_t budget, size_t least_rows, eviction how = eviction::keep);

	std::span<const window> windows() const { return {windows_.get(), nwindows_}; }
	unsigned window_of(size_t use) const { return window_of_[use]; }
	size_t nslices() const { return (nrows_ + rows_ - 1) / rows_; }
	row_span slice(size_t number) const;
	row_span all_rows() const { return {0, nrows_}; }
	// Returns what a window has in a slice. It has room for that.
	range bytes_of(unsigned window, size_t slice) const;
	// Returns the bytes of all buffers.
	uint64_t nbytes() const;

	// Returns the bytes of the smallest slice, without a second buffer for anything, and those that it needs for a
	// window.
	uint64_t smallest() const;
	uint64_t smallest_of(unsigned window) const;

	// Writes down which bytes the uses of a window read (@written: write) in these rows, in order, none twice.
	// There is room for as many as there are uses. Returns how many they are.
	size_t find_ranges(unsigned window, row_span rows, bool written, std::span<range> found) const;

      private:
	struct buffers {
		unsigned of_others, of_read_and_written;
	};
	void find_windows();
	void join(unsigned into, unsigned other);
	void look_at_rows();
	bool is_known_by_rows(const window &w, unsigned number, uint64_t *row_bytes) const;
	range sliding_bytes(unsigned window, row_span rows) const;
	uint64_t need(size_t rows, buffers b) const;
	uint64_t room_of(const window &w, size_t rows) const;
	size_t most_rows(uint64_t budget, buffers b) const;
	size_t wanted_rows(size_t least, uint64_t most_bytes) const;
	void settle(size_t rows, buffers b);

	std::span<const row_use> uses_;
	size_t nrows_ = 0, rows_ = 1;
	bool slides_ = false;
	std::unique_ptr<window[]> windows_;
	std::unique_ptr<unsigned[]> window_of_;
	unsigned nwindows_ = 0;
};

} // namespace het::rt
