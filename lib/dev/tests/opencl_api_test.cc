// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_api.h"
#include "dev/opencl_errors.h"
#include "os/log.h"

#include <gpuvm.h>
#include <gtest/gtest.h>

using namespace het;

TEST(opencl_api, says_what_to_install_where_there_is_no_library)
{
	opencl_api api;
	EXPECT_EQ(load_opencl(api, "libNoOpenCL.so.1"), GPUVM_EAPI);
	EXPECT_PRED_FORMAT2(testing::IsSubstring, "libNoOpenCL.so.1", last_error());
	EXPECT_PRED_FORMAT2(testing::IsSubstring, "ocl-icd-libopencl1", last_error());
	EXPECT_PRED_FORMAT2(testing::IsSubstring, "pocl-opencl-icd", last_error());
}

TEST(opencl_api, names_the_function_that_is_missing)
{
	opencl_api api;
	EXPECT_EQ(load_opencl(api, "libm.so.6"), GPUVM_EAPI);
	EXPECT_PRED_FORMAT2(testing::IsSubstring, "libm.so.6 has no clGetPlatformInfo", last_error());
}

TEST(opencl_api, finds_functions)
{
	opencl_api api;
	if (load_opencl(api))
		GTEST_SKIP() << last_error();
	EXPECT_EQ(find_opencl_function("clEnqueueReadBuffer"), reinterpret_cast<void *>(api.enqueue_read_buffer));
	EXPECT_EQ(find_opencl_function("clNoSuchFunction"), nullptr);
}

TEST(opencl_api, names_errors)
{
	EXPECT_STREQ(cl_error_name(CL_OUT_OF_RESOURCES), "CL_OUT_OF_RESOURCES");
	EXPECT_STREQ(cl_error_name(cl_platform_not_found), "CL_PLATFORM_NOT_FOUND_KHR");
	EXPECT_STREQ(cl_error_name(-9999), "unknown OpenCL error");
}
