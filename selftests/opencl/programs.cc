// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Programs that build, that do not, that are compiled and linked, and that come from binaries.
#include "test.h"

#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

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

// Kernels are told the same of images as hosts are. Lines are those of the program's text.
TEST(kernels_are_told_of_images)
{
	const bool has = info<cl_bool>(clGetDeviceInfo, fx.device, CL_DEVICE_IMAGE_SUPPORT);
	check_result(fx,
		     fx.build("#ifdef __IMAGE_SUPPORT__\n#define BASE 100\n#else\n#define BASE 0\n#endif\n"
			      "kernel void k(global uint *a) { a[0] = BASE + __LINE__; }"),
		     has ? 106 : 6);
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

// What was compiled or linked is loaded again, and made anew from its parts.
TEST(binaries_of_parts)
{
	auto bytes_of = [&](cl_program p) {
		std::vector<unsigned char> bytes(info<size_t>(clGetProgramInfo, p, CL_PROGRAM_BINARY_SIZES));
		CHECK(!bytes.empty());
		unsigned char *at = bytes.data();
		OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof at, &at, nullptr));
		OK(clReleaseProgram(p));
		return bytes;
	};
	auto try_to_load = [&](const std::vector<unsigned char> &bytes, size_t n, cl_int *err) {
		const unsigned char *from = bytes.data();
		return clCreateProgramWithBinary(fx.context, 1, &fx.device, &n, &from, nullptr, err);
	};
	auto load = [&](const std::vector<unsigned char> &bytes, cl_program_binary_type type) {
		cl_int err = CL_SUCCESS;
		cl_program p = try_to_load(bytes, bytes.size(), &err);
		OK(err);
		CHECK_EQ(build_info<cl_program_binary_type>(fx, p, CL_PROGRAM_BINARY_TYPE), type);
		return p;
	};
	const char *texts[] = {"#include \"h.h\"\nkernel void k(global uint *a) { a[0] = twice(VALUE); }",
			       "uint twice(uint v) { return 2 * v; }", "uint twice(uint v);"};
	cl_program sources[3];
	cl_int err = CL_SUCCESS;
	for (int i = 0; i < 3; i++)
		sources[i] = clCreateProgramWithSource(fx.context, 1, &texts[i], nullptr, &err);
	const char *name = "h.h";
	OK(clCompileProgram(sources[0], 1, &fx.device, "-DVALUE=4", 1, &sources[2], &name, nullptr, nullptr));
	OK(clCompileProgram(sources[1], 1, &fx.device, nullptr, 0, nullptr, nullptr, nullptr, nullptr));
	cl_program library =
		clLinkProgram(fx.context, 1, &fx.device, "-create-library", 1, &sources[1], nullptr, nullptr, &err);
	OK(err);
	for (cl_program p : {sources[1], sources[2]})
		OK(clReleaseProgram(p));
	const cl_program parts[] = {load(bytes_of(sources[0]), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT),
				    load(bytes_of(library), CL_PROGRAM_BINARY_TYPE_LIBRARY)};
	cl_program linked = clLinkProgram(fx.context, 1, &fx.device, "", 2, parts, nullptr, nullptr, &err);
	OK(err);
	check_result(fx, linked, 8);
	for (cl_program p : parts)
		OK(clReleaseProgram(p));
	std::vector<unsigned char> bytes = bytes_of(linked);
	cl_program again = load(bytes, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
	OK(clBuildProgram(again, 0, nullptr, nullptr, nullptr, nullptr));
	check_result(fx, again, 8);
	CHECK(bytes_of(again) == bytes);
	for (size_t n = 1; n < bytes.size(); n += 13) {
		CHECK(!try_to_load(bytes, n, &err));
		CHECK_EQ(err, CL_INVALID_BINARY);
	}
	bytes.push_back(0);
	CHECK(!try_to_load(bytes, bytes.size(), &err));
}

// The tool that makes them writes to a folder for temporary files: without one it makes none.
TEST(binaries_are_made_once)
{
	auto size = [&](const char *source) {
		cl_program p = fx.build(source, "-DVALUE=22");
		const auto n = info<size_t>(clGetProgramInfo, p, CL_PROGRAM_BINARY_SIZES);
		OK(clReleaseProgram(p));
		return n;
	};
	const char *source = "kernel void k(global uint *a) { a[0] = VALUE; }";
	const size_t n = size(source);
	CHECK(n > 0 || !makes_binaries());
	setenv("TMPDIR", "/nonexistent", 1);
	CHECK_EQ(size(source), n);
	CHECK_EQ(size("kernel void k(global uint *a) { a[1] = VALUE; }"), 0u);
	unsetenv("TMPDIR");
	CHECK_EQ(size("kernel void k(global uint *a) { a[1] = VALUE; }") > 0, n > 0);
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

// A folder for what processes keep, and what is there of analyses.
struct kept_folder {
	std::string path = "/tmp/het-kept-XXXXXX";
	kept_folder() { CHECK(mkdtemp(path.data())); }
	~kept_folder() { CHECK(!system(("rm -r " + path).c_str())); }
	std::vector<std::string> files() const
	{
		std::vector<std::string> all;
		std::error_code none;
		for (const auto &f : std::filesystem::directory_iterator(path + "/libhet", none)) {
			if (f.path().filename().string().starts_with("analysed-"))
				all.push_back(f.path());
		}
		return all;
	}
	// Runs another case, which has launches shared, in a process of its own.
	void share_launches() const
	{
		const std::string command = "XDG_CACHE_HOME=" + path + " HET_CACHE_SIZE=16M HET_OPENCL_DEVICES=joint " +
					    "HET_OPENCL_REPORT=" + path + "/report " +
					    std::filesystem::read_symlink("/proc/self/exe").string() +
					    " shared_launches >" + path + "/said";
		CHECK(!system(command.c_str()));
	}
};

// The case has five launches, of which one must not be shared.
void check_report(const std::string &path)
{
	FILE *f = fopen(path.c_str(), "r");
	CHECK(f);
	unsigned launches = 0, shared = 0, lines = 0;
	while (fscanf(f, "launches %u, shared %u\n", &launches, &shared) == 2) {
		CHECK_EQ(launches, 5u);
		CHECK(shared >= 1 && shared <= 4);
		lines++;
	}
	CHECK_EQ(lines, 2u);
	fclose(f);
}

ino_t file_of(const std::string &name)
{
	struct stat s;
	CHECK(!stat(name.c_str(), &s));
	return s.st_ino;
}

// What a process has had analysed, another one finds; what is damaged is as if it were not there.
TEST(analyses_are_kept)
{
	if (!text(clGetDeviceInfo, fx.device, CL_DEVICE_NAME).starts_with("2 joint") || !makes_binaries())
		return;
	const kept_folder folder;
	folder.share_launches();
	const std::vector<std::string> files = folder.files();
	CHECK_EQ(files.size(), size_t{2}); // the case has two programs
	const timespec long_ago[2] = {{1000, 0}, {1000, 0}};
	const ino_t was[] = {file_of(files[0]), file_of(files[1])};
	for (const std::string &f : files)
		CHECK(!utimensat(AT_FDCWD, f.c_str(), long_ago, 0));
	CHECK(!truncate(files[1].c_str(), off_t(std::filesystem::file_size(files[1]) - 1)));
	folder.share_launches();
	check_report(folder.path + "/report");
	struct stat s;
	CHECK(!stat(files[0].c_str(), &s));
	CHECK(s.st_ino == was[0] && s.st_mtim.tv_sec > 1000); // was read
	CHECK(file_of(files[1]) != was[1]);                   // was made anew
}
