// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "hang.h"

#include "base/process.h"
#include "proc.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace selftest
{

namespace
{
std::string first_line(const std::string &path)
{
	std::ifstream file(path);
	std::string line;
	std::getline(file, line);
	return line;
}

char state_of(const std::string &task)
{
	std::string state = state_and_more(task);
	return state.empty() ? '?' : state[0];
}

int group_of(const std::string &process)
{
	int group = -1;
	sscanf(state_and_more(process).c_str(), "%*c %*d %d", &group);
	return group;
}

void describe_process(const std::string &pid, std::ostringstream &out)
{
	std::string tasks = "/proc/" + pid + "/task";
	for (auto &tid : numbers_in(tasks)) {
		std::string task = tasks + "/" + tid;
		out << pid << "/" << tid << " " << first_line(task + "/comm") << " " << state_of(task) << " wchan "
		    << first_line(task + "/wchan") << " syscall " << first_line(task + "/syscall") << "\n";
	}
}

void backtraces(const std::string &pid, std::ostringstream &out)
{
	std::istringstream said(
		het::run_program({"timeout", "20", "gdb", "-p", pid, "-batch", "-ex", "thread apply all bt 14"},
				 het::errors::dropped)
			.printed);
	for (std::string line; std::getline(said, line);)
		if (line.starts_with('#') || line.starts_with('T'))
			out << line << '\n';
}
} // namespace

std::string describe_threads(pid_t group)
{
	std::ostringstream out;
	const char *with_gdb = getenv("HET_TEST_GDB");
	for (auto &pid : numbers_in("/proc")) {
		if (group_of("/proc/" + pid) != group)
			continue;
		describe_process(pid, out);
		if (with_gdb && *with_gdb == '1')
			backtraces(pid, out);
	}
	return out.str();
}

} // namespace selftest
