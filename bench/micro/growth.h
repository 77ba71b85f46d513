// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds where a curve over powers of two stops to change.
#pragma once

#include "micro/curve.h"
#include "micro/recorder.h"

namespace micro
{

// Returns the first place from which on the curve has its largest height; there is no such thing if it hardly rises.
fact where_growth_ends(const std::string &name, const curve &c, uint64_t seed);

// Returns the first place behind which the curve does not rise by most of what doubling would be, and never again.
fact where_doubling_ends(const std::string &name, const curve &c, uint64_t seed);

// Returns the first place from which on the curve has its smallest height.
fact where_fall_ends(const std::string &name, const curve &c, uint64_t seed);

// Returns the first place at which a curve of rates has nine tenths of the most that it has anywhere.
fact where_most_is_reached(const std::string &name, const curve &rates, uint64_t seed);

} // namespace micro
