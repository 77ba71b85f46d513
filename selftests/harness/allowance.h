// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Decides how long a process may take. Limits count processor time, so that they are no shorter on a machine that is
// busy with something else; a process that hangs is known by standing still.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace selftest
{

class allowance
{
      public:
	// @seconds is what the process @root and its descendants take at the most on an idle machine, all of its
	// processors busy.
	allowance(pid_t root, double seconds);

	// Returns why the process is to be ended, or "" while it is not. The caller asks now and then.
	std::string over();

      private:
	pid_t root_;
	double seconds_;
	uint64_t start_ns_;
	uint64_t looked_ns_ = 0;
	double used_then_ = 0;
};

// Returns what a process and its descendants that are alive or were waited for have used.
double processor_seconds(pid_t root);

} // namespace selftest
