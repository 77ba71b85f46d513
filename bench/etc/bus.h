// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The bus to the host, which carries in both directions at once, each in the order in which it is asked to.
#pragma once

#include "etc/machine.h"

#include <algorithm>

namespace etc
{

class bus
{
      public:
	explicit bus(const machine &m) : m_(m) {}

	enum direction : uint8_t { to_device, to_host };
	// Carries bytes from @t on, or later; returns when they have arrived.
	cycle carry(direction d, uint64_t bytes, cycle t)
	{
		const cycle takes = m_.bus_cycles(bytes);
		free_[d] = std::max(free_[d], t) + takes;
		carried_[d] += bytes;
		busy_[d] += takes;
		return free_[d];
	}
	uint64_t carried(direction d) const { return carried_[d]; }
	cycle busy(direction d) const { return busy_[d]; }

      private:
	const machine m_;
	cycle free_[2] = {}, busy_[2] = {};
	uint64_t carried_[2] = {};
};

} // namespace etc
