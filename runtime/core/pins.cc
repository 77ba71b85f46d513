// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/pins.h"

#include <algorithm>

namespace het::rt
{

namespace
{

constinit futex_lock pins_lock; // has rank leaf
constinit pin *first_pin = nullptr;

class pins_guard
{
      public:
	pins_guard() { pins_lock.lock(lock_rank::leaf); }
	~pins_guard() { pins_lock.unlock(lock_rank::leaf); }
	pins_guard(const pins_guard &) = delete;
	pins_guard &operator=(const pins_guard &) = delete;
};

} // namespace

void pin::hold(std::span<const range_use> uses, const het_device &d)
{
	pins_guard g;
	if (!devices_.load()) {
		uses_ = uses;
		before_ = nullptr;
		next_ = first_pin;
		if (next_)
			next_->before_ = this;
		first_pin = this;
	}
	devices_.fetch_or(uint32_t{1} << d.executor.number());
}

// The caller holds the lock.
void pin::leave_list()
{
	(before_ ? before_->next_ : first_pin) = next_;
	if (next_)
		next_->before_ = before_;
}

void pin::drop(const het_device &d)
{
	pins_guard g;
	const uint32_t bit = uint32_t{1} << d.executor.number();
	if (devices_.fetch_and(~bit) == bit)
		leave_list();
}

void pin::release()
{
	if (!devices_.load())
		return;
	pins_guard g;
	leave_list();
	devices_.store(0);
}

bool is_pinned(range array, const het_device &d)
{
	pins_guard g;
	for (const pin *p = first_pin; p; p = p->next_) {
		auto has_some = [&](const range_use &u) { return u.bytes.overlaps(array); };
		if (p->holds_on(d) && std::any_of(p->uses_.begin(), p->uses_.end(), has_some))
			return true;
	}
	return false;
}

} // namespace het::rt
