// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include <string>
#include <sys/types.h>

namespace selftest
{

// Tells from /proc what every thread of every process of the group is doing; with HET_TEST_GDB=1 it also has gdb's
// backtraces.
std::string describe_threads(pid_t group);

} // namespace selftest
