// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The passes dirty and touch and the owner of their flags agree on this: Documentation/het-ptx-dirty.rst.
#pragma once

#include <cstdint>

namespace het::ptx
{

// In a range of addresses every page has a flag, one byte. Neighbouring pages have theirs in different rows, so that
// blocks which work on them do not all use one line of the cache.
constexpr uint64_t page_bytes = uint64_t{64} << 10, page_flag_rows = 64;

// The variables het_dirty_table and het_touch_table hold this.
struct page_table {
	uint64_t base;   // that of the range, a multiple of page_bytes
	uint64_t size;   // the range's, in bytes; with 0 nothing is noted
	uint64_t flags;  // the address of page_flag_rows * stride bytes in global memory
	uint32_t stride; // in bytes from row to row
	uint32_t reserved = 0;
};

// Rows are whole lines of the cache.
constexpr uint32_t page_flag_stride(uint64_t size)
{
	constexpr uint64_t line = 128, row_bytes = page_bytes * page_flag_rows;
	return uint32_t(((size + row_bytes - 1) / row_bytes + line - 1) / line * line);
}

// Returns where the flag of the range's page @n lies among the flags.
constexpr uint64_t page_flag(uint64_t n, uint32_t stride)
{
	return n % page_flag_rows * stride + n / page_flag_rows;
}

} // namespace het::ptx
