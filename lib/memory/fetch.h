// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Fetching what a touch needs from a device.
#pragma once

#include "dev/device.h"
#include "memory/host_touch.h"

namespace het
{

// The fetch of one chunk, which the device works on.
struct started_fetch {
	found_touch touch;
	uint64_t copy_started; // start_of_copy()
	read_ticket ticket;
};

// Chunks from the touched one on travel into the alias and are shown.
verdict fetch(host_touch &h);
// Ends what the server has kept.
void finish_fetch(started_fetch &f, server &s);

} // namespace het
