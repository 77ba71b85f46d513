// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These random numbers are the same on every machine.
#pragma once

#include "noc/random.h"

namespace micro
{

using noc::random_stream;

} // namespace micro
