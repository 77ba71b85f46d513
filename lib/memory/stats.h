// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Counters of gpuvm_stat(). They are relaxed: each is right by itself, and two need not fit each other.
#pragma once

#include "core/histogram.h"

#include <atomic>
#include <cstdint>

namespace het
{

struct counter {
	std::atomic<uint64_t> value{0};
	void add(uint64_t n) { value.fetch_add(n, std::memory_order_relaxed); }
	uint64_t get() const { return value.load(std::memory_order_relaxed); }
};

struct statistics {
	counter to_device_bytes, to_host_bytes, kept_bytes;
	counter to_device_ns, to_host_ns;
	counter touches, fetches, touch_ns;
	counter foreseen_bytes, foreseen_used_bytes, foreseen_in_vain_bytes;
	counter left_writable_bytes, left_in_vain_bytes;
	counter sent_bytes, sent_used_bytes, sent_in_vain_bytes;
	histogram stalls;
};

} // namespace het
