// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/split_plan.h"

#include "core/analysis.h"
#include "core/queue.h"
#include "core/split_devices.h"
#include "core/waiting_kernels.h"
#include "os/log.h"
#include "os/settings.h"

#include <algorithm>
#include <numeric>

namespace het::rt
{

namespace
{

// An argument that is used in more pieces counts as used anywhere.
constexpr uint64_t most_pieces = 32;

} // namespace

int split_plan::refuse(const char *why) const
{
	inform("het_launch: kernel %s runs on one device: %s", kernel_->name.get(), why);
	return unsplit;
}

bool split_plan::has_pattern(size_t use) const
{
	return patterns_[use].size && patterns_[use].count <= most_pieces;
}

size_t split_plan::twin_bytes() const
{
	size_t n = 0;
	for (size_t i = 0; i < uses_.size(); i++)
		n += needs_twin(i) ? uses_[i].bytes.size() : 0;
	return n;
}

double split_plan::part_of_twins() const
{
	size_t all = std::accumulate(uses_.begin(), uses_.end(), size_t{0},
				     [](size_t n, const range_use &u) { return n + u.bytes.size(); });
	return double(twin_bytes()) / double(all);
}

double split_plan::items_of_row() const
{
	double items = 1;
	for (unsigned d = 0; d < 3; d++)
		items *= double(d == shape_.part.along ? shape_.local[d] : shape_.global[d]);
	return items;
}

bool split_plan::is_repeatable() const
{
	for (size_t i = 0; i < uses_.size(); i++) {
		bool reads = uses_[i].access & HET_READ_ONLY || patterns_[i].length < patterns_[i].step;
		if ((uses_[i].access & HET_WRITE_ONLY) && !needs_twin(i) && reads)
			return false;
	}
	return true;
}

int split_plan::choose_devices()
{
	if (has_addresses_ || addressed_ || has_block())
		return refuse("an argument is a device's address, texture or sampler, or a parameter block");
	bool has_offset = shape_.offset[0] || shape_.offset[1] || shape_.offset[2];
	for (unsigned i = 0; i < core().ndevices; i++) {
		het_device &d = *core().devices[i];
		bool fits =
			(!has_offset || d.compute->knows_offsets()) && has_local_memory(*d.compute) && !d.lost.load();
		fatbin::fault why;
		fits = fits && !is_too_large_for(d);
		if (fits && (queue->devices >> i & 1) && kernel_->program->can_run_on(d) &&
		    d.compute->takes(kernel_->on(d), shape_, why))
			members_[nmembers_++].device = &d;
	}
	return nmembers_ < 2 ? refuse("none of the queue's other devices can run it") : 0;
}

int split_plan::leave_out_sharers()
{
	// A policy that was asked for gets all devices.
	if (settings().policy)
		return 0;
	het_device *devices[most_devices];
	for (unsigned i = 0; i < nmembers_; i++)
		devices[i] = members_[i].device;
	nmembers_ = keep_one_of_processors({devices, nmembers_}, kernel_->speeds, double(shape_.items()));
	for (unsigned i = 0; i < nmembers_; i++)
		members_[i].device = devices[i];
	return nmembers_ < 2 ? refuse("the queue's devices that can run it share their processors") : 0;
}

// Where the kernel was analysed, what it uses is known without the caller's help; and so is whether it may be split, if
// the caller does not say so.
int split_plan::choose_patterns()
{
	const analysed_launch l = {*kernel_, shape_, args_, uses_};
	const char *why = is_declared_ ? nullptr : why_not_safe(l);
	if (why)
		return refuse(why);
	is_analysed_ = find_patterns(l, patterns_) || !is_declared_;
	has_twins_ = twin_bytes() != 0;
	auto can_not = [&](const member &p) { return has_twins_ && !p.device->compute->makes_twins(); };
	nmembers_ = unsigned(std::remove_if(members_, members_ + nmembers_, can_not) - members_);
	return nmembers_ < 2
		       ? refuse("an argument is written and has no pattern, or one of too many pieces, and none of the "
				"queue's other devices can tell what it wrote")
		       : 0;
}

// Every slice has groups of the same size, which suits all devices.
int split_plan::choose_local()
{
	if (shape_.has_local())
		return 0;
	size_t most = SIZE_MAX;
	unsigned kept = 0;
	for (unsigned i = 0; i < nmembers_; i++) {
		int err = kernel_->prepare(*members_[i].device);
		if (err && !concerns_one_device(err))
			return err;
		if (!err)
			members_[kept++] = members_[i];
	}
	nmembers_ = kept;
	for (unsigned i = 0; i < nmembers_; i++) {
		group_limits limits = kernel_->on(*members_[i].device)->limits();
		most = std::min(most, limits.most);
		for (unsigned d = 0; d < 3 && limits.required[0]; d++)
			shape_.local[d] = limits.required[d];
	}
	if (shape_.has_local())
		return 0;
	shape_.local[0] = choose_group(shape_.global[0], most);
	shape_.local[1] = shape_.local[2] = 1;
	return 0;
}

work_grid split_plan::grid() const
{
	work_grid g = {shape_.dimensions, {}, {}, {}};
	for (unsigned d = 0; d < 3; d++) {
		g.global[d] = shape_.global[d];
		g.local[d] = shape_.local[d];
		g.offset[d] = shape_.offset[d];
	}
	return g;
}

int split_plan::choose_rows()
{
	division d = divide(grid());
	nrows_ = d.count;
	shape_.part.along = d.along;
	return d.why_not ? refuse(d.why_not) : 0;
}

int split_plan::prepare_kernels()
{
	slicing how = {shape_.dimensions, shape_.part.along, {shape_.offset[0], shape_.offset[1], shape_.offset[2]}};
	how.offset[how.along] = 0;
	how.asked = is_analysed_ ? kernel_->description()->asked : nullptr;
	unsigned kept = 0;
	for (unsigned i = 0; i < nmembers_; i++) {
		member p = members_[i];
		int err = kernel_->prepare_slices(*p.device, how, &p.kernel);
		if (!err)
			err = check_arguments(p.kernel);
		if (!err && needs_memory(*p.device))
			err = start_memory();
		fatbin::fault why;
		if (!err && !p.device->lost.load() && p.device->compute->takes(p.kernel, shape_, why))
			members_[kept++] = p;
		else if (err && err != HET_ENODEV && !concerns_one_device(err))
			return err;
	}
	nmembers_ = kept;
	return nmembers_ < 2 ? refuse("its program can be sliced for one device at most") : 0;
}

// Others must not have any part of a chunk in which several devices write.
int split_plan::prepare_memory()
{
	for (unsigned i = 0; i < nmembers_; i++) {
		int err = link_uses(*members_[i].device);
		if (err)
			return err == too_large ? refuse("arrays that its ranges are parts of do not fit into a device")
						: err;
	}
	for (range_use &u : uses_)
		u.launch = this;
	declare_accesses(widen_for_joint);
	return 0;
}

void split_plan::guess_by_profiles(double (&speeds)[most_devices]) const
{
	newcomer all[most_devices] = {};
	for (unsigned i = 0; i < nmembers_ && members_[0].device->rates.known(); i++)
		all[i] = newcomer_of(*members_[i].device);
	guess_shares({all, nmembers_}, {speeds, nmembers_});
}

// The speeds are in rows a second. It is false if they are guesses; what is wrong in these is learned from the first
// blocks.
bool split_plan::find_speeds(double (&speeds)[most_devices]) const
{
	unsigned devices[most_devices];
	for (unsigned i = 0; i < nmembers_; i++) {
		devices[i] = members_[i].device->executor.number();
		speeds[i] = std::max(1u, members_[i].device->compute->info().units);
	}
	if (!kernel_->speeds.choose_shared({devices, nmembers_}, {speeds, nmembers_})) {
		guess_by_profiles(speeds);
		return false;
	}
	for (unsigned i = 0; i < nmembers_; i++)
		speeds[i] /= items_of_row();
	return true;
}

void split_plan::find_busy_rows(size_t (&busy)[most_devices]) const
{
	size_t groups_of_row = 1;
	for (unsigned d = 0; d < shape_.part.along; d++)
		groups_of_row *= shape_.groups(d);
	for (unsigned i = 0; i < nmembers_; i++)
		busy[i] = members_[i].device->compute->wanted_groups() / groups_of_row;
}

double split_plan::seconds_alone() const
{
	double fastest = 0;
	for (unsigned i = 0; i < nmembers_; i++)
		fastest = std::max(fastest, kernel_->speeds.alone(*members_[i].device));
	return fastest > 0 ? double(shape_.items()) / fastest : 0;
}

int split_plan::choose_policy()
{
	double speeds[most_devices];
	size_t busy[most_devices], grains[most_devices];
	bool known = find_speeds(speeds);
	find_busy_rows(busy);
	prospect p = {.rows = nrows_,
		      .speeds = {speeds, nmembers_},
		      .busy_rows = {busy, nmembers_},
		      .known = known,
		      .seconds = seconds_alone(),
		      .has_twins = has_twins_,
		      .twin_seconds = kernel_->speeds.twin_cost() * double(twin_bytes()),
		      .asked = settings().policy};
	choose_grains(p, {grains, nmembers_});
	chosen_policy chosen = rt::choose_policy(p, {grains, nmembers_});
	if (chosen.why_one)
		return refuse(chosen.why_one);
	if (!chosen.make)
		return fail(HET_EARG, "HET_POLICY=%s: say single, static, dynamic, hguided or steal", p.asked);
	policy_ = chosen.make({nrows_, {grains, nmembers_}, p.speeds, chosen.block_seconds});
	return policy_ ? 0 : fail(HET_ENOMEM, "het_launch: out of memory");
}

int split_plan::choose()
{
	if (named_)
		return refuse("the launch names its device");
	if (is_refused(*kernel_, flags_) || is_known_to_wait(*kernel_, is_declared_))
		return unsplit;
	int err = choose_devices();
	if (!err)
		err = leave_out_sharers();
	if (!err)
		err = choose_local();
	if (!err)
		err = choose_rows();
	if (!err)
		err = choose_patterns();
	if (!err)
		err = prepare_kernels();
	if (!err)
		err = choose_policy();
	return err;
}

int split_plan::plan()
{
	given_shape_ = shape_;
	is_declared_ = flags_ & HET_SPLIT;
	int err = choose();
	return err ? err : prepare_memory();
}

kernel_arguments split_plan::give_back()
{
	shape_ = given_shape_;
	forget_found_patterns(patterns_);
	return std::move(static_cast<kernel_arguments &>(*this));
}

} // namespace het::rt
