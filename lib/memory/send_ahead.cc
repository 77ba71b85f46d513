// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/send_ahead.h"

#include "core/send_plan.h"
#include "memory/brackets.h"
#include "memory/chunks.h"
#include "memory/context.h"
#include "memory/fragmented.h"
#include "memory/host_writes.h"
#include "memory/library.h"
#include "memory/transfer.h"
#include "os/clock.h"
#include "os/inject.h"
#include "os/pool.h"
#include "os/probes.h"
#include "os/thread.h"

#include <algorithm>
#include <bit>
#include <new>

namespace het
{

// One piece of memory: what was sent of each chunk in this interval follows.
struct array_sending {
	send_plan plan;
	uint8_t device;    // 1 + the one whose kernel needed the bytes last
	bool queued;       // the sender has been told of the array
	layout::span left; // of what the host is done with
	uint8_t marks[];
};

namespace
{

constexpr uint8_t mark_sent = 1, mark_in_vain = 2;

// A piece keeps the array's lock for as long as its pages take, and a begin for as long as its copy does.
constexpr size_t bytes_at_once = 1 << 20;
constexpr uint32_t chunks_at_once = 64; // bits of sent_chunks::valid

// The learned kind looks at arrays of this size, of which so many begins in succession needed a quarter or more.
constexpr size_t smallest_array = 4 << 20;
constexpr uint8_t enough_begins = 3;

size_t size_of_sending(uint32_t chunks)
{
	return sizeof(array_sending) + chunks;
}

size_t chunk_bytes(const array &a)
{
	return size_t{1} << a.place.chunk_shift;
}

bool is_hosts_alone(const chunk &ch)
{
	return ch.valid == host_copy && !ch.flags && !ch.writer;
}

// ---- what is learned ---------------------------------------------------------------------------------

bool is_worth_a_plan(array &a, uint32_t needed)
{
	if (a.context->sending != sending_kind::learned)
		return a.context->sending != sending_kind::eager || ++a.needing_begins >= enough_begins;
	bool much = a.place.body.size() >= smallest_array && needed >= a.place.chunks / 4;
	a.needing_begins = much ? uint8_t(a.needing_begins + 1) : uint8_t{0};
	return a.needing_begins >= enough_begins;
}

void make_plan(array &a)
{
	void *memory = pool().allocate(size_of_sending(a.place.chunks));
	if (!memory)
		return;
	a.sending = new (memory) array_sending;
	a.sending->plan.open(a.place.chunks, uint32_t(chunk_bytes(a)), a.context->sending);
}

// Looks at what has become of what was sent, a segment after the other. Returns whether anything was.
bool judge(array &a, const usage &u, kernel_mode mode)
{
	array_sending &s = *a.sending;
	bool is_of_use = s.device == 1 + u.device && mode != kernel_mode::write_only;
	uint32_t all_used = 0, all_in_vain = 0;
	for (uint32_t first = 0; first < a.place.chunks; first = s.plan.around(first).last) {
		uint32_t used = 0, in_vain = 0;
		for (uint32_t c = first; c < s.plan.around(first).last; c++) {
			bool good = is_of_use && a.chunks[c].state().device_valid(u.device);
			used += (s.marks[c] & mark_sent) && good;
			in_vain += ((s.marks[c] & mark_sent) && !good) + (s.marks[c] / mark_in_vain);
			s.marks[c] = 0;
		}
		s.plan.judge(first, used, in_vain);
		all_used += used;
		all_in_vain += in_vain;
	}
	a.context->stats.sent_used_bytes.add(all_used * chunk_bytes(a));
	a.context->stats.sent_in_vain_bytes.add(all_in_vain * chunk_bytes(a));
	return all_used + all_in_vain;
}

// ---- sending -----------------------------------------------------------------------------------------

bool may_send(const array &a)
{
	if (!a.live || a.held || !a.sending || !a.sending->device || a.pending || a.context->leaving.load())
		return false;
	unsigned d = a.sending->device - 1u;
	bool is_lost = a.context->lost.load() & device_copy(d);
	return a.links[d].devbuf.load() && !is_lost && !is_open(a, d) && !any_writer(a);
}

layout::span front_of(const array &a, layout::span s)
{
	auto most = uint32_t(std::clamp<size_t>(bytes_at_once >> a.place.chunk_shift, 1, chunks_at_once));
	return {s.first, std::min(s.last, s.first + most)};
}

bool any_busy(const array &a, layout::span s)
{
	return std::any_of(a.chunks + s.first, a.chunks + s.last,
			   [](const chunk &ch) { return ch.flags & chunk_busy; });
}

class sent_piece
{
      public:
	// Of chunks that make one piece, those that can be sent.
	sent_piece(array &a, layout::span s) : a_(a), first_(s.first)
	{
		for (uint32_t c = first_; c < s.last; c++) {
			if (!is_hosts_alone(a.chunks[c]))
				continue;
			chunks_ |= uint64_t{1} << (c - first_);
			bool joins = count_ && runs_[count_ - 1].first + runs_[count_ - 1].count == c;
			if (joins)
				runs_[count_ - 1].count++;
			else
				runs_[count_++] = run_home(c, 1, 0);
		}
	}
	bool empty() const { return !chunks_; }

