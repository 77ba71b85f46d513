// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "evict/array_log.h"

#include <algorithm>

namespace het::rt
{

void rest_period::begin()
{
	left_ = next_ - 1;
	next_ = std::min(2 * next_, most);
}

array_log::entry *array_log::find(uintptr_t array)
{
	for (entry &e : entries_) {
		if (e.last && e.array == array)
			return &e;
	}
	return nullptr;
}

// What it has been used for before is known.
bool array_log::decide(entry &e)
{
	if (e.from_keeping.goes_on())
		return false;
	e.launches += e.kept != 0;
	if (e.launches <= trials)
		return true;
	e.kept = e.launches = 0;
	e.from_keeping.begin();
	return false;
}

bool array_log::knows(uintptr_t array) const
{
	const guard l(lock_, lock_rank::leaf);
	return std::any_of(entries_, entries_ + most, [&](const entry &e) { return e.last && e.array == array; });
}

bool array_log::use(uintptr_t array, uint64_t nbytes)
{
	const guard l(lock_, lock_rank::leaf);
	entry *e = find(array);
	if (!e) {
		e = std::min_element(entries_, entries_ + most,
				     [](const entry &a, const entry &b) { return a.last < b.last; });
		*e = {};
		e->array = array;
	} else {
		e->is_kept = decide(*e);
	}
	e->last = ++uses_;
	e->nbytes = nbytes;
	return e->is_kept;
}

void array_log::note_kept(uintptr_t array, uint64_t nbytes)
{
	const guard l(lock_, lock_rank::leaf);
	if (entry *e = find(array))
		e->kept += nbytes;
}

void array_log::note_used(uintptr_t array, uint64_t nbytes)
{
	const guard l(lock_, lock_rank::leaf);
	entry *e = find(array);
	if (!e || !nbytes)
		return;
	e->kept = e->launches = 0;
	e->from_keeping.shorten();
}

bool array_log::writes(uintptr_t array)
{
	const guard l(lock_, lock_rank::leaf);
	entry *e = find(array);
	if (!e)
		return false;
	const bool rests = e->from_staying_away.goes_on();
	const bool came = e->home > e->away / 2, stayed = e->away && !came;
	e->away = e->home = 0;
	if (rests)
		return false;
	if (stayed)
		e->from_staying_away.shorten();
	if (came)
		e->from_staying_away.begin();
	return !came;
}

void array_log::note_away(uintptr_t array, uint64_t nbytes)
{
	const guard l(lock_, lock_rank::leaf);
	if (entry *e = find(array))
		e->away += nbytes;
}

void array_log::note_home(uintptr_t array, uint64_t nbytes)
{
	const guard l(lock_, lock_rank::leaf);
	if (entry *e = find(array))
		e->home += nbytes;
}

void array_log::forget(range names)
{
	const guard l(lock_, lock_rank::leaf);
	for (entry &e : entries_) {
		if (e.last && names.contains(e.array))
			e = {};
	}
}

uint64_t array_log::wanted() const
{
	const guard l(lock_, lock_rank::leaf);
	uint64_t all = 0;
	for (const entry &e : entries_)
		all += e.last && e.is_kept && uses_ - e.last < most ? e.nbytes : 0;
	return all;
}

} // namespace het::rt
