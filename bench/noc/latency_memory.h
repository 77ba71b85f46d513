// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// It keeps the last few hop latencies that were heard of for each of two layers, in the four bits of DLL's messages.
#pragma once

#include "noc/routing.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace noc
{

class latency_memory
{
      public:
	explicit latency_memory(unsigned depth) : of_{fifo(depth), fifo(depth)} {}

	void add(unsigned layer, unsigned hop_latency) { of_[layer].add(uint8_t(std::min(hop_latency, longest))); }

	// Returns 0 for a layer of which nothing was heard, so that it counts as free.
	double mean(unsigned layer) const { return of_[layer].mean(); }

	// This is the rule of DLL and of DestDetect: the cores' layer is slower by more than @threshold, and the
	// interposer is below @second.
	layer_route choose(unsigned threshold, unsigned second) const
	{
		const double cores = mean(through_cores), interposer = mean(through_interposer);
		return cores - interposer > threshold && interposer < second ? through_interposer : through_cores;
	}

      private:
	static constexpr unsigned longest = 15;

	class fifo
	{
	      public:
		explicit fifo(unsigned depth) : last_(depth) {}

		void add(uint8_t v)
		{
			sum_ += unsigned(v) - last_[at_];
			last_[at_] = v;
			at_ = at_ + 1 == last_.size() ? 0 : at_ + 1;
			full_ += full_ < last_.size();
		}
		double mean() const { return full_ ? double(sum_) / double(full_) : 0; }

	      private:
		std::vector<uint8_t> last_;
		size_t at_ = 0, full_ = 0;
		unsigned sum_ = 0;
	};

	fifo of_[2];
};

} // namespace noc
