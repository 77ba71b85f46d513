// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/buffers.h"

#include "memory/lane.h"
#include "memory/library.h"

namespace het
{

int read_buffers(unsigned device, std::span<const transfer> pieces)
{
	library &l = lib();
	lane_lease lane(*l.lanes);
	return l.devices[device]->read(lane, pieces);
}

int write_buffers(unsigned device, std::span<const transfer> pieces)
{
	library &l = lib();
	lane_lease lane(*l.lanes);
	return l.devices[device]->write(lane, pieces);
}

int copy_buffer(const place_in_buffer &to, const place_in_buffer &from, size_t n)
{
	library &l = lib();
	lane_lease lane(*l.lanes);
	return l.devices[to.device]->copy_from(lane, to.buffer, to.offset, *l.devices[from.device], from.buffer,
					       from.offset, n);
}

uint64_t lent_bytes(unsigned device)
{
	return lib().devices[device]->lent_memory();
}

void keep_memory(unsigned device)
{
	lib().devices[device]->keep_memory();
}

} // namespace het
