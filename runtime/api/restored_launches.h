// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches of a checkpoint file are launched again, as a program would that knows them.
#pragma once

#include "core/checkpoint.h"

namespace het::rt
{

// Sends the restore @r, which has its items, and adds the launches of its file behind it: all, or none that will run.
// Returns 0 or a code.
int restore_with_launches(het_queue &queue, const het_checkpoint_args &args, reference<checkpoint_restore> r,
			  het_event **event);

} // namespace het::rt
