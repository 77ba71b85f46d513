// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What kind of program uses a device whose memory is too small for it, and which of ETC's techniques (Li and others,
// ASPLOS 2019) it then gets. It is regular if the lanes of its warps use few lines at once, as a sample from its begin
// tells.
#pragma once

#include <cstdint>

namespace het::rt
{

class regularity
{
      public:
	static constexpr uint64_t sample_cycles = 50000;
	static constexpr unsigned threshold = 10; // lines of an access of a warp; from there on it is irregular

	// A warp has used so many lines at once. Only the first ones count, up to the end of the sample.
	void accessed(unsigned lines)
	{
		accesses_++;
		lines_ += lines;
	}
	// It is false while no access has been seen: then the sample has to go on.
	bool is_known() const { return accesses_ > 0; }
	double lines_an_access() const { return accesses_ ? double(lines_) / double(accesses_) : 0; }
	bool is_regular() const { return lines_ < accesses_ * threshold; }

      private:
	uint64_t accesses_ = 0, lines_ = 0;
};

struct techniques {
	bool ahead = false;      // proactive eviction: memory is freed beside the fetches
	bool throttled = false;  // some processors stop
	bool compressed = false; // data lie compressed in the device's memory

	bool operator==(const techniques &) const = default;
};

// @shared: several kernels use the same data.
constexpr techniques techniques_of(bool regular, bool shared)
{
	if (regular)
		return {.ahead = true, .throttled = false, .compressed = shared};
	return {.ahead = false, .throttled = true, .compressed = true};
}

} // namespace het::rt
