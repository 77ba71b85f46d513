// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/buffers.h"

#include "memory/lane.h"
#include "memory/library.h"

namespace het
{

int read_buffers(unsigned device, std::span<const transfer> pieces, unsigned own_lane)
{
	library &l = lib();
	lane_lease lane(*l.lanes, own_lane);
	return l.devices[device]->read(lane, pieces);
}

int write_buffers(unsigned device, std::span<const transfer> pieces, unsigned own_lane)
{
	library &l = lib();
	lane_lease lane(*l.lanes, own_lane);
	return l.devices[device]->write(lane, pieces);
}

int read_buffers(unsigned device, std::span<const transfer> pieces)
{
	return read_buffers(device, pieces, any_lane);
}

int write_buffers(unsigned device, std::span<const transfer> pieces)
{
	return write_buffers(device, pieces, any_lane);
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

size_t report_paths(unsigned device, std::span<path_report> room)
{
	return lib().devices[device]->report_paths(room);
}

double seconds_to_send(unsigned device, size_t nbytes)
{
	return lib().devices[device]->seconds_to_write(nbytes);
}

} // namespace het
