// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This tells which devices a split launch leaves out because others run on the same processors.
#pragma once

#include "core/runtime.h"
#include "core/speeds.h"

#include <span>

namespace het::rt
{

// Of devices that share processors one is kept, which is as quick as all of them, once all are known. Those that are
// kept come first, in their order, and are noted as chosen if there are several. Returns their number. @items is the
// number of the launch's work-items.
unsigned keep_one_of_processors(std::span<het_device *> devices, speeds &known, double items);

} // namespace het::rt
