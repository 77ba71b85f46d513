// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reads what /proc says of processes and threads.
#pragma once

#include <string>
#include <vector>

namespace selftest
{

// Returns the processes of /proc, or the threads of /proc/PID/task. There are none if the process has ended.
std::vector<std::string> numbers_in(const std::string &folder);

// Returns what the file "stat" of such a folder says after the program's name: the state's letter, the parent, the
// process group and so on, or "" if the process or thread has ended.
std::string state_and_more(const std::string &folder);

} // namespace selftest
