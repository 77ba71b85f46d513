// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/noted_pages.h"

#include "core/range.h"

#include <algorithm>
#include <new>

namespace het::rt
{

namespace
{

// A page has a byte, which is cleared before the launch and read after it: for this limit that is 4 MiB.
constexpr uint64_t most_followed = uint64_t{256} << 30;

// noted_pages::states_ has these bits.
constexpr uint8_t of_argument = 1, is_set = 2;

uint64_t address_of(const device_arg &a)
{
	return reinterpret_cast<uintptr_t>(a.buffer) + a.offset;
}

uint64_t first_page(uint64_t at, uint64_t base)
{
	return (at - base) / ptx::page_bytes;
}

} // namespace

void noted_pages::add(const device_arg &a)
{
	uint64_t last = first_page(address_of(a) + a.nbytes - 1, base_);
	for (uint64_t p = first_page(address_of(a), base_); p <= last; p++) {
		count_ += !states_[p];
		states_[p] = of_argument;
	}
}

bool noted_pages::follow(std::span<const device_arg> args, uint32_t access)
{
	uint64_t begin = UINT64_MAX, end = 0;
	for (const device_arg &a : args) {
		if (!(a.access & access))
			continue;
		begin = std::min(begin, address_of(a) / ptx::page_bytes * ptx::page_bytes);
		end = std::max(end, round_up(address_of(a) + a.nbytes, ptx::page_bytes));
	}
	if (!end)
		return true;
	if (end - begin > most_followed)
		return false;
	states_.reset(new (std::nothrow) uint8_t[(end - begin) / ptx::page_bytes]());
	if (!states_)
		return false;
	base_ = begin;
	size_ = end - begin;
	stride_ = ptx::page_flag_stride(size_);
	for (const device_arg &a : args) {
		if (a.access & access)
			add(a);
	}
	return true;
}

ptx::page_table noted_pages::table(uint64_t flags) const
{
	return {.base = base_, .size = size_, .flags = size_ ? flags : 0, .stride = stride_};
}

void noted_pages::read(const char *flags)
{
	for (uint64_t p = 0; p < pages(); p++) {
		if (!flags[ptx::page_flag(p, stride_)])
			continue;
		noted_ += states_[p] & of_argument;
		states_[p] |= is_set;
	}
}

bool noted_pages::is_noted(uint64_t at, size_t nbytes) const
{
	if (at < base_ || at + nbytes > base_ + size_)
		return true;
	for (uint64_t p = first_page(at, base_); p <= first_page(at + nbytes - 1, base_); p++) {
		if (states_[p] & is_set)
			return true;
	}
	return false;
}

} // namespace het::rt
