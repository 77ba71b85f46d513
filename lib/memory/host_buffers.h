// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Device buffers that lie in the program's address space, which those of host devices do. Whoever reads or writes one
// for the library must not meet a touch that waits for just that, so no byte of one may be an array's. Callers hold the
// structure lock.
#pragma once

#include "core/range.h"
#include "memory/address_index.h"

namespace het
{

struct array;

class host_buffers
{
      public:
	// 0; GPUVM_EARG with a sentence: the memory is an array's, or about to be (@user).
	int check(const address_index<array> &arrays, range buffer, range user) const;
	// 0; GPUVM_EARG with a sentence: a part of memory that is to become an array is a buffer.
	int check_against(range array) const;

	// @buffer may be empty, and then there is nothing to know. False: out of memory.
	bool add(const array &a, unsigned device, range buffer);
	void remove(const array &a, unsigned device);

      private:
	struct entry {
		range memory;
		const array *of;
		unsigned device;
	};

	bool make_room();
	entry *first_from(uintptr_t begin) const;

	// They are sorted by address. Several arrays may have one buffer, or parts of one.
	entry *entries_ = nullptr;
	size_t count_ = 0, capacity_ = 0;
	// This is the longest of all that were ever here: one that begins more than so much below an address does not
	// reach it.
	size_t longest_ = 0;
};

} // namespace het
