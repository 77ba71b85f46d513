// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_lane.h"

#include "dev/cuda_wait.h"

#include <algorithm>
#include <cstring>

namespace het
{

int cuda_lane::open_slots(slot_pair &pair, char *memory)
{
	int err = 0;
	for (slot &s : pair.slots) {
		s.staging = memory;
		memory += slot_size;
		if (!err)
			err = cu_->create_event(&s.event, cu_event_disable_timing);
	}
	return err;
}

int cuda_lane::open(const cuda_api &cu, char *ring, int priority)
{
	cu_ = &cu;
	int err = cu.create_stream(&stream_, cu_stream_non_blocking, priority);
	if (!err)
		err = open_slots(ring_, ring);
	if (!err)
		err = open_slots(started_, ring + 2 * slot_size);
	for (slot &s : direct_) {
		if (!err)
			err = cu.create_event(&s.event, cu_event_disable_timing);
	}
	return err;
}

void cuda_lane::close()
{
	for (std::span<slot> slots :
	     {std::span<slot>(ring_.slots), std::span<slot>(started_.slots), std::span<slot>(direct_)}) {
		for (slot &s : slots) {
			if (s.event)
				cu_->destroy_event(s.event);
		}
	}
	if (stream_)
		cu_->destroy_stream(stream_);
}

int cuda_lane::wait(const slot &s) const
{
	return poll_then_wait(
		expected_ns(s.size), [&] { return cu_->query_event(s.event); },
		[&] { return cu_->synchronize_event(s.event); });
}

int cuda_lane::wait_all(size_t bytes)
{
	return poll_then_wait(
		expected_ns(bytes), [&] { return cu_->query_stream(stream_); },
		[&] { return cu_->synchronize_stream(stream_); });
}

// Waits for what the slot was last used for, and hands over what it brought.
int cuda_lane::free_slot(slot &s)
{
	if (!s.busy)
		return 0;
	s.busy = false;
	int err = wait(s);
	if (!err && s.host)
		memcpy(s.host, s.staging, s.size);
	return err;
}

int cuda_lane::fill_slot(slot &s, cu_deviceptr from, void *host, size_t size)
{
	s.host = host;
	s.size = size;
	int err = cu_->copy_to_host(s.staging, from, size, stream_);
	if (!err)
		err = cu_->record_event(s.event, stream_);
	s.busy = !err;
	return err;
}

int cuda_lane::drain_slot(slot &s, cu_deviceptr to, const void *host, size_t size)
{
	s.host = nullptr;
	s.size = size;
	memcpy(s.staging, host, size);
	int err = cu_->copy_to_device(to, s.staging, size, stream_);
	if (!err)
		err = cu_->record_event(s.event, stream_);
	s.busy = !err;
	return err;
}

// A part of a staged piece travels while the one before it is copied out of the ring.
int cuda_lane::read_piece(const transfer &t)
{
	cu_deviceptr from = device_address(t.devbuf, t.offset);
	if (t.pinned)
		return cu_->copy_to_host(t.host, from, t.size, stream_);
	int err = 0;
	for (size_t at = 0; at < t.size && !err; at += slot_size) {
		slot &s = ring_.next();
		err = free_slot(s);
		if (!err)
			err = fill_slot(s, from + at, static_cast<char *>(t.host) + at,
					std::min(slot_size, t.size - at));
	}
	return err;
}

int cuda_lane::write_piece(const transfer &t)
{
	cu_deviceptr to = device_address(t.devbuf, t.offset);
	if (t.pinned)
		return cu_->copy_to_device(to, t.host, t.size, stream_);
	int err = 0;
	for (size_t at = 0; at < t.size && !err; at += slot_size) {
		slot &s = ring_.next();
		err = free_slot(s);
		if (!err)
			err = drain_slot(s, to + at, static_cast<char *>(t.host) + at,
					 std::min(slot_size, t.size - at));
	}
	return err;
}

// After an error too: what was taken still uses the caller's memory.
int cuda_lane::finish(int err, size_t bytes)
{
	int waited = wait_all(bytes);
	for (slot &s : ring_.slots) {
		if (!err && !waited && s.busy && s.host)
			memcpy(s.host, s.staging, s.size);
		s.busy = false;
	}
	return err ? err : waited;
}

int cuda_lane::read(std::span<const transfer> pieces)
{
	int err = 0;
	size_t bytes = 0;
	for (const transfer &t : pieces) {
		if (!err && t.size)
			err = read_piece(t);
		bytes += t.size;
	}
	return finish(err, bytes);
}

int cuda_lane::write(std::span<const transfer> pieces)
{
	int err = 0;
	size_t bytes = 0;
	for (const transfer &t : pieces) {
		if (!err && t.size)
			err = write_piece(t);
		bytes += t.size;
	}
	return finish(err, bytes);
}

int cuda_lane::start_direct(slot &s, const transfer &t)
{
	s.size = t.size;
	int err = cu_->copy_to_host(t.host, device_address(t.devbuf, t.offset), t.size, stream_);
	if (!err)
		err = cu_->record_event(s.event, stream_);
	s.busy = !err;
	return err;
}

int cuda_lane::start_read(const transfer &piece, read_ticket &ticket)
{
	// More than a slot holds, and not pinned: rare, so the ring works for it alone.
	if (!piece.pinned && piece.size > slot_size)
		return read({&piece, 1});
	slot &s = piece.pinned ? direct_[next_direct_++ % most_reads] : started_.next();
	int err = piece.pinned ? start_direct(s, piece)
			       : fill_slot(s, device_address(piece.devbuf, piece.offset), piece.host, piece.size);
	if (err)
		cu_->synchronize_stream(stream_);
	else
		ticket.handle = &s;
	return err;
}

int cuda_lane::finish_read(read_ticket &ticket)
{
	auto *s = static_cast<slot *>(ticket.handle);
	ticket.handle = nullptr;
	return s ? free_slot(*s) : 0;
}

} // namespace het
