// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Runs one case in a child process, with its time limit.
#pragma once

#include "allowance.h"
#include "base/process.h"
#include "options.h"
#include "test.h"

#include <optional>
#include <string>

namespace selftest
{

struct test_case {
	const test *what;
	variant v;
	std::string name;
};

enum class outcome { running, passed, failed, skipped };

// Runs the body in this process, which then exits. @seed is the one of this repetition.
[[noreturn]] void run_here(const test_case &c, const options &opt, uint64_t seed);

class child
{
      public:
	child(const test_case &c, const options &opt, uint64_t seed);
	child(const child &) = delete;
	child &operator=(const child &) = delete;

	int output_fd() const { return output_.get(); }
	int process_fd() const { return pidfd_.get(); }

	// Takes what the child wrote, sees whether it has ended and whether its time is over. It does not block.
	outcome step();

	// Returns what it wrote, and why it failed, once it has ended.
	const std::string &diagnostics() const { return diagnostics_; }
	const std::string &skip_reason() const { return reason_; }
	double seconds() const { return ran_for_; }

      private:
	void drain();
	void judge(int status);
	void give_up(const std::string &why);

	uint64_t seed_;
	uint64_t start_ns_;
	double ran_for_ = 0;
	std::optional<allowance> allowance_;
	std::optional<het::child_process> process_;
	het::descriptor pidfd_, output_, result_;
	outcome outcome_ = outcome::running;
	std::string diagnostics_;
	std::string reason_;
};

} // namespace selftest
