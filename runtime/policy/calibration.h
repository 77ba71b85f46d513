// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A calibration is what is known of how fast devices run one kernel, from the launches that they have shared. It makes
// no system call; the caller serialises.
//
// Shares are cut by speeds that stay as they are until others would move more than a small part of the work: data lies
// where the last launch has left it, and each move of a boundary moves data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace het::rt
{

class calibration
{
      public:
	static constexpr size_t most = 32; // the number of devices

	// The device did so many work-items a second, transfers included.
	void note(unsigned device, double speed);
	// Returns 0 if the speed is not known.
	double speed(unsigned device) const { return known_[device]; }
	// Takes over what a launch of another process has shown.
	void preset(unsigned device, double speed) { known_[device] = speed; }

	// Gives the speeds to cut shares by, for each device of @devices: as measured, or as used last. Returns false,
	// and leaves @guess as it was, if one is not known.
	bool choose(std::span<const unsigned> devices, std::span<double> guess);

      private:
	double known_[most] = {}, used_[most] = {};
};

} // namespace het::rt
