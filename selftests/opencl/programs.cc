// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Programs that build, that do not, that are compiled and linked, and that come from binaries.
#include "test.h"

using namespace cltest;

namespace
{

cl_program from(const fixture &fx, const char *source)
{
	cl_int err = CL_SUCCESS;
	cl_program p = clCreateProgramWithSource(fx.context, 1, &source, nullptr, &err);
	OK(err);
	return p;
}

std::string log_of(const fixture &fx, cl_program p)
{
	char log[4096] = "";
	OK(clGetProgramBuildInfo(p, fx.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, nullptr));
	return log;
}

template <class T> T build_info(const fixture &fx, cl_program p, cl_program_build_info what)
{
	T v = {};
	OK(clGetProgramBuildInfo(p, fx.device, what, sizeof v, &v, nullptr));
	return v;
}

void note(cl_program, void *arg)
{
	++*static_cast<int *>(arg);
}

// Runs "k", which is to write this.
void check_result(const fixture &fx, cl_program p, cl_uint wanted)
{
	cl_int err = CL_SUCCESS;
	cl_kernel k = clCreateKernel(p, "k", &err);
	OK(err);
	cl_mem m = fx.buffer(4);
	set(k, 0, m);
	const size_t one = 1;
	OK(clEnqueueNDRangeKernel(fx.queue, k, 1, nullptr, &one, nullptr, 0, nullptr, nullptr));
	cl_uint got = 0;
	OK(clEnqueueReadBuffer(fx.queue, m, CL_TRUE, 0, 4, &got, 0, nullptr, nullptr));
	CHECK_EQ(got, wanted);
	OK(clReleaseKernel(k));
	OK(clReleaseMemObject(m));
}

} // namespace

TEST(builds_and_failures)
{
	cl_program p = from(fx, "kernel void k(global uint *a) { a[0] = VALUE; }");
	CHECK_EQ(build_info<cl_build_status>(fx, p, CL_PROGRAM_BUILD_STATUS), CL_BUILD_NONE);
	cl_int err = CL_SUCCESS;
	CHECK(!clCreateKernel(p, "k", &err) && err == CL_INVALID_PROGRAM_EXECUTABLE);
	int told = 0;
	CHECK_EQ(clBuildProgram(p, 0, nullptr, "", note, &told), CL_BUILD_PROGRAM_FAILURE);
	CHECK_EQ(told, 1);
	CHECK_EQ(build_info<cl_build_status>(fx, p, CL_PROGRAM_BUILD_STATUS), CL_BUILD_ERROR);
	CHECK(log_of(fx, p).find("VALUE") != std::string::npos);
	CHECK(!clCreateKernel(p, "k", &err) && err == CL_INVALID_PROGRAM_EXECUTABLE);
	// The same object builds with other options.
	for (const char *options : {"-DVALUE=17", "-D VALUE=18 -cl-fast-relaxed-math -w"}) {
		OK(clBuildProgram(p, 1, &fx.device, options, nullptr, nullptr));
		CHECK_EQ(build_info<cl_build_status>(fx, p, CL_PROGRAM_BUILD_STATUS), CL_BUILD_SUCCESS);
		CHECK_EQ(build_info<cl_program_binary_type>(fx, p, CL_PROGRAM_BINARY_TYPE),
			 cl_program_binary_type(CL_PROGRAM_BINARY_TYPE_EXECUTABLE));
		check_result(fx, p, strstr(options, "17") ? 17 : 18);
	}
	CHECK_EQ(clBuildProgram(p, 0, nullptr, "-no-such-option", nullptr, nullptr), CL_INVALID_BUILD_OPTIONS);
	CHECK(!clCreateKernel(p, "nobody", &err) && err == CL_INVALID_KERNEL_NAME);
	OK(clReleaseProgram(p));
}

TEST(compiled_and_linked)
{
	cl_program header = from(fx, "#define VALUE 5\nuint f(uint);\n");
	cl_program main = from(fx, "#include \"f.h\"\nkernel void k(global uint *a) { a[0] = f(VALUE); }");
	cl_program part = from(fx, "uint f(uint x) { return 3 * x; }");
	const char *name = "f.h";
	CHECK_EQ(clCompileProgram(main, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr),
		 CL_COMPILE_PROGRAM_FAILURE);
	int told = 0;
	OK(clCompileProgram(main, 0, nullptr, "", 1, &header, &name, note, &told));
	CHECK_EQ(told, 1);
	OK(clCompileProgram(part, 1, &fx.device, nullptr, 0, nullptr, nullptr, nullptr, nullptr));
	CHECK_EQ(build_info<cl_program_binary_type>(fx, main, CL_PROGRAM_BINARY_TYPE),
		 cl_program_binary_type(CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT));
	cl_int err = CL_SUCCESS;
	CHECK(!clCreateKernel(main, "k", &err) && err == CL_INVALID_PROGRAM_EXECUTABLE);
	const cl_program both[] = {main, part};
	cl_program linked = clLinkProgram(fx.context, 0, nullptr, "", 2, both, nullptr, nullptr, &err);
	OK(err);
	check_result(fx, linked, 15);
	// A library is linked in turn.
	cl_program library =
		clLinkProgram(fx.context, 1, &fx.device, "-create-library", 1, &part, nullptr, nullptr, &err);
	OK(err);
	CHECK_EQ(build_info<cl_program_binary_type>(fx, library, CL_PROGRAM_BINARY_TYPE),
		 cl_program_binary_type(CL_PROGRAM_BINARY_TYPE_LIBRARY));
	const cl_program with_library[] = {main, library};
	cl_program again = clLinkProgram(fx.context, 0, nullptr, nullptr, 2, with_library, nullptr, nullptr, &err);
	OK(err);
	check_result(fx, again, 15);
	for (cl_program p : {header, main, part, linked, library, again})
		OK(clReleaseProgram(p));
}

TEST(binaries)
{
	cl_program p = fx.build("kernel void k(global uint *a) { a[0] = VALUE; }", "-DVALUE=21");
	const auto n = info<size_t>(clGetProgramInfo, p, CL_PROGRAM_BINARY_SIZES);
	CHECK(n > 0 || !makes_binaries());
	if (!n)
		return;
	std::vector<unsigned char> bytes(n);
	unsigned char *at = bytes.data();
	OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof at, &at, nullptr));
	OK(clReleaseProgram(p));
	const unsigned char *from = bytes.data();
	cl_int state = 1, err = CL_SUCCESS;
	p = clCreateProgramWithBinary(fx.context, 1, &fx.device, &n, &from, &state, &err);
	OK(err);
	OK(state);
	OK(clBuildProgram(p, 0, nullptr, nullptr, nullptr, nullptr));
	check_result(fx, p, 21);
	OK(clReleaseProgram(p));
	bytes[n / 2] ^= 0xff;
	bytes[0] = 0;
	CHECK(!clCreateProgramWithBinary(fx.context, 1, &fx.device, &n, &from, &state, &err));
	CHECK_EQ(err, CL_INVALID_BINARY);
	CHECK_EQ(state, CL_INVALID_BINARY);
}
