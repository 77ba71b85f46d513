// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Programs that an OpenCL driver has built are there for the next process. Any driver will do, PoCL too, for which the
// device itself keeps nothing.
#include "cache/user_store.h"
#include "dev/opencl_program.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

namespace fs = std::filesystem;
using namespace het;
using namespace het::rt;

namespace
{

// Before the settings are read.
const fs::path folder = []() -> fs::path {
	char name[] = "/tmp/het-kept-XXXXXX";
	setenv("XDG_CACHE_HOME", mkdtemp(name), 1);
	setenv("HET_CACHE_SIZE", "16M", 1);
	return name;
}();

int compilations = 0;
decltype(&clCreateProgramWithSource) driver_create;

cl_program count_and_create(cl_context c, cl_uint n, const char **texts, const size_t *sizes, cl_int *err)
{
	compilations++;
	return driver_create(c, n, texts, sizes, err);
}

class kept_programs : public testing::Test
{
      protected:
	void SetUp() override
	{
		cl_platform_id platforms[8];
		cl_uint nplatforms = 0, ndevices = 0;
		const opencl_calls *found = find_opencl_calls();
		if (found)
			found->get_platform_ids(8, platforms, &nplatforms);
		for (cl_uint n = 0; n < nplatforms && !ndevices; n++)
			found->get_device_ids(platforms[n], CL_DEVICE_TYPE_ALL, 1, &device, &ndevices);
		if (!ndevices)
			GTEST_SKIP() << "no OpenCL device";
		calls = *found;
		driver_create = calls.create_program_with_source;
		calls.create_program_with_source = count_and_create;
		if (!context)
			context = calls.create_context(nullptr, 1, &device, nullptr, nullptr, nullptr);
		ASSERT_TRUE(context);
		fs::remove_all(folder / "libhet");
	}
	static void TearDownTestSuite() { fs::remove_all(folder); }

	// As another process would. Returns how often the driver has compiled.
	int build(const char *source, bool gives_binaries = true, const char *options = "")
	{
		const fatbin::abilities can = {"the driver", 0, 0, true, 0};
		const program_source from = {source, options, {}, {}, nullptr, 0, 0};
		std::unique_ptr<device_program> made;
		std::unique_ptr<device_kernel> kernel;
		text log;
		int before = compilations;
		EXPECT_EQ(
			build_opencl_program({calls, context, device, "device", can, gives_binaries}, from, made, log),
			0);
		EXPECT_EQ(made->make_kernel("set", kernel), 0);
		EXPECT_EQ(kernel->nargs(), 1u);
		return compilations - before;
	}

	opencl_calls calls;
	cl_device_id device;
	static inline cl_context context = nullptr; // to the end
};

constexpr char source[] = "kernel void set(global int *p) { p[get_global_id(0)] = 7; }";

} // namespace

TEST_F(kept_programs, are_compiled_once)
{
	EXPECT_EQ(build(source), 1);
	EXPECT_EQ(build(source), 0);
	EXPECT_EQ(build(source, true, "-DOTHER"), 1);
	for (const auto &file : fs::directory_iterator(folder / "libhet"))
		fs::resize_file(file, 50);
	EXPECT_EQ(build(source), 1);
	EXPECT_EQ(build(source), 0);
}

TEST_F(kept_programs, are_compiled_where_the_driver_takes_the_binary_no_longer)
{
	EXPECT_EQ(build(source), 1);
	const cache::bytes parts[] = {cache::bytes_of("the driver"), cache::bytes_of(""), cache::bytes_of(source)};
	ASSERT_TRUE(cache::user_store().get({"opencl", parts}));
	cache::user_store().put({"opencl", parts}, cache::bytes_of("of another kind"));
	EXPECT_EQ(build(source), 1);
	EXPECT_EQ(build(source), 0);
}

TEST_F(kept_programs, have_no_others_in_them)
{
	for (const char *word : {"include", "import", "embed"}) {
		const std::string text = std::string("// ") + word + " nothing\n" + source;
		EXPECT_EQ(build(text.c_str()), 1);
		EXPECT_EQ(build(text.c_str()), 1);
	}
	EXPECT_EQ(build(source, true, "-DX=include"), 1);
	EXPECT_EQ(build(source, true, "-DX=include"), 1);
	EXPECT_FALSE(fs::exists(folder / "libhet"));
}

TEST_F(kept_programs, cost_nothing)
{
	EXPECT_EQ(build(source, false), 1);
	EXPECT_EQ(build(source, false), 1);
	EXPECT_FALSE(fs::exists(folder / "libhet"));
}
