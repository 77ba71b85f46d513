// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/granule_frames.h"

#include "core/frame_copies.h"
#include "core/reserve.h"
#include "os/clock.h"
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

void granule_frames::count_as(memory_kind k)
{
	device_->memory.account.add(k, reserved_);
	device_->memory.account.remove(std::exchange(counted_as_, k), reserved_);
}

int granule_frames::take(const launch &l, het_device &d, uint64_t most)
{
	const unsigned bits = granule_bits(most);
	const size_t most_granules = granules_of(l.plan, bits);
	const uint64_t marks = granule_marks::bytes_for(most_granules);
	const bool has_marks = l.may_be_inspected && smallest(l.plan, most) + marks <= most;
	const uint64_t tables = words * most_granules + (has_marks ? marks : 0);
	const size_t nframes = most > tables ? size_t(std::min<uint64_t>((most - tables) >> bits, most_granules)) : 0;
	const uint64_t nbytes = (uint64_t{nframes} << bits) + tables;
	if (!history_.are_known(l.uses) || bits != bits_)
		forget_all();
	// Who waits for memory would be given this.
	if (nframes != nframes_ || bits != bits_ || most_granules != most_granules_ || has_marks != has_marks_ ||
	    !d.memory.line.is_empty())
		give_back();
	device_ = &d;
	bits_ = bits;
	nframes_ = nframes;
	most_granules_ = most_granules;
	has_marks_ = has_marks;
	if (buffer_) {
		count_as(memory_kind::windows);
		return 0;
	}
	moves_.reset(new (std::nothrow) uint64_t[most_granules_]());
	counts_.reset(new (std::nothrow) uint64_t[most_granules_]());
	if (!moves_ || !counts_)
		return fail(HET_ENOMEM, "het_launch: out of memory");
	if (int err = reserve(d, memory_kind::windows, nbytes, "het_launch"))
		return err;
	reserved_ = nbytes;
	counted_as_ = memory_kind::windows;
	delay_point();
	const int err = allocate_reserved(d, nbytes, &buffer_, nbytes);
	if (err)
		give_back();
	return err;
}

void granule_frames::keep(bool ok)
{
	if (!ok)
		forget_all();
	if (reserved_)
		count_as(memory_kind::kept);
}

void granule_frames::give_back()
{
	copies_.forget_all();
	for (granule &g : copies_.map().all())
		g.frame = granule::none;
	if (buffer_)
		device_->compute->drop(std::exchange(buffer_, nullptr));
	if (reserved_)
		rt::give_back(*device_, counted_as_, std::exchange(reserved_, 0));
}

// Nothing that was learnt is of use.
void granule_frames::forget_all()
{
	copies_.forget_all();
	history_.forget_all();
}

// --- where granules are --------------------------------------------------------

// If it is the same as before, frames stay.
int granule_frames::make_map(const launch &l)
{
	bool is_new = false;
	if (int err = copies_.map_windows(l.plan, l.uses, bits_, most_granules_, &is_new))
		return err;
	history_.know_kernel(l.kernel);
	if (!history_.know_granules(most_granules_, is_new) || (!history_.are_known(l.uses) && !history_.know(l.uses)))
		return fail(HET_ENOMEM, "het_launch: out of memory");
	return 0;
}

// What lies in several places, is not pinned, or is less even than it would be in a buffer is of no use to the device
// where it is.
void granule_frames::look_at(granule &g, const launch &l)
{
	const range_use &u = use_of(l.plan, l.uses, g.window);
	host_bytes places[most_places];
	const unsigned host = core().host_memory->memory_number;
	const size_t n = u.on.find_places(g.bytes, host, device_->memory_number, places);
	const uint64_t there = copies_.map().address_of(g.window, g.bytes.begin);
	uint64_t here = 0;
	if (n == 1 && places[0].pinned)
		here = device_->compute->address_of_pinned(places[0].at);
	g.must_be_there = !here || (here - there) % std::max<uint64_t>(l.widest, least_evenness);
	moves_[number_of(g)] = g.must_be_there ? 0 : (here - there) | granule_table::counted;
}

// An inspector needs what must be there alone, and what is there already costs nothing.
void granule_frames::value(granule &g, const launch &l)
{
	const size_t i = number_of(g);
	const bool is_there = g.frame != granule::none && copies_.is_copy(i);
	g.worth = is_inspected_first_ ? is_there
				      : history_.worth(i, l.plan.windows()[g.window], g.bytes.size(), is_there);
}

int granule_frames::fail_musts(const char *kernel) const
{
	using printed = unsigned long long;
	const auto all = copies_.map().all();
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
	const granule_map &map = copies_.map();
	const uint64_t counted = history_.counts_all() ? granule_table::counted : 0;
	for (size_t i = 0; i < map.all().size(); i++) {
		const size_t frame = map.all()[i].frame;
		if (frame != granule::none)
			moves_[i] = (first + (uint64_t{frame} << bits_) - map.address_of(i)) | counted;
	}
	const uint64_t words_at = first + (uint64_t{nframes_} << bits_);
	table_ = {.base = first_granule_address,
		  .size = map.size(),
		  .moves = words_at,
		  .counts = words_at + sizeof(uint64_t) * most_granules_,
		  .bits = bits_,
		  .uncounted = one_of_ - 1};
}

int granule_frames::place(const launch &l)
{
	travelled_ = {};
	if (int err = make_map(l))
		return err;
	is_inspected_first_ = wants_inspection();
	if (int err = choose(l))
		return err;
	return is_inspected_first_ ? prepare_marks(l) : 0;
}

