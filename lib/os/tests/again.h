// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The settings are read once a process. Tests that must hold under other settings run again in a process of their own.
#pragma once

#include <cstdio>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace het
{

// Runs those tests of this program that match @filter with the variable set, and expects them to pass.
inline void expect_to_pass_again(const std::string &variable, const std::string &filter)
{
	char program[4096] = {};
	ASSERT_GT(readlink("/proc/self/exe", program, sizeof(program) - 1), 0);
	std::string command = variable + " '" + program + "' --gtest_filter='" + filter + "' 2>&1";
	FILE *child = popen(command.c_str(), "r");
	ASSERT_NE(child, nullptr);
	std::string output;
	char line[200];
	while (fgets(line, sizeof(line), child))
		output += std::string("  ") + line;
	EXPECT_EQ(pclose(child), 0) << output;
	EXPECT_NE(output.find("[==========]"), std::string::npos) << output;
}

} // namespace het
