// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Implements het-ptx run: a kernel runs in the interpreter, with arguments and buffers from the command line.
#pragma once

#include "simt/run.h"
#include "json/json.h"

namespace tool
{

using het::json;

struct run_request {
	std::string kernel;                  // empty for the only one
	std::string grid = "1", block = "1"; // X[,Y[,Z]]
	uint32_t shared_bytes = 0;
	std::vector<std::string> arguments; // as the manual page tells
	std::vector<std::string> variables; // NAME=KIND:VALUE, as the manual page tells
	het::ptx::simt::options with;
};

// Runs the kernel, and writes and prints the buffers that are asked for. Returns the exit status.
int run(std::vector<het::ptx::module> modules, const run_request &request, bool as_json);

} // namespace tool
