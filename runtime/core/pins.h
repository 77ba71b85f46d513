// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Arrays that must not leave a device although nobody has opened them there: those of a launch that has its memory and
// is about to open them, and those of a divided launch of which a part has begun there, until all of it has ended.
#pragma once

#include "core/ranges.h"
#include "core/runtime.h"

namespace het::rt
{

class pin
{
      public:
	pin() = default;
	~pin() { release(); }
	pin(const pin &) = delete;
	pin &operator=(const pin &) = delete;

	// The uses outlive the pin. It may be called again, for further devices.
	void hold(std::span<const range_use> uses, const het_device &d);
	// The part that has begun on the device has been given up.
	void drop(const het_device &d);
	void release();
	bool holds_on(const het_device &d) const { return devices_.load() >> d.executor.number() & 1; }
	bool holds_beside(const het_device &d) const { return devices_.load() & ~(uint32_t{1} << d.executor.number()); }

      private:
	void leave_list();

	friend bool is_pinned(range array, const het_device &d);

	std::span<const range_use> uses_;
	std::atomic<uint32_t> devices_{0}; // by number
	pin *next_ = nullptr, *before_ = nullptr;
};

// Some pin holds bytes of the range on the device.
bool is_pinned(range array, const het_device &d);

} // namespace het::rt
