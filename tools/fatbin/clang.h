// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Runs clang as a child process.
#pragma once

#include <string>
#include <vector>

namespace tool::fat
{

// het-analyse reads bitcode of this one.
inline constexpr char analysing_clang[] = "clang-14";

// Returns what clang makes of OpenCL C. @arguments say what that is, and how; @options are as clBuildProgram() takes
// them. Throws what clang printed if it fails.
std::string compile_opencl(const std::string &clang, const std::string &source, const std::string &options,
			   const std::vector<std::string> &arguments);

// Returns the tokens of OpenCL C, as clang prints them. @file receives the name by which it knew the text.
std::string dump_tokens(const std::string &source, const std::string &options, std::string &file);

} // namespace tool::fat
