// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/coherence.h"

#include <algorithm>

namespace het
{

namespace
{

step stay(chunk_state s)
{
	return {.next = s, .protect = s.host, .from = nobody, .to = nobody};
}

uint8_t source(chunk_state s)
{
	return s.valid ? source_of(s.valid) : each_fragments_own;
}

step touch_read(chunk_state s, coherence_rules rules)
{
	step r = stay(s);
	if (!s.host_valid()) {
		r.from = source(s);
		r.to = 0;
	}
	r.next.valid |= host_copy;
	if (!rules.share)
		r.next.valid = host_copy;
	access best = r.next.valid == host_copy ? access::write : access::read;
	r.next.host = std::max(s.host, best);
	return r;
}

step touch_write(chunk_state s)
{
	step r = stay(s);
	if (!s.host_valid()) {
		r.from = source(s);
		r.to = 0;
	}
	r.next = {host_copy, access::write};
	return r;
}

step fetch(chunk_state s)
{
	step r = stay(s);
	if (s.host_valid())
		return r;
	r.from = source(s);
	r.to = 0;
	r.next.valid |= host_copy;
	return r;
}

// Brings the bytes to the device. Only for a reader does the state count them.
step begin(chunk_state s, unsigned device)
{
	step r = stay(s);
	if (s.device_valid(device))
		return r;
	r.from = source(s);
	r.to = uint8_t(1 + device);
	return r;
}

step begin_read(chunk_state s, unsigned device)
{
	step r = begin(s, device);
	if (!r.copies())
		return r;
	r.protect = std::min(s.host, access::read);
	r.next = {s.valid | device_copy(device), r.protect};
	return r;
}

step send_ahead(chunk_state s, unsigned device)
{
	return s.host_valid() ? begin_read(s, device) : stay(s);
}

step revoke(chunk_state s)
{
	step r = stay(s);
	r.protect = r.next.host = access::none;
	return r;
}

step end_written(chunk_state s, unsigned device)
{
	step r = stay(s);
	r.protect = access::none;
	r.next = {device_copy(device), access::none};
	return r;
}

// The kernel's bytes count, whatever the former state says.
step foresee(chunk_state s, unsigned device, chunk_state next)
{
	return {.next = next, .protect = std::min(s.host, next.host), .from = uint8_t(1 + device), .to = 0};
}

step drop(chunk_state s, unsigned device)
{
	step r = stay(s);
	r.next.valid &= ~device_copy(device);
	r.allowed = r.next.valid != 0;
	if (!r.allowed)
		r.next = s;
	return r;
}

} // namespace

step next_step(chunk_state s, event e, unsigned device, coherence_rules rules)
{
	switch (e) {
	case event::touch_read:
		return touch_read(s, rules);
	case event::touch_write:
		return touch_write(s);
	case event::fetch:
		return fetch(s);
	case event::begin_read:
		return begin_read(s, device);
	case event::begin_write:
		return begin(s, device);
	case event::send_ahead:
		return send_ahead(s, device);
	case event::revoke:
		return revoke(s);
	case event::end_written:
		return end_written(s, device);
	case event::foresee_read:
		return foresee(s, device, {host_copy | device_copy(device), access::read});
	case event::foresee_write:
		return foresee(s, device, {host_copy, access::write});
	case event::drop:
		return drop(s, device);
	}
	return stay(s);
}

} // namespace het
