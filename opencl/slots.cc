// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Memory for objects is never given back to the system, and what was released last is used last.
#include "handle.h"

#include <cstdint>
#include <deque>
#include <mutex>
#include <new>
#include <vector>

namespace hetcl
{

namespace
{

constexpr size_t slot_size = 512, slots_at_once = 128;
// So many slots are free before one is used again.
constexpr size_t least_free = 64;

struct store {
	std::mutex lock;
	std::deque<void *> free;
	std::vector<uintptr_t> chunks;

	void add_chunk()
	{
		auto *chunk =
			static_cast<char *>(::operator new (slot_size *slots_at_once, std::align_val_t{slot_size}));
		chunks.push_back(reinterpret_cast<uintptr_t>(chunk));
		for (size_t i = 0; i < slots_at_once; i++)
			free.push_back(chunk + i * slot_size);
	}
};

// Objects may be released after main() has returned, so this is never destroyed.
store &slots()
{
	static auto *s = new store;
	return *s;
}

} // namespace

void *take_slot(size_t nbytes)
{
	if (nbytes > slot_size)
		return ::operator new(nbytes);
	std::lock_guard g(slots().lock);
	if (slots().free.size() <= least_free)
		slots().add_chunk();
	void *slot = slots().free.front();
	slots().free.pop_front();
	return slot;
}

void give_slot(void *slot, size_t nbytes)
{
	if (nbytes > slot_size)
		return ::operator delete(slot);
	std::lock_guard g(slots().lock);
	slots().free.push_back(slot);
}

bool is_slot(const void *p)
{
	const auto at = reinterpret_cast<uintptr_t>(p);
	if (!at || at % slot_size)
		return false;
	std::lock_guard g(slots().lock);
	for (uintptr_t chunk : slots().chunks) {
		if (at >= chunk && at < chunk + slot_size * slots_at_once)
			return true;
	}
	return false;
}

} // namespace hetcl
