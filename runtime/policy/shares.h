// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The policies have this in common.
#pragma once

#include "policy/policy.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace het::rt
{

// There are no more devices than this.
inline constexpr size_t most_shares = 32;

// Copies sharing::grains, as the caller's do not last.
class grains
{
      public:
	explicit grains(const sharing &s) { std::copy(s.grains.begin(), s.grains.end(), rows_); }
	size_t operator[](unsigned device) const { return rows_[device]; }

      private:
	size_t rows_[most_shares] = {};
};

inline double sum_of(std::span<const double> speeds)
{
	return std::accumulate(speeds.begin(), speeds.end(), 0.0);
}

// Cuts all rows into contiguous shares by speed.
inline void cut_by_speed(const sharing &s, rows (&shares)[most_shares])
{
	const double sum = sum_of(s.speeds);
	double speed = 0;
	size_t done = 0;
	for (size_t d = 0; d < s.speeds.size(); d++) {
		speed += s.speeds[d];
		bool last = d + 1 == s.speeds.size();
		size_t end = last ? s.total : std::min(s.total, size_t(std::lround(double(s.total) * speed / sum)));
		shares[d] = {done, end - done};
		done = end;
	}
}

// Keeps what is known of the devices' speeds, and how large a block should be by that: devices that err, or are told
// wrongly what they can do, have the rest of the launch to make up for it.
class pace
{
      public:
	explicit pace(const sharing &s) : n_(s.speeds.size()), block_seconds_(s.block_seconds)
	{
		std::copy(s.speeds.begin(), s.speeds.end(), speeds_);
		known_ = s.block_seconds > 0 ? ~uint32_t{0} : 0;
		// What is known counts as if so much of this launch had gone like that.
		for (size_t d = 0; d < n_ && known_; d++) {
			busy_[d] = prior * double(s.total) / sum_of(s.speeds);
			done_[d] = busy_[d] * speeds_[d];
		}
	}

	// Measures by all that the device has done: one row may be a hundred times the work of the next, so one block
	// says little.
	void measured(unsigned device, size_t rows, double seconds)
	{
		done_[device] += double(rows);
		busy_[device] += seconds;
		double speed = done_[device] / busy_[device];
		// What was told may have been in another unit than what is measured.
		if (!known_)
			rescale(speed / speeds_[device]);
		known_ |= uint32_t{1} << device;
		speeds_[device] = speed;
	}
	bool is_known(unsigned device) const { return known_ >> device & 1; }
	double speed(unsigned device) const { return speeds_[device]; }
	// Returns the size of the next block if @left rows are left.
	size_t block(unsigned device, size_t left) const
	{
		double share = speeds_[device] / sum_of({speeds_, n_}), least = block_seconds_ * speeds_[device];
		return size_t(std::max((is_known(device) ? part : part_unknown) * share * double(left), least));
	}

      private:
	static constexpr double part = 0.3, part_unknown = 0.1, prior = 0.3;

	void rescale(double factor)
	{
		for (double &s : speeds_)
			s *= factor;
	}

	size_t n_;
	double speeds_[most_shares] = {}, done_[most_shares] = {}, busy_[most_shares] = {};
	double block_seconds_;
	uint32_t known_ = 0;
};

// Takes @n rows, or what there is, off the head; a rest below the grain goes with them.
inline rows take_head(rows &from, size_t n, size_t grain)
{
	n = std::min(from.count, std::max(n, grain));
	if (from.count - n < grain)
		n = from.count;
	rows head = {from.first, n};
	from = {from.first + n, from.count - n};
	return head;
}

inline rows take_tail(rows &from, size_t n)
{
	n = std::min(from.count, n);
	from.count -= n;
	return {from.end(), n};
}

} // namespace het::rt
