// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Memory of a device that nobody wants now keeps what launches in slices have had there, for those to come
// (evict/kept_blocks.h). It counts in the budget, and goes before anything else does when others want memory.
//
// What is written goes home, or to a block alone: until somebody needs it elsewhere (core/kept_home.h).
//
// What is kept is named by the address that a byte has in the buffer of runtime::host_memory, where such launches open
// what they use. The protocol makes each byte there valid by a write to that buffer, or because a launch that has it
// open writes it. So a copy is as the host has it, from when a launch has opened the byte until it is written there:
// whatever the host, or another device, has done with it meanwhile, the next launch that opens it has it written first.
#pragma once

#include "core/kept_room.h"
#include "core/ranges.h"
#include "core/runtime.h"

namespace het::rt
{

// Takes memory that nobody has, in which so many bytes could be kept. It opens nothing, and does not wait for others.
void grow_kept(het_device &d, uint64_t wanted);
// Does what forget_kept() does, for bytes of a use that is open there.
void forget_kept_of(const range_use &u, range bytes, const het_device *but = nullptr);

// Returns the address of a use's first byte in the buffer of runtime::host_memory, and that of the buffer.
uintptr_t place_in_host_memory(const range_use &u, uintptr_t *buffer = nullptr);

// One window of a slice, and what is kept of its bytes.
class kept_window
{
      public:
	// The buffer has the window's bytes from @first on. @u is a use that has them, open on runtime::host_memory.
	kept_window(het_device &d, void *buffer, uintptr_t first, const range_use &u);

	// Copies what is kept of the bytes to the buffer. missing(range) is called for what is not, until it returns an
	// error.
	template <class F> int fetch(range bytes, F missing);

	// These bytes are in the buffer and are not at home. They stay on the device, as far as there is room, and with
	// @only_again as far as some are there already. goes_home(range) is called for the others, until it returns an
	// error.
	template <class F> int leave(range bytes, bool only_again, F goes_home);

	// These bytes travel between host and buffer now, and are equal there when finish() is called: they are kept.
	void keep(range bytes);
	// With @ok the bytes have arrived. It waits until they are kept.
	void finish(bool ok);

	// Returns how many bytes were there so far, and how many have stayed.
	uint64_t reused() const { return reused_; }
	uint64_t left() const { return left_; }

      private:
	static constexpr size_t most = 64;

	range key_of(range bytes) const { return {bytes.begin + to_key_, bytes.end + to_key_}; }
	// Copies what is kept first of the bytes, and says which those were: none, at the end of what was looked at, if
	// nothing is or it can't be copied.
	int copy_first(range bytes, range *had);
	// Leaves the first of the bytes on the device, or not, and says which those were.
	bool leave_first(range bytes, bool only_again, range *first, int *err);
	bool copy(const kept_part &p, bool to_block);
	bool copy_by_host(const kept_part &p);

	het_device &device_;
	void *const buffer_;
	uintptr_t array_ = 0;
	const range_use &use_;
	const uintptr_t to_key_, first_; // first_ is a key
	kept_part parts_[most];
	size_t count_ = 0;
	uint64_t reused_ = 0, left_ = 0;
};

template <class F> int kept_window::fetch(range bytes, F missing)
{
	int err = 0;
	while (!bytes.empty() && !err) {
		range had = {bytes.end, bytes.end};
		err = copy_first(bytes, &had);
		if (!err && had.begin != bytes.begin)
			err = missing(range{bytes.begin, had.begin});
		bytes.begin = had.end;
	}
	return err;
}

// What goes home goes in as few pieces as can be.
template <class F> int kept_window::leave(range bytes, bool only_again, F goes_home)
{
	const range body = use_.on.body_of(bytes);
	range home = bytes;
	int err = 0;
	for (range rest = body; !rest.empty() && !err;) {
		range first;
		const bool is_left = leave_first(rest, only_again, &first, &err);
		rest.begin = first.end;
		if (!is_left || err)
			continue;
		home.end = first.begin;
		err = home.empty() ? 0 : goes_home(home);
		home = {first.end, bytes.end};
	}
	return err || home.empty() ? err : goes_home(home);
}

} // namespace het::rt
