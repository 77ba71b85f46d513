// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/mapping.h"

#include "core/ranges.h"
#include "core/runtime.h"
#include "os/log.h"

#include <utility>

namespace het::rt
{

int map::take(const het_map_args &args)
{
	if (!args.memory && !args.pointer)
		return fail(HET_ENULL, "het_map: neither a memory object nor a pointer");
	if (args.access < HET_READ_ONLY || args.access > HET_READ_WRITE || (args.flags & ~uint32_t{HET_MAP_UNMOVED}))
		return fail(HET_EARG, "het_map: access %u, flags 0x%x", args.access, args.flags);
	int err = 0;
	bytes_ = take_place({args.memory, args.offset, args.pointer}, args.nbytes, "het_map", &err);
	if (err)
		return err;
	object_ = args.memory;
	access_ = args.access;
	moves_ = !(args.flags & HET_MAP_UNMOVED);
	// Neighbours in an edge are the host's at the same time: two of the program's own mappings must not wait for
	// each other there. Commands that a device takes part in have the whole edge themselves.
	entries_[0] = {.bytes = args.memory ? widen_to_edges(bytes_) : bytes_,
		       .reads = bool(access_ & HET_READ_ONLY),
		       .writes = bool(access_ & HET_WRITE_ONLY)};
	accesses = {entries_, 1};
	return 0;
}

begin_result map::begin(executor &)
{
	return moves_ ? bring_to_host(bytes_, access_) : 0;
}

mapping::mapping(map &m) : het_event(nullptr), first(reference<map>::to(&m)), entry_(m.entry())
{
	accesses = {&entry_, 1};
}

reference<mapping> take_mapping(const het_memory *object, const void *pointer, size_t nbytes)
{
	mapping *found = nullptr;
	core().graph.find(core().mappings, [&](node &n) {
		auto &m = static_cast<mapping &>(n);
		if (m.first->object() != object || m.first->bytes().ptr() != pointer)
			return false;
		if ((nbytes && m.first->bytes().size() != nbytes) || std::exchange(m.ending, true))
			return false;
		m.retain();
		found = &m;
		return true;
	});
	return reference<mapping>(found);
}

void give_back(mapping &m)
{
	core().graph.locked([&] { m.ending = false; });
}

} // namespace het::rt
