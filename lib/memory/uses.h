// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The memory core as the runtime sees it: what kernels use, in ranges, numbers of devices and modes. That there are
// arrays is known here, and that they have locks; who calls holds none of them.
#pragma once

#include "core/coherence.h"
#include "memory/foreseen.h"
#include "memory/kernel_mode.h"
#include "memory/notes.h"
#include "memory/usage.h"

#include <optional>
#include <span>

namespace het
{

struct array;

enum class beginning : uint8_t {
	done,
	failed,
	// Another kernel has the bytes, or they come home behind one, or would have to travel where none may
	// (usage::behind), or someone waits to link the array anew.
	must_wait,
	stale, // the bytes are not linked on the device any longer
};

// Bytes that a kernel has written, on their way home behind its end, or nothing. Callers hold no lock, and are no
// resolvers.
class homecoming
{
      public:
	bool is_open() const { return chunks_.in != nullptr; }

	// This is for bytes with the promise (usage::promised). Their array stays linked until then, and others who
	// need the chunks wait, or try again, but for kernels on the same device that read what is to be read on the
	// host, too. The bytes are home when it returns, and shown. What can't be had is taken from the host: the
	// device has it, and a touch tries again.
	void finish();

	// These are for bytes without it. The next piece comes, and nothing is open when it was the last one. Nobody
	// waits for more than one piece, and what others come to need meanwhile, or can't be had, is left to them. Or
	// all that is left is.
	void bring_piece(const bytes_soon &soon);
	void drop();

      private:
	friend class kernel_use;

	foreseen_chunks chunks_;
};

// These bytes are memory of the library's, from or to which a device may copy at any time.
struct host_bytes {
	char *at;
	size_t size;
	bool pinned; // for that device
};
// Bytes of an array lie in so many places at most.
inline constexpr size_t most_places = 3;

// A use is what a kernel that has begun has, or nothing. Copies are of the same kernel, and one of them ends it.
class kernel_use
{
      public:
	// It does not wait for other kernels. Whether @u is whole is found out here, and remembered. @linked are the
	// bytes that must lie in one array on the device, those of @u or more. With @comes_first the kernel goes also
	// before who waits to link the array anew. *err tells what has failed.
	beginning begin(usage u, kernel_mode mode, range linked, bool comes_first, int *err);

	// It has begun by parts (usage::by_parts), and does what begin_part() says.
	int begin_part(usage u, kernel_mode mode, range part);

	// @u and @mode are the same as at the begin. These do what end_kernel() and abandon_kernel() say; nothing has
	// begun afterwards.
	int end(usage u, write_notes *notes = nullptr);
	// The same, for a kernel whose bytes may come home behind it. If *coming is open then, it is the caller's; with
	// the promise the host hears of the end no sooner than that has come home.
	int end(usage u, const bytes_soon &soon, homecoming *coming);
	int abandon(usage u, kernel_mode mode, bool ran);
	// All joint uses of the array that its launch has end with it; the others are to be dropped.
	int end_joint(const void *launch, joint_notes *notes);
	void drop() { array_ = nullptr; }

	bool has_begun() const { return array_ != nullptr; }
	// The array is of memory that can't be watched.
	bool is_copied() const { return copied_; }
	bool has_array_of(const kernel_use &other) const { return array_ == other.array_; }
	// Returns the device's buffer, and where in it the byte is that is at @at on the host.
	void *buffer(uintptr_t at, unsigned device, size_t *offset) const;

	// Returns what of the range, which it has, lies in the array's body: the rest are edges.
	range body_of(range r) const;

	// These are for a use on a device whose buffers are host memory, and whose copy of an array's body is the alias
	// (transfer::alias). @other is about to copy much of it, or to use it there: prepares the body for that.
	void prepare_copies(unsigned other);
	// Finds where bytes that it has are, in order, for copies from or to buffers of @other. Returns in how many
	// places.
	size_t find_places(range r, unsigned device, unsigned other, host_bytes (&places)[most_places]) const;

      private:
	array *array_ = nullptr;
	bool whole_ = false, copied_ = false, writes_ = false;
};

// The range is part of an array that is linked on the device.
bool is_linked_on(range r, unsigned device);
// The range is part of an array that is linked on the device and has no edges: there is nothing to widen. No lock is
// taken, and no signal blocked.
bool is_plain_on(range r, unsigned device);
// Returns the range with the edges that it has a part of, whole: who has one byte of an edge has it all. What is linked
// nowhere stays as it is.
range widen_to_edges(range r);
// Does so for what is linked on the device. It is false if that is not linked.
bool widen_linked_on(range *r, unsigned device);
// Returns the range with the chunks and edges that a part of it lies in: what joint writers share with nobody else.
range widen_for_joint(range r);
// What is not linked is one's own.
joint_parts cut_for_joint(range r);

// This is an array at one moment.
struct linked_array {
	range user, extent;
	bool managed;
	bool copied; // it is of memory that can't be watched
	bool open;   // kernels use it
	copyset devices;
};
// Returns the first that has bytes of @r. With @wanted, if it is open, kernels that do not use it yet shall wait, as it
// is to be linked anew.
std::optional<linked_array> first_linked(range r, bool wanted = false);
// Kernels need not wait any longer for what is linked in @r.
void want_no_more(range r);

} // namespace het
