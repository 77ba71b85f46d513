// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The heat on a plate is computed on one machine (apps/stencil.cc) and on MPI's ranks (mpi/stencil.cc): each step makes
// each point the mean of itself and its four neighbours, and the rim keeps its temperature.
#pragma once

#include "apps/common/app.h"

namespace bench
{

extern const kernel_text stencil_kernels;

inline constexpr float heat_rate = 0.2f;

// Returns the work-items that compute the points of a step.
het::work heat_items(size_t width, size_t height);
// The kernel `relax` as a function, which takes (from, to, width, height, rate).
void relax_on_host(const het_group *g, void *const *args);
// Returns the temperatures after the steps.
std::vector<double> heat_after(const std::vector<float> &start, size_t width, size_t height, unsigned steps);

} // namespace bench
