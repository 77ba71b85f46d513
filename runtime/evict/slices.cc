// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "evict/slices.h"

#include "evict/runs.h"

#include <algorithm>
#include <new>
#include <numeric>

namespace het::rt
{

namespace
{

// The last slice's results come home with nothing beside them, so a slice is a small part of all; but large enough for
// its copies to be fast and for what its rows have in common with their neighbours' to count for little.
constexpr uint64_t slices_of_launch = 48, least_bytes = uint64_t{16} << 20, most_in_common = 16;

// Two or three of them should leave most of the memory to what is kept.
constexpr uint64_t slices_of_memory = 8;

// What windows that slide have in common is copied on the device, which is fast.
constexpr uint64_t most_in_common_sliding = 2;

uint64_t round_up_grain(uint64_t n)
{
	return round_up(n, window_grain);
}

} // namespace

range used_by(const row_use &u, row_span rows)
{
	if (!u.by_rows)
		return u.bytes;
	const __int128 first = __int128{u.first} + __int128{u.step} * rows.first;
	const __int128 end = first + __int128{u.step} * (rows.count - 1) + u.length;
	auto clip = [&](__int128 at) {
		return u.bytes.begin + size_t(std::clamp<__int128>(at, 0, __int128{u.bytes.size()}));
	};
	return {clip(first), clip(end)};
}

// --- which uses share a window -------------------------------------------------

// Uses that have bytes in common, or by way of others, get one window.
void slice_plan::find_windows()
{
	std::iota(window_of_.get(), window_of_.get() + uses_.size(), 0u);
	for (size_t i = 0; i < uses_.size(); i++)
		windows_[i] = {.bytes = uses_[i].bytes};
	nwindows_ = unsigned(uses_.size());
	for (unsigned w = 0; w < nwindows_; w++) {
		for (unsigned other = w + 1; other < nwindows_;) {
			if (!windows_[other].bytes.overlaps(windows_[w].bytes)) {
				other++;
				continue;
			}
			join(w, other);
			other = w + 1;
		}
	}
}

// The last window takes the place of the one that is no more.
void slice_plan::join(unsigned into, unsigned other)
{
	windows_[into].bytes = hull_of(windows_[into].bytes, windows_[other].bytes);
	const unsigned last = --nwindows_;
	windows_[other] = windows_[last];
	for (unsigned &w : std::span(window_of_.get(), uses_.size()))
		w = w == other ? into : w == last ? other : w;
}

// It is false if what the rows use of a window is not known by rows, or two slices may write between each other's
// bytes. *row_bytes are those of one row.
bool slice_plan::is_known_by_rows(const window &w, unsigned number, uint64_t *row_bytes) const
{
	uint64_t step = 0;
	__int128 all[2] = {__int128{1} << 100, -(__int128{1} << 100)}, written[2] = {all[0], all[1]};
	bool any = false;
	for (size_t i = 0; i < uses_.size(); i++) {
		const row_use &u = uses_[i];
		if (window_of_[i] != number)
			continue;
		if (!u.by_rows || !u.step || (any && u.step != step))
			return false;
		any = true;
		step = u.step;
		const __int128 begin = __int128{u.bytes.begin - w.bytes.begin} + u.first, end = begin + u.length;
		all[0] = std::min(all[0], begin);
		all[1] = std::max(all[1], end);
		written[0] = u.writes ? std::min(written[0], begin) : written[0];
		written[1] = u.writes ? std::max(written[1], end) : written[1];
	}
	if (!slides_ && written[1] - written[0] > step)
		return false;
	*row_bytes = uint64_t(std::min<__int128>(all[1] - all[0], __int128{w.bytes.size()}));
	return true;
}

void slice_plan::look_at_rows()
{
	for (unsigned n = 0; n < nwindows_; n++) {
		window &w = windows_[n];
		w.stays = !is_known_by_rows(w, n, &w.row_bytes);
		range used = {};
		for (size_t i = 0; i < uses_.size(); i++) {
			if (window_of_[i] != n)
				continue;
			w.reads |= uses_[i].reads;
			w.writes |= uses_[i].writes;
			w.step = w.stays ? 0 : uses_[i].step;
			used = hull_of(used, used_by(uses_[i], all_rows()));
		}
		const uintptr_t begin = w.bytes.begin + round_down(used.begin - w.bytes.begin, window_grain);
		w.bytes = used.empty() ? range{w.bytes.begin, w.bytes.begin} : range{begin, used.end};
	}
}

bool slice_plan::take(std::span<const row_use> uses, size_t nrows, bool slides)
{
	uses_ = uses;
	nrows_ = nrows;
	slides_ = slides;
	windows_.reset(new (std::nothrow) window[uses.size()]);
	window_of_.reset(new (std::nothrow) unsigned[uses.size()]);
	if (!windows_ || !window_of_)
		return false;
	find_windows();
	look_at_rows();
	for (window &w : std::span(windows_.get(), nwindows_))
		w.least = room_of(w, 1);
	return true;
}

// --- how many rows -------------------------------------------------------------

uint64_t slice_plan::room_of(const window &w, size_t rows) const
{
	const uint64_t all = std::max<uint64_t>(w.bytes.size(), 1);
	if (w.stays)
		return round_up_grain(all);
	const __int128 some = __int128{w.step} * (rows - 1) + w.row_bytes + window_grain;
	return round_up_grain(uint64_t(std::min<__int128>(some, all)));
}

uint64_t slice_plan::need(size_t rows, buffers b) const
{
	uint64_t n = 0;
	for (const window &w : windows()) {
		const unsigned count = w.stays ? 1 : w.reads && w.writes ? b.of_read_and_written : b.of_others;
		n += count * room_of(w, rows);
	}
	return n;
}

// Returns 0 if not even one fits.
size_t slice_plan::most_rows(uint64_t budget, buffers b) const
{
	size_t fits = 0, too_many = nrows_ + 1;
	while (too_many - fits > 1) {
		const size_t middle = fits + (too_many - fits) / 2;
		(need(middle, b) <= budget ? fits : too_many) = middle;
	}
	return fits;
}

size_t slice_plan::wanted_rows(size_t least, uint64_t most_bytes) const
{
	uint64_t all = 0, common = 0, step = 0;
	for (const window &w : windows()) {
		all += w.bytes.size();
		step += w.step;
		common += w.row_bytes > w.step ? w.row_bytes - w.step : 0;
	}
	const uint64_t paying = std::min(std::max(least_bytes, all / slices_of_launch), most_bytes);
	const uint64_t bytes = std::max(paying, common * (slides_ ? most_in_common_sliding : most_in_common));
	const uint64_t rows = step ? (bytes + step - 1) / step : nrows_;
	return std::min<uint64_t>(std::max<uint64_t>({rows, least, 1}), nrows_);
}

// A window that has as much memory as all its bytes need keeps them.
void slice_plan::settle(size_t rows, buffers b)
{
	rows_ = rows;
	for (window &w : std::span(windows_.get(), nwindows_)) {
		w.buffers = w.stays ? 1 : w.reads && w.writes ? b.of_read_and_written : b.of_others;
		w.room = room_of(w, rows);
		if (w.room * w.buffers < w.bytes.size())
			continue;
		w.stays = true;
		w.buffers = 1;
		w.room = room_of(w, rows);
	}
}

bool slice_plan::choose(uint64_t budget, size_t least_rows, eviction how)
{
	const bool one_by_one = how == eviction::demand;
	const size_t wanted =
		one_by_one ? nrows_ : wanted_rows(least_rows, keeps_copies(how) ? budget / slices_of_memory : budget);
	for (size_t least : {std::min(wanted, least_rows), slides_ ? least_rows : size_t{1}}) {
		// What is read and written is in use until it has come home.
		for (buffers b : {buffers{2, 3}, buffers{2, 2}, buffers{1, 1}}) {
			const size_t most = most_rows(budget, b);
			if (one_by_one ? b.of_others > 1 : slides_ && b.of_others == 1)
				continue;
			if (most < std::max<size_t>(least, 1))
				continue;
			settle(std::min(most, wanted), b);
			return true;
		}
	}
	return false;
}

// --- what a slice has ----------------------------------------------------------

row_span slice_plan::slice(size_t number) const
{
	const size_t first = number * rows_;
	return {first, std::min(rows_, nrows_ - first)};
}

// They are those of rows that go on for ever, as far as the window has them: so no slice has what the one before lacks
// but the one before that had.
range slice_plan::sliding_bytes(unsigned window, row_span rows) const
{
	const rt::window &w = windows_[window];
	__int128 begin = __int128{1} << 100, end = -begin;
	for (size_t i = 0; i < uses_.size(); i++) {
		const row_use &u = uses_[i];
		if (window_of_[i] != window)
			continue;
		const __int128 first = __int128{u.bytes.begin} + u.first + __int128{u.step} * rows.first;
		begin = std::min(begin, first);
		end = std::max(end, first + __int128{u.step} * (rows.count - 1) + u.length);
	}
	auto clip = [&](__int128 at) { return uintptr_t(std::clamp<__int128>(at, w.bytes.begin, w.bytes.end)); };
	return {clip(begin), clip(end)};
}

range slice_plan::bytes_of(unsigned window, size_t slice) const
{
	const rt::window &w = windows_[window];
	if (w.stays)
		return w.bytes;
	if (slides_) {
		const range r = sliding_bytes(window, this->slice(slice));
		return {w.bytes.begin + round_down(r.begin - w.bytes.begin, window_grain), r.end};
	}
	range used = {};
	for (size_t i = 0; i < uses_.size(); i++) {
		if (window_of_[i] == window)
			used = hull_of(used, used_by(uses_[i], this->slice(slice)));
	}
	if (used.empty())
		return {w.bytes.begin, w.bytes.begin};
	return {w.bytes.begin + round_down(used.begin - w.bytes.begin, window_grain), used.end};
}

uint64_t slice_plan::nbytes() const
{
	uint64_t n = 0;
	for (const window &w : windows())
		n += w.buffers * w.room;
	return n;
}

uint64_t slice_plan::smallest() const
{
	uint64_t n = 0;
	for (const window &w : windows())
		n += w.least;
	return n;
}

uint64_t slice_plan::smallest_of(unsigned window) const
{
	return windows_[window].least;
}

size_t slice_plan::find_ranges(unsigned window, row_span rows, bool written, std::span<range> found) const
{
	size_t n = 0;
	for (size_t i = 0; i < uses_.size(); i++) {
		const row_use &u = uses_[i];
		range r = used_by(u, rows);
		if (window_of_[i] != window || !(written ? u.writes : u.reads) || r.empty())
			continue;
		for (size_t k = 0; k < n;) {
			if (found[k].begin > r.end || r.begin > found[k].end) {
				k++;
				continue;
			}
			r = hull_of(r, found[k]);
			found[k] = found[--n];
			k = 0;
		}
		found[n++] = r;
	}
	std::sort(found.data(), found.data() + n, [](range a, range b) { return a.begin < b.begin; });
	return n;
}

} // namespace het::rt
