// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Starts processes for a case, which sees how they end.
#pragma once

#include <functional>
#include <string>

namespace selftest
{

struct context;

// Tells how a process ended.
struct ending {
	int status = 0;        // as waitpid() gives it
	std::string why_ended; // says why we ended it, if it did not end by itself
	double seconds = 0;

	bool by_itself() const { return why_ended.empty(); }
	bool exited(int code) const;
	bool killed_by(int signal) const;
	std::string text() const;
};

// Returns the folder of this program, which others of the same build lie in or beside.
std::string folder_of_programs();

// Runs @body in a forked process, and kills that when its allowance (harness/allowance.h) is over. Returning from @body
// is exit status 0 by _exit().
ending run_process(double seconds, const std::function<void()> &body);

// Runs another case of this program, which must pass, and returns what it writes to stderr.
std::string stderr_of_case(const context &t, const char *name);

// Waits for a process that the caller started.
ending wait_for(int pid, double seconds);

// Expects that the body's own CHECKs have held, too.
void expect_success(const ending &e, const char *what);
void expect_killed_by(const ending &e, int signal, const char *what);

} // namespace selftest
