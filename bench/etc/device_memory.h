// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Which pages of the program's arrays are in the device's memory, or on their way, and who has come first.
#pragma once

#include "etc/machine.h"

namespace etc
{

class device_memory
{
      public:
	// @bytes of arrays, of which @capacity fit; a page at least.
	device_memory(const machine &m, uint64_t bytes, uint64_t capacity);

	enum class state : uint8_t { absent, coming, present, leaving };
	state of(uint32_t page) const { return pages_[page].is; }
	bool is_present(uint32_t page) const { return pages_[page].is == state::present; }
	bool is_dirty(uint32_t page) const { return pages_[page].dirty; }
	void write(uint32_t page) { pages_[page].dirty = true; }
	// What is known of a page in caches is void when it has left: the number is another one then.
	uint64_t generation(uint32_t page) const { return pages_[page].generation; }
	uint32_t page_of(uint64_t line) const { return uint32_t(line / lines_of_page_); }
	uint32_t npages() const { return uint32_t(pages_.size()); }
	uint32_t granule_of(uint32_t page) const { return page / pages_of_granule_; }

	// Pages that have a frame, those on their way too, and those that could have one.
	uint32_t used() const { return used_; }
	uint32_t leaving() const { return leaving_; }
	uint32_t capacity() const { return capacity_; }
	uint32_t free() const { return capacity_ > used_ ? capacity_ - used_ : 0; }
	// As pages become smaller, more of them fit.
	void set_capacity(uint64_t bytes);

	// A page that is absent gets a frame; false: it is not absent, or there is none.
	bool take(uint32_t page);
	void arrive(uint32_t page);
	void leave(uint32_t page);
	void gone(uint32_t page);

	// The granule with pages present whose first one arrived before those of the others; false if there is none.
	bool find_oldest(uint32_t *granule) const;
	// The pages of a granule that are present.
	std::vector<uint32_t> present_of(uint32_t granule) const;

	// Throws std::logic_error if the counts are not those of the pages.
	void check() const;

      private:
	struct page_record {
		state is = state::absent;
		bool dirty = false;
		uint32_t generation = 0;
	};
	struct granule_record {
		uint64_t arrived = 0;
		uint32_t present = 0;
	};
	const uint32_t lines_of_page_, pages_of_granule_, page_bytes_;
	std::vector<page_record> pages_;
	std::vector<granule_record> granules_;
	uint32_t capacity_ = 0, used_ = 0, leaving_ = 0;
	uint64_t arrivals_ = 0;
};

} // namespace etc
