// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What is known of a launch that works on host memory in place: from launches of the same kernel with the same
// arguments before it, which counted their accesses to each granule, or from its inspection. It tells what a frame for
// a granule is worth (evict/granule_worth.h).
#pragma once

#include "core/granule_marks.h"
#include "core/ranges.h"
#include "evict/granule_worth.h"
#include "evict/granules.h"
#include "evict/slices.h"

#include <memory>

namespace het::rt
{

class granule_history
{
      public:
	// The launches had these uses.
	bool are_known(std::span<const range_use> uses) const;
	// They will be those of the next ones. It is false without memory.
	bool know(std::span<const range_use> uses);
	// There are so many granules at most, perhaps others than before. It is false without memory.
	bool know_granules(size_t most, bool are_others);
	// Another kernel may use other bytes of the same arguments.
	void know_kernel(uint64_t kernel);
	// Nothing that was learnt is of use; or nothing of accesses.
	void forget_all();
	void forget_accesses();

	bool was_inspected() const { return was_inspected_; }
	// What was found goes for as long as nobody writes what addresses were made of.
	void inspect_again() { was_inspected_ = false; }
	void note_inspection(const granule_marks &marks, size_t ngranules);

	// Returns granule::worth. @comes_free says that the granule has a frame with all that it needs.
	uint64_t worth(size_t granule, const window &w, uint64_t nbytes, bool comes_free) const;
	// Returns of how many warps one counts, a power of two.
	uint32_t choose_counted(size_t ngranules) const;
	// What has a frame is counted, too.
	bool counts_all() const;

	// Bytes were copied to the device in that time. Nothing is learnt of few, for which @rate, bytes a second, goes
	// until more have been.
	void note_copy(uint64_t nbytes, uint64_t ns, double rate);
	// A kernel took so long. @counts are its accesses that were counted, of each granule, by one of @one_of, where
	// its move says so. Returns how many there were in place.
	uint64_t learn(const granule_map &map, const slice_plan &plan, const uint64_t *counts, const uint64_t *moves,
		       uint32_t one_of, uint64_t kernel_ns);

      private:
	struct known_use {
		range bytes;
		uint32_t access;
		bool operator==(const known_use &) const = default;
	};
	bool is_known() const { return seen_.count || is_inspected_; }

	std::unique_ptr<known_use[]> uses_;
	size_t nuses_ = 0;
	uint64_t kernel_ = 0;
	launches_seen seen_ = {};
	double byte_ns_ = 0;                   // of a copy to the device
	std::unique_ptr<uint64_t[]> accesses_; // of each granule, in the last launch that counted them
	size_t room_ = 0;                      // for so many granules
	bool was_inspected_ = false;           // and need not be again
	bool is_inspected_ = false;            // and accesses_ has what was found
};

} // namespace het::rt
