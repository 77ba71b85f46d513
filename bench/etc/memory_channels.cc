// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/memory_channels.h"

#include "etc/tags.h"

#include <algorithm>

namespace etc
{

memory_channels::memory_channels(const machine &m)
    : m_(m), lines_of_row_(std::max(1u, m.row_bytes / line_bytes)), wires_(m.channels),
      banks_(size_t(m.channels) * m.banks)
{
}

cycle memory_channels::access(uint64_t line, cycle t)
{
	// Lines that follow each other lie in a row of each channel.
	const uint64_t row = line / m_.channels / lines_of_row_;
	const uint64_t channel = (line + spread(row)) % m_.channels;
	bank &b = banks_[channel * m_.banks + spread(row) / m_.channels % m_.banks];
	const unsigned latency = b.row == row ? m_.row_hit_cycles : m_.row_miss_cycles;
	const cycle begins = std::max({t, b.free, wires_[channel] > latency ? wires_[channel] - latency : 0});
	b.row = row;
	// The next one of the same row can be asked for as soon as this one's bytes will leave the wires free for it.
	b.free = begins + latency - std::min(latency, m_.row_hit_cycles) + m_.line_cycles();
	wires_[channel] = begins + latency + m_.line_cycles();
	return wires_[channel];
}

void memory_channels::occupy(uint64_t bytes, cycle t)
{
	const cycle takes = bytes / line_bytes / m_.channels * m_.line_cycles();
	for (cycle &free : wires_)
		free = std::max(free, t) + takes;
}

} // namespace etc
