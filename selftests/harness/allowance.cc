// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "allowance.h"

#include "clock.h"
#include "proc.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <unistd.h>

namespace selftest
{

namespace
{
// Two looks lie so far apart. A process that works gets a hundredth of a processor even beside a hundred others, if the
// scheduler takes them for equals.
constexpr double look_seconds = 15;
constexpr double least_share = 0.01;

struct process {
	pid_t parent;
	double seconds;
};

// Returns false if the process has ended meanwhile.
bool look_at(const char *pid, process &p)
{
	unsigned long long user, system, childrens_user, childrens_system;
	if (sscanf(state_and_more(std::string("/proc/") + pid).c_str(),
		   "%*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu", &p.parent, &user, &system,
		   &childrens_user, &childrens_system) != 5)
		return false;
	p.seconds = double(user + system + childrens_user + childrens_system) / double(sysconf(_SC_CLK_TCK));
	return true;
}

std::map<pid_t, process> all_processes()
{
	std::map<pid_t, process> all;
	process p;
	for (auto &pid : numbers_in("/proc"))
		if (look_at(pid.c_str(), p))
			all[atoi(pid.c_str())] = p;
	return all;
}

// Returns the processes that are alive, the root among them.
std::map<pid_t, process> with_descendants(pid_t root)
{
	auto all = all_processes();
	auto descends = [&](pid_t pid) {
		auto p = all.end();
		while (pid != root && (p = all.find(pid)) != all.end())
			pid = p->second.parent;
		return pid == root;
	};
	std::map<pid_t, process> family;
	for (auto &[pid, p] : all)
		if (descends(pid))
			family[pid] = p;
	return family;
}

// A thread that only waits for a processor does not stand still, however long others have them all.
bool wants_a_processor(pid_t root)
{
	for (auto &[pid, p] : with_descendants(root)) {
		std::string tasks = "/proc/" + std::to_string(pid) + "/task";
		for (auto &tid : numbers_in(tasks))
			if (state_and_more(tasks + "/" + tid).starts_with('R'))
				return true;
	}
	return false;
}
} // namespace

double processor_seconds(pid_t root)
{
	double sum = 0;
	for (auto &[pid, p] : with_descendants(root))
		sum += p.seconds;
	return sum;
}

allowance::allowance(pid_t root, double seconds) : root_(root), seconds_(seconds), start_ns_(now_ns()) {}

std::string allowance::over()
{
	if (seconds_since(start_ns_) <= seconds_ || (looked_ns_ && seconds_since(looked_ns_) < look_seconds))
		return {};
	double used = processor_seconds(root_), progress = used - used_then_;
	char why[128] = "";
	if (used > seconds_ * double(sysconf(_SC_NPROCESSORS_ONLN)))
		snprintf(why, sizeof why, "it has used %.0f s of processor time; its limit is %.0f s on all processors",
			 used, seconds_);
	// The progress is less where a descendant was left to init.
	else if (looked_ns_ && progress >= 0 && progress < least_share * seconds_since(looked_ns_) &&
		 !wants_a_processor(root_))
		snprintf(why, sizeof why, "it stands still, after %.0f s", seconds_since(start_ns_));
	looked_ns_ = now_ns();
	used_then_ = used;
	return why;
}

} // namespace selftest