	// A write is seen from here on.
	bool protect()
	{
		bool done = true;
		for (const chunk_run &r : runs())
			done = done && !lower_access(a_, {r.first, r.first + r.count}, access::read);
		return done;
	}

	// The lock is dropped meanwhile. False says that the copy has failed.
	bool send(array_guard &g, unsigned device)
	{
		HET_PROBE3(send, a_.place.chunk_range(first_, 1).begin, bytes(), device);
		a_.sent = {uint8_t(1 + device), first_, chunks_};
		a_.visitors++;
		g.unlock();
		delay_point();
		int err = copy_to_device(a_, device, {runs_, count_});
		delay_point();
		g.lock();
		take_in_host_writes(a_);
		uint64_t valid = is_mutant(mutant::voided) ? chunks_ : a_.sent.valid;
		a_.sent = {};
		bool is_lost = a_.context->lost.load() & device_copy(device);
		finish(err || is_lost ? 0 : valid, device);
		a_.visitors--;
		announce_change(a_);
		return !err;
	}

      private:
	std::span<const chunk_run> runs() const { return {runs_, count_}; }

	void finish(uint64_t valid, unsigned device)
	{
		for (uint64_t left = chunks_; left; left &= left - 1) {
			auto n = uint32_t(std::countr_zero(left));
			chunk &ch = a_.chunks[first_ + n];
			bool counts = (valid >> n & 1) && !ch.flags;
			a_.sending->marks[first_ + n] |= counts ? mark_sent : mark_in_vain;
			if (counts)
				enter(a_, ch, next_step(ch.state(), event::send_ahead, device, a_.context->rules).next);
		}
		a_.context->stats.sent_bytes.add(bytes());
	}

	size_t bytes() const { return size_t(std::popcount(chunks_)) * chunk_bytes(a_); }

	array &a_;
	const uint32_t first_;
	uint64_t chunks_ = 0;
	chunk_run runs_[chunks_at_once / 2];
	size_t count_ = 0;
};

void run_sender(void *context)
{
	wait_until_open();
	send_queue &queue = static_cast<memory_context *>(context)->to_send;
	for (;;) {
		array &a = queue.next();
		array_guard g(a);
		if (a.live && a.sending)
			a.sending->queued = false;
		while (send_next(a, g))
			;
	}
}

} // namespace

void note_host_write(array &a, uint32_t c)
{
	if (!a.sending || !a.sending->plan.is_on())
		return;
	a.sending->plan.touched(c);
	if (!a.sending->queued)
		a.sending->queued = a.context->to_send.add(a);
}

bool keep_from_sending(array &a, layout::span s)
{
	for (uint32_t c = s.first; a.sending && c < s.last; c++) {
		a.sending->plan.exclude(c);
		if (a.sending->left.first < s.last)
			a.sending->left = {0, 0};
	}
	return !a.sent.target;
}

bool is_write_watched(const array &a, uint32_t c)
{
	return a.sending && a.sending->plan.watches(c);
}

layout::span opens_with(const array &a, uint32_t c)
{
	return is_write_watched(a, c) ? a.sending->plan.around(c) : layout::span{c, c + 1};
}

void wait_for_sent(array &a, array_guard &g, copyset devices)
{
	while (a.sent.target && (devices >> a.sent.target & 1) && !is_mutant(mutant::unwaited))
		g.wait_for_change();
}

void stop_sending(array &a, array_guard &g, unsigned device)
{
	if (a.sending && a.sending->device == 1 + device)
		a.sending->device = 0;
	wait_for_sent(a, g, device_copy(device));
}

void note_need(array &a, const usage &u, kernel_mode mode)
{
	if (a.context->sending == sending_kind::off || !a.chunks || !u.whole)
		return;
	auto needed = uint32_t(std::count_if(a.chunks, a.chunks + a.place.chunks, is_hosts_alone));
	if (!a.sending && needed && is_worth_a_plan(a, needed))
		make_plan(a);
	if (!a.sending || (!judge(a, u, mode) && !needed))
		return;
	a.sending->device = uint8_t(1 + u.device);
	a.sending->left = {0, 0};
	a.sending->plan.interval_ended(now_ns());
}

bool send_next(array &a, array_guard &g)
{
	if (!may_send(a))
		return false;
	array_sending &s = *a.sending;
	if (s.left.first >= s.left.last)
		s.left = s.plan.take();
	if (s.left.first >= s.left.last)
		return false;
	layout::span front = front_of(a, s.left);
	// Pages of a touch are still being shown.
	if (any_busy(a, front)) {
		g.wait_for_change();
		return true;
	}
	s.left.first = front.last;
	sent_piece p(a, front);
	if (p.empty())
		return true;
	unsigned device = s.device - 1u;
	if ((is_mutant(mutant::writable) || p.protect()) && p.send(g, device))
		return true;
	a.sending->plan.failed();
	return false;
}

void forget_sending(array &a)
{
	if (a.sending)
		pool().release(a.sending, size_of_sending(a.place.chunks));
	a.sending = nullptr;
}

bool start_sender(memory_context &context)
{
	return start_thread("het-sender", run_sender, &context);
}

} // namespace het
