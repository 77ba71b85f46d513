// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The account of one device's memory: what the library may use of it, what it uses, by kind, and what has come and
// gone. Any thread may change it at any time; who needs several numbers that fit each other sees to that.
#pragma once

#include "evict/budget.h"

#include <atomic>

namespace het::rt
{

// Buffers of arrays are counted by the memory core, which has them. The others can't be evicted, but for twins that no
// launch uses, and what is kept between launches; windows go by themselves, when their launch has ended.
enum class memory_kind : uint8_t { raw, twins, textures, windows, stops, kept };
inline constexpr unsigned memory_kinds = 6;

class memory_account
{
      public:
	// What the program or the environment allows.
	void set_limit(uint64_t bytes)
	{
		limit_.store(bytes);
		learned_.store(bytes);
	}
	uint64_t limit() const { return limit_.load(std::memory_order_relaxed); }
	// Returns what there is to have: less than the limit if an allocation has failed since that was set.
	uint64_t budget() const { return learned_.load(std::memory_order_relaxed); }
	// An allocation has failed when @used bytes were in use, others having taken the rest, and worked when some of
	// them had left; @now are in use after it.
	void note_shortage(uint64_t used, uint64_t now)
	{
		uint64_t learned = used > now ? used : now;
		if (learned < budget())
			learned_.store(learned);
	}
	// More is in use than was believed to be possible.
	void note_use(uint64_t now)
	{
		uint64_t known = budget();
		while (known < now && now <= limit() && !learned_.compare_exchange_weak(known, now))
			;
	}

	void add(memory_kind k, uint64_t bytes) { of(k).fetch_add(bytes); }
	void remove(memory_kind k, uint64_t bytes) { of(k).fetch_sub(bytes); }
	uint64_t used_as(memory_kind k) const { return kinds_[unsigned(k)].load(std::memory_order_relaxed); }
	// Returns what is used and is no buffer of an array.
	uint64_t beside_buffers() const
	{
		uint64_t all = 0;
		for (const auto &kind : kinds_)
			all += kind.load();
		return all;
	}

	// Returns what of that does not go when others want memory.
	uint64_t beside_buffers_for_good() const
	{
		const uint64_t all = beside_buffers(), kept = used_as(memory_kind::kept);
		return all > kept ? all - kept : 0;
	}

	// These count what has happened since the start.
	std::atomic<uint64_t> given{0};        // bytes of buffers that arrays have got
	std::atomic<uint64_t> evicted{0};      // bytes of buffers that were taken from them for others
	std::atomic<uint64_t> evictions{0};    // how often one was
	std::atomic<uint64_t> written_back{0}; // bytes of those that only this device had, and that went home for it
	std::atomic<uint64_t> refusals{0};     // launches that had to wait for memory
	std::atomic<uint64_t> slices{0};       // parts of launches that did not fit whole
	std::atomic<uint64_t> sent{0};         // bytes that have travelled to windows of those
	std::atomic<uint64_t> brought{0};      // and home from there
	std::atomic<uint64_t> reused{0};       // bytes that had not to travel there, as they were kept
	std::atomic<uint64_t> moved{0};        // launches that worked on host memory in place
	std::atomic<uint64_t> in_place{0};     // accesses of theirs to it

      private:
	std::atomic<uint64_t> &of(memory_kind k) { return kinds_[unsigned(k)]; }

	std::atomic<uint64_t> limit_{no_limit}, learned_{no_limit};
	std::atomic<uint64_t> kinds_[memory_kinds] = {};
};

} // namespace het::rt
