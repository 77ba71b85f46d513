// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A set of pages of a program.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace etc
{

class page_set
{
      public:
	page_set() = default;
	explicit page_set(uint32_t npages) : words_((npages + 63) / 64) {}

	void add(uint32_t page) { words_[page / 64] |= uint64_t{1} << page % 64; }
	void remove(uint32_t page) { words_[page / 64] &= ~(uint64_t{1} << page % 64); }
	bool has(uint32_t page) const { return words_[page / 64] >> page % 64 & 1; }
	page_set &operator|=(const page_set &o)
	{
		for (size_t w = 0; w < words_.size(); w++)
			words_[w] |= o.words_[w];
		return *this;
	}
	page_set &operator-=(const page_set &o)
	{
		for (size_t w = 0; w < words_.size(); w++)
			words_[w] &= ~o.words_[w];
		return *this;
	}
	bool meets(const page_set &o) const
	{
		for (size_t w = 0; w < words_.size(); w++)
			if (words_[w] & o.words_[w])
				return true;
		return false;
	}
	uint32_t count() const
	{
		uint32_t n = 0;
		for (const uint64_t w : words_)
			n += uint32_t(std::popcount(w));
		return n;
	}
	// Returns how many are not in the other one.
	uint32_t count_without(const page_set &o) const
	{
		uint32_t n = 0;
		for (size_t w = 0; w < words_.size(); w++)
			n += uint32_t(std::popcount(words_[w] & ~o.words_[w]));
		return n;
	}
	std::vector<uint32_t> pages() const
	{
		std::vector<uint32_t> all;
		for (size_t w = 0; w < words_.size(); w++)
			for (uint64_t left = words_[w]; left != 0; left &= left - 1)
				all.push_back(uint32_t(w * 64 + size_t(std::countr_zero(left))));
		return all;
	}
	bool operator==(const page_set &) const = default;

      private:
	std::vector<uint64_t> words_;
};

} // namespace etc
