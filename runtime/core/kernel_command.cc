// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/kernel_command.h"

#include "memory/hooks.h"

namespace het::rt
{

int kernel_command::link_uses(het_device &d)
{
	if (!needs_memory(d))
		return 0;
	int err = start_memory();
	for (size_t i = 0; i < uses_.size() && !err; i++)
		err = link_range(uses_[i].bytes, d);
	return err;
}

std::span<access_entry> kernel_command::declare_uses()
{
	for (size_t i = 0; i < uses_.size(); i++) {
		entries_[i].bytes = uses_[i].bytes;
		entries_[i].reads = uses_[i].access & HET_READ_ONLY;
		entries_[i].writes = uses_[i].access & HET_WRITE_ONLY;
	}
	accesses = entries_;
	return entries_.first(uses_.size());
}

void kernel_command::declare_accesses(range (*widen_written)(range))
{
	std::span<access_entry> used = declare_uses();
	if (!anything_linked())
		return;
	signals_blocked once_for_all;
	for (access_entry &e : used)
		e.bytes = e.writes ? widen_written(e.bytes) : widen_to_edges(e.bytes);
}

} // namespace het::rt
