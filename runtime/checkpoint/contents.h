// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What a checkpoint file holds: named items, and where each of their pages lies.
#pragma once

#include "checkpoint/format.h"
#include "checkpoint/list.h"
#include "fatbin/bytes.h"

#include <cstdlib>

namespace het::checkpoint
{

using fatbin::bytes;
using fatbin::fault;

// With @at 0 all of its bytes are 0, and none is stored.
struct page {
	uint64_t at;
	uint64_t sum;
};

struct item {
	char name[most_name + 1] = {};
	uint64_t nbytes = 0;
	page *pages = nullptr;
	uint64_t stored = 0; // counts the bytes of the file that its pages are

	uint64_t npages() const { return pages_of(nbytes); }
};

enum class outcome : uint8_t { done, damaged, no_memory };

// For readers, who say why: return say_damaged(why.say("...", ...)).
inline outcome say_damaged(bool /*said*/)
{
	return outcome::damaged;
}

class contents
{
      public:
	contents() = default;
	contents(const contents &) = delete;
	contents &operator=(const contents &) = delete;
	~contents();

	std::span<const item> all() const { return items_.all(); }
	// Returns null if there is none.
	const item *find(const char *name) const;
	// Returns how many bytes of the file its pages are.
	uint64_t stored_bytes() const;
	void swap(contents &o) { items_.swap(o.items_); }

	// A generation to come, whose index stays where it is meanwhile.
	class change
	{
		friend class contents;

	      public:
		change() = default;
		change(const change &) = delete;
		change &operator=(const change &) = delete;
		~change();

	      private:
		list<item> items_;
		list<bool> is_own_; // the item's pages are not those of the generation before
		bytes extents_, sums_;
		uint64_t pages_at_ = 0;
	};

	// Reads the index of the next generation, whose pages begin at @pages_at and have @pages_size bytes. Unless it
	// is done @why has the reason.
	outcome prepare(bytes index, uint64_t pages_at, uint64_t pages_size, change &next, fault &why) const;
	// The generation is there: this can't fail.
	void commit(change &next);
	// Items of more pages than this, all together, are refused as if there were no memory.
	uint64_t most_pages = UINT64_MAX;

      private:
	outcome add_item(item &i, change &next, fault &why) const;

	list<item> items_;
};

// Makes the index of a generation.
class index_builder
{
      public:
	// All are false if there is no memory. Items come first; then pages, of each item in rising order.
	bool add_item(const char *name, uint64_t nbytes);
	bool add_zeros(uint32_t item, uint64_t page) { return add(item, extent_kind::zeros, page); }
	bool add_stored(uint32_t item, uint64_t page, uint64_t sum)
	{
		return sums_.push(sum) && add(item, extent_kind::stored, page);
	}
	bool build(list<std::byte> &index) const;

      private:
	bool add(uint32_t item, extent_kind kind, uint64_t page);

	uint64_t nitems_ = 0;
	list<std::byte> items_;
	list<index_extent> extents_;
	list<uint64_t> sums_;
};

} // namespace het::checkpoint
