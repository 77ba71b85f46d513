// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/send_plan.h"

#include <algorithm>

namespace het
{

namespace
{

// A segment must be worth the touch that it costs.
constexpr uint32_t smallest_segment = 1 << 20;
constexpr uint8_t most_lag = 255;
// A lag that was long enough in so many intervals is made shorter, to see whether that will do.
constexpr uint8_t patience = 32;
// What is compared comes behind some intervals in which pages and lags become what they will be.
constexpr uint32_t leading = 2;
constexpr uint32_t first_use = 64, longest_use = 1024, most_strikes = 3;
// A trial that has failed costs its intervals.
constexpr uint32_t first_pause = 64;
// It must take so much of the time without at the most, in percent.
constexpr uint64_t worth = 98;

} // namespace

void send_plan::open(uint32_t chunks, uint32_t bytes, sending_kind kind)
{
	*this = {};
	kind_ = kind;
	chunks_ = chunks;
	length_ = std::max((chunks + most_segments - 1) / most_segments, 1u);
	if (kind == sending_kind::learned)
		length_ = std::max(length_, smallest_segment / std::min(bytes, smallest_segment));
	count_ = (chunks + length_ - 1) / length_;
	next_rest_ = first_pause;
	next_use_ = first_use;
	enter(kind == sending_kind::off       ? phase::resting
	      : kind == sending_kind::learned ? phase::without
					      : phase::in_use);
}

layout::span send_plan::chunks_of(uint32_t segment) const
{
	uint32_t first = segment * length_;
	return {first, std::min(first + length_, chunks_)};
}

uint32_t send_plan::random(uint32_t below)
{
	random_ = random_ * 6364136223846793005u + 1442695040888963407u;
	return uint32_t(random_ >> 33) % below;
}

// ---- in an interval ----------------------------------------------------------------------------------

void send_plan::touched(uint32_t c)
{
	segment &s = segment_of(c);
	touches_++;
	segments_touched_ += !s.touched;
	if (s.taken) {
		s.lag = uint8_t(std::clamp<uint32_t>(touches_ - s.touched + 1, s.lag, most_lag));
		s.good = 0;
		s.again = true;
		s.taken = false;
	}
	s.touched = touches_;
}

void send_plan::exclude(uint32_t c)
{
	segment_of(c).excluded = true;
}

bool send_plan::is_done_with(const segment &s)
{
	if (kind_ == sending_kind::random)
		return random(3) == 0;
	if (!s.touched)
		return false;
	return kind_ == sending_kind::always || (!s.again && touches_ >= s.touched + s.lag);
}

layout::span send_plan::take()
{
	for (uint32_t i = 0; i < count_ && is_on(); i++) {
		segment &s = segments_[i];
		if (s.taken || s.excluded || s.rest || !is_done_with(s))
			continue;
		s.taken = true;
		return chunks_of(i);
	}
	return {0, 0};
}

// ---- between intervals -------------------------------------------------------------------------------

void send_plan::judge(uint32_t c, uint32_t used, uint32_t in_vain)
{
	segment &s = segment_of(c);
	s.is_in_vain = in_vain > used / 4;
	s.is_used = used && !s.is_in_vain;
}

void send_plan::let_rest(segment &s)
{
	s.rest = s.next_rest;
	s.next_rest = std::min<uint16_t>(uint16_t(s.next_rest * 2), longest_rest);
	s.lag = 1;
}

// What was in vain although nobody touched it again was sent to the wrong place.
void send_plan::learn(segment &s)
{
	s.rest -= s.rest > 0;
	if (s.is_used)
		s.next_rest = first_rest;
	if (s.is_used && !s.again && ++s.good == patience) {
		s.lag = std::max<uint8_t>(uint8_t(s.lag - 1), 1);
		s.good = 0;
	}
	if ((s.is_in_vain && !s.again) || (s.touched && s.lag > 1 && s.lag >= segments_touched_))
		let_rest(s);
}

void send_plan::interval_ended(uint64_t now)
{
	for (uint32_t i = 0; i < count_; i++) {
		segment &s = segments_[i];
		if (learns() && is_on())
			learn(s);
		s.touched = 0;
		s.taken = s.excluded = s.again = s.is_in_vain = s.is_used = false;
	}
	touches_ = segments_touched_ = 0;
	if (kind_ == sending_kind::learned && started_)
		pass(now - started_);
	started_ = now;
}

void send_plan::enter(phase p)
{
	phase_ = p;
	strikes_ = 0;
	switch (p) {
	case phase::resting:
		left_ = next_rest_;
		next_rest_ = std::min<uint32_t>(next_rest_ * 2, longest_rest);
		next_use_ = first_use;
		break;
	case phase::without:
		left_ = leading + compared;
		break;
	case phase::with:
		left_ = leading + compared;
		for (segment &s : segments_)
			s = {};
		break;
	case phase::in_use:
		left_ = next_use_;
		next_use_ = std::min(next_use_ * 2, longest_use);
		next_rest_ = first_pause;
		break;
	}
}

// An interval has taken so long.
void send_plan::pass(uint64_t took)
{
	left_--;
	bool all_rest = is_on() && std::all_of(segments_, segments_ + count_, [](const segment &s) { return s.rest; });
	bool leads = left_ >= compared && phase_ != phase::in_use;
	if (left_ < compared)
		times_[left_] = took;
	if (is_on() && !leads)
		strikes_ = took > without_ ? strikes_ + 1 : strikes_ - (strikes_ > 0);
	if (all_rest || strikes_ > most_strikes)
		enter(phase::resting);
	else if (!left_)
		decide();
}

void send_plan::decide()
{
	std::nth_element(times_, times_ + compared / 2, times_ + compared);
	uint64_t median = times_[compared / 2];
	switch (phase_) {
	case phase::resting:
	case phase::in_use:
		return enter(phase::without);
	case phase::without:
		without_ = median;
		return enter(phase::with);
	case phase::with:
		return enter(median < without_ / 100 * worth ? phase::in_use : phase::resting);
	}
}

void send_plan::failed()
{
	if (!learns())
		return;
	for (segment &s : segments_)
		s.rest = s.next_rest = longest_rest;
	next_rest_ = longest_rest;
	if (kind_ == sending_kind::learned)
		enter(phase::resting);
}

} // namespace het
