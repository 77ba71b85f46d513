// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Collects durations in buckets of at most 1/8 of their value, so that percentiles need no list of samples. This is
// pure; any number of threads may call add().
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

namespace het
{

class histogram
{
      public:
	void add(uint64_t ns)
	{
		buckets_[index(ns)].fetch_add(1, std::memory_order_relaxed);
		count_.fetch_add(1, std::memory_order_relaxed);
		update(min_, ns, [](uint64_t a, uint64_t b) { return a < b; });
		update(max_, ns, [](uint64_t a, uint64_t b) { return a > b; });
	}
	uint64_t count() const { return count_.load(std::memory_order_relaxed); }
	// Returns 0 if there is no sample. (The count does not tell that, since another thread may have raised it
	// before this.)
	uint64_t min() const
	{
		uint64_t least = min_.load(std::memory_order_relaxed);
		return least == no_sample ? 0 : least;
	}
	uint64_t max() const { return max_.load(std::memory_order_relaxed); }
	// Returns the value below which a share @q (0 to 1) of the samples lies, to the bucket, between min() and
	// max().
	uint64_t quantile(double q) const
	{
		auto wanted = uint64_t(q * double(count()));
		uint64_t seen = 0;
		for (unsigned i = 0; i < bucket_count; i++) {
			seen += buckets_[i].load(std::memory_order_relaxed);
			if (seen > wanted)
				return std::clamp(upper_bound(i), min(), max());
		}
		return max();
	}

      private:
	static constexpr uint64_t no_sample = ~uint64_t{0};
	static constexpr unsigned sub_bits = 3, bucket_count = (40 - sub_bits) << sub_bits;

	// Values below 8 have a bucket each; above, there are 8 buckets an octave. 2^39 ns (9 minutes) and more share
	// the last one.
	static unsigned index(uint64_t ns)
	{
		if (ns < (1u << sub_bits))
			return unsigned(ns);
		unsigned octave = unsigned(std::bit_width(ns)) - sub_bits;
		unsigned i = (octave << sub_bits) + unsigned(ns >> (octave - 1)) - (1u << sub_bits);
		return i < bucket_count ? i : bucket_count - 1;
	}
	static uint64_t upper_bound(unsigned i)
	{
		if (i < (1u << sub_bits))
			return i;
		unsigned octave = i >> sub_bits;
		uint64_t mantissa = (i & ((1u << sub_bits) - 1)) + (1u << sub_bits);
		return ((mantissa + 1) << (octave - 1)) - 1;
	}
	template <class Better> static void update(std::atomic<uint64_t> &a, uint64_t v, Better better)
	{
		uint64_t old = a.load(std::memory_order_relaxed);
		while (better(v, old) && !a.compare_exchange_weak(old, v, std::memory_order_relaxed))
			;
	}

	// They have 64 bits, as the touches of a few days overflow 32.
	std::atomic<uint64_t> buckets_[bucket_count] = {};
	std::atomic<uint64_t> count_{0}, min_{no_sample}, max_{0};
};

} // namespace het
