// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/fetch.h"

#include "memory/chunks.h"
#include "memory/context.h"
#include "memory/failure.h"
#include "memory/history.h"
#include "memory/pending.h"
#include "memory/pin.h"
#include "memory/send_ahead.h"
#include "memory/show.h"
#include "memory/transfer.h"
#include "os/inject.h"
#include "os/probes.h"

#include <algorithm>

namespace het
{

namespace
{

class fetch_job
{
      public:
	explicit fetch_job(host_touch &h)
	    : h_(h), a_(h.a), catcher_(*a_.context->catcher), dev_(*a_.context->devices[device_of(h.st.from)])
	{
	}

	// It is true if others can be served while the device reads the chunk, which must be sure to end soon. The
	// caller holds the array's lock.
	bool can_be_kept() const;
	// Chunks [touched, end) travel, and are shown as they arrive; or just the touched one, which the server keeps.
	void read(uint32_t end, bool is_kept);
	// The bytes of a piece have arrived (or not). The caller holds the array's lock.
	void finish_locked(chunk_run p, int err);
	// If no other copy is left the toucher gets SIGBUS. Otherwise it tries again with another device. The caller
	// holds the array's lock.
	void fail();

	// False says that some of what has arrived could not be shown without splitting a mapping.
	bool is_shown() const { return shown_; }
	// Other fetches wait for the same server.
	void others_wait() { others_wait_ = true; }

      private:
	struct in_flight {
		chunk_run run;
		read_ticket ticket;
		int err;
		uint64_t started;
	};

	chunk_run next_piece(uint32_t at, uint32_t end) const;
	void give(const chunk_run &p);
	uint32_t start(in_flight &f, uint32_t at, uint32_t end);
	void start_kept();
	void read_one();
	void read_in_turn(uint32_t end);
	void read_overlapped(uint32_t end);
	void finish_piece(chunk_run p, int err);
	void show_piece(chunk_run p);
	void show_part(chunk_run p, range r);

