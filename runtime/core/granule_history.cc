// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/granule_history.h"

#include "dev/granule_table.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace het::rt
{

namespace
{

// So often what has a frame is counted, too: it may be used less than before.
constexpr unsigned count_again = 16;

} // namespace

// --- which launch it is --------------------------------------------------------

bool granule_history::are_known(std::span<const range_use> uses) const
{
	if (!uses_ || uses.size() != nuses_)
		return false;
	for (size_t i = 0; i < nuses_; i++) {
		if (uses_[i] != known_use{uses[i].bytes, uses[i].access})
			return false;
	}
	return true;
}

bool granule_history::know(std::span<const range_use> uses)
{
	uses_.reset(new (std::nothrow) known_use[uses.size()]);
	nuses_ = uses_ ? uses.size() : 0;
	for (size_t i = 0; i < nuses_; i++)
		uses_[i] = {uses[i].bytes, uses[i].access};
	return uses_ != nullptr;
}

bool granule_history::know_granules(size_t most, bool are_others)
{
	if (are_others)
		forget_accesses();
	if (!are_others && most <= room_)
		return true;
	std::unique_ptr<uint64_t[]> accesses(new (std::nothrow) uint64_t[most]());
	if (!accesses)
		return false;
	forget_accesses();
	accesses_ = std::move(accesses);
	room_ = most;
	return true;
}

void granule_history::know_kernel(uint64_t kernel)
{
	if (kernel != std::exchange(kernel_, kernel))
		forget_accesses();
}

void granule_history::forget_all()
{
	uses_.reset();
	nuses_ = 0;
	forget_accesses();
}

void granule_history::forget_accesses()
{
	seen_ = {};
	was_inspected_ = is_inspected_ = false;
}

// --- what it uses --------------------------------------------------------------

void granule_history::note_inspection(const granule_marks &marks, size_t ngranules)
{
	was_inspected_ = true;
	is_inspected_ = marks.are_whole();
	if (!seen_.count)
		seen_.access_ns = access_ns_of(0, 0);
	seen_.byte_ns = byte_ns_;
	for (size_t i = 0; is_inspected_ && i < ngranules; i++)
		accesses_[i] = marks.accesses(i);
}

// Of the first launch nothing is known but this, unless it was inspected. What is known row by row is used once, and
// comes over the bus as fast as a copy would. Of other arguments each may have as many accesses, so the smaller one's
// granules have more; and what is there already costs nothing.
uint64_t granule_history::worth(size_t granule, const window &w, uint64_t nbytes, bool comes_free) const
{
	const granule_use use = {.bytes = nbytes,
				 .accesses = accesses_[granule],
				 .is_written = w.writes,
				 .must_come = w.reads && !comes_free,
				 .is_used_once = !w.stays};
	const uint64_t each = UINT64_MAX / 2 / std::max<uint64_t>(w.bytes.size(), 1);
	const uint64_t unknown = w.stays ? 2 * each + comes_free : 0;
	return is_known() ? worth_of(use, seen_) : unknown;
}

// Where a granule has many accesses, many threads want its counter at once, and some of them are enough. How many there
// are is only known from a launch before.
uint32_t granule_history::choose_counted(size_t ngranules) const
{
	constexpr uint64_t enough = 32 << 10, most = 16;
	if (!is_known())
		return 1;
	const uint64_t all = *std::max_element(accesses_.get(), accesses_.get() + ngranules);
	return uint32_t(std::bit_floor(std::clamp<uint64_t>(all / enough, 1, most)));
}

bool granule_history::counts_all() const
{
	return seen_.count % count_again == 0;
}

void granule_history::note_copy(uint64_t nbytes, uint64_t ns, double rate)
{
	constexpr uint64_t enough = 16 << 20;
	if (nbytes >= enough)
		byte_ns_ = double(ns) / double(nbytes);
	else if (byte_ns_ == 0)
		byte_ns_ = 1e9 / rate;
}

// Of those that were not counted the last that is known stays.
uint64_t granule_history::learn(const granule_map &map, const slice_plan &plan, const uint64_t *counts,
				const uint64_t *moves, uint32_t one_of, uint64_t kernel_ns)
{
	uint64_t all = 0, unknown = 0;
	double in_order_ns = 0;
	for (size_t i = 0; i < map.all().size(); i++) {
		const granule &g = map.all()[i];
		const bool stays = plan.windows()[g.window].stays, in_place = g.frame == granule::none;
		const uint64_t accesses = counts[i] * one_of;
		if (moves[i] & granule_table::counted)
			accesses_[i] = accesses;
		all += in_place ? accesses : 0;
		unknown += in_place && stays ? accesses : 0;
		in_order_ns += in_place && !stays && accesses ? double(g.bytes.size()) * byte_ns_ : 0;
	}
	const double rest_ns = std::max(double(kernel_ns) - in_order_ns, 0.);
	if (unknown || !seen_.count)
		seen_.access_ns = access_ns_of(uint64_t(rest_ns), unknown);
	seen_.byte_ns = byte_ns_;
	seen_.count++;
	return all;
}

} // namespace het::rt
