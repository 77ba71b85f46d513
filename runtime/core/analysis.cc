// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/analysis.h"

#include "fatbin/apart.h"
#include "fatbin/reach.h"
#include "os/log.h"

#include <algorithm>
#include <cstring>

namespace het::rt
{

namespace
{

// No pattern of a caller's has this size.
constexpr size_t size_of_found = 1;
static_assert(size_of_found < sizeof(het_pattern));

fatbin::launch_ids ids_of(const launch_shape &s)
{
	fatbin::launch_ids ids = {};
	for (unsigned d = 0; d < 3; d++) {
		ids.size[d] = s.global[d];
		ids.offset[d] = s.offset[d];
	}
	ids.along = s.part.along;
	return ids;
}

bool is_number(const device_arg &a)
{
	return a.kind == HET_ARG_VALUE && (a.nbytes == sizeof(int32_t) || a.nbytes == sizeof(int64_t));
}

// Returns the argument as an int where it has 4 bytes, and 0, which no axis is multiplied with, if it is no number.
int64_t number(const device_arg &a)
{
	int32_t small = 0;
	int64_t large = 0;
	if (a.kind == HET_ARG_VALUE && a.nbytes == sizeof(small))
		memcpy(&small, a.pointer, sizeof(small));
	else if (a.kind == HET_ARG_VALUE && a.nbytes == sizeof(large))
		memcpy(&large, a.pointer, sizeof(large));
	return a.nbytes == sizeof(small) ? small : large;
}

bool pieces_of(const analysed_launch &l, const fatbin::argument &a, const range_use &u, fatbin::pieces &found)
{
	int64_t multipliers[fatbin::most_axes] = {};
	for (unsigned d = 0; d < fatbin::most_axes; d++) {
		uint32_t i;
		if (fatbin::multiplier_of(a.reach.axes[d], &i))
			multipliers[d] = i < l.args.size() ? number(l.args[i]) : 0;
	}
	return fatbin::find_pieces(a, l.kernel.description()->dimensions, ids_of(l.shape), u.bytes.size(), multipliers,
				   found);
}

bool is_memory(const device_arg &a)
{
	return a.kind == HET_ARG_MEMORY || a.kind == HET_ARG_RANGE;
}

// Calls f(number of the use, argument) for what is described.
template <class F> void for_uses(const analysed_launch &l, F f)
{
	const fatbin::kernel *k = l.kernel.description();
	size_t use = 0;
	for (uint32_t i = 0; k && i < l.args.size(); i++) {
		if (is_memory(l.args[i]))
			f(use++, l.kernel.program->fat()->argument(*k, i));
	}
}

bool writes(const fatbin::argument &a)
{
	return !a.is_analysed || a.found == fatbin::access::write_only || a.found == fatbin::access::read_write;
}

// Judges by what is known of all launches. It is null if they are at their own index.
const char *why_not_at_own_index(const analysed_launch &l, const fatbin::kernel &k)
{
	if (k.split != fatbin::split::safe)
		return k.split_reason;
	if (!fatbin::holds_for(ids_of(l.shape), k.dimensions))
		return "it has more dimensions, or larger ids, than its analysis holds for";
	const char *why = nullptr;
	for_uses(l, [&](size_t use, const fatbin::argument &a) {
		fatbin::pieces p;
		if (writes(a) && a.has_reach() && !pieces_of(l, a, l.uses[use], p))
			why = "two work-items may write the same byte with these sizes";
	});
	return why;
}

// Judges by this launch's numbers.
fatbin::groups_are judge_groups(const analysed_launch &l, const fatbin::kernel &k)
{
	fatbin::known_number numbers[fatbin::most_arguments];
	fatbin::launch_groups groups;
	if (!*k.apart || l.args.size() > fatbin::most_arguments)
		return fatbin::groups_are::unknown;
	for (size_t i = 0; i < l.args.size(); i++)
		numbers[i] = {is_number(l.args[i]), number(l.args[i])};
	for (unsigned d = 0; d < 3; d++) {
		groups.size[d] = l.shape.global[d];
		groups.local[d] = l.shape.local[d];
		groups.offset[d] = l.shape.offset[d];
	}
	return fatbin::keeps_groups_apart(k.apart, groups, {numbers, l.args.size()});
}

bool shares_bytes(const analysed_launch &l, size_t use)
{
	for (size_t i = 0; i < l.uses.size(); i++) {
		if (i != use && l.uses[i].bytes.overlaps(l.uses[use].bytes))
			return true;
	}
	return false;
}

} // namespace

bool is_found(const het_pattern &p)
{
	return p.size == size_of_found;
}

void forget_found_patterns(std::span<het_pattern> patterns)
{
	for (het_pattern &p : patterns) {
		if (is_found(p))
			p = {};
	}
}

bool find_patterns(const analysed_launch &l, std::span<het_pattern> patterns)
{
	bool any = false;
	for_uses(l, [&](size_t use, const fatbin::argument &a) {
		fatbin::pieces p;
		if (patterns[use].size || !pieces_of(l, a, l.uses[use], p))
			return;
		patterns[use] = {size_of_found, p.offset, p.step, p.length, p.count, p.stride};
		any = true;
	});
	return any;
}

bool is_refused(het_kernel &kernel, uint32_t flags)
{
	const fatbin::kernel *k = kernel.description();
	if (!(flags & HET_SPLIT) || flags & HET_SPLIT_UNSAFE || !k || k->split != fatbin::split::unsafe)
		return false;
	if (!kernel.is_refusal_told.exchange(true))
		warn("het_launch: kernel %s runs on one device in spite of HET_SPLIT: %s (HET_SPLIT_UNSAFE divides it "
		     "all the "
		     "same)",
		     kernel.name.get(), k->split_reason);
	return true;
}

const char *why_not_safe(const analysed_launch &l)
{
	const fatbin::kernel *k = l.kernel.description();
	if (!k)
		return "nobody has said that it may be split";
	const char *why = nullptr;
	for_uses(l, [&](size_t use, const fatbin::argument &a) {
		if (writes(a) && shares_bytes(l, use))
			why = "an argument that is written shares bytes with another";
	});
	if (why)
		return why;
	why = why_not_at_own_index(l, *k);
	if (!why)
		return nullptr;
	switch (judge_groups(l, *k)) {
	case fatbin::groups_are::apart:
		return nullptr;
	case fatbin::groups_are::too_many:
		return "its fat binary says more of its accesses than can be looked through at a launch";
	default:
		return why;
	}
}

} // namespace het::rt
