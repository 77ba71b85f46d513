// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/host_buffers.h"

#include "memory/library.h"
#include "os/log.h"
#include "os/pool.h"

#include <algorithm>
#include <cstring>

namespace het
{

namespace
{

struct entry {
	range memory;
	const array *of;
	unsigned device;
};

// By address. Several arrays may have one buffer, or parts of one.
entry *entries;
size_t count, capacity;
// Of any that was here: one that begins more than so much below an address does not reach it.
size_t longest;

bool make_room()
{
	if (count < capacity)
		return true;
	size_t more = capacity ? 2 * capacity : 64;
	auto *p = pool_array<entry>(more);
	if (!p)
		return false;
	std::copy_n(entries, count, p);
	pool().release(entries, capacity * sizeof(entry));
	entries = p;
	capacity = more;
	return true;
}

entry *first_from(uintptr_t begin)
{
	return std::lower_bound(entries, entries + count, begin,
				[](const entry &e, uintptr_t b) { return e.memory.begin < b; });
}

} // namespace

int check_host_buffer(range buffer, range user)
{
	if (buffer.overlaps(user))
		return fail(
			GPUVM_EARG,
			"gpuvm_link: the buffer %p + %zu shares bytes with the array %p itself; give it memory of its "
			"own",
			buffer.ptr(), buffer.size(), user.ptr());
	if (array *other = lib().arrays.first_overlap(buffer))
		return fail(
			GPUVM_EARG,
			"gpuvm_link: the buffer %p + %zu shares bytes with the linked array %p; give it memory of its "
			"own",
			buffer.ptr(), buffer.size(), other->place.user.ptr());
	return 0;
}

int check_against_host_buffers(range r)
{
	for (entry *e = first_from(r.begin > longest ? r.begin - longest : 0);
	     e != entries + count && e->memory.begin < r.end; e++) {
		if (e->memory.overlaps(r))
			return fail(
				GPUVM_EARG,
				"gpuvm_link: %p + %zu shares bytes with the buffer %p of array %p: what is a device's "
				"memory can't be an array",
				r.ptr(), r.size(), e->memory.ptr(), e->of->place.user.ptr());
	}
	return 0;
}

bool add_host_buffer(const array &a, unsigned device, range buffer)
{
	if (buffer.empty())
		return true;
	if (!make_room())
		return false;
	entry *at = first_from(buffer.begin);
	memmove(at + 1, at, size_t(entries + count - at) * sizeof(entry));
	*at = {buffer, &a, device};
	count++;
	longest = std::max(longest, buffer.size());
	return true;
}

void remove_host_buffer(const array &a, unsigned device)
{
	entry *end = std::remove_if(entries, entries + count,
				    [&](const entry &e) { return e.of == &a && e.device == device; });
	count = size_t(end - entries);
}

} // namespace het
