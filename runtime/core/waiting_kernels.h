// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These kernels are not divided, as a part of one has waited for another: in this process, whatever handle names the
// kernel, and kept for the user's other processes, as that one most likely had to be killed. Any thread may ask.
#pragma once

#include "core/program.h"

namespace het::rt
{

// It says so once if the program has asked for it (@is_declared), or else where much is said.
bool is_known_to_wait(het_kernel &k, bool is_declared);

// With @waits false it takes back what was said.
void note_waiting(het_kernel &k, bool waits);

} // namespace het::rt
