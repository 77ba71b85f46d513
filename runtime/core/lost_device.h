// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This takes out devices that have failed for good.
#pragma once

#include "core/runtime.h"

namespace het::rt
{

// A command has failed on the device: takes it out, once, if nothing will work there any longer, and others of its kind
// if its failure has taken them along. What was there alone is lost, and said to be. It takes locks from structure on.
void check_device(het_device &d);

} // namespace het::rt
