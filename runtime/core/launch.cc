// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/launch.h"

#include "core/deadlines.h"
#include "core/device_paths.h"
#include "core/group_shape.h"
#include "core/make_room.h"
#include "core/queue.h"
#include "core/raw_memory.h"
#include "core/slice_threads.h"
#include "core/sliced_launch.h"
#include "core/waiting_kernels.h"
#include "evict/admission.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/settings.h"

#include <algorithm>
#include <utility>

namespace het::rt
{

bool launch::can_take_arguments(const compute_device &d) const
{
	return (!has_addresses_ || d.has_addresses()) && (!has_block() || d.takes_blocks()) && has_local_memory(d);
}

bool launch::can_take_groups(const het_device &d, misfit &m) const
{
	if (d.compute->takes(kernel_->on(d), shape_, m.why))
		return true;
	m.device = &d;
	return false;
}

int launch::fail_for_groups(const misfit &m) const
{
	return fail(HET_EARG, "het_launch: kernel %s can't run so on %s: %s", kernel_->name.get(),
		    m.device->compute->info().name, m.why.text);
}

// Says what is special of a launch that no device takes.
const char *launch::what_is_special() const
{
	if (has_block())
		return " with a parameter block, which devices of kind CUDA take";
	if (local_bytes_ && !addressed_)
		return ", with the local memory that it wants";
	if (addressed_)
		return " and has the memory, textures and samplers that are arguments";
	return has_addresses_ ? " with an address, which OpenCL devices take that have shared virtual memory" : "";
}

// Finds the devices of the queue that can run it, in the order of the queue's. Returns how many they are.
unsigned launch::find_devices(het_device *(&found)[most_devices], het_device **lost, misfit &m) const
{
	uint32_t allowed = queue->devices;
	if (addressed_)
		allowed &= uint32_t{1} << addressed_->executor.number();
	if (named_)
		allowed &= uint32_t{1} << named_->executor.number();
	unsigned n = 0;
	het_device *not_built = nullptr;
	for (unsigned i = 0; i < core().ndevices; i++) {
		het_device &d = *core().devices[i];
		if (!(allowed >> i & 1) || !kernel_->program->can_run_on(d) || !can_take_arguments(*d.compute))
			continue;
		if (d.lost.load())
			*lost = &d;
		else if (kernel_->program->has_failed_on(d))
			not_built = &d;
		else if (is_too_large_for(d))
			m.too_small |= uint32_t{1} << i;
		else if (can_take_groups(d, m))
			found[n++] = &d;
	}
	if (!n && not_built)
		found[n++] = not_built; // gives the caller its error
	return n;
}

candidate launch::candidate_of(het_device &d) const
{
	speeds &known = kernel_->speeds;
	const double missing = missing_on(d), rate = d.rate.load(std::memory_order_relaxed);
	return {known.alone(d),
		double(d.expected_ns()) * 1e-9,
		missing,
		missing > 0 ? missing / seconds_to_bring(d, missing, rate) : rate,
		d.cost.load(std::memory_order_relaxed),
		d.compute->processors(),
		known.is_sure(d),
		known.since(d)};
}

size_t launch::place_known(std::span<het_device *const> devices, candidate (&all)[most_devices]) const
{
	kernel_rates rates[most_devices];
	for (size_t i = 0; i < devices.size(); i++) {
		all[i] = candidate_of(*devices[i]);
		rates[i] = devices[i]->rates;
	}
	bound_unseen({all, devices.size()}, {rates, devices.size()});
	return place({all, devices.size()}, double(shape_.items()));
}

// Where no profile tells, nothing is looked at, but the first taken.
size_t launch::place_unseen(std::span<het_device *const> devices) const
{
	newcomer all[most_devices] = {};
	for (size_t i = 0; i < devices.size() && devices[0]->rates.known(); i++)
		all[i] = newcomer_of(*devices[i]);
	return choose_unseen({all, devices.size()});
}

het_device &launch::place_among(std::span<het_device *const> devices)
{
	candidate all[most_devices];
	bool known = false;
	for (size_t i = 0; i < devices.size(); i++) {
		all[i] = {kernel_->speeds.alone(*devices[i]), 0, 0, 0};
		known |= all[i].speed > 0;
	}
	const size_t best = known ? place_known(devices, all) : place_unseen(devices);
	kernel_->speeds.note_chosen(*devices[best]);
	missing_ = size_t(all[best].missing);
	if (all[best].speed > 0)
		expected_ns = uint64_t(expected_duration(all[best], double(shape_.items())) * 1e9);
	return *devices[best];
}

// Returns how long it will take where it runs, or 0 if that is not known.
uint64_t launch::known_duration()
{
	const candidate c = candidate_of(*device_);
	return c.speed > 0 ? uint64_t(expected_duration(c, double(shape_.items())) * 1e9) : 0;
}

// Others than the device that is expected to have finished first may steal it from a backlog if they have the kernel
// already, and find their data the same way, as edges were looked at for this way of reaching memory; and if they would
// not hold that device up.
void launch::find_thieves(std::span<het_device *const> able)
{
	for (het_device *d : able) {
		if (d != device_ && kernel_->on(*d) && !d->shares_processors_with(*device_) &&
		    d->compute->is_in_place() == device_->compute->is_in_place())
			stealable_by |= uint32_t{1} << d->executor.number();
	}
}

// What a kernel with notes has written is known when it has ended; and one that was stopped, or is in strips, has not
// ended when the stream gets on.
bool launch::may_go_behind() const
{
	return settings().pipeline && !on_device.may_stop && !in_strips_on_ && device_->compute->has_queue() &&
	       !kernel_->on(*device_)->notes_writes();
}

// More urgent ones may come. Building for that takes a while, so it is done once there are such.
bool launch::may_be_stopped() const
{
	return levels_in_use().is_below_others(level.load(std::memory_order_relaxed)) &&
	       device_->executor.has_lanes() && kernel_->prepare_stops(*device_);
}

// More urgent ones may come, and the device can't stop kernels. Groups that wait for each other would wait for ever.
bool launch::may_be_in_strips() const
{
	const compute_device &d = *device_->compute;
	const uint32_t bit = uint32_t{1} << device_->executor.number();
	return levels_in_use().is_below_others(level.load(std::memory_order_relaxed)) &&
	       preempting_allowed() != preempting::off && !(kernel_->has_no_strips.load() & bit) && d.has_queue() &&
	       !d.has_lanes() && !d.is_in_place() && !has_block() && !is_known_to_wait(*kernel_, false);
}

// Where it can't be it runs whole.
void launch::prepare_strips()
{
	strip_plan &p = strip_plan_;
	p = {nullptr, shape_, 0, 1, 0};
	choose_local(p.shape, kernel_->on(*device_)->limits());
	const division d = divide(grid_of(p.shape));
	p.shape.part.along = d.along;
	p.nrows = d.count;
	const size_t groups_of_all = p.shape.groups(0) * p.shape.groups(1) * p.shape.groups(2);
	const size_t groups_of_row = groups_of_all / std::max<size_t>(d.count, 1);
	p.least_rows = std::max<size_t>(1, device_->compute->wanted_groups() / std::max<size_t>(groups_of_row, 1));
	if (d.why_not || p.nrows <= p.least_rows)
		return;
	slicing how = {shape_.dimensions, d.along, {shape_.offset[0], shape_.offset[1], shape_.offset[2]}};
	how.offset[how.along] = 0;
	fatbin::fault why;
	if (kernel_->prepare_slices(*device_, how, &p.kernel)) {
		kernel_->has_no_strips.fetch_or(uint32_t{1} << device_->executor.number());
		inform("het_launch: kernel %s can't run in parts on %s, so more urgent launches wait for all of it",
		       kernel_->name.get(), device_->compute->info().name);
		return;
	}
	if (check_arguments(p.kernel) || !device_->compute->takes(p.kernel, p.shape, why))
		return;
	const double rows_a_item = double(p.nrows) / double(shape_.items());
	p.rows_a_ns = kernel_->speeds.alone(*device_) * rows_a_item * 1e-9;
	in_strips_on_ = device_;
}

// Whoever makes it more urgent asks for the lanes where it is under way.
void launch::add_lanes(uint32_t (&lanes)[most_devices]) const
{
	if (strips_ && begun)
		strips_->rise();
	else
		kernel_command::add_lanes(lanes);
}

int launch::prepare_on(het_device &d)
{
	int err = kernel_->prepare(d);
	if (!err && needs_memory(d))
		err = start_memory();
	return err ? err : d.lost.load() ? HET_EDEVICE : 0;
}

// Chooses a device. One for which it can't be prepared, or whose kernel does not take its groups, leaves it to the
// others, which are the first *left then.
int launch::prepare_one_of(std::span<het_device *> able, misfit &m, size_t *left)
{
	for (size_t n = able.size();; n = size_t(std::remove(able.data(), able.data() + n, device_) - able.data())) {
		device_ = n > 1 ? &place_among(able.first(n)) : able[0];
		*left = n;
		bool is_known = kernel_->on(*device_);
		int err = prepare_on(*device_);
		bool fits = err || is_known || can_take_groups(*device_, m);
		if (!err && fits)
			return 0;
		if (n > 1 && (!err || concerns_one_device(err)))
			continue;
		return err ? err : fail_for_groups(m);
	}
}

int launch::choose_device()
{
	het_device *able[most_devices];
	het_device *lost = nullptr;
	misfit m;
	size_t n = find_devices(able, &lost, m);
	too_small_ = m.too_small;
	if (!n && m.too_small)
		return wants_slices;
	if (!n && m.device)
		return fail_for_groups(m);
	if (!n && lost)
		return fail(HET_EDEVICE, "het_launch: %s has failed, and no other device can run kernel %s",
			    lost->compute->info().name, kernel_->name.get());
	if (!n)
		return fail(HET_ENODEV, "het_launch: none of the queue's devices can run kernel %s%s",
			    kernel_->name.get(), what_is_special());
	if (int err = prepare_one_of({able, n}, m, &n))
		return err;
	for (const het_device *d : std::span{able, n}) {
		if (int err = check_arguments(kernel_->on(*d)))
			return err;
	}
	if (!has_addresses_ && !has_block())
		find_thieves({able, n});
	if (deadline && !expected_ns)
		expected_ns = known_duration();
	hasten(*this);
	executor &x = device_->lanes.open(level.load(std::memory_order_relaxed));
	where.store(&x);
	on_device.may_stop = may_be_stopped();
	on_device.may_save = preempting_allowed() == preempting::save;
	if (may_be_in_strips())
		prepare_strips();
	stream = may_go_behind() ? &x : nullptr;
	return 0;
}

// Links come before the order of commands is known: an edge belongs to all that have a part of it.
int launch::prepare_memory()
{
	bool has_links = needs_memory(*device_);
	if (has_links && widen_linked(declare_uses(), *device_)) // is true nearly always
		return 0;
	int err = link_uses(*device_);
	if (err == too_large) {
		too_small_ = uint32_t{1} << device_->executor.number();
		return wants_slices;
	}
	if (!err)
		declare_accesses(widen_to_edges);
	return err;
}

int launch::prepare()
{
	int err = choose_device();
	return err ? err : prepare_memory();
}

void launch::place_arguments()
{
	size_t use = 0;
	for (device_arg &a : args_) {
		if (!is_memory(a.kind))
			continue;
		const range_use &u = uses_[use++];
		a.buffer = buffer_of(u, u.bytes.begin, *device_, &a.offset);
	}
}

// Notes how fast what was missing came.
void launch::note_rate()
{
	constexpr size_t enough = 1 << 20;
	if (missing_ < enough)
		return;
	double measured = double(missing_) / (double(now_ns() - started) * 1e-9);
	double known = device_->rate.load(std::memory_order_relaxed);
	device_->rate.store(known + 0.25 * (measured - known), std::memory_order_relaxed);
}

// Where the kernel tells what it has written, nothing is foreseen.
void launch::describe_uses(bool kernel_notes)
{
	is_promised_ = !kernel_notes &&
		       ((flags_ & HET_TOUCH_AFTER_WAIT) || queue->touch_after_wait || settings().touch_after_wait);
	for (range_use &u : uses_) {
		u.promised = is_promised_;
		u.behind = behind;
	}
}

// While others wait for memory it waits, too, but for what goes behind those in flight: that comes back by itself.
outcome launch::begin_uses(int *err)
{
	device_memory &m = device_->memory;
	bool notes = kernel_->on(*device_)->notes_writes();
	outcome o = m.line.may_begin(place_in_line) ? begin_ranges(uses_, *device_, err, notes) : outcome::no_room;
	if (o == outcome::no_room && refuse({.behind = behind}) == refusal::wait && m.line.enter(place_in_line))
		m.account.refusals.fetch_add(1, std::memory_order_relaxed);
	return o;
}

// There was enough memory when it was prepared.
begin_result launch::begin_in_slices()
{
	if (behind)
		return fail_too_large(*device_);
	if (int err = start_slice_threads(*device_, kernel_->name.get()))
		return err;
	het_kernel *kernel = kernel_.get();
	auto *slices = new (std::nothrow) sliced_launch(*queue, give_back(), uint32_t{1} << device_->executor.number());
	if (!slices)
		return fail(HET_ENOMEM, "het_launch: out of memory");
	kernel_ = reference<het_kernel>::to(kernel); // for whoever asks for its name
	in_slices_ = reference<object>(slices);
	leave_line(place_in_line);
	slices->stand_in_for(*this);
	return begin_result::detached;
}

// It may be over when this returns.
begin_result launch::begin_in_strips()
{
	leave_line(place_in_line);
	auto *made = new (std::nothrow) strips(*this, *device_, strip_plan_, args_);
	core().graph.locked([&] { strips_.reset(made); });
	const int err = made ? made->start() : fail(HET_ENOMEM, "het_launch: out of memory");
	if (err)
		abandon_ranges(uses_, *device_, false);
	return err ? begin_result(err) : begin_result(begin_result::detached);
}

begin_result launch::begin_on_device()
{
	device_kernel &kernel = *kernel_->on(*device_);
	bool in_place = device_->compute->is_in_place();
	int err = 0;
	describe_uses(kernel.notes_writes());
	outcome o = outcome::done;
	if (in_place)
		err = bring_to_host(uses_);
	else
		o = begin_uses(&err);
	if (o == outcome::must_wait || o == outcome::no_room)
		return begin_result::refused;
	if (o == outcome::too_large)
		return begin_in_slices();
	if (err)
		return err;
	note_rate();
	if (!in_place)
		place_arguments();
	submitted_ = now_ns();
	if (in_strips_on_ == device_)
		return begin_in_strips();
	if (on_device.may_stop)
		on_device.room = device_->room_for_stops(used_on(*device_));
	err = device_->compute->submit(kernel, shape_, args_, on_device);
	// Memory for stops may have been made before it failed.
	if (on_device.may_stop)
		device_->count_stops();
	if (err) {
		abandon_ranges(uses_, *device_, on_device.may_have_run);
		return err;
	}
	return device_->compute->has_queue() ? begin_result(begin_result::in_flight) : begin_result(end(0));
}

// Another executor than the one that was chosen may have stolen the command.
begin_result launch::begin(executor &x)
{
	het_device *device = core().devices[x.number()].get();
	missing_ = device == device_ ? missing_ : 0; // is not known for thieves
	device_ = device;
	begun_ = now_ns();
	return begin_on_device();
}

het_event_part_info launch::part(uint32_t) const
{
	return {0, device_, 0, shape_.global[shape_.dimensions - 1], started, ended};
}

// Notes how fast the kernel was. Launches are measured here on devices without a queue; with one, from when they began
// to run. Returns how long that was.
double launch::note_speed()
{
	bool has_queue = device_->compute->has_queue();
	uint64_t from = has_queue ? started : submitted_, to = has_queue ? ended : now_ns();
	double kernel = to > from ? double(to - from) * 1e-9 : 0;
	if (kernel > 0)
		kernel_->speeds.note_alone(*device_, double(shape_.items()) / kernel);
	return kernel;
}

// Notes the time of all that the launch took: from its begin, or the end of the one before, to its own end, less the
// time in which it had ended and nobody had asked.
void launch::note_total(double kernel_seconds)
{
	constexpr size_t little = 1 << 16;
	uint64_t now = now_ns(), from = std::max(begun_, device_->last_over.exchange(now));
	uint64_t unwatched = device_->compute->has_queue() && watched > ended ? watched - std::max(ended, from) : 0;
	if (now <= from + unwatched)
		return;
	double total = double(now - from - unwatched) * 1e-9;
	kernel_->speeds.note_spent(*device_, total);
	if (missing_ > little) // means that their travel was most of it
		return;
	double measured = std::max(0.0, total - kernel_seconds);
	double known = device_->cost.load(std::memory_order_relaxed);
	device_->cost.store(known > 0 ? known + 0.25 * (measured - known) : measured, std::memory_order_relaxed);
}

// What the host is expected to touch comes home if all is well so far: with the promise before the program hears of the
// end.
int launch::end_uses(int device_error)
{
	if (device_->compute->is_in_place())
		return 0;
	// Its first strip could not be begun: the host has all that it had.
	if (device_error && strips_ && !on_device.may_have_run)
		return abandon_ranges(uses_, *device_, false);
	if (device_error || on_device.notes)
		return end_ranges(uses_, *device_, on_device.notes.get());
	int err = 0;
	bool comes = end_ranges_homeward(uses_, *device_, *this, &err);
	comes_home = comes && is_promised_ && !err;
	comes_later = comes && !is_promised_ && !err;
	if (comes && err)
		is_promised_ ? bring_home() : bring_later();
	return err;
}

int launch::end(int device_error)
{
	const bool is_timed = !device_error && !on_device.stopped.stops;
	double kernel_seconds = is_timed ? note_speed() : 0;
	kernel_->has_run(*device_);
	int err = end_uses(device_error);
	if (is_timed && !err)
		note_total(kernel_seconds);
	return err;
}

} // namespace het::rt
