// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the command lines of all benchmarks have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace bench
{

struct common_options {
	bool quick = false;
	std::string json; // path of the result, "" for none
};

void add_common_options(CLI::App &app, common_options &options);

// Parses the command line, runs the program and turns exceptions into one line on stderr and exit code 2.
// Exit codes of @body: 0 fine, 1 the results are wrong.
int run_program(CLI::App &app, int argc, char **argv, const std::function<int()> &body);

} // namespace bench
