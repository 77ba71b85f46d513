// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/host_buffers.h"

#include "memory/array.h"
#include "os/log.h"
#include "os/pool.h"

#include <algorithm>
#include <cstring>
#include <gpuvm.h>

namespace het
{

bool host_buffers::make_room()
{
	if (count_ < capacity_)
		return true;
	size_t more = capacity_ ? 2 * capacity_ : 64;
	auto *p = pool_array<entry>(more);
	if (!p)
		return false;
	std::copy_n(entries_, count_, p);
	pool().release(entries_, capacity_ * sizeof(entry));
	entries_ = p;
	capacity_ = more;
	return true;
}

host_buffers::entry *host_buffers::first_from(uintptr_t begin) const
{
	return std::lower_bound(entries_, entries_ + count_, begin,
				[](const entry &e, uintptr_t b) { return e.memory.begin < b; });
}

int host_buffers::check(const address_index<array> &arrays, range buffer, range user) const
{
	if (buffer.overlaps(user))
		return fail(
			GPUVM_EARG,
			"gpuvm_link: the buffer %p + %zu shares bytes with the array %p itself; give it memory of its "
			"own",
			buffer.ptr(), buffer.size(), user.ptr());
	if (array *other = arrays.first_overlap(buffer))
		return fail(
			GPUVM_EARG,
			"gpuvm_link: the buffer %p + %zu shares bytes with the linked array %p; give it memory of its "
			"own",
			buffer.ptr(), buffer.size(), other->place.user.ptr());
	return 0;
}

int host_buffers::check_against(range r) const
{
	for (entry *e = first_from(r.begin > longest_ ? r.begin - longest_ : 0);
	     e != entries_ + count_ && e->memory.begin < r.end; e++) {
		if (e->memory.overlaps(r))
			return fail(
				GPUVM_EARG,
				"gpuvm_link: %p + %zu shares bytes with the buffer %p of array %p: what is a device's "
				"memory can't be an array",
				r.ptr(), r.size(), e->memory.ptr(), e->of->place.user.ptr());
	}
	return 0;
}

bool host_buffers::add(const array &a, unsigned device, range buffer)
{
	if (buffer.empty())
		return true;
	if (!make_room())
		return false;
	entry *at = first_from(buffer.begin);
	memmove(at + 1, at, size_t(entries_ + count_ - at) * sizeof(entry));
	*at = {buffer, &a, device};
	count_++;
	longest_ = std::max(longest_, buffer.size());
	return true;
}

void host_buffers::remove(const array &a, unsigned device)
{
	entry *end = std::remove_if(entries_, entries_ + count_,
				    [&](const entry &e) { return e.of == &a && e.device == device; });
	count_ = size_t(end - entries_);
}

} // namespace het
