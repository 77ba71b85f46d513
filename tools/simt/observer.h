// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The observer looks at the memory accesses of warps, for statistics and for races in shared memory.
#pragma once

#include "simt/warp.h"

#include <optional>

namespace het::ptx::simt
{

// Puts where the lanes @m of a memory access go into @to[lane].
void addresses_of(const context &c, const uop &u, lanes m, uint64_t *to);

class observer
{
      public:
	explicit observer(const options &o) : o_(o) {}

	// access() is called before an access of the lanes @m. It returns what that races with, if races are looked for
	// and it does.
	struct race {
		unsigned lane;
		std::string what;
	};
	std::optional<race> access(const context &c, const warp &w, const uop &u, uint32_t function, uint32_t pc,
				   lanes m);
	void begin(const block &b);

	struct op_accesses {
		uint64_t lines = 0, pages = 0, shared = 0, passes = 0;
	};
	const std::map<std::pair<uint32_t, uint32_t>, op_accesses> &accesses() const { return accesses_; }
	std::set<uint64_t> written_pages, read_pages;

      private:
	// Holds the last access to a byte of shared memory.
	struct last_access {
		uint32_t epoch = 0, warp_epoch = 0;  // those of the block's barriers and of the warp
		uint32_t reader = ~0u, writer = ~0u; // threads
		uint32_t read_epoch = 0, read_warp_epoch = 0;
		bool atomic = false;
		bool many_readers = false;
	};
	void count(const warp &w, const uop &u, const uint64_t *addresses, lanes m, op_accesses *sum);
	std::optional<race> check(const warp &w, const uop &u, const uint64_t *addresses, lanes m);
	std::optional<race> check_byte(const warp &w, unsigned lane, uint64_t offset, bool writes, bool atomic);

	const options &o_;
	std::map<std::pair<uint32_t, uint32_t>, op_accesses> accesses_;
	std::map<uint64_t, std::vector<last_access>> shared_; // kept by block
};

} // namespace het::ptx::simt
