// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "hang.h"

#include "base/process.h"

#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fstream>
#include <sstream>
#include <vector>

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

std::vector<std::string> numbers_in(const std::string &folder)
{
	std::vector<std::string> names;
	DIR *dir = opendir(folder.c_str());
	if (!dir)
		return names;
	while (dirent *e = readdir(dir))
		if (e->d_name[0] >= '0' && e->d_name[0] <= '9')
			names.push_back(e->d_name);
	closedir(dir);
	return names;
}

// State letter and process group of a line of /proc/PID/stat; the name before them may hold anything but ")".
struct stat_line {
	char state = '?';
	int group = -1;
};

stat_line parse_stat(const std::string &line)
{
	stat_line s;
	size_t after_name = line.rfind(')');
	int parent;
	if (after_name != std::string::npos)
		sscanf(line.c_str() + after_name + 1, " %c %d %d", &s.state, &parent, &s.group);
	return s;
}

void describe_process(const std::string &pid, std::ostringstream &out)
{
	std::string tasks = "/proc/" + pid + "/task";
	for (auto &tid : numbers_in(tasks)) {
		std::string task = tasks + "/" + tid + "/";
		out << pid << "/" << tid << " " << first_line(task + "comm") << " "
		    << parse_stat(first_line(task + "stat")).state << " wchan " << first_line(task + "wchan")
		    << " syscall " << first_line(task + "syscall") << "\n";
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
		if (parse_stat(first_line("/proc/" + pid + "/stat")).group != group)
			continue;
		describe_process(pid, out);
		if (with_gdb && *with_gdb == '1')
			backtraces(pid, out);
	}
	return out.str();
}

} // namespace selftest