	host_touch &h_;
	array &a_;
	trap &catcher_;
	device &dev_;
	bool shown_ = true;
	bool others_wait_ = false;
};

bool fetch_job::can_be_kept() const
{
	return !a_.pending && !a_.ahead.expects(h_.c) && catcher_.features().by_page &&
	       is_pinned(a_, device_of(h_.st.from)) && h_.s.has_room(h_.st.from, dev_.pinned_reads());
}

void fetch_job::fail()
{
	chunk &ch = a_.chunks[h_.c];
	unsigned failed = device_of(h_.st.from);
	copyset others = ch.valid & ~device_copy(failed);
	report(GPUVM_EDEVALLOC, a_.place.user.ptr(), "array %p: device %u failed while the host touched %p; %s",
	       a_.place.user.ptr(), failed, reinterpret_cast<void *>(h_.t.addr),
	       others ? "another device has the data" : "its only valid copy can't be read: SIGBUS");
	if (others) {
		ch.valid = others;
		h_.wake();
	} else {
		fail_chunk(a_, h_.c);
	}
}

// Page after page it takes long; the chunks are busy, which keeps everybody else from them, so the lock is left to
// those who have other business meanwhile.
void fetch_job::show_part(chunk_run p, range r)
{
	if (r.empty())
		return;
	bool long_work = catcher_.features().by_page;
	if (long_work)
		h_.g.unlock();
	int err = show_pages(a_, r, h_.st.next.host);
	if (long_work)
		h_.g.lock();
	shown_ &= take_answer(a_, p.first, r, err);
}

// Where pages are shown one by one, the one that is waited for comes first.
void fetch_job::show_piece(chunk_run p)
{
	range r = a_.place.chunk_range(p.first, p.count), first = r;
	HET_PROBE3(resolve, r.begin, r.size(), int(h_.st.next.host));
	bool touched = p.first == h_.c;
	if (touched && catcher_.features().by_page)
		first = h_.page().at;
	if (touched)
		h_.count();
	show_part(p, first);
	if (touched)
		h_.has_gone_on();
	// The rest is at home, and a touch away.
	if (touched && others_wait_)
		return;
	show_part(p, {first.end, r.end});
	show_part(p, {r.begin, first.begin});
}

void fetch_job::finish_locked(chunk_run p, int err)
{
	if (!err) {
		layout::span s{p.first, p.first + p.count};
		enter_all(a_, s, h_.st.next);
		note_touch(a_, s, h_.t.write);
		if (h_.t.write && p.first == h_.c)
			note_host_write(a_, h_.c);
		show_piece(p);
	} else if (p.first == h_.c) {
		fail();
	}
	release_chunks(a_, p.first, p.count);
}

void fetch_job::finish_piece(chunk_run p, int err)
{
	HET_PROBE3(copied, a_.place.chunk_range(p.first, 1).begin, a_.place.bytes_of(p.first, p.count).size(), err);
	if (p.first == h_.c)
		h_.at.pass(&touch_times::copied);
	delay_point();
	h_.g.lock();
	finish_locked(p, err);
	h_.g.unlock();
}

// The touched chunk comes first and alone, then the rest.
chunk_run fetch_job::next_piece(uint32_t at, uint32_t end) const
{
	auto most = uint32_t(std::max<size_t>(piece_bytes >> a_.place.chunk_shift, 1));
	return run_home(at, at == h_.c ? 1 : std::min(most, end - at), h_.st.from);
}

// The copy of the piece is about to be given to the device.
void fetch_job::give(const chunk_run &p)
{
	HET_PROBE3(copy, a_.place.chunk_range(p.first, 1).begin, a_.place.bytes_of(p.first, p.count).size(),
		   device_of(p.from));
	if (p.first == h_.c)
		h_.at.pass(&touch_times::given);
	// This is a mutant, which a test must notice.
	if (p.first == h_.c && is_mutant(mutant::hasty))
		show_pages(a_, a_.place.chunk_range(p.first, 1), h_.st.next.host);
	delay_point();
}

// The pieces are read one after the other, each by a plain copy.
void fetch_job::read_in_turn(uint32_t end)
{
	for (uint32_t at = h_.c; at < end;) {
		chunk_run p = next_piece(at, end);
		give(p);
		finish_piece(p, copy_to_host(a_, {&p, 1}, h_.s.lane()));
		at += p.count;
	}
}

// Returns where the next piece begins.
uint32_t fetch_job::start(in_flight &f, uint32_t at, uint32_t end)
{
	f.run = next_piece(at, end);
	f.started = start_of_copy(a_);
	range bytes = a_.place.bytes_of(f.run.first, f.run.count);
	struct transfer piece = piece_of(a_, device_of(h_.st.from), bytes);
	give(f.run);
	f.err = check_source(a_, {bytes, h_.st.from});
	if (!f.err)
		f.err = dev_.start_read(h_.s.lane(), piece, f.ticket);
	if (f.run.first == h_.c)
		h_.at.pass(&touch_times::started);
	return at + f.run.count;
}

// Piece n + 1 travels while piece n is shown.
void fetch_job::read_overlapped(uint32_t end)
{
	in_flight slots[2];
	uint32_t at = start(slots[0], h_.c, end);
	h_.s.wait_for_device(true);
	for (unsigned i = 0;; i ^= 1) {
		bool more = at < end;
		if (more)
			at = start(slots[i ^ 1], at, end);
		in_flight &f = slots[i];
		if (!f.err)
			f.err = dev_.finish_read(h_.s.lane(), f.ticket);
		if (!f.err)
			count_to_host(a_, a_.place.bytes_of(f.run.first, f.run.count).size(), f.started);
		// The next piece travels already, but what it has waited for this one is counted.
		if (more)
			slots[i ^ 1].started = start_of_copy(a_);
		finish_piece(f.run, f.err);
		if (!more)
			return;
	}
}

// The touched chunk alone. What has time until it is there is done meanwhile.
void fetch_job::read_one()
{
	in_flight f;
	start(f, h_.c, h_.c + 1);
	h_.s.device_works();
	if (!f.err)
		f.err = dev_.finish_read(h_.s.lane(), f.ticket);
	if (!f.err)
		count_to_host(a_, a_.place.bytes_of(h_.c).size(), f.started);
	finish_piece(f.run, f.err);
}

void fetch_job::start_kept()
{
	in_flight f;
	start(f, h_.c, h_.c + 1);
	if (f.err)
		finish_piece(f.run, f.err);
	else
		h_.s.keep({h_.found(), f.started, f.ticket});
}

void fetch_job::read(uint32_t end, bool is_kept)
{
	if (dev_.signal_safe()) {
		read_in_turn(end);
	} else if (is_kept) {
		start_kept();
	} else {
		watched_call watched(h_.s.lane(), a_.place.user.ptr());
		if (catcher_.features().stops_threads) {
			read_in_turn(end);
		} else if (end - h_.c > 1) {
			read_overlapped(end);
		} else {
			h_.s.wait_for_device(false);
			read_one();
		}
	}
}

} // namespace

verdict fetch(host_touch &h)
{
	array &a = h.a;
	trap &catcher = *a.context->catcher;
	fetch_job job(h);
	bool stops = catcher.features().stops_threads;
	unsigned from = device_of(h.st.from);
	if (h.s.in_handler() && (!a.context->devices[from]->signal_safe() || a.pending || stops))
		return verdict::hand_over;
	bool is_kept = job.can_be_kept();
	if (!is_kept && h.s.kept())
		return verdict::later;

	layout::span s = h.window();
	uint32_t n = s.last - s.first;
	// This comes before anything is read: the end of a kernel that is open now must wait for this fetch.
	leave_fast(a);
	for (uint32_t c = s.first; c < s.last; c++)
		a.chunks[c].flags |= chunk_busy;
	a.context->stats.fetches.add(1);
	HET_PROBE3(fetch, h.t.addr, a.place.bytes_of(s.first, n).size(), from);
	if (a.pending) {
		h.s.wait_for_device(true);
		copyset broken = 0;
		settle(a, h.g, &broken);
		// What the kernel should have written is not there.
		if (broken & device_copy(from)) {
			job.fail();
			release_chunks(a, s.first, n);
			return verdict::done;
		}
	}
	h.g.unlock();
	delay_point();
	if (stops)
		catcher.stop_threads();
	job.read(s.last, is_kept);
	if (stops)
		catcher.resume_threads();
	if (job.is_shown())
		return verdict::done;
	h.g.lock();
	return show_whole(h);
}

void finish_fetch(started_fetch &f, server &s)
{
	array &a = *f.touch.in;
	unsigned from = device_of(f.touch.st.from);
	s.wait_for_device(false);
	int err;
	{
		watched_call watched(s.lane(), a.place.user.ptr());
		err = a.context->devices[from]->finish_read(s.lane(), f.ticket);
	}
	f.touch.at.pass(&touch_times::copied);
	HET_PROBE3(copied, a.place.chunk_range(f.touch.chunk, 1).begin, a.place.bytes_of(f.touch.chunk).size(), err);
	if (!err)
		count_to_host(a, a.place.bytes_of(f.touch.chunk).size(), f.copy_started);
	delay_point();
	array_guard g(a);
	host_touch h(f.touch, g, s);
	fetch_job job(h);
	if (s.kept() > 1)
		job.others_wait();
	job.finish_locked(run_home(f.touch.chunk, 1, f.touch.st.from), err);
}

} // namespace het
