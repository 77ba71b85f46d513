// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells which of the chunks that the host writes between kernels it is done with, so that they can be sent to the
// device before the kernel begins. This is pure. Callers hold the array's lock.
//
// The array is cut into a few segments. Their pages are read-only when the host begins to write, so the first write to
// each is seen: the whole segment becomes writable then, and that it was touched says that the host has moved on. A
// segment is taken to be done with when so many others were touched after it as its lag says: one for a host that goes
// through the array, in whatever direction; more for threads that each write a part. One that is written again after
// it was taken to be done with gets the lag that it would have needed. If no interval has so many touches, or the host
// writes all of it twice, it rests: it is neither protected nor sent, for 16 intervals, then 32, and so on.
//
// An interval lasts from one begin that needs the host's bytes to the next. Whether sending pays is found out by
// trying: the median of a few intervals without is compared with that of a few with it, from time to time; and where
// intervals with it are longer than that again and again, it ends at once.
#pragma once

#include "core/layout.h"

#include <cstdint>

namespace het
{

// Sending is decided in one of these ways. All but off and learned are for tests: eager learns, whatever the time says;
// always and random know nothing.
enum class sending_kind : uint8_t { off, learned, eager, always, random };

class send_plan
{
      public:
	static constexpr uint32_t most_segments = 16;

	// The array has so many chunks, of so many bytes each.
	void open(uint32_t chunks, uint32_t bytes, sending_kind kind);

	// The host has begun to write in the segment of this chunk. Others that have become writable along with it are
	// not done with in this interval, as nothing tells when the host gets there.
	void touched(uint32_t c);
	// Somebody writes there whose writes are not seen: nothing of it is sent in this interval.
	void exclude(uint32_t c);
	// Takes the chunks of one more segment that the host is done with; they are none if there is no such segment.
	// It may be taken again when it was touched again.
	layout::span take();
	// Tells whether the first write in the chunk's segment must be seen: its pages stay read-only, or none.
	bool watches(uint32_t c) const { return is_on() && !segment_of(c).rest; }
	layout::span around(uint32_t c) const { return chunks_of(c / length_); }

	// A begin has found so many of the segment's chunks as they were sent, and so many that were written again.
	void judge(uint32_t c, uint32_t used, uint32_t in_vain);
	// The interval is over at @now, in nanoseconds. Whoever watches looks again.
	void interval_ended(uint64_t now);
	// A copy has failed: leave the device alone for long.
	void failed();

	uint32_t segments() const { return count_; }
	// False: nothing is watched or sent now.
	bool is_on() const { return phase_ == phase::with || phase_ == phase::in_use; }

      private:
	static constexpr uint16_t first_rest = 16, longest_rest = 1024;
	// So many intervals of a phase are compared.
	static constexpr uint32_t compared = 6;

	// What is learned is on trial against intervals without, or in use until it must be shown again.
	enum class phase : uint8_t { resting, without, with, in_use };

	struct segment {
		uint32_t touched = 0; // the how manieth touch of the interval it was; 0: none
		// Intervals that it rests, and those of its next rest.
		uint16_t rest = 0, next_rest = first_rest;
		uint8_t lag = 1, good = 0; // intervals in succession
		bool taken = false, excluded = false;
		bool again = false;      // it was touched after it was taken
		bool is_in_vain = false; // most of what was sent
		bool is_used = false;
	};

	segment &segment_of(uint32_t c) { return segments_[c / length_]; }
	const segment &segment_of(uint32_t c) const { return segments_[c / length_]; }
	layout::span chunks_of(uint32_t segment) const;
	bool is_done_with(const segment &s);
	bool learns() const { return kind_ == sending_kind::learned || kind_ == sending_kind::eager; }
	uint32_t random(uint32_t below);
	void learn(segment &s);
	void let_rest(segment &s);
	void pass(uint64_t took);
	void decide();
	void enter(phase p);

	uint32_t chunks_ = 0, length_ = 1, count_ = 0; // chunks in all and of a segment; segments
	sending_kind kind_ = sending_kind::off;
	phase phase_ = phase::resting;
	uint32_t touches_ = 0, segments_touched_ = 0; // in this interval
	uint32_t left_ = 0;                           // intervals of the phase
	uint32_t next_rest_ = 0, next_use_ = 0;
	uint64_t started_ = 0; // the interval; 0: not known
	// Of the phase, and the median of the last one without, in nanoseconds.
	uint64_t times_[compared] = {}, without_ = 0;
	uint32_t strikes_ = 0; // intervals that took longer than that, less those that did not
	uint64_t random_ = 1;
	segment segments_[most_segments] = {};
};

} // namespace het
