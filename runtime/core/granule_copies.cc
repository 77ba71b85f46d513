// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/granule_copies.h"

#include "core/frame_copies.h"
#include "os/log.h"

#include <algorithm>
#include <new>
#include <utility>

namespace het::rt
{

int granule_copies::map_windows(const slice_plan &plan, std::span<const range_use> uses, unsigned bits,
				size_t most_granules, bool *is_new)
{
	const auto windows = plan.windows();
	const std::unique_ptr<granule_map::place[]> places(new (std::nothrow) granule_map::place[windows.size()]);
	std::unique_ptr<known_window[]> found(new (std::nothrow) known_window[windows.size()]);
	for (unsigned w = 0; places && found && w < windows.size(); w++) {
		size_t in_array = 0;
		const range bytes = windows[w].bytes;
		const void *buffer =
			use_of(plan, uses, w).on.buffer(bytes.begin, core().host_memory->memory_number, &in_array);
		places[w] = {bytes, in_array};
		found[w] = {bytes, reinterpret_cast<uintptr_t>(buffer) + in_array, in_array};
	}
	*is_new = nwindows_ != windows.size() || !found || bits != map_.bits() ||
		  !std::equal(found.get(), found.get() + nwindows_, windows_.get());
	if (!*is_new)
		return 0;
	granule_map map;
	std::unique_ptr<bool[]> copies(new (std::nothrow) bool[most_granules]());
	std::unique_ptr<bool[]> comes(new (std::nothrow) bool[most_granules]());
	std::unique_ptr<bool[]> sources(new (std::nothrow) bool[most_granules]());
	if (!places || !found || !copies || !comes || !sources || !map.take({places.get(), windows.size()}, bits))
		return fail(HET_ENOMEM, "het_launch: out of memory");
	comes_ = std::move(comes);
	runtime_guard guard(lock_);
	map_ = std::move(map);
	windows_ = std::move(found);
	nwindows_ = windows.size();
	is_copy_ = std::move(copies);
	is_source_ = std::move(sources);
	is_source_changed_ = false;
	return 0;
}

void granule_copies::forget(range in_buffer)
{
	runtime_guard l(lock_);
	for (unsigned w = 0; w < nwindows_; w++) {
		const known_window &k = windows_[w];
		const range hit = intersect({k.in_host_memory, k.in_host_memory + k.bytes.size()}, in_buffer);
		if (hit.empty())
			continue;
		const uintptr_t back = k.bytes.begin - k.in_host_memory;
		const size_t last = map_.number_of(w, hit.end - 1 + back);
		for (size_t i = map_.number_of(w, hit.begin + back); i <= last; i++) {
			is_copy_[i] = false;
			is_source_changed_ |= is_source_[i];
		}
	}
}

void granule_copies::forget_all()
{
	runtime_guard l(lock_);
	for (size_t i = 0; is_copy_ && i < map_.all().size(); i++)
		is_copy_[i] = false;
}

bool granule_copies::is_copy(size_t granule)
{
	runtime_guard l(lock_);
	return is_copy_[granule];
}

// What is forgotten from now on stays so, however the copy to the frame goes. The launch copies what its uses use of a
// window alone, of which a launch with other patterns may use more: so a frame is no copy if it has bytes between that.
int granule_copies::note_frames(const slice_plan &plan, std::span<const range_use> uses)
{
	const size_t most = uses.size();
	const std::unique_ptr<range[]> copied(new (std::nothrow) range[2 * most]);
	if (!copied)
		return fail(HET_ENOMEM, "het_launch: out of memory");
	unsigned window = ~0u;
	size_t n = 0;
	for (size_t i = 0; i < map_.all().size(); i++) {
		const granule &g = map_.all()[i];
		if (g.window != std::exchange(window, g.window)) {
			n = plan.find_ranges(window, plan.all_rows(), false, {copied.get(), most});
			n += plan.find_ranges(window, plan.all_rows(), true, {copied.get() + n, most});
		}
		const bool is_there = g.frame != granule::none;
		const bool is_whole =
			std::any_of(copied.get(), copied.get() + n, [&](range r) { return r.covers(g.bytes); });
		runtime_guard l(lock_);
		comes_[i] = is_there && !is_copy_[i];
		is_copy_[i] = is_there && is_whole;
	}
	return 0;
}

void granule_copies::note_sources(const granule_marks &marks, const slice_plan &plan)
{
	const auto all = map_.all();
	runtime_guard l(lock_);
	for (size_t i = 0; i < all.size(); i++) {
		is_source_[i] = marks.is_source(i);
		is_source_changed_ |= is_source_[i] && plan.windows()[all[i].window].writes;
	}
}

bool granule_copies::take_source_change()
{
	runtime_guard l(lock_);
	return std::exchange(is_source_changed_, false);
}

} // namespace het::rt
