// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Appends a generation to a checkpoint file. Whatever fails, and wherever, the generations before it stay as they are.
#pragma once

#include "checkpoint/reader.h"

namespace het::checkpoint
{

// Writes the head of a file that is to be made, whose first generation comes after the one with the number @before. It
// is false, with the reason in errno, if it can't.
bool begin_log(file &f, uint64_t identity, uint64_t before, log_state &s);

class generation_writer
{
      public:
	// The generation goes to @f, behind what that has by @s. Up to @room bytes of pages are kept in memory until
	// finish(): who is waited for while pages are put does not wait for a disk as long as they do.
	generation_writer(file &f, const log_state &s, uint64_t room);

	// Items are added first, all that there are; then pages, those of the first item first, in rising order. They
	// are false if that can't be, and @why has the reason.
	bool add_item(const char *name, uint64_t nbytes, fault &why);
	bool put(uint32_t item, uint64_t page, bytes data, uint64_t sum, fault &why);
	// Of the pages from @first on, whose bytes these are, it puts those that are not as the file has them: @old is
	// the item as it is there, or null if it is not.
	bool put_changed(uint32_t item, const checkpoint::item *old, uint64_t first, bytes data, fault &why);

	// All of it is on the disk, and counts: @next is to be committed to @c, which says what there was before, and
	// @after is how far the file is. If it is false there is nothing new in the file that counts.
	bool write(const contents &c, contents::change &next, log_state &after, fault &why);
	// Does so with what it says, unless it is false.
	bool finish(contents &c, log_state &s, fault &why);
	// The generation is not to be.
	void abandon();
	// What was false was so as there was no memory.
	bool lacks_memory() const { return lacks_memory_; }

	// So many bytes it adds to the file; all of them once it is written.
	uint64_t size() const { return sizeof(generation_head) + pages_size_ + made_.size() + sizeof(generation_end); }

      private:
	bool put_zeros(uint32_t item, uint64_t page, fault &why);
	bool flush(fault &why);
	bool no_memory(fault &why);
	bool write_rest(bytes index, fault &why);

	file &file_;
	const log_state before_;
	const uint64_t room_;
	index_builder index_;
	list<std::byte> made_; // from index_; changes refer to it
	std::unique_ptr<std::byte[]> kept_;
	uint64_t nkept_ = 0, flushed_ = 0, pages_size_ = 0;
	bool lacks_memory_ = false;
};

// Writes all that @c holds to @to as one generation with the number that @s has. Then @copied says where it is there,
// and @s how far that file is. Pages are checked on the way.
bool write_anew(file &from, file &to, uint64_t identity, const contents &c, contents &copied, log_state &s, fault &why);

} // namespace het::checkpoint
