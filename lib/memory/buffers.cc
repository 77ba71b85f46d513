// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/buffers.h"

#include "memory/lane.h"
#include "memory/library.h"

namespace het
{

int read_buffers(unsigned device, std::span<const transfer> pieces)
{
	lane_lease lane;
	return lib().devices[device]->read(lane, pieces);
}

int write_buffers(unsigned device, std::span<const transfer> pieces)
{
	lane_lease lane;
	return lib().devices[device]->write(lane, pieces);
}

int copy_buffer(const place_in_buffer &to, const place_in_buffer &from, size_t n)
{
	lane_lease lane;
	return lib().devices[to.device]->copy_from(lane, to.buffer, to.offset, *lib().devices[from.device], from.buffer,
						   from.offset, n);
}

} // namespace het
