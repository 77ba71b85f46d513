// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The device copies from and to the host's bytes as they are where they belong to no array. What belongs to one may be
// trapped, and whoever touches that must be a thread that holds nothing (a lane, a lock of the driver's): it goes in
// pieces through memory of the library's.
#include "core/raw_copy.h"

#include "core/ranges.h"
#include "memory/buffers.h"
#include "memory/hooks.h"
#include "os/log.h"
#include "os/mapping.h"

#include <algorithm>
#include <cstring>
#include <gpuvm.h>

namespace het::rt
{

namespace
{

constexpr size_t piece_size = size_t{1} << 20;

// This is a piece on its way; one is kept for the next copy.
class staging
{
      public:
	staging() : p_(spare_.exchange(nullptr))
	{
		if (!p_)
			p_ = static_cast<char *>(map_private(piece_size));
	}
	~staging()
	{
		char *none = nullptr;
		if (p_ && !spare_.compare_exchange_strong(none, p_))
			unmap(range_of(p_, piece_size));
	}
	staging(const staging &) = delete;
	staging &operator=(const staging &) = delete;
	char *get() const { return p_; }

      private:
	static inline constinit std::atomic<char *> spare_{nullptr};
	char *p_;
};

int read_raw(const raw_range &b, uintptr_t from, char *to, size_t n, bool plain)
{
	const het::transfer all = {
		.devbuf = b.buffer, .offset = b.offset_of(from), .host = to, .size = n, .plain = plain};
	return read_buffers(b.device.memory_number, {&all, 1}) ? HET_EDEVICE : 0;
}

int write_raw(const raw_range &b, uintptr_t to, char *from, size_t n, bool plain)
{
	const het::transfer all = {
		.devbuf = b.buffer, .offset = b.offset_of(to), .host = from, .size = n, .plain = plain};
	return write_buffers(b.device.memory_number, {&all, 1}) ? HET_EDEVICE : 0;
}

// Copies without the host. Returns GPUVM_EAPI if that is not possible.
int copy_between(const raw_range &to, uintptr_t to_address, const raw_range &from, uintptr_t from_address, size_t n)
{
	if (to.device.compute->is_in_place() || from.device.compute->is_in_place())
		return GPUVM_EAPI;
	return copy_buffer({to.device.memory_number, to.buffer, to.offset_of(to_address)},
			   {from.device.memory_number, from.buffer, from.offset_of(from_address)}, n);
}

} // namespace

int raw_copy::take_side(const place_in_memory &p, het_device *on, size_t n, side *s)
{
	int err = 0;
	if (!on) {
		s->bytes = take_place(p, n, "het_copy", &err);
		return err;
	}
	s->bytes = range_of(p.pointer, n);
	if (p.object || p.offset || s->bytes.empty())
		return fail(
			HET_EARG,
			"het_copy: %zu bytes at address %p of a device, object %p, offset %zu: give an address alone",
			n, p.pointer, static_cast<void *>(p.object), p.offset);
	s->raw = find_raw(*on, s->bytes);
	where.store(&core().service);
	return s->raw ? 0
		      : fail(HET_EARG,
			     "het_copy: %p + %zu is not inside memory of het_device_alloc(), or a variable of "
			     "het_program_global(), on %s",
			     p.pointer, n, on->compute->info().name);
}

int raw_copy::take(const het_copy_args &args)
{
	int err = take_side({args.to, args.to_offset, args.to_pointer}, args.to_device, args.nbytes, &to_);
	if (!err)
		err = take_side({args.from, args.from_offset, args.from_pointer}, args.from_device, args.nbytes,
				&from_);
	if (err)
		return err;
	if (to_.raw && to_.raw.get() == from_.raw.get() && to_.bytes.overlaps(from_.bytes))
		return fail(HET_EARG, "het_copy: the two sides overlap");
	if (is_on_devices())
		return 0;
	range host = to_.raw ? from_.bytes : to_.bytes;
	entries_[0] = {.bytes = widen_to_edges(host), .reads = bool(to_.raw), .writes = !to_.raw};
	accesses = {entries_, 1};
	return 0;
}

char *raw_copy::side::on_host() const
{
	return raw && !raw->device.compute->is_in_place() ? nullptr : static_cast<char *>(bytes.ptr());
}

// Commands that write the bytes come before or behind this one, so nobody takes from the host meanwhile what no device
// has now. One that reads them may make them an array's: that waits for nothing that a copy holds, and leaves them
// valid on the host.
bool raw_copy::side::is_plain() const
{
	return on_host() && (raw || !is_linked(bytes.ptr(), bytes.size()));
}

int raw_copy::pass_piece(char *staging, size_t offset, size_t n)
{
	char *from = from_.on_host(), *to = to_.on_host();
	if (from)
		memcpy(staging, from + offset, n);
	else if (int err = read_raw(*from_.raw, from_.bytes.begin + offset, staging, n, false))
		return err;
	if (!to)
		return write_raw(*to_.raw, to_.bytes.begin + offset, staging, n, false);
	memcpy(to + offset, staging, n);
	return 0;
}

int raw_copy::pass_pieces()
{
	staging s;
	int err = s.get() ? 0 : fail(HET_ENOMEM, "het_copy: no memory for a piece of %zu bytes", piece_size);
	for (size_t done = 0; done < to_.bytes.size() && !err; done += piece_size)
		err = pass_piece(s.get(), done, std::min(piece_size, to_.bytes.size() - done));
	return err;
}

int raw_copy::pass_all()
{
	const size_t n = to_.bytes.size();
	char *from = from_.on_host(), *to = to_.on_host();
	if (from && to)
		memmove(to, from, n);
	else if (to_.is_plain())
		return read_raw(*from_.raw, from_.bytes.begin, to, n, true);
	else if (from_.is_plain())
		return write_raw(*to_.raw, to_.bytes.begin, from, n, true);
	else
		return pass_pieces();
	return 0;
}

int raw_copy::bring_host_side()
{
	return from_.raw ? bring_to_host(to_.bytes, HET_WRITE_ONLY) : bring_to_host(from_.bytes, HET_READ_ONLY);
}

begin_result raw_copy::begin(executor &)
{
	if (is_on_devices()) {
		int err = copy_between(*to_.raw, to_.bytes.begin, *from_.raw, from_.bytes.begin, to_.bytes.size());
		if (err != GPUVM_EAPI)
			return err ? HET_EDEVICE : 0;
	} else if (int err = bring_host_side()) {
		return err;
	}
	return pass_all();
}

} // namespace het::rt
