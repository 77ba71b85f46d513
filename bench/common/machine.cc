// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/machine.h"

#include "base/process.h"

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace bench
{

namespace
{

std::string first_line(const char *path)
{
	std::ifstream f(path);
	std::string line;
	std::getline(f, line);
	return line;
}

// Returns the value of the first line "key : value" of a file like /proc/cpuinfo.
std::string value_of(const char *path, const std::string &key)
{
	std::ifstream f(path);
	for (std::string line; std::getline(f, line);) {
		if (line.compare(0, key.size(), key) != 0)
			continue;
		size_t at = line.find(':');
		if (at == std::string::npos)
			continue;
		size_t start = line.find_first_not_of(" \t", at + 1);
		return start == std::string::npos ? "" : line.substr(start);
	}
	return "unknown";
}

int usable_cores()
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 0;
}

bool virtual_machine()
{
	return value_of("/proc/cpuinfo", "flags").find(" hypervisor") != std::string::npos;
}

} // namespace

json machine_info()
{
	utsname u = {};
	uname(&u);
	return {{"kernel", u.release},
		{"architecture", u.machine},
		{"cpu", value_of("/proc/cpuinfo", "model name")},
		{"cores", usable_cores()},
		{"memory", value_of("/proc/meminfo", "MemTotal")},
		{"virtual_machine", virtual_machine()},
		{"transparent_hugepage", first_line("/sys/kernel/mm/transparent_hugepage/enabled")},
		{"load_average", first_line("/proc/loadavg")},
		{"uid", getuid()}};
}

std::string commit()
{
	if (const char *given = getenv("HET_COMMIT"))
		return given;
	std::error_code ec;
	auto folder = std::filesystem::read_symlink("/proc/self/exe", ec).parent_path();
	if (ec)
		return "unknown";
	std::string text = het::run_program({"git", "-C", folder, "describe", "--always", "--dirty", "--abbrev=12"},
					    het::errors::dropped)
				   .printed;
	while (text.ends_with('\n'))
		text.pop_back();
	return text.empty() ? "unknown" : text;
}

std::string time_stamp()
{
	time_t now = time(nullptr);
	tm parts;
	gmtime_r(&now, &parts);
	char text[32];
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
	return text;
}

} // namespace bench
