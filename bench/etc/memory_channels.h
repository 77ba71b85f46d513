// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The memory of the device: channels with banks, each of which has a row open. Lines are served in the order in which
// they are asked for; a row that is open is quicker.
#pragma once

#include "etc/machine.h"

namespace etc
{

class memory_channels
{
      public:
	explicit memory_channels(const machine &m);

	// Reads or writes a line at @t or later; returns when its bytes have moved.
	cycle access(uint64_t line, cycle t);
	// All channels are busy with so many bytes from @t on.
	void occupy(uint64_t bytes, cycle t);

      private:
	struct bank {
		uint64_t row = ~uint64_t{0};
		cycle free = 0;
	};
	const machine m_;
	const unsigned lines_of_row_;
	std::vector<cycle> wires_; // when a channel's are free
	std::vector<bank> banks_;
};

} // namespace etc
