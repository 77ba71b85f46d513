// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_stops.h"

#include "dev/cuda_wait.h"
#include "dev/fixed_list.h"
#include "os/clock.h"
#include "os/settings.h"

#include <algorithm>
#include <bit>
#include <climits>
#include <cstring>
#include <ctime>
#include <iterator>
#include <new>
#include <sched.h>
#include <utility>

namespace het::rt
{

namespace
{

using ptx::checkpoint_context;
using ptx::checkpoint_control;
using ptx::checkpoint_line;

constexpr size_t flag_line = sizeof(checkpoint_line); // what one SM looks at
constexpr unsigned threads_of_unit = 2048, blocks_of_unit = 32;
// Contexts of one launch take no more than this.
constexpr uint64_t most_context_bytes = 64 << 20;
// Neither do the numbers of its blocks, in each of two lists.
constexpr uint64_t most_list_bytes = 64 << 20;
// Of what is not saved when it is stopped again, so many times as many contexts are there as blocks run at once.
constexpr uint64_t spare = 3;
static_assert(sizeof(checkpoint_control) <= flag_line);

// These are offsets in the sheet of a launch: what is sent, what has come back, flags (on the host those of an
// announcement), lists of contexts.
enum : size_t { sent_new = 0, sent_resumed = flag_line, came_new = 2 * flag_line, flag_sets = 3 * flag_line };

patience patience_of_user()
{
	patience p;
	p.longest_ns = uint64_t{settings().preempt_patience_ms} * 1'000'000;
	p.least_ns = std::min(p.least_ns, p.longest_ns);
	return p;
}

void pause_for(uint64_t waited_ns)
{
	constexpr uint64_t short_ns = 200'000;
	constexpr timespec a_while = {0, 50'000};
	if (waited_ns < short_ns)
		sched_yield();
	else
		nanosleep(&a_while, nullptr);
}

} // namespace

class cuda_stopped
{
      public:
	checkpoint_control &control(size_t at) { return *reinterpret_cast<checkpoint_control *>(sheet->host + at); }

	struct memory {
		cu_deviceptr at;
		uint64_t nbytes;
	};

	// These are kept for launches to come.
	bool is_taken = false;
	bool is_counted = true; // its memory, as in use
	memory outgrown[32];    // as sizes double, there are fewer
	unsigned noutgrown = 0;
	cuda_sheet *sheet = nullptr;
	size_t lists_at =
		0; // where the lists begin in the sheet: of contexts to resume, and of those that did not begin
	uint64_t list_room = 0;
	cu_deviceptr contexts = 0, left[2] = {};
	uint64_t context_room = 0, left_room[2] = {};
	size_t heads_at = 0; // where the first words of the contexts come to, on the host
	cu_event ended = nullptr;
	cu_event cleared = nullptr, announced = nullptr;
	bool was_set = false;       // the flags, since they were cleared
	uint32_t announcements = 0; // since then

