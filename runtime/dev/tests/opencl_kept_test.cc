// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Programs that an OpenCL driver has built are there for the next process. Any driver will do for these tests, even
// PoCL, for which the device itself keeps nothing.
#include "cache/user_store.h"
#include "dev/tests/opencl_machine.h"

#include <cstdlib>
#include <filesystem>

namespace fs = std::filesystem;
using namespace het;
using namespace het::rt;

namespace
{

// The variables must be set before the settings are read.
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

class kept_programs : public opencl_machine
{
      protected:
	void SetUp() override
	{
		opencl_machine::SetUp();
		if (IsSkipped() || HasFatalFailure())
			return;
		driver_create = calls.create_program_with_source;
		calls.create_program_with_source = count_and_create;
		fs::remove_all(folder / "libhet");
	}
	static void TearDownTestSuite() { fs::remove_all(folder); }

	// Builds as another process would, and returns how often the driver has compiled.
	int build(const char *source, bool gives_binaries = true, const char *options = "")
	{
		const program_source from = {source, options, {}, {}, nullptr, 0, 0};
		std::unique_ptr<device_program> made;
		std::unique_ptr<device_kernel> kernel;
		int before = compilations;
		EXPECT_EQ(opencl_machine::build(from, gives_binaries, false, made), 0);
		EXPECT_EQ(made->make_kernel("set", kernel), 0);
		EXPECT_EQ(kernel->nargs(), 1u);
		return compilations - before;
	}
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
