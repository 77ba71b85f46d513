// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/granule_frames.h"

#include "core/frame_copies.h"
#include "core/reserve.h"
#include "os/inject.h"
#include "os/log.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

namespace het::rt
{

namespace
{

// The table has so many bytes for a granule.
constexpr uint64_t words = 2 * sizeof(uint64_t);

// The lowest bit of a move is no part of it.
constexpr uint64_t least_evenness = 2 * granule_table::counted;

size_t granules_of(const slice_plan &plan, unsigned bits)
{
	return std::accumulate(plan.windows().begin(), plan.windows().end(), size_t{0}, [&](size_t n, const window &w) {
		return n + most_granules({&w.bytes, 1}, bits);
	});
}

} // namespace

// --- memory --------------------------------------------------------------------

uint64_t granule_frames::smallest(const slice_plan &plan, uint64_t most)
{
	const unsigned bits = granule_bits(most);
	return (uint64_t{2} * plan.windows().size() << bits) + words * granules_of(plan, bits);
}

int granule_frames::take(const slice_plan &plan, het_device &d, uint64_t most)
{
	device_ = &d;
	bits_ = granule_bits(most);
	most_granules_ = granules_of(plan, bits_);
	const uint64_t tables = words * most_granules_;
	nframes_ = most > tables ? size_t(std::min<uint64_t>((most - tables) >> bits_, most_granules_)) : 0;
	const uint64_t nbytes = (uint64_t{nframes_} << bits_) + tables;
	moves_.reset(new (std::nothrow) uint64_t[most_granules_]());
	counts_.reset(new (std::nothrow) uint64_t[most_granules_]());
	if (!moves_ || !counts_)
		return fail(HET_ENOMEM, "het_launch: out of memory");
	if (int err = reserve(d, memory_kind::windows, nbytes, "het_launch"))
		return err;
	reserved_ = nbytes;
	delay_point();
	const int err = allocate_reserved(d, nbytes, &buffer_, nbytes);
	if (err)
		give_back();
	return err;
}

void granule_frames::give_back()
{
	if (buffer_)
		device_->compute->drop(std::exchange(buffer_, nullptr));
	if (reserved_)
		rt::give_back(*device_, memory_kind::windows, std::exchange(reserved_, 0));
}

// --- where granules are --------------------------------------------------------

int granule_frames::make_map(const slice_plan &plan, std::span<const range_use> uses)
{
	const auto windows = plan.windows();
	const std::unique_ptr<granule_map::place[]> places(new (std::nothrow) granule_map::place[windows.size()]);
	for (unsigned w = 0; places && w < windows.size(); w++) {
		size_t in_array = 0;
		const range bytes = windows[w].bytes;
		use_of(plan, uses, w).on.buffer(bytes.begin, core().host_memory->memory_number, &in_array);
		places[w] = {bytes, in_array};
	}
	if (!places || !map_.take({places.get(), windows.size()}, bits_))
		return fail(HET_ENOMEM, "het_launch: out of memory");
	return 0;
}

// What lies in several places, is not pinned, or is less even than it would be in a buffer is of no use to the device
// where it is.
void granule_frames::look_at(granule &g, const range_use &u, unsigned widest)
{
	host_bytes places[most_places];
	const unsigned host = core().host_memory->memory_number;
	const size_t n = u.on.find_places(g.bytes, host, device_->memory_number, places);
	const uint64_t there = map_.address_of(g.window, g.bytes.begin);
	uint64_t here = 0;
	if (n == 1 && places[0].pinned)
		here = device_->compute->address_of_pinned(places[0].at);
	g.must_be_there = !here || (here - there) % std::max<uint64_t>(widest, least_evenness);
	if (!g.must_be_there)
		moves_[size_t(&g - map_.all().data())] = (here - there) | granule_table::counted;
}

// What is known row by row is used once, and comes over the bus as fast as a copy would. Of other arguments, of which
// nothing is known, each may have as many accesses, so the smaller one's granules have more.
void granule_frames::value(const slice_plan &plan)
{
	for (granule &g : map_.all()) {
		const window &w = plan.windows()[g.window];
		g.worth = w.stays ? std::max<uint64_t>(UINT64_MAX / std::max<uint64_t>(w.bytes.size(), 1), 1) : 0;
	}
}

int granule_frames::fail_musts(const char *kernel) const
{
	using printed = unsigned long long;
	const auto all = map_.all();
	const size_t musts =
		size_t(std::count_if(all.begin(), all.end(), [](const granule &g) { return g.must_be_there; }));
	return fail(HET_EDEVICE,
		    "het_launch: kernel %s works on host memory in place on %s, which can't use %zu granules of %llu "
		    "bytes where they are, as they are not registered with it, or odd, and may use %llu bytes of its "
		    "own: raise HET_DEVICE_MEMORY",
		    kernel, device_->compute->info().name, musts, printed(granule_bytes()), printed(reserved_));
}

void granule_frames::fill_table()
{
	const auto first = reinterpret_cast<uintptr_t>(device_->compute->address_of(buffer_));
	const auto all = map_.all();
	for (size_t i = 0; i < all.size(); i++) {
		if (all[i].frame != granule::none)
			moves_[i] = first + (uint64_t{all[i].frame} << bits_) - map_.address_of(i);
	}
	const uint64_t words_at = first + (uint64_t{nframes_} << bits_);
	table_ = {.base = first_granule_address,
		  .size = map_.size(),
		  .moves = words_at,
		  .counts = words_at + sizeof(uint64_t) * most_granules_,
		  .bits = bits_};
}

int granule_frames::place(const slice_plan &plan, std::span<const range_use> uses, unsigned widest, const char *kernel)
{
	if (int err = make_map(plan, uses))
		return err;
	for (granule &g : map_.all())
		look_at(g, use_of(plan, uses, g.window), widest);
	value(plan);
	if (!map_.give_frames(nframes_))
		return fail_musts(kernel);
	fill_table();
	const auto all = map_.all();
	const size_t there = size_t(
		std::count_if(all.begin(), all.end(), [](const granule &g) { return g.frame != granule::none; }));
	inform("het_launch: kernel %s works on host memory in place on %s: %zu of %zu granules of %llu bytes are there",
	       kernel, device_->compute->info().name, there, all.size(),
	       static_cast<unsigned long long>(granule_bytes()));
	return 0;
}

// --- copies --------------------------------------------------------------------

int granule_frames::copy_range(frame_copies &all, range bytes, unsigned window, const range_use &u) const
{
	int err = 0;
	while (!bytes.empty() && !err) {
		const granule &g = map_.all()[map_.number_of(window, bytes.begin)];
		const range part = {bytes.begin, std::min(bytes.end, g.bytes.end)};
		const size_t offset = map_.offset_of(g) + (part.begin - g.bytes.begin);
		if (g.frame != granule::none)
			err = all.add(buffer_, (g.frame << bits_) + offset, part, u);
		bytes.begin = part.end;
	}
	return err;
}

int granule_frames::copy_table(frame_copies &all, bool home)
{
	const size_t nbytes = sizeof(uint64_t) * map_.all().size(), at = nframes_ << bits_;
	auto words_of = [&](uint64_t *w) { return host_bytes{reinterpret_cast<char *>(w), nbytes, false}; };
	int err = home ? 0 : all.add(buffer_, at, words_of(moves_.get()));
	return err ? err : all.add(buffer_, at + sizeof(uint64_t) * most_granules_, words_of(counts_.get()));
}

int granule_frames::copy(const slice_plan &plan, std::span<const range_use> uses, bool home)
{
	const std::unique_ptr<range[]> ranges(new (std::nothrow) range[uses.size()]);
	if (!ranges)
		return fail(HET_ENOMEM, "het_launch: out of memory");
	frame_copies all(*device_, home);
	int err = 0;
	for (unsigned w = 0; w < plan.windows().size() && !err; w++) {
		const size_t n = plan.find_ranges(w, plan.all_rows(), home, {ranges.get(), uses.size()});
		for (size_t i = 0; i < n && !err; i++)
			err = copy_range(all, ranges[i], w, use_of(plan, uses, w));
	}
	memory_account &account = device_->memory.account;
	(home ? account.brought : account.sent).fetch_add(all.bytes(), std::memory_order_relaxed);
	if (!err)
		err = copy_table(all, home);
	if (!err)
		err = all.flush();
	if (!err && home)
		account.in_place.fetch_add(
			std::accumulate(counts_.get(), counts_.get() + map_.all().size(), uint64_t{0}),
			std::memory_order_relaxed);
	return err;
}

} // namespace het::rt