int granule_frames::choose(const launch &l)
{
	granule_map &map = copies_.map();
	for (granule &g : map.all())
		look_at(g, l);
	for (granule &g : map.all())
		value(g, l);
	if (!map.give_frames(nframes_))
		return fail_musts(l.name);
	if (int err = copies_.note_frames(l.plan, l.uses))
		return err;
	const auto all = map.all();
	one_of_ = history_.choose_counted(all.size());
	fill_table();
	const size_t there = size_t(
		std::count_if(all.begin(), all.end(), [](const granule &g) { return g.frame != granule::none; }));
	inform("het_launch: kernel %s %s on %s: %zu of %zu granules of %llu bytes are there", l.name,
	       is_inspected_first_ ? "is inspected" : "works on host memory in place", device_->compute->info().name,
	       there, all.size(), static_cast<unsigned long long>(granule_bytes()));
	return 0;
}

// --- inspection ----------------------------------------------------------------

// If all have frames nothing is to be chosen.
bool granule_frames::wants_inspection()
{
	if (copies_.take_source_change())
		history_.inspect_again();
	return has_marks_ && !history_.was_inspected() && nframes_ < copies_.map().all().size();
}

int granule_frames::prepare_marks(const launch &l)
{
	if (!marks_.make(copies_.map(), most_granules_, l.plan))
		return fail(HET_ENOMEM, "het_launch: out of memory");
	const auto at = reinterpret_cast<uintptr_t>(device_->compute->address_of(buffer_)) + marks_at();
	inspection_ = marks_.table(at, copies_.map(), l.ngroups, core().inspects == inspection::whole);
	return 0;
}

int granule_frames::copy_marks(bool home)
{
	frame_copies all(*device_, home);
	const int err = all.add(buffer_, marks_at(), {marks_.bytes(), granule_marks::bytes_for(most_granules_), false});
	return err ? err : all.flush();
}

int granule_frames::look_at_marks(const launch &l)
{
	is_inspected_first_ = false;
	if (int err = copy_marks(true))
		return err;
	history_.note_inspection(marks_, copies_.map().all().size());
	copies_.note_sources(marks_, l.plan);
	return choose(l);
}

// --- copies --------------------------------------------------------------------

int granule_frames::copy_range(frame_copies &all, range bytes, unsigned window, const range_use &u, bool home)
{
	const granule_map &map = copies_.map();
	int err = 0;
	while (!bytes.empty() && !err) {
		const granule &g = map.all()[map.number_of(window, bytes.begin)];
		const range part = {bytes.begin, std::min(bytes.end, g.bytes.end)};
		const size_t offset = map.offset_of(g) + (part.begin - g.bytes.begin);
		const bool is_there = g.frame != granule::none && !home && !copies_.comes(number_of(g));
		travelled_.reused += is_there ? part.size() : 0;
		if (is_there)
			device_->memory.account.reused.fetch_add(part.size(), std::memory_order_relaxed);
		else if (g.frame != granule::none)
			err = all.add(buffer_, (g.frame << bits_) + offset, part, u);
		bytes.begin = part.end;
	}
	return err;
}

int granule_frames::copy_table(frame_copies &all, bool home)
{
	const size_t nbytes = sizeof(uint64_t) * copies_.map().all().size(), at = nframes_ << bits_;
	auto words_of = [&](uint64_t *w) { return host_bytes{reinterpret_cast<char *>(w), nbytes, false}; };
	int err = home ? 0 : all.add(buffer_, at, words_of(moves_.get()));
	return err ? err : all.add(buffer_, at + sizeof(uint64_t) * most_granules_, words_of(counts_.get()));
}

int granule_frames::copy(const launch &l, bool home, uint64_t *nbytes)
{
	const std::unique_ptr<range[]> ranges(new (std::nothrow) range[l.uses.size()]);
	if (!ranges)
		return fail(HET_ENOMEM, "het_launch: out of memory");
	frame_copies all(*device_, home);
	int err = 0;
	for (unsigned w = 0; w < l.plan.windows().size() && !err; w++) {
		const size_t n = l.plan.find_ranges(w, l.plan.all_rows(), home, {ranges.get(), l.uses.size()});
		for (size_t i = 0; i < n && !err; i++)
			err = copy_range(all, ranges[i], w, use_of(l.plan, l.uses, w), home);
	}
	*nbytes = all.bytes();
	memory_account &account = device_->memory.account;
	(home ? account.brought : account.sent).fetch_add(*nbytes, std::memory_order_relaxed);
	(home ? travelled_.brought : travelled_.sent) += *nbytes;
	if (!err)
		err = copy_table(all, home);
	return err ? err : all.flush();
}

int granule_frames::send(const launch &l)
{
	std::fill_n(counts_.get(), copies_.map().all().size(), 0);
	uint64_t nbytes = 0;
	const uint64_t began = now_ns();
	const int err = copy(l, false, &nbytes);
	history_.note_copy(nbytes, now_ns() - began, device_->rate.load());
	return err || !is_inspected_first_ ? err : copy_marks(false);
}

int granule_frames::bring(const launch &l, uint64_t kernel_ns)
{
	uint64_t nbytes = 0;
	if (int err = copy(l, true, &nbytes))
		return err;
	const uint64_t in_place =
		history_.learn(copies_.map(), l.plan, counts_.get(), moves_.get(), one_of_, kernel_ns);
	travelled_.accesses += in_place;
	device_->memory.account.in_place.fetch_add(in_place, std::memory_order_relaxed);
	return 0;
}

} // namespace het::rt