	// These are of the launch.
	const cuda_stop_kernel *kernel = nullptr;
	fixed_list<char> parameters;
	unsigned groups[3], items[3], shared_bytes;
	const std::atomic<int8_t> *level = nullptr;
	uint64_t context_bytes = 0, limit = 0; // of contexts
	uint64_t at_once = 0;                  // so many blocks run at a time, or fewer
	uint64_t submitted = 0;
	uint64_t fresh_begin = 0, fresh_end = 0; // those that blocks may ask for in this round
	fixed_list<uint64_t> waiting;            // contexts that are to be resumed
	fixed_list<uint64_t> maybe;              // contexts that may be waiting; it is only filled to be looked through
	uint64_t left_count = 0;                 // blocks that have not begun, in left[0]
	bool runs = false;                       // flags may be set
	bool is_leaving = false;                 // it was told to, and nobody has seen yet that it has
	bool is_suspended = false;
	bool was_launched = false;
	suspension when{patience{}};
};

// --- what a launch needs -------------------------------------------------------

int cuda_stops::open()
{
	if (rescues_)
		return 0;
	int least = 0, greatest = 0;
	int err = cu_.stream_priorities(&least, &greatest);
	if (!err && !constants_)
		err = sheets_.take(2 * flag_bytes_, &constants_);
	if (err)
		return err;
	memset(constants_->host, 1, flag_bytes_);
	memset(constants_->host + flag_bytes_, 0, flag_bytes_);
	if (!flags_)
		err = cu_.create_stream(&flags_, cu_stream_non_blocking, greatest);
	return err ? err : cu_.create_stream(&rescues_, cu_stream_non_blocking, greatest);
}

cuda_stopped *cuda_stops::find_free()
{
	cuda_stopped *found = nullptr;
	std::unique_ptr<cuda_stopped> made(new (std::nothrow) cuda_stopped);
	lock_.lock(lock_rank::opening);
	for (cuda_stopped *&s : all_) {
		if ((s && s->is_taken) || (!s && !made))
			continue;
		s = s ? s : made.release();
		found = s;
		s->is_taken = true;
		break;
	}
	lock_.unlock(lock_rank::opening);
	return found;
}

// What is too small is given back with the rest, as the driver waits for all that runs then; and sizes double.
// @room is what the device's budget leaves.
bool cuda_stops::grow(cuda_stopped &s, cu_deviceptr *at, uint64_t *has, uint64_t wanted, uint64_t room)
{
	if (*has >= wanted)
		return true;
	if (s.noutgrown == std::size(s.outgrown))
		return false;
	uint64_t size = std::bit_ceil(wanted);
	cu_deviceptr more = 0;
	if (size > room || cu_.allocate(&more, size))
		return false;
	if (*at)
		s.outgrown[s.noutgrown++] = {*at, *has};
	*at = more;
	*has = size;
	bytes_ += size;
	s.is_counted = false;
	return true;
}

// With fewer contexts than blocks want the others run to their end. Returns 0, or a code: then it can't be stopped.
int cuda_stops::make_room(cuda_stopped &s, const cuda_stop_kernel &k, const cuda_grid &g, const ticket &t)
{
	s.at_once = std::max(1u, std::min(blocks_of_unit, threads_of_unit / unsigned(g.threads()))) *
		    (flag_bytes_ / flag_line);
	s.context_bytes = k.what.size.context_bytes(g.threads(), g.shared_bytes);
	s.limit = k.what.saves && t.may_save
			  ? std::min(std::min(g.blocks(), spare * s.at_once), most_context_bytes / s.context_bytes)
			  : 0;
	if (8 * g.blocks() > most_list_bytes)
		return cu_error_out_of_memory;
	uint64_t taken = 0;
	auto room = [&] { return t.room > taken ? t.room - taken : 0; };
	for (unsigned i = 0; i < 2; i++) {
		uint64_t before = s.left_room[i];
		if (!grow(s, &s.left[i], &s.left_room[i], std::max<uint64_t>(8 * g.blocks(), 64 << 10), room()))
			return cu_error_out_of_memory;
		taken += s.left_room[i] - before;
	}
	if (s.limit &&
	    !grow(s, &s.contexts, &s.context_room, std::max<uint64_t>(s.limit * s.context_bytes, 4 << 20), room()))
		s.limit = s.context_room / s.context_bytes;
	if (!s.sheet) {
		s.lists_at = flag_sets + flag_bytes_;
		s.list_room = spare * blocks_of_unit * (flag_bytes_ / flag_line);
		s.heads_at = s.lists_at + 2 * 8 * s.list_room;
		if (int err = sheets_.take(s.heads_at + sizeof(checkpoint_context) * s.list_room, &s.sheet))
			return err;
		s.was_set = true; // nothing was written there yet
	}
	s.limit = std::min(s.limit, s.list_room);
	int err = s.ended ? 0 : cu_.create_event(&s.ended, cu_event_blocking_sync | cu_event_disable_timing);
	for (cu_event *e : {&s.cleared, &s.announced})
		err = err || *e ? err : cu_.create_event(e, cu_event_disable_timing);
	return err;
}

namespace
{

// Lays the parameters out as the driver wants them in one block. It is false if there is no memory.
bool take_parameters(cuda_stopped &s, const cuda_stop_kernel &k, const cuda_grid &g)
{
	const size_t nbytes = k.offsets.back() + k.sizes.back();
	if (!s.parameters.reset(nbytes))
		return false;
	for (size_t i = 0; i < nbytes; i++)
		s.parameters.push_back(0);
	char *to = s.parameters.begin();
	if (!g.values) {
		size_t given = *static_cast<const size_t *>(g.block[3]);
		memcpy(to, g.block[1], std::min(given, k.offsets.back()));
		return true;
	}
	for (size_t i = 0; i + 1 < k.sizes.size(); i++)
		memcpy(to + k.offsets[i], g.values[i], k.sizes[i]);
	return true;
}

// What is stopped later needs no memory then. No context is in a list twice.
bool take_lists(cuda_stopped &s)
{
	return s.waiting.reset(s.limit) && s.maybe.reset(s.limit);
}

} // namespace

cuda_stopped *cuda_stops::take(const cuda_stop_kernel &k, const cuda_grid &g, const ticket &t, unsigned units)
{
	if (!flag_bytes_) // later others may be reading it
		flag_bytes_ = flag_line * std::max(units, 1u);
	if (g.blocks() > INT32_MAX)
		return nullptr;
	cuda_stopped *s = open() ? nullptr : find_free();
	if (!s)
		return nullptr;
	if (make_room(*s, k, g, t) || !take_parameters(*s, k, g) || !take_lists(*s)) {
		give_back(*s);
		return nullptr;
	}
	s->kernel = &k;
	std::copy(g.groups, g.groups + 3, s->groups);
	std::copy(g.items, g.items + 3, s->items);
	s->shared_bytes = g.shared_bytes;
	s->level = t.level;
	s->left_count = 0;
	s->when = suspension(patience_of_user());
	s->was_launched = false;
	s->submitted = t.submitted;
	return s;
}

uint64_t cuda_stops::count_bytes()
{
	lock_.lock(lock_rank::opening);
	for (cuda_stopped *s : all_)
		if (s)
			s->is_counted = true;
	lock_.unlock(lock_rank::opening);
	return bytes_;
}

// Returns how many bytes it was.
uint64_t cuda_stops::free_memory(cuda_stopped &s)
{
	uint64_t freed = 0;
	auto give = [&](cu_deviceptr &at, uint64_t &nbytes) {
		if (at)
			cu_.free(at);
		freed += nbytes;
		at = 0;
		nbytes = 0;
	};
	give(s.contexts, s.context_room);
	for (unsigned i = 0; i < std::size(s.left); i++)
		give(s.left[i], s.left_room[i]);
	while (s.noutgrown) {
		cuda_stopped::memory &m = s.outgrown[--s.noutgrown];
		give(m.at, m.nbytes);
	}
	return freed;
}

// The driver waits for all that runs, so nobody is to wait for the lock meanwhile.
uint64_t cuda_stops::drop()
{
	uint64_t freed = 0;
	for (cuda_stopped *&place : all_) {
		lock_.lock(lock_rank::opening);
		cuda_stopped *s = place && !place->is_taken && place->is_counted ? place : nullptr;
		if (s)
			s->is_taken = true;
		lock_.unlock(lock_rank::opening);
		if (!s)
			continue;
		freed += free_memory(*s);
		give_back(*s);
	}
	return freed;
}

void cuda_stops::give_back(cuda_stopped &s)
{
	lock_.lock(lock_rank::opening);
	s.runs = s.is_taken = s.is_suspended = s.is_leaving = false;
	lock_.unlock(lock_rank::opening);
}

// --- flags ---------------------------------------------------------------------

// Has the lock. That it could not be told is no fault: it runs on.
void cuda_stops::set_flags(cuda_stopped &s)
{
	if (s.was_set)
		return;
	s.was_set = s.is_leaving = true;
	(void)cu_.copy_to_device(s.sheet->device + flag_sets, constants_->host, flag_bytes_, flags_);
}

// What is put on the stream next begins when they are clear.
int cuda_stops::clear_flags(cuda_stopped &s, cu_stream on)
{
	if (!s.was_set && !s.announcements)
		return 0;
	int err = cu_.copy_to_device(s.sheet->device + flag_sets, constants_->host + flag_bytes_, flag_bytes_, flags_);
	if (!err)
		err = cu_.record_event(s.cleared, flags_);
	if (!err)
		err = cu_.stream_waits(on, s.cleared, 0);
	s.was_set = err;
	s.announcements = 0;
	return err;
}

// Has the lock. Its words are where the copy of the one before may still come from: then that says enough.
void cuda_stops::announce_to(cuda_stopped &s, uint32_t lead_ns)
{
	if (s.was_set || !s.limit || s.announcements == checkpoint_line::most_announcements ||
	    cu_.query_event(s.announced))
		return;
	checkpoint_line line = {{}, lead_ns, ++s.announcements, 0};
	std::fill_n(line.words, s.announcements, 1);
	for (size_t at = 0; at < flag_bytes_; at += flag_line)
		memcpy(s.sheet->host + flag_sets + at, &line, flag_line);
	(void)cu_.copy_to_device(s.sheet->device + flag_sets, s.sheet->host + flag_sets, flag_bytes_, flags_);
	(void)cu_.record_event(s.announced, flags_);
}

// Returns whether something more urgent was stopped, too, or is just leaving, and is to go on first. Has the lock.
bool cuda_stops::is_before(const cuda_stopped &s, int level) const
{
	for (const cuda_stopped *other : all_)
		if (other && other != &s && (other->is_suspended || other->is_leaving) &&
		    other->level->load(std::memory_order_relaxed) > level)
			return true;
	return false;
}

void cuda_stops::raised(int level)
{
	if (!any_.load(std::memory_order_acquire))
		return;
	lock_.lock(lock_rank::opening);
	changes_.fetch_add(1);
	stop_below(level);
	lock_.unlock(lock_rank::opening);
}

void cuda_stops::stop_below(int level)
{
	for (cuda_stopped *s : all_) {
		if (s && s->runs && s->level->load(std::memory_order_relaxed) < level &&
		    now_ns() >= s->when.protected_until())
			set_flags(*s);
	}
}

void cuda_stops::announce(int level, uint64_t lead_ns)
{
	if (!any_.load(std::memory_order_acquire))
		return;
	const uint32_t lead = uint32_t(std::min<uint64_t>(lead_ns, UINT32_MAX));
	lock_.lock(lock_rank::opening);
	for (cuda_stopped *s : all_) {
		if (s && s->runs && s->level->load(std::memory_order_relaxed) < level &&
		    now_ns() + lead_ns >= s->when.protected_until())
			announce_to(*s, lead);
	}
	lock_.unlock(lock_rank::opening);
}

// --- launches ------------------------------------------------------------------

int cuda_stops::launch_one(cuda_stopped &s, cu_function f, const unsigned (&groups)[3], cu_deviceptr control,
			   cu_stream on)
{
	memcpy(s.parameters.begin() + s.kernel->offsets.back(), &control, sizeof(control));
	size_t size = s.parameters.size();
	void *extra[] = {reinterpret_cast<void *>(cu_launch_param_buffer_pointer), s.parameters.begin(),
			 reinterpret_cast<void *>(cu_launch_param_buffer_size), &size,
			 reinterpret_cast<void *>(cu_launch_param_end)};
	int err = cu_.launch(f, groups[0], groups[1], groups[2], s.items[0], s.items[1], s.items[2], s.shared_bytes, on,
			     nullptr, extra);
	s.was_launched |= !err;
	return err;
}

namespace
{

// Blocks that begin get contexts before or behind all that are to be resumed.
void choose_fresh(cuda_stopped &s)
{
	s.fresh_begin = s.waiting.empty() ? 0 : s.waiting.back() + 1;
	s.fresh_end = s.limit;
	if (!s.waiting.empty() && s.waiting.front() > s.fresh_end - s.fresh_begin) {
		s.fresh_begin = 0;
		s.fresh_end = s.waiting.front();
	}
}

// Blocks that outlast an announcement may have contexts for their bases as long as all that run at a time get one when
// they are to stop.
uint32_t base_limit(const cuda_stopped &s, uint64_t blocks)
{
	const uint64_t room = s.fresh_end - s.fresh_begin;
	return uint32_t(room >= blocks ? room : room - std::min(room, s.at_once));
}

} // namespace

// Launches what is left, with those that had begun first. The first round has all blocks. Has the lock.
int cuda_stops::launch_round(cuda_stopped &s, cu_stream on)
{
	bool is_first = !s.left_count && s.waiting.empty();
	choose_fresh(s);
	const uint64_t blocks = is_first ? uint64_t{s.groups[0]} * s.groups[1] * s.groups[2] : s.left_count;
	const cu_deviceptr lists = s.sheet->device + s.lists_at, flags = s.sheet->device + flag_sets;
	checkpoint_control c = {{s.groups[0], s.groups[1], s.groups[2]},
				uint32_t(flag_line),
				0,
				lists,
				lists + 8 * s.list_room,
				0,
				flags,
				s.contexts,
				s.context_bytes,
				s.fresh_end,
				s.fresh_begin,
				s.kernel->block_ns.load(std::memory_order_relaxed),
				0,
				base_limit(s, blocks),
				0};
	s.control(sent_resumed) = c;
	c.list = is_first ? 0 : s.left[0];
	c.left = s.left[is_first ? 0 : 1];
	s.control(sent_new) = c;
	std::copy(s.waiting.begin(), s.waiting.end(), reinterpret_cast<uint64_t *>(s.sheet->host + s.lists_at));
	int err = clear_flags(s, on);
	if (!err)
		err = cu_.copy_to_device(s.sheet->device, s.sheet->host, 2 * flag_line, on);
	if (!err && !s.waiting.empty())
		err = cu_.copy_to_device(lists, s.sheet->host + s.lists_at, 8 * s.waiting.size(), on);
	if (!err && !s.waiting.empty())
		err = launch_one(s, s.kernel->resumes, {unsigned(s.waiting.size()), 1, 1},
				 s.sheet->device + sent_resumed, on);
	if (!err && (is_first || s.left_count)) {
		if (is_first)
			err = launch_one(s, s.kernel->begins, s.groups, s.sheet->device + sent_new, on);
		else
			err = launch_one(s, s.kernel->begins, {unsigned(s.left_count), 1, 1},
					 s.sheet->device + sent_new, on);
	}
	if (!err)
		err = cu_.copy_to_host(s.sheet->host + came_new, s.sheet->device + sent_new, flag_line, on);
	if (!err)
		err = cu_.record_event(s.ended, on);
	s.runs = !err;
	s.is_leaving = false;
	return err;
}

int cuda_stops::begin(cuda_stopped &s, ticket &t)
{
	any_.store(true, std::memory_order_release);
	lock_.lock(lock_rank::opening);
	const cu_stream on = lanes_.at(t.lane).stream;
	stop_below(s.level->load(std::memory_order_relaxed));
	int err = launch_round(s, on);
	changes_.fetch_add(1);
	lock_.unlock(lock_rank::opening);
	if (!err)
		return 0;
	t.may_have_run = s.was_launched;
	// Copies to what the next launch would have, on another lane perhaps, may be on their way.
	cu_.synchronize_stream(on);
	give_back(s);
	return err;
}

// --- what is left --------------------------------------------------------------

namespace
{

// @is_fresh: nothing was resumed from it. What goes on from a context has its base there.
void note_context(const checkpoint_context &head, bool is_fresh, stop_record &record)
{
	const bool has_base = is_fresh && head.base_bytes;
	record.base_blocks += has_base;
	record.base_bytes += has_base ? head.base_bytes : 0;
	const bool has_begun = is_fresh || !head.unbegun;
	if (head.stopped != 1 || !has_begun)
		return;
	const bool is_delta = has_base || !is_fresh;
	record.saved_blocks++;
	record.saved_bytes += head.stop_bytes;
	record.delta_blocks += is_delta;
	record.delta_bytes += is_delta ? head.stop_bytes : 0;
}

// What has run in one piece tells how long a block takes, with others beside it.
void note_block_time(const cuda_stopped &s, uint64_t ns)
{
	const uint64_t blocks = uint64_t{s.groups[0]} * s.groups[1] * s.groups[2];
	const uint64_t waves = (blocks + s.at_once - 1) / s.at_once;
	s.kernel->block_ns.store(uint32_t(std::min<uint64_t>(ns / waves, UINT32_MAX)), std::memory_order_relaxed);
}

} // namespace

// Blocks have asked for contexts up to @asked. Those that have ended leave theirs: what they were resumed from, or a
// base that was not needed.
int cuda_stops::find_contexts(cuda_stopped &s, cu_stream on, uint64_t asked, stop_record &record)
{
	fixed_list<uint64_t> &maybe = s.maybe;
	std::swap(maybe, s.waiting);
	s.waiting.clear();
	for (uint64_t i = s.fresh_begin; i < asked; i++)
		maybe.push_back(i);
	if (maybe.empty())
		return 0;
	const auto [least, most] = std::minmax_element(maybe.begin(), maybe.end());
	const uint64_t first = *least;
	cu_copy_rows rows = {};
	rows.from_type = cu_memory_type_device;
	rows.from_device = s.contexts + first * s.context_bytes;
	rows.from_pitch = s.context_bytes;
	rows.to_type = cu_memory_type_host;
	rows.to_host = s.sheet->host + s.heads_at;
	rows.to_pitch = rows.nbytes = sizeof(checkpoint_context);
	rows.count = *most - first + 1;
	int err = cu_.copy_rows(&rows, on);
	if (!err)
		err = cu_.synchronize_stream(on);
	if (err)
		return err;
	for (uint64_t i : maybe) {
		checkpoint_context head;
		memcpy(&head, s.sheet->host + s.heads_at + (i - first) * sizeof(head), sizeof(head));
		const bool is_fresh = i >= s.fresh_begin && i < asked;
		if (head.stopped == 1)
			s.waiting.push_back(i);
		note_context(head, is_fresh, record);
	}
	std::sort(s.waiting.begin(), s.waiting.end());
	return 0;
}

// A round has ended.
int cuda_stops::look(cuda_stopped &s, cu_stream on, stop_record &record, bool *done)
{
	lock_.lock(lock_rank::opening);
	s.runs = false;
	lock_.unlock(lock_rank::opening);
	const bool had_left = s.left_count, is_first = !had_left && s.waiting.empty();
	const checkpoint_control &came = s.control(came_new);
	const bool has_begun = is_first || had_left;
	const uint64_t asked = has_begun ? std::min(came.count, s.fresh_end) : s.fresh_begin;
	if (has_begun)
		s.left_count = came.count_left;
	if (had_left) {
		std::swap(s.left[0], s.left[1]);
		std::swap(s.left_room[0], s.left_room[1]);
	}
	int err = find_contexts(s, on, asked, record);
	*done = s.waiting.empty() && !s.left_count;
	return err;
}

// What has waited for long goes on beside more urgent work, and comes before it where there is room. The driver is
// asked without the lock, which more urgent launches want.
int cuda_stops::go_on(cuda_stopped &s, cuda_lane &lane)
{
	uint64_t since = now_ns();
	s.when.begin(since);
	for (;;) {
		const uint64_t seen = changes_.load();
		const int8_t level = s.level->load(std::memory_order_relaxed);
		bool others = lanes_.is_busy_above(level);
		lock_.lock(lock_rank::opening);
		s.is_suspended = true;
		others = others || is_before(s, level) || changes_.load() != seen;
		auto answer = s.when.look(now_ns(), others);
		int err = 0;
		if (answer != suspension::answer::wait) {
			s.is_suspended = false;
			stop_below(level);
			err = launch_round(s, answer == suspension::answer::go_on ? lane.stream : rescues_);
			changes_.fetch_add(1);
		}
		lock_.unlock(lock_rank::opening);
		if (answer != suspension::answer::wait)
			return err;
		pause_for(now_ns() - since);
	}
}

// Whoever was not to be stopped for a while looks then whether he is in others' way. These may have gone by the time
// that the flags are set: then it goes on at once.
int cuda_stops::wait_for_round(cuda_stopped &s)
{
	int err = cu_error_not_ready;
	const uint64_t since = now_ns(), until = s.when.protected_until();
	while (now_ns() < until && (err = cu_.query_event(s.ended)) == cu_error_not_ready)
		pause_for(now_ns() - since);
	if (err == cu_error_not_ready && until && lanes_.is_busy_above(s.level->load(std::memory_order_relaxed))) {
		lock_.lock(lock_rank::opening);
		set_flags(s);
		lock_.unlock(lock_rank::opening);
	}
	return err != cu_error_not_ready ? err
					 : wait_for_kernel([&] { return cu_.query_event(s.ended); },
							   [&] { return cu_.synchronize_event(s.ended); });
}

int cuda_stops::go_on_recorded(cuda_stopped &s, cuda_lane &lane, stop_record &record)
{
	const uint64_t since = now_ns();
	record.stops++;
	record.waiting_blocks += s.left_count;
	int err = go_on(s, lane);
	record.away_ns += now_ns() - since;
	record.rescues += s.when.protected_until() != 0;
	return err;
}

int cuda_stops::wait(cuda_stopped &s, cuda_lane &lane, uint64_t number, stop_record &record)
{
	bool done = false;
	int err = lane.marks.wait(lane.stream, number);
	if (!err)
		err = look(s, lane.stream, record, &done);
	if (done)
		note_block_time(s, now_ns() - std::max(s.submitted, lane.last_end));
	while (!err && !done) {
		err = go_on_recorded(s, lane, record);
		if (!err)
			err = wait_for_round(s);
		if (!err)
			err = look(s, lane.stream, record, &done);
	}
	// What may be running still must not go on with memory that the launch gives back.
	if (err) {
		cu_.synchronize_stream(lane.stream);
		cu_.synchronize_stream(rescues_);
	}
	give_back(s);
	return err;
}

} // namespace het::rt
