// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/host_touch.h"

#include "memory/body.h"
#include "memory/brackets.h"
#include "memory/failure.h"
#include "memory/fragmented.h"
#include "os/clock.h"
#include "os/probes.h"
#include "os/settings.h"

#include <algorithm>

namespace het
{

pages host_touch::page() const
{
	uintptr_t begin = round_down(t.addr, a.place.page);
	return pages_of(a, {begin, begin + a.place.page});
}

layout::span host_touch::window()
{
	event e = t.write ? event::touch_write : event::touch_read;
	auto limit = uint32_t(std::max<size_t>(settings().read_ahead >> a.place.chunk_shift, 1));
	uint32_t wanted = a.ahead.window(c, limit, !t.write), end = c + 1;
	for (; end - c < wanted && end < a.place.chunks; end++) {
		const chunk &ch = a.chunks[end];
		step other = step_of(a, end, e, 0);
		if (ch.flags || other.from != st.from || other.next != st.next || is_barred(a, end))
			break;
	}
	a.ahead.stopped_at(end);
	return {c, end};
}

layout::span host_touch::widen(layout::span to) const
{
	layout::span s = {c, c + 1};
	auto joins = [&](uint32_t i) {
		const chunk &ch = a.chunks[i];
		return ch.host == access::read && !ch.flags && step_of(a, i, event::touch_write, 0).next == st.next &&
		       !is_barred(a, i);
	};
	while (s.first > to.first && joins(s.first - 1))
		s.first--;
	while (s.last < to.last && joins(s.last))
		s.last++;
	return s;
}

std::optional<verdict> host_touch::refusal() const
{
	if (s.in_handler())
		return verdict::hand_over;
	if (s.kept())
		return verdict::later;
	return std::nullopt;
}

void host_touch::wake() const
{
	a.context->catcher->wake(page());
}

void host_touch::count() const
{
	a.context->stats.touches.add(1);
}

void host_touch::has_gone_on()
{
	statistics &counted = a.context->stats;
	at.shown = now_ns();
	uint64_t took = at.shown - at.seen;
	HET_PROBE3(go_on, t.addr, took, int(t.write));
	if (at.wanted)
		a.context->last.keep(at);
	counted.touch_ns.add(took);
	counted.stalls.add(took);
}

void host_touch::fail_unread() const
{
	void *user = a.place.user.ptr();
	report(GPUVM_EDEVALLOC, user,
	       "array %p: a device failed while the host touched %p; its only valid copy can't be read: SIGBUS", user,
	       reinterpret_cast<void *>(t.addr));
	fail_chunk(a, c);
}

} // namespace het
