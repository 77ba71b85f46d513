// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/split_launch.h"

#include "core/analysis.h"
#include "core/block.h"
#include "core/dispatch.h"
#include "core/queue.h"
#include "core/waiting_kernels.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/settings.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>
#include <utility>

namespace het::rt
{

namespace
{

// Work-items a group where neither the program nor the kernel says.
constexpr size_t preferred_local = 256;
// The smallest blocks, if the shares are equal: what is left at the end is a small part of all, and a block worth its launch.
constexpr size_t blocks_each = 64;
// In seconds, where speeds are known: a launch that one device does alone in less time is not worth sharing, and a block should last
// many times what it takes to begin and end one.
constexpr double short_launch = 4e-3, least_block = 2e-3;
// An argument that is used in more pieces counts as used anywhere.
constexpr uint64_t most_pieces = 32;
// OpenCL drivers may have 32 bits for an offset.
constexpr size_t most_items = UINT32_MAX;

} // namespace

// --- what it takes -------------------------------------------------------------

int split_launch::refuse(const char *why) const
{
	inform("het_launch: kernel %s runs on one device: %s", kernel_->name.get(), why);
	return unsplit;
}

bool split_launch::has_pattern(size_t use) const
{
	return patterns_[use].size && patterns_[use].count <= most_pieces;
}

int split_launch::choose_devices()
{
	if (has_addresses_ || addressed_ || has_block())
		return refuse("an argument is a device's address, texture or sampler, or a parameter block");
	bool has_offset = shape_.offset[0] || shape_.offset[1] || shape_.offset[2];
	for (unsigned i = 0; i < core().ndevices; i++) {
		het_device &d = *core().devices[i];
		bool fits =
			(!has_offset || d.compute->knows_offsets()) && has_local_memory(*d.compute) && !d.lost.load();
		if (fits && (queue->devices >> i & 1) && kernel_->program->can_run_on(d))
			parts_[nparts_++].device = &d;
	}
	return nparts_ < 2 ? refuse("none of the queue's other devices can run it") : 0;
}

// Where the kernel was analysed, what it uses is known without the caller's help; and whether it may be split, if he does not say so.
int split_launch::choose_patterns(bool declared)
{
	const analysed_launch l = {*kernel_, shape_, args_, uses_};
	const char *why = declared ? nullptr : why_not_safe(l);
	if (why)
		return refuse(why);
	is_analysed_ = find_patterns(l, patterns_) || !declared;
	has_twins_ = twin_bytes() != 0;
	auto can_not = [&](const participant &p) { return has_twins_ && !p.device->compute->makes_twins(); };
	nparts_ = unsigned(std::remove_if(parts_, parts_ + nparts_, can_not) - parts_);
	return nparts_ < 2
		       ? refuse("an argument is written and has no pattern, or one of too many pieces, and none of the "
				"queue's other devices can tell what it wrote")
		       : 0;
}

size_t split_launch::twin_bytes() const
{
	size_t n = 0;
	for (size_t i = 0; i < uses_.size(); i++)
		n += needs_twin(i) ? uses_[i].bytes.size() : 0;
	return n;
}

// Every slice has groups of the same size, which suits all devices.
int split_launch::choose_local()
{
	if (shape_.has_local())
		return 0;
	size_t most = preferred_local;
	unsigned kept = 0;
	for (unsigned i = 0; i < nparts_; i++) {
		int err = kernel_->prepare(*parts_[i].device);
		if (err && !concerns_one_device(err))
			return err;
		if (!err)
			parts_[kept++] = parts_[i];
	}
	nparts_ = kept;
	for (unsigned i = 0; i < nparts_; i++) {
		group_limits limits = kernel_->on(*parts_[i].device)->limits();
		most = std::min(most, limits.most);
		for (unsigned d = 0; d < 3 && limits.required[0]; d++)
			shape_.local[d] = limits.required[d];
	}
	if (shape_.has_local())
		return 0;
	size_t items = 1;
	while (items * 2 <= most && shape_.global[0] % (items * 2) == 0)
		items *= 2;
	shape_.local[0] = items;
	shape_.local[1] = shape_.local[2] = 1;
	return 0;
}

int split_launch::choose_rows()
{
	unsigned along = shape_.dimensions - 1;
	while (along && shape_.groups(along) == 1)
		along--;
	nrows_ = shape_.groups(along);
	shape_.part.along = along;
	if (nrows_ < 2)
		return refuse("it has one group");
	if (shape_.global[along] % shape_.local[along])
		return refuse("its size is not a multiple of its groups'");
	if (shape_.global[along] > most_items || shape_.offset[along] > most_items - shape_.global[along])
		return refuse("it has more than 2^32 work-items in a row");
	return 0;
}

int split_launch::prepare_kernels()
{
	slicing how = {shape_.dimensions, shape_.part.along, {shape_.offset[0], shape_.offset[1], shape_.offset[2]}};
	how.offset[how.along] = 0;
	how.asked = is_analysed_ ? kernel_->description()->asked : nullptr;
	unsigned kept = 0;
	for (unsigned i = 0; i < nparts_; i++) {
		participant p = parts_[i];
		int err = kernel_->prepare_slices(*p.device, how, &p.kernel);
		if (!err && needs_memory(*p.device))
			err = start_memory();
		if (!err && !p.device->lost.load())
			parts_[kept++] = p;
		else if (err && err != HET_ENODEV && !concerns_one_device(err))
			return err;
	}
	nparts_ = kept;
	return nparts_ < 2 ? refuse("its program can be sliced for one device at most") : 0;
}

// Others must not have any part of a chunk in which several devices write.
int split_launch::prepare_memory()
{
	for (unsigned i = 0; i < nparts_; i++) {
		if (int err = link_uses(*parts_[i].device))
			return err;
	}
	for (range_use &u : uses_)
		u.owner = this;
	declare_accesses(widen_for_joint);
	return 0;
}

// Rows a second. False: they are guesses; what is wrong in these is learned from the first blocks.
bool split_launch::find_speeds(double (&speeds)[most_devices]) const
{
	unsigned devices[most_devices];
	for (unsigned i = 0; i < nparts_; i++) {
		devices[i] = parts_[i].device->executor.number();
		speeds[i] = std::max(1u, parts_[i].device->compute->info().units);
	}
	if (!kernel_->speeds.choose_shared({devices, nparts_}, {speeds, nparts_}))
		return false;
	for (unsigned i = 0; i < nparts_; i++)
		speeds[i] /= items_of_row();
	return true;
}

// Returns the smallest.
size_t split_launch::find_grains(size_t (&grains)[most_devices]) const
{
	size_t groups_of_row = 1, smallest = nrows_;
	for (unsigned d = 0; d < shape_.part.along; d++)
		groups_of_row *= shape_.groups(d);
	for (unsigned i = 0; i < nparts_; i++) {
		size_t busy = parts_[i].device->compute->wanted_groups() / groups_of_row;
		grains[i] = std::max({size_t{1}, nrows_ / (blocks_each * nparts_), std::min(busy, nrows_)});
		smallest = std::min(smallest, grains[i]);
	}
	return smallest;
}

size_t split_launch::all_bytes() const
{
	return std::accumulate(uses_.begin(), uses_.end(), size_t{0},
			       [](size_t n, const range_use &u) { return n + u.bytes.size(); });
}

int split_launch::make_policy()
{
	const char *wanted = settings().policy ? settings().policy : "steal";
	policy_maker make = find_policy(wanted);
	if (!make)
		return fail(HET_EARG, "HET_POLICY=%s: say single, static, dynamic, hguided or steal", wanted);
	double speeds[most_devices];
	bool known = find_speeds(speeds);
	size_t grains[most_devices];
	size_t smallest = find_grains(grains);
	double fastest = *std::max_element(speeds, speeds + nparts_);
	bool is_short = (known && double(nrows_) < fastest * short_launch) || nrows_ < 2 * smallest;
	if (is_short && !settings().policy)
		make = make_single_policy;
	double cost = kernel_->speeds.twin_cost() * double(twin_bytes());
	if (has_twins_ && known && !settings().policy && !is_worth_sharing(nrows_, {speeds, nparts_}, cost))
		return refuse("one device is quicker than several and the comparison of what they have written");
	if (has_twins_ && make == make_single_policy)
		return refuse("the policy gives it to one");
	policy_ = make({nrows_, {grains, nparts_}, {speeds, nparts_}, known ? least_block : 0});
	return policy_ ? 0 : fail(HET_ENOMEM, "het_launch: out of memory");
}

int split_launch::take(const het_launch_args &args)
{
	int err = take_launch(args);
	if (!err && args.device)
		err = refuse("the launch names its device");
	is_declared_ = args.flags & HET_SPLIT;
	if (!err && is_refused(*kernel_, args.flags))
		err = unsplit;
	if (!err && is_known_to_wait(*kernel_, is_declared_))
		err = unsplit;
	if (!err)
		err = choose_devices();
	if (!err)
		err = keep_one_of_processors();
	if (!err)
		err = choose_local();
	if (!err)
		err = choose_rows();
	if (!err)
		err = choose_patterns(is_declared_);
	if (!err)
		err = prepare_kernels();
	if (!err)
		err = make_policy();
	if (!err)
		err = prepare_memory();
	where.store(&core().service);
	return err;
}

double split_launch::items_of_row() const
{
	double items = 1;
	for (unsigned d = 0; d < 3; d++)
		items *= double(d == shape_.part.along ? shape_.local[d] : shape_.global[d]);
	return items;
}

// --- its blocks ----------------------------------------------------------------

// One runs while the next is on its way.
unsigned split_launch::room(const participant &p) const
{
	return p.device->compute->has_queue() ? 2 : 1;
}

// The next block of the device; null: there is none, or no room. Lock held.
block *split_launch::hand_out(unsigned participant)
{
	auto &p = parts_[participant];
	if (failure_ || p.out || p.blocks >= room(p))
		return nullptr;
	rows r = take_returned();
	if (!r.count)
		r = policy_->next(participant);
	if (!r.count)
		return nullptr;
	reference<block> b(new (std::nothrow) block(*this, participant, r));
	if (!b || !b->allocate()) {
		failure_ = fail(HET_ENOMEM, "het_launch: no memory for a part of kernel %s", kernel_->name.get());
		keep_why();
		return nullptr;
	}
	p.blocks++;
	under_way_++;
	b->next = blocks_;
	blocks_ = b.get();
	return b.give_up();
}

// What devices that have room get, linked by next_start. Lock held.
block *split_launch::hand_out_all()
{
	block *list = nullptr;
	for (unsigned i = 0; i < nparts_; i++) {
		while (block *b = hand_out(i)) {
			b->next_start = list;
			list = b;
		}
	}
	return list;
}

void split_launch::start(block *list)
{
	for (block *b = list, *next; b; b = next) {
		next = b->next_start;
		b->retain();
		start_part(b, parts_[b->participant].device->executor);
	}
}

int split_launch::begin(executor &)
{
	auto keep = reference<split_launch>::to(this); // the blocks may be over when they have been started
	lock_.lock(lock_rank::graph);
	block *list = hand_out_all();
	int err = failure_;
	lock_.unlock(lock_rank::graph);
	if (!list)
		return err;
	watch(*this);
	start(list);
	return detached;
}

// Without memory for it nobody can ask.
void split_launch::note_part(const block &b, uint64_t ended)
{
	size_t items = shape_.local[shape_.part.along];
	std::unique_ptr<done_part> d(new (std::nothrow) done_part);
	if (!d)
		return;
	d->info = {0, parts_[b.participant].device, b.what.first * items, b.what.count * items, b.begun_at, ended};
	d->next = std::move(done_);
	done_ = std::move(d);
	ndone_++;
}

void split_launch::note_done(block &b, participant &p)
{
	uint64_t now = now_ns();
	double seconds = double(std::max<uint64_t>(1, now - std::max(b.begun_at, p.last_end))) * 1e-9;
	p.last_end = now;
	p.rows += double(b.what.count);
	p.seconds += seconds;
	p.twins_ns += b.twins_ns;
	b.state = block::counts;
	policy_->measured(b.participant, b.what.count, seconds);
	note_part(b, now);
}

// Of the launch, not of its blocks: one row may be a hundred times the work of the next, and who had the light ones is not the faster.
void split_launch::note_speeds()
{
	for (const participant &p : std::span{parts_, nparts_}) {
		if (p.rows > 0) {
			kernel_->speeds.note_shared(*p.device, p.rows / p.seconds * items_of_row());
			kernel_->speeds.note_spent(*p.device, p.seconds);
		}
	}
}

het_event_part_info split_launch::part(uint32_t number) const
{
	const done_part *d = done_.get();
	for (; number; number--)
		d = d->next.get();
	return d->info;
}

// Others are to do it. Lock held.
void split_launch::take_back(block &b)
{
	b.state = block::given_back;
	returned_++;
}

// The rows of a block that was taken back, if there are any. Lock held.
rows split_launch::take_returned()
{
	if (!returned_)
		return {0, 0};
	block *b = blocks_;
	while (b->state != block::given_back)
		b = b->next;
	b->state = block::done_again;
	returned_--;
	return b->what;
}

// What the device has done does not count. Lock held.
void split_launch::take_back_all(unsigned participant)
{
	for (block *b = blocks_; b; b = b->next) {
		if (b->participant == participant && b->state == block::counts)
			take_back(*b);
	}
	const het_device *device = parts_[participant].device;
	for (std::unique_ptr<done_part> *d = &done_; *d;) {
		if ((*d)->info.device == device) {
			*d = std::move((*d)->next);
			ndone_--;
		} else {
			d = &(*d)->next;
		}
	}
}

// What the device has done can be had from it still, and told from what others did.
bool split_launch::keeps_results(const participant &p) const
{
	return !p.out || !(has_twins_ || p.device->lost.load());
}

// What its blocks began with is somewhere else: bytes that they have changed are not, but where they have a twin.
bool split_launch::can_be_repeated(unsigned participant) const
{
	auto is_kept = [&](size_t i) {
		bool reads = uses_[i].access & HET_READ_ONLY || patterns_[i].length < patterns_[i].step;
		return !(uses_[i].access & HET_WRITE_ONLY) || needs_twin(i) || !reads;
	};
	bool any = false;
	for (const block *b = blocks_; b && !any; b = b->next)
		any = b->participant == participant && b->state == block::counts;
	for (size_t i = 0; i < uses_.size() && any; i++) {
		if (!is_kept(i))
			return false;
	}
	return true;
}

// The device does no more of this launch. False: others can't do it. Lock held.
bool split_launch::lose(unsigned participant, int err, bool again)
{
	auto &p = parts_[participant];
	bool first = !std::exchange(p.out, true);
	bool others = std::any_of(parts_, parts_ + nparts_, [](const auto &o) { return !o.out; });
	if (!again || !others || !(keeps_results(p) || can_be_repeated(participant))) {
		failure_ = failure_ ? failure_ : err;
		return false;
	}
	if (first)
		warn("%s has failed: others do its part of kernel %s", p.device->compute->info().name,
		     kernel_->name.get());
	if (first)
		policy_->leave(participant);
	if (!keeps_results(p))
		take_back_all(participant);
	return true;
}

// Lock held.
void split_launch::note(block &b, int err, bool again)
{
	participant &p = parts_[b.participant];
	p.blocks--;
	under_way_--;
	over_++;
	if (!err && keeps_results(p))
		note_done(b, p);
	else if (!err || lose(b.participant, err, again))
		take_back(b);
	else
		b.state = block::failed;
	if (b.state == block::failed && !why)
		why = std::move(b.why);
}

void split_launch::block_is_over(block &b, int err, bool again)
{
	lock_.lock(lock_rank::graph);
	note(b, err, again);
	block *list = hand_out_all();
	bool last = !under_way_, was_late = b.is_late && !err;
	has_late_ended_ |= was_late;
	lock_.unlock(lock_rank::graph);
	start(list);
	if (was_late)
		tell_ended(b);
	if (last)
		complete();
}

// What a device has written that can't tell it any longer is for others to do. Returns their blocks. No block is under way.
block *split_launch::compare_twins()
{
	int errors[most_devices] = {};
	for (unsigned i = 0; i < nparts_ && has_twins_; i++)
		errors[i] = parts_[i].out ? 0 : twins_.compare(*parts_[i].device);
	lock_.lock(lock_rank::graph);
	for (unsigned i = 0; i < nparts_; i++) {
		if (errors[i])
			lose(i, errors[i], true);
	}
	block *list = hand_out_all();
	lock_.unlock(lock_rank::graph);
	return list;
}

int split_launch::bring_together()
{
	for (block *b = blocks_; b; b = b->next) {
		if (b->state == block::given_back || b->state == block::done_again)
			b->abandon();
	}
	int err = 0;
	for (block *b = blocks_; b; b = b->next) {
		if (int e = b->end_joint(has_twins_ ? &twins_ : nullptr); e && !err)
			err = e;
	}
	return err;
}

// Devices make their twins side by side.
void split_launch::note_twin_cost(uint64_t end_ns)
{
	uint64_t begin_ns = 0;
	for (unsigned i = 0; i < nparts_; i++)
		begin_ns = std::max(begin_ns, parts_[i].twins_ns);
	kernel_->speeds.note_twin_cost(double(begin_ns + end_ns) * 1e-9 / double(twin_bytes()));
}

// No block is under way.
void split_launch::complete()
{
	uint64_t began = now_ns();
	forget_last_error();
	if (block *more = compare_twins()) {
		start(more);
		return;
	}
	unwatch(*this);
	note_speeds();
	int err = bring_together();
	if (has_twins_)
		note_twin_cost(now_ns() - began);
	while (block *b = blocks_) {
		blocks_ = b->next;
		b->release();
	}
	if (failure_ || err)
		keep_why();
	finish(*this, failure_ ? failure_ : err);
}

} // namespace het::rt
