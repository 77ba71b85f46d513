// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The channel dependency graph: a network can't deadlock if it has no cycle (Dally and Seitz, 1987).
#pragma once

#include "noc/routing.h"

#include <string>
#include <vector>

namespace noc
{

// This is what packets do when they arrive.
struct protocol {
	unsigned message_classes = 1; // with VCs of their own
	bool replies = false; // a packet that is no reply causes one, of the last class, before it leaves its buffer
};

// Returns the channels of a cycle, each as "router 3 port 1, VC class 0", in order, or nothing if there is none.
std::vector<std::string> dependency_cycle(const topology &t, const route_table &routes, const protocol &p);

} // namespace noc
