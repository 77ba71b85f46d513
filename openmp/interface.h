// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// libgomp has changed what it says to plug-ins with GCC 13. One plug-in serves both: it looks which one has loaded it.
#pragma once

namespace het_omp
{

bool is_gcc_13_or_newer();
unsigned interface_version();

// libgomp tells the device in this variable of an image which number it has and, since GCC 13, what the environment
// sets.
const char *told_variable();

// Returns whether libgomp's devices can be what a program requires.
bool can_fulfil(unsigned required);

} // namespace het_omp
