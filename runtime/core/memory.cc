// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/memory.h"

#include "core/ranges.h"
#include "memory/allocate.h"
#include "memory/link.h"
#include "os/log.h"
#include "os/mapping.h"

using namespace het;
using namespace het::rt;

// Where all devices work in place, ordinary memory will do.
int het_memory::allocate(size_t nbytes)
{
	const bool from_library = core().nmemories != 0;
	from_ = from_library ? origin::library : origin::host;
	if (from_library) {
		if (int err = start_memory())
			return err;
	}
	size_t n = round_up(nbytes, page_size());
	void *p = from_library ? allocate_block(n, all_devices, false) : map_private(n);
	if (!p)
		return fail(HET_ENOMEM, "no memory for an object of %zu bytes", nbytes);
	bytes_ = range_of(p, nbytes);
	return 0;
}

void het_memory::become_part(het_memory &of, range part)
{
	bytes_ = part;
	whole_ = reference<het_memory>::to(&of);
}

void het_memory::wrap(range bytes)
{
	bytes_ = bytes;
	from_ = origin::program;
}

// Commands that use an object hold a reference, so nobody uses it now.
het_memory::~het_memory()
{
	if (whole_ || bytes_.empty())
		return;
	if (from_ == origin::program)
		unlink_range(bytes_);
	else if (from_ == origin::library)
		free_block(bytes_.ptr());
	else
		unmap(range_of(bytes_.ptr(), round_up(bytes_.size(), page_size())));
}

range het_memory::part(size_t offset, size_t n) const
{
	if (offset > bytes_.size() || n > bytes_.size() - offset)
		return {};
	return {bytes_.begin + offset, bytes_.begin + offset + n};
}
