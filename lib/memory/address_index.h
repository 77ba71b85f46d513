// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What lies at an address: linked arrays, and allocations of gpuvm_malloc(). Readers take no lock, so they may run in
// signal handlers and in threads that were interrupted anywhere; a writer blocks all signals and gets on without
// anybody's help.
//
// A sorted table under a sequence counter. Inserting moves table entries (24 bytes each). Tables that were outgrown
// are kept: a reader may still be in one. Objects found are type-stable for the same reason (memory/array.h): lock one,
// then look whether it is still what was asked for.
#pragma once

#include "core/range.h"
#include "os/lock.h"

#include <atomic>

namespace het
{

class address_table
{
      public:
	// Returns the lowest object that overlaps @r, or null; and its extent where that is asked for.
	void *first_overlap(range r, range *extent = nullptr) const;
	bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }
	uint32_t size() const { return count_.load(std::memory_order_relaxed); }

	// Writers are serialised by the structure lock. The extent overlaps no other. False: out of memory.
	bool insert(range extent, void *object);
	void remove(range extent);
	// The i-th object in address order. The caller holds the structure lock.
	void *at(uint32_t i) const;

      private:
	struct entry {
		std::atomic<uintptr_t> begin, end, value;
	};
	struct table {
		uint32_t capacity;
		entry entries[];
	};

	bool grow();
	static void copy(entry &to, const entry &from);

	std::atomic<uint32_t> sequence_{0}; // is odd while a writer is at work
	std::atomic<uint32_t> count_{0};
	std::atomic<table *> table_{nullptr};
};

template <class T> class address_index : public address_table
{
      public:
	T *find(uintptr_t a) const { return first_overlap({a, a + 1}); }
	T *first_overlap(range r, range *extent = nullptr) const
	{
		return static_cast<T *>(address_table::first_overlap(r, extent));
	}
	// Calls f(T &) for each object, which must not change the index. The caller holds the structure lock.
	template <class F> void for_each(F f) const
	{
		for (uint32_t i = 0; i < size(); i++)
			f(*static_cast<T *>(at(i)));
	}
};

} // namespace het
