// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Asks the kernel what kind of memory is mapped at a range.
#pragma once

#include "core/range.h"

#include <cstdint>
#include <span>

namespace het
{

enum class memory_kind : uint8_t {
	private_anonymous, // can be adopted
	unmapped,
	read_only,
	private_file, // .data, private mappings of files, hugetlb
	shared,       // shared mappings of files or of nothing
	stack,
	unknown, // the system does not tell
};

// Returns the first reason why not all of @body is private_anonymous, or that; around it, up to @r, it is enough that
// the memory is there and writable. The main thread's and the caller's stacks are known, others are not.
memory_kind classify(range r, range body);
inline memory_kind classify(range r)
{
	return classify(r, r);
}
const char *describe(memory_kind kind);

// Returns whether the page belongs to locked memory (mlock).
bool is_locked(uintptr_t page);
void lock_pages(range r);

// Looks at pages of private anonymous memory: bit i of the answer says whether page i of @r has contents (is present or
// swapped out). @r has at most 64 * words.size() pages. Returns false if that can't be told; the caller has to assume
// all.
bool populated_pages(range r, std::span<uint64_t> words);

} // namespace het
