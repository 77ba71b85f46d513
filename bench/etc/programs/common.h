// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the programs have in common.
#pragma once

#include "etc/programs/programs.h"
#include "etc/record/recorder.h"
#include "model/inputs.h"

namespace etc
{

using model::compare;
using model::some_floats;

} // namespace etc
