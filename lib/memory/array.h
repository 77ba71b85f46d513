// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// One linked host array.
//
// Arrays are type-stable: an object that was freed is only ever reused as an array, and never unmapped, so a
// reader of the address index may lock what it found and then look whether it is still what it looked for.
#pragma once

#include "core/coherence.h"
#include "core/layout.h"
#include "core/read_ahead.h"
#include "memory/usage.h"
#include "os/lock.h"
#include "os/page_source.h"

#include <atomic>

namespace het
{

// Where the pages of the body come from, and go back to.
enum class origin : uint8_t {
	adopted,   // private memory of the program's, moved into the page source
	allocated, // gpuvm_malloc()
	copied,    // not adopted (GPUVM_COPY): the layout has no body
};

struct chunk {
	copyset valid;
	access host;
	uint8_t flags;
	// 1 + device between begin and end of a kernel that writes there: its buffer is ahead of @valid, and another
	// begin on that device must not copy over it. 0: none, or one that began on the fast path and has the chunk
	// valid still.
	uint8_t writer;

	chunk_state state() const { return {valid, host}; }
};
static_assert(sizeof(chunk) == 8, "bookkeeping: one word a chunk");

// The bytes of the chunk are on their way to or from a device, and only the thread that set it changes the chunk.
inline constexpr uint8_t chunk_busy = 1;
// A touch was turned away and waits for a wake.
inline constexpr uint8_t chunk_awaited = 2;
// The last fetch failed: the primary raises SIGBUS here.
inline constexpr uint8_t chunk_failed = 4;
// A joint writer has the chunk: who is about to copy over a device's copy looks at the brackets first.
inline constexpr uint8_t chunk_joint = 8;
// See memory/fragmented.h.
inline constexpr uint8_t chunk_fragmented = 16;
// The chunk is busy as it comes home behind the end of a kernel, to be read there, and its device keeps a valid copy:
// kernels there may read it meanwhile.
inline constexpr uint8_t chunk_kept = 32;
// The chunk is busy as it comes home behind the end of a kernel; array::coming counts such. A kernel that is about to
// begin need not wait for that: it may try again.
inline constexpr uint8_t chunk_coming = 64;

// What the host will do with such a chunk is not foreseen.
inline constexpr uint8_t chunk_not_foreseen = chunk_busy | chunk_failed | chunk_joint | chunk_fragmented;

// A bracket is a kernel on part of an array.
struct bracket {
	bracket *next;
	range part;
	uint8_t device;
	bool writes;
	joint_kind joint;
	// A joint writer's device has the bytes; and when it got them, nobody else had all of them.
	bool arrived, had_only_copy;
	const void *launch;
	bool ends_for_others; // see link
};

// A link is one device's end of an array.
struct link {
	std::atomic<void *> devbuf;
	// This counts kernels under way that use the whole array: readers in the lower half, writers in the upper.
	std::atomic<uint64_t> open;
	// A writer has ended, and left what its end does to a writer behind it; see pass_end_on(). The array's lock
	// guards it.
	bool ends_for_others;
	uint64_t arrived; // rises from buffer to buffer; memory/evict.h
};
inline constexpr uint64_t one_reader = 1, one_writer = uint64_t{1} << 32;

// Chunks whose bytes are on their way to a device ahead of a kernel (memory/send_ahead.h).
struct sent_chunks {
	uint8_t target = 0; // 1 + device; 0: nothing is under way
	uint32_t first = 0;
	uint64_t valid = 0; // bit n: nobody has changed chunk first + n since

	void void_copy_of(uint32_t c)
	{
		if (c - first < 64)
			valid &= ~(uint64_t{1} << (c - first));
	}
};

// The edges are the bytes outside the body. @snapshot holds head and tail as they were when host and devices last
// agreed; arrays that are copied whole have none.
struct edge_state {
	char *snapshot;
	copyset valid[2];  // devices that hold the snapshot's bytes of the head, of the tail
	uint8_t writer[2]; // as chunk::writer
	bool busy;         // as chunk_busy
	// Kernels that have ended, and whose device could not be read: their bytes in the edges are to be had still.
	// Changes while the edges are busy.
	bracket *owed;
};

struct memory_context;   // memory/context.h
struct pending_kernel;   // memory/pending.h
struct fragmented_chunk; // memory/fragmented.h
struct array_history;    // memory/history.h
struct array_sending;    // memory/send_ahead.cc
struct array_changes;    // memory/noted_changes.h

struct array {
	// It guards all that follows unless said otherwise. Its rank is array.
	futex_lock lock;
	// Counts up when something that others may wait for has happened; see wait_for_change().
	std::atomic<uint32_t> changed;
	std::atomic<uint32_t> waiters;
	// Devices on which every chunk is valid, while nothing else (edges, parts, strict mode, a pending event) needs
	// care: begin and end of a kernel there are two atomic operations. With host_copy set, that device is the only
	// owner of every chunk. A hint that may be 0 at any time: set and narrowed under the lock, narrowed before any
	// chunk changes.
	std::atomic<copyset> fast;
	// These are the page source's counter for the body, and the number up to which its writes are taken in
	// (memory/host_writes.h).
	std::atomic<const write_counter *> host_writes;
	std::atomic<uint64_t> host_writes_seen;
	// Ends of kernels that passed on the fast path since one has been looked at, and how many more may.
	std::atomic<uint32_t> unseen_ends, ends_to_pass;
	// The same of begins of readers.
	std::atomic<uint32_t> unseen_begins;
	// When its chunks were written last; null: nobody has asked. Set under the lock.
	std::atomic<array_changes *> changes;
	// Devices that copy straight to and from the body; memory/pin.h. Set under the lock.
	std::atomic<copyset> pinned;

