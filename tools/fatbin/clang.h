// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// clang as a child process.
#pragma once

#include <string>
#include <vector>

namespace tool::fat
{

// The one whose bitcode het-analyse reads.
inline constexpr char analysing_clang[] = "clang-14";

// What clang makes of OpenCL C. @arguments: what that is, and how; @options: as clBuildProgram() takes them.
// Throws what clang printed if it fails.
std::string compile_opencl(const std::string &clang, const std::string &source, const std::string &options,
			   const std::vector<std::string> &arguments);

// The tokens of OpenCL C, as clang prints them. @file: by what name it knew the text.
std::string dump_tokens(const std::string &source, const std::string &options, std::string &file);

} // namespace tool::fat
