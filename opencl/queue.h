// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include "context.h"

#include <het.h>

struct _cl_command_queue : hetcl::object<hetcl::kind::queue> {
	hetcl::held<_cl_context> context;
	cl_device_id device = nullptr;
	cl_command_queue_properties flags = 0;
	std::vector<cl_queue_properties> properties; // as given, with the 0 at the end
	hetcl::owner<het_queue, het_queue_release> queue;
};

namespace hetcl
{

// Returns a queue for what the platform does by itself, on any device and in any order. It is null if none can be made.
het_queue *own_queue();

} // namespace hetcl
