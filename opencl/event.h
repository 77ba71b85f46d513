// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include "queue.h"

struct _cl_event : hetcl::object<hetcl::kind::event> {
	hetcl::held<_cl_context> context;
	hetcl::held<_cl_command_queue> queue; // none for user events
	cl_command_type type = 0;
	hetcl::owner<het_event, het_event_release> event;

	// Returns how far it is, or a negative code.
	cl_int status() const;
};
