// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/frame_copies.h"

#include "memory/buffers.h"

#include <algorithm>
#include <utility>

namespace het::rt
{

namespace
{

// Larger copies would be no faster, and who needs one chunk would wait for longer.
constexpr size_t piece_bytes = size_t{4} << 20;

} // namespace

const range_use &use_of(const slice_plan &plan, std::span<const range_use> uses, unsigned window)
{
	size_t i = 0;
	while (plan.window_of(i) != window)
		i++;
	return uses[i];
}

int frame_copies::add(void *buffer, size_t offset, host_bytes place)
{
	for (size_t at = 0; at < place.size; at += piece_bytes) {
		if (count_ == most) {
			if (int err = flush())
				return err;
		}
		pieces_[count_++] = {.devbuf = buffer,
				     .offset = offset + at,
				     .host = place.at + at,
				     .size = std::min(piece_bytes, place.size - at),
				     .pinned = place.pinned};
	}
	bytes_ += place.size;
	return 0;
}

int frame_copies::add(void *buffer, size_t offset, range bytes, const range_use &u)
{
	const unsigned host = core().host_memory->memory_number;
	host_bytes places[most_places];
	const size_t n = u.on.find_places(bytes, host, device_.memory_number, places);
	int err = 0;
	for (size_t i = 0; i < n && !err; i++) {
		err = add(buffer, offset, places[i]);
		offset += places[i].size;
	}
	return err;
}

int frame_copies::flush()
{
	std::span<const het::transfer> all(pieces_, std::exchange(count_, 0));
	if (all.empty())
		return 0;
	const unsigned n = device_.memory_number;
	return (home_ ? read_buffers(n, all) : write_buffers(n, all)) ? HET_EDEVICE : 0;
}

} // namespace het::rt
