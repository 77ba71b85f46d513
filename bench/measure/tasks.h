// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tasks that do nothing, in a task system with one worker on the host: what the system takes for each.
#pragma once

#include <functional>
#include <string>

namespace bench
{

struct task_batch {
	unsigned tasks;
	unsigned arguments; // arrays that a task reads and writes
	// Each task waits for the one before: by its arrays, which are the same ones, or without arguments by its
	// event.
	bool chain;
};

inline constexpr unsigned most_task_arguments = 4;

// Submits a batch and waits for all of it. @return µs a task.
using run_tasks = std::function<double(const task_batch &)>;

// Each starts its system, in a process that has no other one. @most: tasks of the largest batch.
run_tasks start_het_tasks(unsigned most);
// Throws where the program was built without StarPU.
run_tasks start_starpu_tasks(unsigned most, const std::string &scheduler);
bool has_starpu();

} // namespace bench
