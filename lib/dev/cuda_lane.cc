// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_lane.h"

#include "dev/cuda_wait.h"

#include <algorithm>
#include <cstring>

namespace het
{

namespace
{

// From so many pieces on a batch pays, and so many go in one.
constexpr size_t least_batch = 4, most_batch = 128;

// Smaller pieces of plain memory go through the ring, whose slot takes them whole.
constexpr size_t least_plain = cuda_lane::slot_size + 1;

} // namespace

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

int cuda_lane::open(const cuda_api &cu, char *ring, cuda_large_slot &large, int priority)
{
	cu_ = &cu;
	large_ = &large;
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

int cuda_lane::wait(const slot &s)
{
	if (&s == last_)
		return wait_all(s.size);
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

// Once this returns the caller's memory is in use until the stream is done.
int cuda_lane::enqueue(direction to, void *host, cu_deviceptr device, size_t size)
{
	return to == direction::to_host ? cu_->copy_to_host(host, device, size, stream_)
					: cu_->copy_to_device(device, host, size, stream_);
}

// The slot that was used last gets its event, as something goes behind it.
int cuda_lane::mark_last()
{
	int err = last_ && last_->busy ? cu_->record_event(last_->event, stream_) : 0;
	if (!err)
		last_ = nullptr;
	return err;
}

int cuda_lane::start(slot &s, direction to, void *host, cu_deviceptr device, size_t size)
{
	int err = mark_last();
	if (!err)
		err = enqueue(to, host, device, size);
	if (err)
		return err;
	s.size = size;
	s.busy = true;
	last_ = &s;
	return 0;
}

int cuda_lane::start_staged(slot &s, direction to, void *host, cu_deviceptr device, size_t size)
{
	bool home = to == direction::to_host;
	s.host = home ? host : nullptr;
	if (!home)
		memcpy(s.staging, host, size);
	return start(s, to, s.staging, device, size);
}

// A part of a staged piece travels while another is copied into the ring or out of it.
int cuda_lane::copy_staged(direction to, const transfer &t)
{
	cu_deviceptr device = device_address(t.devbuf, t.offset);
	int err = 0;
	for (size_t at = 0; at < t.size && !err; at += slot_size) {
		slot &s = ring_.next();
		err = free_slot(s);
		if (!err)
			err = start_staged(s, to, static_cast<char *>(t.host) + at, device + at,
					   std::min(slot_size, t.size - at));
	}
	return err;
}

// The driver copies large pieces through pinned memory of its own, which is faster than the ring, and there is no
// second copy of the host's then.
int cuda_lane::copy_plain(direction to, const transfer &t)
{
	if (t.size < least_plain)
		return copy_staged(to, t);
	return enqueue(to, t.host, device_address(t.devbuf, t.offset), t.size);
}

// Waits after an error, too: what was taken still uses the caller's memory.
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

int cuda_lane::copy_one_by_one(direction to, std::span<const transfer> pieces)
{
	int err = 0;
	for (const transfer &t : pieces) {
		if (!err)
			err = enqueue(to, t.host, device_address(t.devbuf, t.offset), t.size);
	}
	return err;
}

// The driver needs half the time for many small pieces where it gets them at once.
int cuda_lane::copy_pinned(direction to, std::span<const transfer> pieces)
{
	if (!cu_->copy_batch || pieces.size() < least_batch)
		return copy_one_by_one(to, pieces);
	cu_deviceptr host[most_batch], device[most_batch];
	size_t sizes[most_batch], first = 0;
	for (size_t i = 0; i < pieces.size(); i++) {
		host[i] = device_address(pieces[i].host, 0);
		device[i] = device_address(pieces[i].devbuf, pieces[i].offset);
		sizes[i] = pieces[i].size;
	}
	cu_copy_attributes in_order{.order = cu_copy_in_stream_order, .from = {}, .to = {}, .flags = 0};
	bool home = to == direction::to_host;
	int err = cu_->copy_batch(home ? host : device, home ? device : host, sizes, pieces.size(), &in_order, &first,
				  1, stream_);
	return err == cu_error_not_supported ? copy_one_by_one(to, pieces) : err;
}

int cuda_lane::copy(direction to, std::span<const transfer> pieces)
{
	int err = 0;
	size_t bytes = 0;
	for (size_t i = 0; i < pieces.size() && !err;) {
		size_t n = 0;
		while (i + n < pieces.size() && n < most_batch && pieces[i + n].pinned)
			bytes += pieces[i + n++].size;
		if (n) {
			err = copy_pinned(to, pieces.subspan(i, n));
		} else {
			err = pieces[i].plain ? copy_plain(to, pieces[i]) : copy_staged(to, pieces[i]);
			bytes += pieces[i].size;
			n = 1;
		}
		i += n;
	}
	return finish(err, bytes);
}

// *done is false if it can't be used, and nothing was done.
int cuda_lane::read_large(const transfer &t, bool *done)
{
	if (!t.plain || t.size < least_plain || t.size > cuda_large_slot::size || large_->taken.exchange(true))
		return 0;
	if (!large_->memory && cu_->allocate_host(&large_->memory, cuda_large_slot::size, cu_host_alloc_portable))
		large_->memory = nullptr;
	int err = 0;
	*done = large_->memory != nullptr;
	if (*done) {
		err = enqueue(direction::to_host, large_->memory, device_address(t.devbuf, t.offset), t.size);
		err = finish(err, t.size);
		if (!err)
			memcpy(t.host, large_->memory, t.size);
	}
	large_->taken.store(false);
	return err;
}

int cuda_lane::read(std::span<const transfer> pieces)
{
	bool done = false;
	int err = pieces.size() == 1 ? read_large(pieces[0], &done) : 0;
	return done || err ? err : copy(direction::to_host, pieces);
}

int cuda_lane::write(std::span<const transfer> pieces)
{
	return copy(direction::to_device, pieces);
}

int cuda_lane::start_read(const transfer &piece, read_ticket &ticket)
{
	// The piece is larger than a slot, and not pinned. That is rare, so the ring works for it alone.
	if (!piece.pinned && piece.size > slot_size)
		return read({&piece, 1});
	slot &s = piece.pinned ? direct_[next_direct_++ % most_reads] : started_.next();
	cu_deviceptr from = device_address(piece.devbuf, piece.offset);
	int err = piece.pinned ? start(s, direction::to_host, piece.host, from, piece.size)
			       : start_staged(s, direction::to_host, piece.host, from, piece.size);
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
