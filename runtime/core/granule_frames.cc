// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/granule_frames.h"

#include "core/frame_copies.h"
#include "core/reserve.h"
#include "os/clock.h"
#include "os/inject.h"
#include "os/log.h"

#include <algorithm>
#include <bit>
#include <new>
#include <numeric>
#include <utility>

namespace het::rt
{

namespace
{

// The table has so many bytes for a granule.
constexpr uint64_t words = 2 * sizeof(uint64_t);

// So often what has a frame is counted, too: it may be used less than before.
constexpr unsigned count_again = 16;

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

bool granule_frames::are_known(std::span<const range_use> uses) const
{
	if (!uses_ || uses.size() != nuses_)
		return false;
	for (size_t i = 0; i < nuses_; i++) {
		if (uses_[i] != known_use{uses[i].bytes, uses[i].access})
			return false;
	}
	return true;
}

bool granule_frames::know(std::span<const range_use> uses)
{
	uses_.reset(new (std::nothrow) known_use[uses.size()]);
	nuses_ = uses_ ? uses.size() : 0;
	for (size_t i = 0; i < nuses_; i++)
		uses_[i] = {uses[i].bytes, uses[i].access};
	return uses_ != nullptr;
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
	if (!are_known(l.uses) || bits != bits_)
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
	forget_copies();
	for (granule &g : map_.all())
		g.frame = granule::none;
	if (buffer_)
		device_->compute->drop(std::exchange(buffer_, nullptr));
	if (reserved_)
		rt::give_back(*device_, counted_as_, std::exchange(reserved_, 0));
}

// --- what is kept --------------------------------------------------------------

void granule_frames::forget_copies()
{
	runtime_guard l(lock_);
	for (size_t i = 0; is_copy_ && i < map_.all().size(); i++)
		is_copy_[i] = false;
}

// Nothing that was learnt is of use.
void granule_frames::forget_all()
{
	forget_copies();
	uses_.reset();
	nuses_ = 0;
	forget_accesses();
}

void granule_frames::forget_accesses()
{
	seen_ = {};
	was_inspected_ = is_inspected_ = false;
}

void granule_frames::forget(range in_buffer)
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

bool granule_frames::is_copy(const granule &g)
{
	runtime_guard guard(lock_);
	return is_copy_[number_of(g)];
}

// What is forgotten from now on stays so, however the copy to the frame goes. The launch copies what its uses use of a
// window alone, of which a launch with other patterns may use more: so a frame is no copy if it has bytes between that.
int granule_frames::note_copies(const launch &l)
{
	const size_t most = l.uses.size();
	const std::unique_ptr<range[]> copied(new (std::nothrow) range[2 * most]);
	if (!copied)
		return fail(HET_ENOMEM, "het_launch: out of memory");
	unsigned window = ~0u;
	size_t n = 0;
	for (const granule &g : map_.all()) {
		if (g.window != std::exchange(window, g.window)) {
			n = l.plan.find_ranges(window, l.plan.all_rows(), false, {copied.get(), most});
			n += l.plan.find_ranges(window, l.plan.all_rows(), true, {copied.get() + n, most});
		}
		const size_t i = number_of(g);
		const bool is_there = g.frame != granule::none;
		const bool is_whole =
			std::any_of(copied.get(), copied.get() + n, [&](range r) { return r.covers(g.bytes); });
		runtime_guard guard(lock_);
		comes_[i] = is_there && !is_copy_[i];
		is_copy_[i] = is_there && is_whole;
	}
	return 0;
}

// --- where granules are --------------------------------------------------------

// If it is the same as before, frames stay.
int granule_frames::make_map(const launch &l)
{
	const auto windows = l.plan.windows();
	const std::unique_ptr<granule_map::place[]> places(new (std::nothrow) granule_map::place[windows.size()]);
	std::unique_ptr<known_window[]> found(new (std::nothrow) known_window[windows.size()]);
	for (unsigned w = 0; places && found && w < windows.size(); w++) {
		size_t in_array = 0;
		const range bytes = windows[w].bytes;
		const void *buffer =
			use_of(l.plan, l.uses, w).on.buffer(bytes.begin, core().host_memory->memory_number, &in_array);
		places[w] = {bytes, in_array};
		found[w] = {bytes, reinterpret_cast<uintptr_t>(buffer) + in_array, in_array};
	}
	if (nwindows_ == windows.size() && found && std::equal(found.get(), found.get() + nwindows_, windows_.get()) &&
	    bits_ == map_.bits())
		return 0;
	granule_map map;
	std::unique_ptr<bool[]> copies(new (std::nothrow) bool[most_granules_]());
	std::unique_ptr<bool[]> comes(new (std::nothrow) bool[most_granules_]());
	std::unique_ptr<bool[]> sources(new (std::nothrow) bool[most_granules_]());
	std::unique_ptr<uint64_t[]> accesses(new (std::nothrow) uint64_t[most_granules_]());
	if (!places || !found || !copies || !comes || !sources || !accesses ||
	    !map.take({places.get(), windows.size()}, bits_))
		return fail(HET_ENOMEM, "het_launch: out of memory");
	forget_accesses();
	comes_ = std::move(comes);
	accesses_ = std::move(accesses);
	runtime_guard guard(lock_);
	map_ = std::move(map);
	windows_ = std::move(found);
	nwindows_ = windows.size();
	is_copy_ = std::move(copies);
	is_source_ = std::move(sources);
	is_source_changed_ = false;
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
	const uint64_t there = map_.address_of(g.window, g.bytes.begin);
	uint64_t here = 0;
	if (n == 1 && places[0].pinned)
		here = device_->compute->address_of_pinned(places[0].at);
	g.must_be_there = !here || (here - there) % std::max<uint64_t>(l.widest, least_evenness);
	moves_[number_of(g)] = g.must_be_there ? 0 : (here - there) | granule_table::counted;
}

// Of the first launch nothing is known but this, unless it was inspected. What is known row by row is used once, and
// comes over the bus as fast as a copy would. Of other arguments each may have as many accesses, so the smaller one's
// granules have more; and what is there already costs nothing.
void granule_frames::value(const launch &l)
{
	for (granule &g : map_.all()) {
		const window &w = l.plan.windows()[g.window];
		const bool is_there = g.frame != granule::none && is_copy(g);
		const granule_use use = {.bytes = g.bytes.size(),
					 .accesses = accesses_[number_of(g)],
					 .is_written = w.writes,
					 .must_come = w.reads && !is_there,
					 .is_used_once = !w.stays};
		const uint64_t each = UINT64_MAX / 2 / std::max<uint64_t>(w.bytes.size(), 1);
		const uint64_t unknown = w.stays ? 2 * each + is_there : 0;
		g.worth = is_inspected_first_ ? is_there : is_known() ? worth_of(use, seen_) : unknown;
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

// Where a granule has many accesses, many threads want its counter at once, and some of them are enough. How many there
// are is only known from a launch before.
uint32_t granule_frames::choose_counted() const
{
	constexpr uint64_t enough = 32 << 10, most = 16;
	if (!is_known())
		return 1;
	const uint64_t all = *std::max_element(accesses_.get(), accesses_.get() + map_.all().size());
	return uint32_t(std::bit_floor(std::clamp<uint64_t>(all / enough, 1, most)));
}

void granule_frames::fill_table()
{
	const auto first = reinterpret_cast<uintptr_t>(device_->compute->address_of(buffer_));
	const auto all = map_.all();
	for (size_t i = 0; i < all.size(); i++) {
		const uint64_t counted = seen_.count % count_again ? 0 : granule_table::counted;
		if (all[i].frame != granule::none)
			moves_[i] = (first + (uint64_t{all[i].frame} << bits_) - map_.address_of(i)) | counted;
	}
	const uint64_t words_at = first + (uint64_t{nframes_} << bits_);
	table_ = {.base = first_granule_address,
		  .size = map_.size(),
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
	// Another kernel may use other bytes of the same arguments.
	if (l.kernel != std::exchange(kernel_, l.kernel))
		forget_accesses();
	if (!are_known(l.uses) && !know(l.uses))
		return fail(HET_ENOMEM, "het_launch: out of memory");
	is_inspected_first_ = wants_inspection();
	if (int err = choose(l))
		return err;
	return is_inspected_first_ ? prepare_marks(l) : 0;
}

int granule_frames::choose(const launch &l)
{
	for (granule &g : map_.all())
		look_at(g, l);
	value(l);
	if (!map_.give_frames(nframes_))
		return fail_musts(l.name);
	if (int err = note_copies(l))
		return err;
	one_of_ = choose_counted();
	fill_table();
	const auto all = map_.all();
	const size_t there = size_t(
		std::count_if(all.begin(), all.end(), [](const granule &g) { return g.frame != granule::none; }));
	inform("het_launch: kernel %s %s on %s: %zu of %zu granules of %llu bytes are there", l.name,
	       is_inspected_first_ ? "is inspected" : "works on host memory in place", device_->compute->info().name,
	       there, all.size(), static_cast<unsigned long long>(granule_bytes()));
	return 0;
}

// --- inspection ----------------------------------------------------------------

// If all have frames nothing is to be chosen. What was found goes for as long as nobody writes what addresses were made
// of.
bool granule_frames::wants_inspection()
{
	runtime_guard guard(lock_);
	if (std::exchange(is_source_changed_, false))
		was_inspected_ = false;
	return has_marks_ && !was_inspected_ && nframes_ < map_.all().size();
}

int granule_frames::prepare_marks(const launch &l)
{
	if (!marks_.make(map_, most_granules_, l.plan))
		return fail(HET_ENOMEM, "het_launch: out of memory");
	const auto at = reinterpret_cast<uintptr_t>(device_->compute->address_of(buffer_)) + marks_at();
	inspection_ = marks_.table(at, map_, l.ngroups, core().inspects == inspection::whole);
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
	was_inspected_ = true;
	is_inspected_ = marks_.are_whole();
	if (!seen_.count)
		seen_.access_ns = access_ns_of(0, 0);
	seen_.byte_ns = byte_ns_;
	note_marks(l);
	return choose(l);
}

// What the launch writes itself the next one has to look at again.
void granule_frames::note_marks(const launch &l)
{
	const auto all = map_.all();
	runtime_guard guard(lock_);
	for (size_t i = 0; i < all.size(); i++) {
		if (is_inspected_)
			accesses_[i] = marks_.accesses(i);
		is_source_[i] = marks_.is_source(i);
		is_source_changed_ |= is_source_[i] && l.plan.windows()[all[i].window].writes;
	}
}

// --- copies --------------------------------------------------------------------

int granule_frames::copy_range(frame_copies &all, range bytes, unsigned window, const range_use &u, bool home)
{
	int err = 0;
	while (!bytes.empty() && !err) {
		const granule &g = map_.all()[map_.number_of(window, bytes.begin)];
		const range part = {bytes.begin, std::min(bytes.end, g.bytes.end)};
		const size_t offset = map_.offset_of(g) + (part.begin - g.bytes.begin);
		const bool is_there = g.frame != granule::none && !home && !comes_[number_of(g)];
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
	const size_t nbytes = sizeof(uint64_t) * map_.all().size(), at = nframes_ << bits_;
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

// Large copies tell how long a byte takes.
int granule_frames::send(const launch &l)
{
	constexpr uint64_t enough = 16 << 20;
	std::fill_n(counts_.get(), map_.all().size(), 0);
	uint64_t nbytes = 0;
	const uint64_t began = now_ns();
	const int err = copy(l, false, &nbytes);
	if (nbytes >= enough)
		byte_ns_ = double(now_ns() - began) / double(nbytes);
	else if (byte_ns_ == 0)
		byte_ns_ = 1e9 / device_->rate.load();
	return err || !is_inspected_first_ ? err : copy_marks(false);
}

int granule_frames::bring(const launch &l, uint64_t kernel_ns)
{
	uint64_t nbytes = 0;
	const int err = copy(l, true, &nbytes);
	if (!err)
		learn(l, kernel_ns);
	return err;
}

// Of those that were not counted the last that is known stays.
void granule_frames::learn(const launch &l, uint64_t kernel_ns)
{
	uint64_t all = 0, unknown = 0;
	double in_order_ns = 0;
	for (const granule &g : map_.all()) {
		const size_t i = number_of(g);
		const bool stays = l.plan.windows()[g.window].stays, in_place = g.frame == granule::none;
		const uint64_t accesses = counts_[i] * one_of_;
		if (moves_[i] & granule_table::counted)
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
	travelled_.accesses += all;
	device_->memory.account.in_place.fetch_add(all, std::memory_order_relaxed);
}

} // namespace het::rt
