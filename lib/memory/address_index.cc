// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/address_index.h"

#include "os/clock.h"
#include "os/pool.h"

#include <algorithm>
#include <sched.h>

namespace het
{

namespace
{

constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;
constexpr auto relaxed = std::memory_order_relaxed;
constexpr int spins_before_yield = 1000;

} // namespace

void *address_table::first_overlap(range r, range *extent) const
{
	for (int spins = 0;; spins++) {
		uint32_t before = sequence_.load(acquire);
		table *t = table_.load(acquire);
		if (!t)
			return nullptr;
		if (before & 1) {
			if (spins < spins_before_yield)
				cpu_pause();
			else
				sched_yield();
			continue;
		}
		// This finds the first entry that ends after r.begin. Loads acquire, so that the last check can't be
		// done early.
		uint32_t low = 0, high = std::min(count_.load(acquire), t->capacity);
		uint32_t n = high;
		while (low < high) {
			uint32_t middle = (low + high) / 2;
			if (t->entries[middle].end.load(acquire) <= r.begin)
				low = middle + 1;
			else
				high = middle;
		}
		uintptr_t found = 0;
		if (low < n && t->entries[low].begin.load(acquire) < r.end) {
			found = t->entries[low].value.load(acquire);
			if (extent)
				*extent = {t->entries[low].begin.load(acquire), t->entries[low].end.load(acquire)};
		}
		if (sequence_.load(relaxed) == before)
			return reinterpret_cast<void *>(found);
	}
}

void address_table::copy(entry &to, const entry &from)
{
	to.begin.store(from.begin.load(relaxed), release);
	to.end.store(from.end.load(relaxed), release);
	to.value.store(from.value.load(relaxed), release);
}

bool address_table::grow()
{
	table *old = table_.load(relaxed);
	uint32_t capacity = old ? old->capacity * 2 : 64;
	auto *bigger = static_cast<table *>(pool().allocate(sizeof(table) + capacity * sizeof(entry)));
	if (!bigger)
		return false;
	bigger->capacity = capacity;
	for (uint32_t i = 0; i < size(); i++)
		copy(bigger->entries[i], old->entries[i]);
	table_.store(bigger, release);
	return true;
}

bool address_table::insert(range extent, void *object)
{
	table *t = table_.load(relaxed);
	if ((!t || size() == t->capacity) && !grow())
		return false;
	t = table_.load(relaxed);
	signals_blocked no_signals;
	sequence_.fetch_add(1, acquire);
	uint32_t i = size();
	for (; i > 0 && t->entries[i - 1].begin.load(relaxed) > extent.begin; i--)
		copy(t->entries[i], t->entries[i - 1]);
	t->entries[i].begin.store(extent.begin, release);
	t->entries[i].end.store(extent.end, release);
	t->entries[i].value.store(reinterpret_cast<uintptr_t>(object), release);
	count_.fetch_add(1, release);
	sequence_.fetch_add(1, release);
	return true;
}

void *address_table::at(uint32_t i) const
{
	return reinterpret_cast<void *>(table_.load(relaxed)->entries[i].value.load(relaxed));
}

void address_table::remove(range extent)
{
	table *t = table_.load(relaxed);
	uint32_t n = size(), i = 0;
	while (i < n && t->entries[i].begin.load(relaxed) != extent.begin)
		i++;
	if (i == n)
		return;
	signals_blocked no_signals;
	sequence_.fetch_add(1, acquire);
	for (; i + 1 < n; i++)
		copy(t->entries[i], t->entries[i + 1]);
	count_.fetch_sub(1, release);
	sequence_.fetch_add(1, release);
}

} // namespace het
