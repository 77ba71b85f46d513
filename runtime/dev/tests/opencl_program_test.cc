// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Programs of drivers that can't do all that is asked of them.
#include "dev/opencl_program.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace het;
using namespace het::rt;

namespace
{

decltype(&clBuildProgram) driver_build;
int builds, refused_builds;

// As NVIDIA's does with kernels that have no arguments.
cl_int build_without_descriptions(cl_program p, cl_uint n, const cl_device_id *d, const char *options,
				  void(CL_CALLBACK *then)(cl_program, void *), void *user)
{
	builds++;
	if (strstr(options, "-cl-kernel-arg-info")) {
		refused_builds++;
		return CL_BUILD_PROGRAM_FAILURE;
	}
	return driver_build(p, n, d, options, then, user);
}

class opencl_programs : public testing::Test
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
			found->get_device_ids(platforms[n], CL_DEVICE_TYPE_ALL, 1, &device_, &ndevices);
		if (!ndevices)
			GTEST_SKIP() << "no OpenCL device";
		calls_ = *found;
		driver_build = calls_.build_program;
		calls_.build_program = build_without_descriptions;
		builds = refused_builds = 0;
		if (!context_)
			context_ = calls_.create_context(nullptr, 1, &device_, nullptr, nullptr, nullptr);
		ASSERT_TRUE(context_);
	}

	int build(const char *source, bool tells_arguments, std::unique_ptr<device_program> &made)
	{
		const fatbin::abilities can = {"the driver", 0, 0, true, 0};
		const program_source from = {source, "", {}, {}, nullptr, 0, 0};
		text log;
		return build_opencl_program({calls_, context_, device_, "device", can, false, tells_arguments}, from,
					    made, log);
	}

	opencl_calls calls_;
	cl_device_id device_;
	static inline cl_context context_ = nullptr; // to the end
};

} // namespace

TEST_F(opencl_programs, are_built_without_descriptions_of_arguments_if_it_must_be)
{
	std::unique_ptr<device_program> made;
	std::unique_ptr<device_kernel> kernel;
	ASSERT_EQ(build("kernel void nothing(void) {}", true, made), 0);
	EXPECT_EQ(builds, 2);
	EXPECT_EQ(refused_builds, 1);
	ASSERT_EQ(made->make_kernel("nothing", kernel), 0);
	EXPECT_EQ(kernel->nargs(), 0u);
}

TEST_F(opencl_programs, that_are_wrong_are_refused)
{
	std::unique_ptr<device_program> made;
	EXPECT_EQ(build("kernel void nothing(void) { undeclared(); ", true, made), HET_EBUILD);
	EXPECT_FALSE(made);
	EXPECT_EQ(builds, 2);
	EXPECT_EQ(build("kernel void nothing(void) { undeclared(); ", false, made), HET_EBUILD);
	EXPECT_EQ(refused_builds, 1);
}
