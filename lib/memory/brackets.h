// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Which kernels use an array now: counters a device for those that use all of it, a list for those that use parts.
// Callers hold the array's lock, unless said otherwise.
#pragma once

#include "memory/array.h"

namespace het
{

// Another device is writing bytes of the same chunk or edge, or joint writers do so and this is not one of a launch.
// (Readers elsewhere keep their own copies, so a writer may join them.)
bool conflicts(const array &a, const usage &u);

// Returns 0, GPUVM_ESTATE or GPUVM_ESALLOC.
int open_bracket(array &a, const usage &u, bool writing);
// A begin has failed.
void undo_bracket(array &a, const usage &u, bool writing);

// These are the kernels that have this very usage.
struct open_kernels {
	bool any, writer;
};
open_kernels look_at_bracket(const array &a, const usage &u);
// One of them ends. If the caller does not know which (usage::ends), begin and end are paired by usage alone, and
// readers are taken to end first: every end up to the last one counts as that of a writer, if there is one.
void close_bracket(array &a, const usage &u);
void drop_brackets(array &a);
// Another usage than @u is that of a kernel on its device which writes bytes of @r. That of @u need not be open.
bool is_written_otherwise(const array &a, range r, const usage &u);
// A writer ends, and another with the same usage is at work behind it, whose end does all that this one's would: if so
// that end is told. Callers know whose end it is.
bool pass_end_on(array &a, const usage &u);
// The last writer with this usage has such ends to see to, but for this call: it takes them.
bool takes_passed_ends(array &a, const usage &u);
// The device has the bytes of a joint usage; with @only_copy nobody else has all that it will change.
void note_arrival(array &a, const usage &u, bool only_copy);
bool had_only_copy(const array &a, const usage &u);
// Joint writers on the device are ahead of the edge.
bool has_joint_writer(const array &a, range edge, unsigned device);
// Returns the first bytes of @r that no other kernel on the device of @u writes, or an empty range at the end of @r. @u
// is open.
range beside_writers(const array &a, range r, const usage &u, bool writing);
// Returns the first bytes of @r that are in no bracket for which has_them(const bracket &) is true.
template <typename F> range beside(const array &a, range r, F has_them)
{
	for (const bracket *b = a.parts; b && !r.empty();) {
		bool at_begin = b->part.contains(r.begin) && has_them(*b);
		r.begin = at_begin ? (b->part.end < r.end ? b->part.end : r.end) : r.begin;
		b = at_begin ? a.parts : b->next;
	}
	for (const bracket *b = a.parts; b; b = b->next) {
		if (b->part.overlaps(r) && has_them(*b))
			r.end = b->part.begin;
	}
	return r;
}
// A joint writer on the device may write any bytes of the chunk (joint_kind::noted).
bool has_noted_writer(const array &a, range chunk, unsigned device);
// The chunk has joint writers on some device.
bool is_joint(const array &a, uint32_t c);

// These do the same for whole arrays, without the lock.
void open_whole(link &l, bool writing);
void undo_whole(link &l, bool writing);
// It is false if none was open.
bool close_whole(link &l);
// It is false if none was open, or one that writes is.
bool close_reader(link &l);

// A kernel on some device may be writing the chunk, or edge, now.
bool being_written(const array &a, uint32_t c);
bool edge_being_written(const array &a, range edge);
// Strict mode: who touches the chunk waits for that kernel's end, unless it writes jointly: the host may be one of
// them.
bool is_barred(const array &a, uint32_t c);
// A kernel is open on the device; or on any one writes.
bool is_open(const array &a, unsigned device);
bool any_writer(const array &a);

} // namespace het
