// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/rewrites.h"

#include "memory/context.h"
#include "memory/send_ahead.h"

namespace het
{

namespace
{

bool may_stay_writable(const array &a, const usage &u)
{
	return a.context->foresight != foresight_kind::off && a.chunks && (!a.context->strict || u.promised);
}

// The host has the chunk to itself, so it is about to be sent.
bool is_sent(const chunk &ch)
{
	return !(ch.flags & chunk_not_foreseen) && ch.state() == chunk_state{host_copy, access::write};
}

} // namespace

const array_history *expect_rewrites(array &a, const usage &u)
{
	if (!may_stay_writable(a, u))
		return nullptr;
	if (!a.rewrites && is_worth_a_history(a, written_since_begin, written_before))
		a.rewrites = open_history(a);
	array_history *h = a.rewrites;
	if (!h)
		return nullptr;
	// Nothing can be learned of chunks: all that was written was caught, and nothing was.
	if (!(a.touched & written_since_begin) && !h->has_expected) {
		note_unseen_begin(a);
		return nullptr;
	}
	a.touched &= uint8_t(~written_since_begin);
	foresight::verdict v = learn(a, *h, u, a.unseen_begins.exchange(0), true);
	h->has_expected |= h->any_expected();
	size_t bytes = size_t{1} << a.place.chunk_shift, sent = 0;
	layout::span s = {h->first_expected(), h->any_expected() ? h->last_expected() : h->first_expected()};
	for (uint32_t c = s.first; c < s.last; c++) {
		if (h->expects(c) == expectation::write && is_sent(a.chunks[c]) && !is_write_watched(a, c))
			sent++;
		else
			h->was_taken(c);
	}
	statistics &stats = a.context->stats;
	stats.left_writable_bytes.add(sent * bytes);
	stats.left_in_vain_bytes.add(v.in_vain * bytes);
	return sent ? h : nullptr;
}

} // namespace het
