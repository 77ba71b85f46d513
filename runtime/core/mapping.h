// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A mapping of a memory object is the program's own use of its bytes, in order with the commands.
//
// het_map() makes two nodes with the same accesses. `map` brings the bytes to the host; it is the program's event and
// has a place in the queue. `mapping` comes right behind it and is held: it keeps off later commands until het_unmap()
// has added a command that ends it. As it is in no queue, neither het_finish() nor an in-order queue waits for it.
#pragma once

#include "core/transfer.h"

namespace het::rt
{

class map final : public transfer
{
      public:
	using transfer::transfer;
	int take(const het_map_args &args);
	begin_result begin(executor &) override;

	range bytes() const { return bytes_; }
	const access_entry &entry() const { return entries_[0]; }
	const het_memory *object() const { return object_; }

      private:
	range bytes_;
	const het_memory *object_ = nullptr; // is a plain pointer, as the base class has a reference
	uint32_t access_ = 0;
	bool moves_ = true;
};

class mapping final : public het_event
{
      public:
	// @m must have been through its take().
	explicit mapping(map &m);

	const reference<map> first;
	// A command that ends it is being added. The graph's lock guards it.
	bool ending = false;

      private:
	access_entry entry_;
};

// Returns the oldest mapping that begins at @pointer and that nobody ends yet, or null if there is none; the caller
// ends it now. It is one of the object, or if that is null of the program's own bytes, and if @nbytes is not 0 of so
// many.
reference<mapping> take_mapping(const het_memory *object, const void *pointer, size_t nbytes);
// The caller of take_mapping() can't end it.
void give_back(mapping &m);

} // namespace het::rt