	// It is linked, has no edges, and nothing else lies on its pages. Set under the lock.
	std::atomic<bool> plain;

	// It never changes: free objects are used anew in the same context.
	memory_context *context;

	// Counts the arrays that this object has been.
	uint32_t life;

	// These change only while the structure lock is held too.
	layout place;
	uint64_t offset; // of the body in the page source
	copyset linked;
	origin from;
	bool live;
	bool locked_pages; // mlock()ed when it was adopted
	// Linked by the runtime: freeing it is no mistake, and its edges do not keep strict mode from writing, as
	// commands that share an edge never run at once.
	bool managed;
	// The runtime waits to link it anew, so nobody begins to use it. The array's lock alone guards it.
	bool wanted;
	void *fork_copy; // memory/fork.cc

	// The body is being moved (link, unlink, fork): touches and calls wait.
	bool held;
	// This counts calls under way (class visit).
	uint32_t visitors;
	// Devices for which pin() was tried, those for which it is under way, and 1 + the one that did it (0: none).
	copyset pin_tried, being_pinned;
	uint8_t pinner;
	edge_state edges;
	chunk *chunks;
	bracket *parts;
	fragmented_chunk *fragmented;
	pending_kernel *pending;
	read_ahead ahead;
	uint32_t coming;
	uint32_t queued_ends;    // those of kernels behind which others were to write all the same bytes
	array_history *foreseen; // null: nothing is known yet
	array_history *rewrites; // the same, for memory/rewrites.h
	uint8_t touched;         // by the host; see memory/history.h
	sent_chunks sent;
	array_sending *sending; // null: nothing is known yet
	uint8_t needing_begins; // until it is worth a plan; see memory/send_ahead.cc

	link links[]; // one a device of the context
};

// It holds the lock of one array. Resolvers and signal handlers, whose signals are blocked anyway, use this one.
class array_guard
{
      public:
	explicit array_guard(array &a) : array_(a) { lock(); }
	~array_guard()
	{
		if (locked_)
			unlock();
	}
	array_guard(const array_guard &) = delete;
	array_guard &operator=(const array_guard &) = delete;

	void lock()
	{
		array_.lock.lock(lock_rank::array);
		locked_ = true;
	}
	void unlock()
	{
		locked_ = false;
		array_.lock.unlock(lock_rank::array);
	}
	// It drops the lock, sleeps until announce_change(), and takes it again.
	void wait_for_change();

      private:
	array &array_;
	bool locked_;
};

// Does the same for callers of the API, with all signals blocked from first to last, also between unlock() and lock():
// a handler that touched a chunk which this thread keeps busy would wait for itself.
class caller_guard : signals_blocked, public array_guard
{
      public:
	explicit caller_guard(array &a) : array_guard(a) {}
};

// Keeps an array linked and not held while a call works on it, also while that has dropped the lock to wait or to talk
// to a device. Waits first while the array is held. Constructed and destroyed with the lock held; unlink and fork,
// which have the structure lock, need none.
class visit
{
      public:
	visit(array &a, array_guard &g);
	~visit();
	visit(const visit &) = delete;
	visit &operator=(const visit &) = delete;

	// False says that the array is not linked any longer.
	explicit operator bool() const { return entered_; }

      private:
	array &array_;
	bool entered_;
};

// A device is about to be read. Kernels that end from now on wait for that; and what those have written that ended on
// the fast path before is seen by the reader: both sides change array::fast in one step, so one of them comes first.
// The caller holds the array's lock.
inline void leave_fast(array &a)
{
	a.fast.exchange(0);
}

// Chunks are about to have only the copies @valid: narrows array::fast. The caller holds the array's lock.
void narrow_fast(array &a, copyset valid);

// It is called after a busy chunk, a hold or a bracket has ended. The caller holds the array's lock.
void announce_change(array &a);

// The body lies in a part of the page source with this counter. Before make_live(), or held.
void count_host_writes(array &a, const write_counter &counter);

// Objects come and go under the structure lock, which the caller holds. A new one is not live: whoever still has a
// pointer to it from its former life leaves it alone until make_live(), from when on touches wait (it is held).
array *new_array(memory_context &context);
void make_live(array &a);
void free_array(array *a);

} // namespace het
