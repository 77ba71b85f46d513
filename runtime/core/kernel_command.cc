// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/kernel_command.h"

#include "core/link_all.h"
#include "memory/hooks.h"
#include "memory/whereabouts.h"
#include "os/log.h"

#include <algorithm>

namespace het::rt
{

int kernel_command::link_uses(het_device &d)
{
	if (!needs_memory(d))
		return 0;
	int err = start_memory();
	for (size_t i = 0; i < uses_.size() && !err; i++)
		err = link_range(uses_[i].bytes, d);
	const bool fits = !err && bytes_of_arrays(uses_) <= d.memory.account.limit();
	return fits ? 0 : err && err != no_device_memory ? err : too_large;
}

// An array may be an argument several times, so the sum tells only that there is room.
bool kernel_command::is_too_large_for(const het_device &d) const
{
	uint64_t limit = d.memory.account.limit(), sum = 0;
	if (!needs_memory(d))
		return false;
	for (const range_use &u : uses_)
		sum += u.bytes.size();
	return sum > limit && bytes_of_arrays(uses_) > limit;
}

int kernel_command::fail_too_large(const het_device &d) const
{
	using number = unsigned long long;
	size_t largest = 0, use = 0, most = 0;
	for (size_t i = 0; i < args_.size(); i++) {
		if (!is_memory(args_[i].kind))
			continue;
		size_t n = uses_[use++].bytes.size();
		largest = n > most ? i : largest;
		most = std::max(most, n);
	}
	const memory_account &a = d.memory.account;
	return fail(
		HET_EDEVICE,
		"het_launch: kernel %s needs %llu bytes on %s for its arrays, %zu of them for argument %zu, and the "
		"library may use %llu there, of which %llu are raw memory, textures and copies: raise "
		"HET_DEVICE_MEMORY, or launch on parts",
		kernel_->name.get(), number(bytes_of_arrays(uses_)), d.compute->info().name, most, largest,
		number(a.limit()), number(a.beside_buffers_for_good()));
}

// Of bytes that are only written nothing has to travel.
double kernel_command::missing_on(const het_device &d) const
{
	copyset copy = d.compute->is_in_place() ? host_copy : device_copy(d.memory_number);
	size_t n = 0;
	for (const range_use &u : uses_)
		n += u.access & HET_READ_ONLY ? missing_bytes(u.bytes, copy) : 0;
	return double(n);
}

newcomer kernel_command::newcomer_of(const het_device &d) const
{
	size_t used = 0;
	for (const range_use &u : uses_)
		used += u.bytes.size();
	return {d.rates, double(used), missing_on(d), d.rate.load(std::memory_order_relaxed)};
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
