// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The machine is the first OpenCL device here, for tests of what is built for it. A test may replace some of the
// driver's calls.
#pragma once

#include "dev/opencl_program.h"

#include <gtest/gtest.h>

namespace het::rt
{

class opencl_machine : public testing::Test
{
      protected:
	void SetUp() override
	{
		const opencl_calls *found = find_opencl_calls();
		cl_platform_id platforms[8];
		cl_uint nplatforms = 0, ndevices = 0;
		if (found)
			found->get_platform_ids(8, platforms, &nplatforms);
		for (cl_uint n = 0; n < nplatforms && !ndevices; n++)
			found->get_device_ids(platforms[n], CL_DEVICE_TYPE_ALL, 1, &device, &ndevices);
		if (!ndevices)
			GTEST_SKIP() << "no OpenCL device";
		calls = *found;
		if (!context)
			context = calls.create_context(nullptr, 1, &device, nullptr, nullptr, nullptr);
		ASSERT_TRUE(context);
	}

	int build(const program_source &source, bool gives_binaries, bool tells_arguments,
		  std::unique_ptr<device_program> &made)
	{
		const fatbin::abilities can = {"the driver", 0, 0, true, 0};
		text log;
		return build_opencl_program({calls, context, device, "device", can, gives_binaries, tells_arguments},
					    source, made, log);
	}

	opencl_calls calls;
	cl_device_id device;
	static inline cl_context context = nullptr; // lives until the process ends
};

} // namespace het::rt
