// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/throttle.h"

#include <algorithm>

namespace het::rt
{

throttle::throttle(unsigned units, const settings &s, uint64_t now) : s_(s), running_(units, true), count_(units)
{
	const unsigned half = std::max(s_.least, (units + 1) / 2);
	for (unsigned unit = units; unit > half; unit--)
		stop(unit - 1);
	begin(phase::detection, s_.adapts ? now + s_.detection : never);
}

void throttle::begin(phase p, uint64_t ends)
{
	phase_ = p;
	ends_ = ends;
	if (p == phase::detection)
		evicted_ = false;
}

void throttle::stop(unsigned unit)
{
	if (!running_[unit] || count_ <= s_.least)
		return;
	running_[unit] = false;
	stopped_.push_back(unit);
	changes_++;
	count_--;
}

void throttle::go_on()
{
	for (unsigned i = 0; i < s_.up && !stopped_.empty(); i++) {
		running_[stopped_.back()] = true;
		stopped_.pop_back();
		changes_++;
		count_++;
	}
}

void throttle::faulted(unsigned unit, uint64_t now)
{
	look(now);
	if (phase_ != phase::detection || !s_.adapts)
		return;
	faulted_ = unit;
	begin(phase::service, never);
}

void throttle::evicted()
{
	evicted_ = true;
}

void throttle::served(unsigned unit, uint64_t now)
{
	if (phase_ != phase::service || unit != faulted_)
		return;
	if (evicted_) {
		stop(unit);
		// Steps of more than one take others along, the last ones first.
		unsigned more = s_.down - 1;
		for (unsigned other = unsigned(running_.size()); more > 0 && other > 0; other--) {
			if (running_[other - 1]) {
				stop(other - 1);
				more--;
			}
		}
	}
	begin(phase::execution, now + s_.execution);
}

void throttle::look(uint64_t now)
{
	while (now >= ends_) {
		if (phase_ == phase::detection) {
			go_on();
			begin(phase::execution, ends_ + s_.execution);
		} else {
			begin(phase::detection, ends_ + s_.detection);
		}
	}
}

} // namespace het::rt
