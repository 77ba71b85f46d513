// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Runs tasks that do nothing in a task system with one worker on the host, to measure what the system takes for each.
#pragma once

#include <functional>
#include <string>

namespace bench
{

struct task_batch {
	unsigned tasks;
	unsigned arguments; // a task reads and writes so many arrays
	// Each task waits for the one before: through its arrays, which are the same ones, or without arguments through
	// its event.
	bool chain;
};

inline constexpr unsigned most_task_arguments = 4;

// Submits a batch and waits for all of it. @return µs a task.
using run_tasks = std::function<double(const task_batch &)>;

// Each of these starts its system, in a process that has no other one. @most is the number of tasks of the largest
// batch.
run_tasks start_het_tasks(unsigned most);
// Throws where the program was built without StarPU.
run_tasks start_starpu_tasks(unsigned most, const std::string &scheduler);
bool has_starpu();

} // namespace bench
