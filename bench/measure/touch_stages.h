// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Says where the time of a touch goes: from the times at which the library passes it from hand to hand, beside the
// device's copy alone.
#pragma once

#include "common/child.h"
#include "measure/touch.h"

#include <string>
#include <vector>

namespace bench
{

// The stretches of a touch, in their order. A touch skips those that it has no need of.
struct touch_stage {
	const char *name;
	const char *title;
};
const std::vector<touch_stage> &touch_stages();

// Runs in the child process, and starts the library for the subject. The answer to {size, samples} has, in µs, "touch",
// "copy" (the device's own blocking read of as many bytes, into memory that it likes best) and "stages" by name; and
// "fetched" in bytes. With {together} as many threads touch a chunk each at one moment, and "touch" is the time until
// the last has its word. Throws if the trap can't be had.
answer_fn start_touch_stages(const touch_subject &subject);

} // namespace bench
