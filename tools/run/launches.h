// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches one kernel, one time after another on the same arrays, and tells what became of each launch.
#pragma once

#include "run/argument.h"
#include "run/numbers.h"

namespace tool::run
{

struct request {
	het::kernel kernel;
	extent global, local, offset;
	bool is_split = false;
	bool is_unsafe = false; // it is split whatever the fat binary says
	unsigned repeat = 1;
	int priority = 0;
	uint64_t deadline_ns = 0; // of each launch, from its call on; 0 is none

	uint64_t work_items() const;
};

struct part {
	het::device device;
	uint64_t work_items;
	uint64_t first, count; // along the dimension in which the launch was split
	uint64_t started, ended;
};

// Counts the bytes that the memory core has copied so far; they are 0 if no device has memory of its own.
struct copied {
	uint64_t to_devices, to_host;
};
copied copied_so_far();

// What bulk copies have taken a way of a device's so far.
struct carried {
	het::device of;
	het_path_info path;
};

struct launched {
	het_event_times times;
	std::vector<part> parts;
	het_preemption preemption;
	het_memory_use memory;
	copied until_end;
	std::vector<carried> paths;
};

struct outcome {
	std::vector<launched> launches;
	std::vector<std::vector<std::byte>> bytes; // those of each argument, afterwards
};

// Launches on one of @devices that the runtime chooses, or splits. Throws what het.hpp throws.
outcome launch(const request &r, const std::vector<argument> &arguments, const std::vector<het::device> &devices);

} // namespace tool::run
