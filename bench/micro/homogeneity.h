// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Compares devices that should be alike, of a machine or of a cluster.
#pragma once

#include "micro/recorder.h"

#include <string>
#include <vector>

namespace micro
{

// Takes results of devices that have run the test "homogeneity". Adds a curve over devices for memory and one for
// arithmetic, and a fact for each of how far devices are apart, which names those that are not like the others.
void add_homogeneity(const std::vector<json> &documents, bench::report &to, recorder &out);

} // namespace micro
