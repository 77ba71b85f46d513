// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/adopt.h"

#include "memory/body.h"
#include "memory/chunks.h"
#include "os/log.h"
#include "os/mapping.h"
#include "os/spare_mappings.h"
#include "os/vma.h"

#include <algorithm>
#include <cstring>
#include <gpuvm.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

namespace het
{

namespace
{

constexpr size_t pages_at_once = 4096;

// Copies a range in which all pages have contents, or makes zeroed pages for one in which none has.
bool move_in(const array &a, range r, bool has_contents)
{
	if (r.empty())
		return true;
	uint64_t offset = pages_of(a, r).offset;
	page_source &to = *a.context->source;
	return has_contents ? to.fill(offset, r.ptr(), r.size()) : to.populate(offset, r.size());
}

// Pages without contents must not be read: under hold() that would wait for ourselves.
bool copy_in(const array &a)
{
	size_t page = page_size();
	uint64_t words[pages_at_once / 64];
	for (uintptr_t at = a.place.body.begin; at < a.place.body.end;) {
		range piece{at, std::min(a.place.body.end, at + pages_at_once * page)};
		bool known = populated_pages(piece, words);
		auto has_contents = [&](uintptr_t p) {
			size_t i = (p - piece.begin) / page;
			return !known || (words[i / 64] >> (i % 64) & 1);
		};
		while (at < piece.end) {
			uintptr_t first = at;
			bool contents = has_contents(first);
			while (at < piece.end && has_contents(at) == contents)
				at += page;
			if (!move_in(a, {first, at}, contents))
				return false;
		}
	}
	return true;
}

// glibc grows a chunk of its own mapping with mremap(), which would run into the next array's part of the page source.
// It fails if the chunk lies in two mappings, so let the last page differ.
void forbid_mremap(const array &a)
{
	range body = a.place.body;
	if (body.begin < a.place.user.begin)
		madvise(reinterpret_cast<void *>(body.end - page_size()), page_size(), MADV_RANDOM);
}

// Only the first and last page keep their contents. Whoever touches the others meanwhile uses memory that has been
// freed.
bool replace_body(const array &a)
{
	range body = a.place.body;
	if (!map_private_at(body))
		return false;
	size_t page = page_size();
	for (uintptr_t at : {body.begin, body.end - page})
		memcpy(reinterpret_cast<void *>(at), alias_of(a, at), page);
	return true;
}

bool move_body_back(const array &a)
{
	range body = a.place.body;
	size_t n = body.size();
	void *copy = map_private_like(body.begin, n, n >= huge_page ? huge_page : page_size());
	if (!copy)
		return false;
	bool moved = a.context->source->read(a.offset, copy, n) && move_mapping(range_of(copy, n), body);
	if (!moved)
		unmap(range_of(copy, n));
	return moved;
}

int no_memory(const array &a)
{
	return fail(GPUVM_ESALLOC, "array %p: no memory for its second mapping (%s)", a.place.user.ptr(),
		    a.context->source->cure());
}

} // namespace

int watch_body(array &a)
{
	// What the host has is mapped before the watch begins: until a kernel writes, nothing of it is to be caught. A
	// read fault of a shared mapping maps writable, and many pages at once.
	madvise(a.place.body.ptr(), a.place.body.size(), MADV_POPULATE_READ);
	return a.context->catcher->watch(body_of(a));
}

int adopt(array &a)
{
	memory_context &context = *a.context;
	range body = a.place.body;
	size_t align = body.size() >= huge_page ? huge_page : page_size();
	part p;
	if (!context.space.allocate(body.size(), align, {.chunk_shift = a.place.chunk_shift}, &p))
		return no_memory(a);
	a.offset = p.offset;
	count_host_writes(a, *p.host_writes);

	a.locked_pages = is_locked(body.begin);
	uint64_t word;
	if (!populated_pages({body.begin, body.begin + page_size()}, {&word, 1}))
		madvise(body.ptr(), body.size(), MADV_POPULATE_READ);

	int err = context.catcher->hold(body);
	if (err) {
		context.space.release(a.offset, body.size());
		return fail(GPUVM_EPROT, "array %p: its pages can't be watched (errno %d)", a.place.user.ptr(), -err);
	}
	if (!copy_in(a) || !context.source->map_at(body, a.offset)) {
		context.catcher->unhold(body);
		context.space.release(a.offset, body.size());
		return no_memory(a);
	}
	forbid_mremap(a);
	if (a.locked_pages)
		lock_pages(body);
	err = watch_body(a);
	if (err) {
		give_back(a, false, true);
		return fail(GPUVM_EPROT, "array %p: its pages can't be watched (errno %d)", a.place.user.ptr(), -err);
	}
	return 0;
}

int give_back(array &a, bool discard, bool force)
{
	range body = a.place.body;
	bool (*way)(const array &a) = discard ? replace_body : move_body_back;
	bool done = way(a);
	if (!done) {
		spend_spare_mappings();
		done = way(a);
		keep_spare_mappings();
	}
	bool left = !done && force && a.context->source->leave_at(body, a.offset);
	if (!done && !left)
		return no_memory(a);
	if (a.locked_pages)
		lock_pages(body);
	if (!left)
		a.context->space.release(a.offset, body.size());
	return 0;
}

int hold_array(array &a)
{
	a.fast.store(0);
	a.held = true;
	return a.chunks ? lower_access(a, {0, a.place.chunks}, access::none) : 0;
}

namespace
{

void let_go(array &a, bool live)
{
	{
		caller_guard g(a);
		a.held = false;
		a.live = live;
		a.plain.store(live && !a.place.has_edges() && a.place.extent() == a.place.user);
		announce_change(a);
	}
	if (!a.place.body.empty())
		a.context->catcher->wake(body_of(a));
}

} // namespace

void release_array(array &a)
{
	let_go(a, true);
}

void retire_array(array &a)
{
	let_go(a, false);
}

} // namespace het
