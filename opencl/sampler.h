// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A sampler belongs to no device: each gets one of its own when a kernel first uses it there.
#pragma once

#include "context.h"

#include <het.h>

struct _cl_sampler : hetcl::object<hetcl::kind::sampler> {
	hetcl::held<_cl_context> context;
	cl_bool is_normalized = CL_TRUE;
	cl_addressing_mode outside = CL_ADDRESS_CLAMP;
	cl_filter_mode filter = CL_FILTER_NEAREST;
	std::vector<cl_sampler_properties> properties;

	// Finds the sampler of a device. Returns 0 or a code of the runtime's.
	int on(het_device *d, het_sampler **found);

      private:
	struct made {
		het_device *device;
		hetcl::owner<het_sampler, het_sampler_release> sampler;
	};
	std::mutex lock_;
	std::vector<made> made_;
};
