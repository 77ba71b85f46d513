// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include "os/own_descriptor.h"
#include "os/page_source.h"

#include <sys/types.h>

namespace het
{

// The pages are those of a memfd: there are one file and one alias for all arrays. A second file behind it in the same
// alias has the huge pages that the administrator has reserved (vm.nr_hugepages), if there are any.
class memory_file final : public page_source
{
      public:
	// Opens the file once, however often it is called. Returns 0 or GPUVM_ESALLOC, having said why.
	int open();

	size_t grain() const override;
	const char *cure() const override { return "free memory, or raise vm.max_map_count"; }

	// Parts of the alias that are not in use have no access, so that mlockall() does not fill the whole mapping
	// with pages.
	const write_counter *create(uint64_t offset, size_t n, const page_use &use) override;
	void destroy(uint64_t offset, size_t n) override;

	// These fault nothing in.
	bool populate(uint64_t offset, size_t n) const override;
	bool fill(uint64_t offset, const void *from, size_t n) const override; // not in the huge part
	bool read(uint64_t offset, void *to, size_t n) const override;
	bool map_at(range r, uint64_t offset) const override;
	bool fail_at(range r) const override;
	bool leave_at(range r, uint64_t offset) override;
	// Pages of shared memory become huge by themselves only where the administrator has said so (shmem_enabled),
	// but they can be collapsed on request (Linux 6.1). That costs a copy, once.
	size_t make_huge(range r, uint64_t offset) const override;

      private:
	bool map_alias();
	void add_huge_part(uint64_t room);
	// Tells which file an offset lies in, and where in it.
	struct place {
		int fd;
		off_t at;
	};
	place of(uint64_t offset) const;

	own_descriptor file_, huge_file_;
};

} // namespace het
