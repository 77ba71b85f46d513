// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What /proc says of processes and threads.
#pragma once

#include <string>
#include <vector>

namespace selftest
{

// The processes of /proc, or the threads of /proc/PID/task. None are there if the process has ended.
std::vector<std::string> numbers_in(const std::string &folder);

// What the file "stat" of such a folder says after the program's name: the state's letter, the parent, the process group
// and so on. The text is empty if the process or thread has ended.
std::string state_and_more(const std::string &folder);

} // namespace selftest
