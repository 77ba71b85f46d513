// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/link_all.h"

#include "core/linking.h"
#include "core/make_room.h"
#include "core/pooled_array.h"
#include "os/log.h"

#include <algorithm>

namespace het::rt
{

namespace
{

// The arrays that a launch uses, each once. What overlaps is one array, or will be.
class distinct_arrays
{
      public:
	// It is false without memory.
	bool find(std::span<const range_use> uses)
	{
		if (!arrays_.allocate(uses.size()))
			return false;
		for (const range_use &u : uses)
			add(u.bytes);
		return true;
	}
	std::span<const range> all() const { return {arrays_.get(), count_}; }

      private:
	void add(range bytes)
	{
		std::optional<linked_array> a = first_linked(bytes);
		range whole = a && a->user.covers(bytes) ? a->user : bytes;
		for (size_t i = 0; i < count_;) {
			if (!arrays_[i].overlaps(whole)) {
				i++;
				continue;
			}
			whole = {std::min(arrays_[i].begin, whole.begin), std::max(arrays_[i].end, whole.end)};
			arrays_[i] = arrays_[--count_];
			i = 0;
		}
		arrays_[count_++] = whole;
	}

	pooled_array<range> arrays_;
	size_t count_ = 0;
};

uint64_t sum_of(std::span<const range> arrays)
{
	uint64_t n = 0;
	for (range r : arrays)
		n += r.size();
	return n;
}

uint64_t bytes_without_buffer(std::span<const range> arrays, const het_device &d)
{
	uint64_t n = 0;
	for (range r : arrays)
		n += is_linked_on(r, d) ? 0 : r.size();
	return n;
}

outcome give_buffers(het_device &d, const demand &w, int *err)
{
	for (range r : w.own) {
		void *buffer = nullptr;
		if (is_linked_on(r, d))
			continue;
		outcome o = allocate_buffer(d, r.size(), w, &buffer, err);
		if (o != outcome::done)
			return o;
		*err = give_buffer(r, d, buffer);
		if (*err)
			return outcome::failed;
	}
	return outcome::done;
}

// Twins that no launch uses can leave, and so can what is kept for stops.
uint64_t fixed_bytes(const memory_account &a)
{
	return a.used_as(memory_kind::raw) + a.used_as(memory_kind::textures);
}

outcome give_memory(const distinct_arrays &arrays, het_device &d, uint64_t beside, bool behind, int *err)
{
	const demand w = {.own = arrays.all(), .may_evict = !behind};
	if (d.memory.is_over.load() && w.may_evict)
		keep_budget(d, w.own);
	uint64_t lacking = bytes_without_buffer(w.own, d);
	if (!lacking && !beside)
		return outcome::done;
	if (sum_of(w.own) + beside + fixed_bytes(d.memory.account) > d.memory.account.limit())
		return outcome::too_large;
	outcome o = make_room(d, lacking + beside, w, err);
	return o == outcome::done ? give_buffers(d, w, err) : o;
}

} // namespace

outcome link_all(std::span<const range_use> uses, het_device &d, uint64_t beside, pin &kept, int *err)
{
	linking_guard g;
	for (const range_use &u : uses) {
		outcome o = make_array(u.bytes, false, err);
		if (o != outcome::done)
			return o;
	}
	distinct_arrays arrays;
	if (!arrays.find(uses)) {
		*err = fail(HET_ENOMEM, "het_launch: out of memory");
		return outcome::failed;
	}
	bool behind = !uses.empty() && uses.front().behind;
	outcome o = give_memory(arrays, d, beside, behind, err);
	if (o == outcome::done)
		kept.hold(uses, d);
	return o;
}

uint64_t bytes_of_arrays(std::span<const range_use> uses)
{
	distinct_arrays arrays;
	return arrays.find(uses) ? sum_of(arrays.all()) : 0;
}

} // namespace het::rt
