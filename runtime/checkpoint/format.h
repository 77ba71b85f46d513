// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A checkpoint file as it lies on the disk; Documentation/checkpoint.rst has it in words. All numbers are
// little-endian.
//
// The file is a log: a head, and then generations, each of which holds what changed since the one before. A write
// appends one, and never changes a byte of those that are there:
//
//   generation_head | pages | index | generation_end
//
// The end is written when all that stands before it is on the disk. So a generation without its end does not count:
// its write did not come to its end, and the next one begins in its place.
// The index is an index_head, an index_item with its name for each item, an index_extent for each run of pages, and a
// sum for each page that is stored. An item of the same name and size as in the generation before keeps the pages that
// are not named; any other begins with zeros. The last one has no name if it is launches (checkpoint/launches.h). Pages
// stand in the file in the order of their extents; the last one of an item is as short as the item makes it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace het::checkpoint
{

constexpr uint32_t format_version = 1;
constexpr uint32_t page_size = 4096;
constexpr uint64_t most_items = 4096; // with names
constexpr uint64_t most_name = 255;
// An item has fewer bytes than this, so that sums of sizes can't overflow.
constexpr uint64_t most_bytes = uint64_t{1} << 48;

constexpr char file_magic[8] = {'h', 'e', 't', 'c', 'h', 'e', 'c', 'k'};
constexpr char head_magic[8] = {'h', 'e', 't', 'c', 'k', 'g', 'e', 'n'};
constexpr char end_magic[8] = {'h', 'e', 't', 'c', 'k', 'e', 'n', 'd'};

// Each of these three ends with the checksum of what stands before it there.
struct file_head {
	char magic[8] = {};
	uint32_t version = 0;
	uint32_t page = 0;
	// It is the file's own: what another file has left on the disk is not taken for a part of this one.
	uint64_t identity = 0;
	uint64_t before = 0; // the number of the generation before the first one that is there
	uint64_t reserved[3] = {};
	uint64_t sum = 0;
};
static_assert(sizeof(file_head) == 64);

struct generation_head {
	char magic[8] = {};
	uint64_t identity = 0;
	uint64_t number = 0;     // one more than that of the one before
	uint64_t pages_size = 0; // bytes
	uint64_t index_size = 0;
	uint64_t index_sum = 0;
	uint64_t reserved = 0;
	uint64_t sum = 0;
};
static_assert(sizeof(generation_head) == 64);

struct generation_end {
	char magic[8] = {};
	uint64_t identity = 0;
	uint64_t number = 0;
	uint64_t sum = 0;
};
static_assert(sizeof(generation_end) == 32);

struct index_head {
	uint64_t nitems;
	uint64_t nextents;
};

// The name of launches.
constexpr char launches_name[] = "";

// The name follows, without a final 0, and zeros up to a multiple of 8.
struct index_item {
	uint64_t nbytes;
	uint64_t name_size;
};

enum class extent_kind : uint32_t { stored = 1, zeros = 2 };

struct index_extent {
	uint32_t item;
	extent_kind kind;
	uint64_t first, count; // pages
};

constexpr uint64_t padded(uint64_t n)
{
	return (n + 7) & ~uint64_t{7};
}
constexpr uint64_t pages_of(uint64_t nbytes)
{
	return (nbytes + page_size - 1) / page_size;
}
// Returns how many bytes the pages [first, first + count) of an item have.
constexpr uint64_t bytes_of(uint64_t nbytes, uint64_t first, uint64_t count)
{
	const uint64_t end = (first + count) * page_size;
	return (end < nbytes ? end : nbytes) - first * page_size;
}

} // namespace het::checkpoint
