// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/lender.h"

#include "core/dispatch.h"
#include "os/thread.h"

#include <algorithm>

namespace het::rt
{

namespace
{

// Bytes that are waited for, or 0. Where more threads touch at once than there are places, some lend nothing.
constexpr unsigned places = 32;
constinit std::atomic<uintptr_t> waited_for[places];
constinit std::atomic<uint32_t> bell{0};
constinit std::atomic<bool> is_tried{false}, is_there{false};

void lend(void *)
{
	for (;;) {
		const uint32_t seen = bell.load();
		for (auto &place : waited_for)
			if (const uintptr_t at = place.exchange(0))
				raise_users({at, at + 1});
		futex_wait(&bell, seen);
	}
}

} // namespace

void start_lender()
{
	if (!is_tried.load(std::memory_order_relaxed) && !is_tried.exchange(true))
		is_there.store(start_thread("het-lend", lend, nullptr));
}

void note_waiting_touch(uintptr_t at)
{
	if (!is_there.load(std::memory_order_relaxed))
		return;
	const bool has_place = std::any_of(std::begin(waited_for), std::end(waited_for), [&](auto &place) {
		uintptr_t none = 0;
		return place.compare_exchange_strong(none, at) || none == at;
	});
	if (!has_place)
		return;
	bell.fetch_add(1);
	futex_wake(&bell, 1);
}

} // namespace het::rt
