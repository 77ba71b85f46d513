// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Gets memory of a device for arrays and others, and has arrays leave it for that. Callers hold the lock of linking.
#pragma once

#include "core/links.h"

#include <span>

namespace het::rt
{

// Who wants memory.
struct demand {
	std::span<const range> own = {}; // these arrays stay
	bool may_evict = true;
	bool takes_less = false;  // what can leave now does, also if that is not enough
	uint64_t own_windows = 0; // bytes of windows that do not go before this is had
};

// Returns how many bytes the library uses on the device.
uint64_t used_on(const het_device &d);

// What launches in place have left on a device (core/kept_frames.h) goes by this function, which returns whether there
// was any.
void drop_idle_frames_by(bool (*drop)(het_device &));

// Returns how many bytes there others have just now: arrays that commands use, windows, and what was taken for stops,
// which the driver would not give back before all that runs has ended.
uint64_t had_by_others(const het_device &d);

// Returns how many of them are slots for copies of other devices. These are little beside the budget, or else
// keep_scarce() has the device take them back. It waits for copies that pass through them, and for kernels of anybody's
// on that device, so its callers do not hold the lock of linking.
uint64_t lent_by(const het_device &d);
void keep_scarce(het_device &d);

// Makes so many bytes of the budget free. must_wait means that this would take arrays that others have, or that none
// may leave (demand::may_evict). What can't be had at all, as the budget is but a guess, is left to the driver to
// refuse.
outcome make_room(het_device &d, uint64_t nbytes, const demand &w, int *err);

// Allocates a buffer; if the driver has no memory, arrays leave, and the budget is what has worked. failed has been
// explained, and so has too_large: the driver has none, and nothing is left that could leave. Of its bytes @counted are
// in the device's account already.
outcome allocate_buffer(het_device &d, size_t nbytes, const demand &w, void **buffer, int *err, uint64_t counted = 0);

// Arrays that nobody has leave until the budget is kept, or none is left but @own.
void keep_budget(het_device &d, std::span<const range> own = {});

} // namespace het::rt
