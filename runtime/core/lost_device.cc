// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/lost_device.h"

#include "core/links.h"
#include "os/log.h"

namespace het::rt
{

namespace
{

// It is true if the device is lost, and nobody has known.
bool find_lost(het_device &d)
{
	if (d.lost.load() || !d.compute->is_lost() || d.lost.exchange(true))
		return false;
	warn("%s has failed for good: it gets no more commands", d.compute->info().name);
	forget_memory_of(d);
	return true;
}

} // namespace

// A driver may refuse one device's commands after another's failure.
void check_device(het_device &d)
{
	if (!find_lost(d))
		return;
	for (unsigned i = 0; i < core().ndevices; i++) {
		het_device &other = *core().devices[i];
		if (other.compute->info().kind == d.compute->info().kind)
			find_lost(other);
	}
}

} // namespace het::rt
