// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes figures of measured touches.
#pragma once

#include "measure/figures.h"
#include "measure/touch_matrix.h"

namespace bench
{

// Chooses one of a result's times, by rounds.
using touch_rounds = std::vector<double> touch_result::*;

// Returns the ratio of two measured cells, round by round.
figure touch_ratio(const touch_outcome &all, const std::string &what, const touch_subject &a, const touch_cell &ca,
		   touch_rounds ra, const touch_subject &b, const touch_cell &cb, touch_rounds rb);

} // namespace bench
