// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests programs of drivers that can't do all that is asked of them.
#include "dev/tests/opencl_machine.h"

#include <cstring>

using namespace het;
using namespace het::rt;

namespace
{

decltype(&clBuildProgram) driver_build;
int builds, refused_builds;

// Refuses like NVIDIA's driver, which does so for kernels that have no arguments.
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

class opencl_programs : public opencl_machine
{
      protected:
	void SetUp() override
	{
		opencl_machine::SetUp();
		if (IsSkipped() || HasFatalFailure())
			return;
		driver_build = calls.build_program;
		calls.build_program = build_without_descriptions;
		builds = refused_builds = 0;
	}

	int build(const char *source, bool tells_arguments, std::unique_ptr<device_program> &made)
	{
		const program_source from = {source, "", {}, {}, nullptr, 0, 0};
		return opencl_machine::build(from, false, tells_arguments, made);
	}
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
