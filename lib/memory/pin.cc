// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/pin.h"

#include "memory/body.h"

namespace het
{

namespace
{

copyset devices_of(const memory_context &context, int api)
{
	copyset all = 0;
	for (unsigned d = 0; d < context.ndevs; d++) {
		if (context.devices[d]->api() == api)
			all |= device_copy(d);
	}
	return all;
}

} // namespace

void pin_body(array &a, array_guard &g, unsigned device)
{
	if ((a.pin_tried & device_copy(device)) || a.place.body.empty())
		return;
	auto &d = *a.context->devices[device];
	copyset kin = devices_of(*a.context, d.api());
	a.pin_tried |= kin;
	a.being_pinned |= kin;
	g.unlock();
	bool done = d.pin(alias_of(a, a.place.body.begin), a.place.body.size());
	g.lock();
	a.being_pinned &= ~kin;
	announce_change(a);
	if (!done)
		return;
	a.pinner = uint8_t(1 + device);
	a.pinned.store(kin);
}

void pin_body_for_good(array &a, array_guard &g, unsigned device)
{
	pin_body(a, g, device);
	while (a.being_pinned & device_copy(device))
		g.wait_for_change();
}

void unpin_body(array &a)
{
	if (a.pinner)
		a.context->devices[a.pinner - 1u]->unpin(alias_of(a, a.place.body.begin));
	a.pinner = 0;
	a.pinned.store(0);
}

} // namespace het
