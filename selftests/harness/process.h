// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Processes that a case starts to see how they end.
#pragma once

#include <functional>
#include <string>

namespace selftest
{

// How a process ended.
struct ending {
	bool in_time = false;
	int status = 0; // as of waitpid()
	double seconds = 0;

	bool exited(int code) const;
	bool killed_by(int signal) const;
	std::string text() const;
};

// That of this program, which others of the same build lie in or beside.
std::string folder_of_programs();

// Runs @body in a forked process and waits at most so long, then kills it. Returning from @body is exit status 0
// by _exit().
ending run_process(double seconds, const std::function<void()> &body);

// Waits for a process that the caller started.
ending wait_for(int pid, double seconds);

// The body's own CHECKs, too, must have held.
void expect_success(const ending &e, const char *what);
void expect_killed_by(const ending &e, int signal, const char *what);

} // namespace selftest
