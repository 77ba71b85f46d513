// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Runs each case with each device of the platform "libhet" (or the one that CL_TEST_PLATFORM names), in a child process
// that has a time limit, and prints KTAP. Arguments name cases; CL_TEST_SEED is the seed of what is random.
#include "test.h"

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <sys/wait.h>
#include <unistd.h>

namespace cltest
{

namespace
{

constexpr int could_not_run = 4;
test_case *first_case;

unsigned long seed()
{
	static const char *given = getenv("CL_TEST_SEED");
	static const unsigned long s = given ? strtoul(given, nullptr, 0) : std::random_device()();
	return s;
}

cl_platform_id find_platform()
{
	const char *wanted = getenv("CL_TEST_PLATFORM");
	cl_platform_id all[16];
	cl_uint n = 0;
	if (clGetPlatformIDs(16, all, &n) != CL_SUCCESS)
		return nullptr;
	for (cl_uint i = 0; i < n; i++) {
		if (text(clGetPlatformInfo, all[i], CL_PLATFORM_NAME) == (wanted ? wanted : "libhet"))
			return all[i];
	}
	return nullptr;
}

std::vector<cl_device_id> find_devices()
{
	cl_device_id ids[16];
	cl_uint n = 0;
	const cl_platform_id p = find_platform();
	if (!p || clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 16, ids, &n) != CL_SUCCESS)
		return {};
	return {ids, ids + n};
}

// Runs a function in a child, and returns its status, or -1 if it was ended by a signal.
template <class F> int in_child(F run)
{
	fflush(stdout);
	const pid_t id = fork();
	if (!id) {
		alarm(getenv("CL_TEST_SECONDS") ? unsigned(atoi(getenv("CL_TEST_SECONDS"))) : 120);
		run();
		fflush(stdout);
		exit(0);
	}
	int status = 0;
	while (waitpid(id, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		printf("# ended by signal %d\n", WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool is_wanted(const char *name, int argc, char **argv)
{
	bool wanted = argc < 2;
	for (int i = 1; i < argc; i++)
		wanted |= !strcmp(argv[i], name);
	return wanted;
}

} // namespace

test_case::test_case(const char *n, case_function *f, void (*p)()) : name(n), run(f), prepare(p), next(first_case)
{
	first_case = this;
}

void fail(const char *file, int line, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	printf("# %s:%d: ", file, line);
	vprintf(format, args);
	printf(" (seed %lu)\n", seed());
	va_end(args);
	fflush(stdout);
	_exit(1);
}

fixture::fixture(cl_device_id d) : device(d), random(seed())
{
	cl_int err = CL_SUCCESS;
	platform = info<cl_platform_id>(clGetDeviceInfo, d, CL_DEVICE_PLATFORM);
	context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &err);
	OK(err);
	queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &err);
	OK(err);
}

fixture::~fixture()
{
	OK(clFinish(queue));
	OK(clReleaseCommandQueue(queue));
	OK(clReleaseContext(context));
}

cl_mem fixture::buffer(size_t n, cl_mem_flags flags, void *host) const
{
	cl_int err = CL_SUCCESS;
	cl_mem m = clCreateBuffer(context, flags, n, host, &err);
	OK(err);
	return m;
}

cl_program fixture::build(const char *source, const char *options) const
{
	cl_int err = CL_SUCCESS;
	cl_program p = clCreateProgramWithSource(context, 1, &source, nullptr, &err);
	OK(err);
	OK(clBuildProgram(p, 0, nullptr, options, nullptr, nullptr));
	return p;
}

// The kernel keeps its program.
cl_kernel fixture::kernel(const char *source, const char *name) const
{
	cl_int err = CL_SUCCESS;
	cl_program p = build(source);
	cl_kernel k = clCreateKernel(p, name, &err);
	OK(err);
	OK(clReleaseProgram(p));
	return k;
}

cl_command_queue fixture::unordered() const
{
	cl_int err = CL_SUCCESS;
	cl_command_queue q = clCreateCommandQueue(
		context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, &err);
	OK(err);
	return q;
}

bool has_code(const std::string &what, cl_int got, cl_int want)
{
	if (got != want)
		printf("# %s: %d, not %d\n", what.c_str(), got, want);
	return got == want;
}

bool makes_binaries()
{
	return system("command -v het-fatbin >/dev/null") == 0;
}

static int run_all(int argc, char **argv)
{
	printf("KTAP version 1\n# seed %lu\n", seed());
	// Whether a launch is shared must not depend on who is faster.
	setenv("HET_POLICY", "static", 0);
	// This process never starts a driver: children could not use it.
	const int ndevices = in_child([] { exit(int(find_devices().size())); });
	if (ndevices < 0) {
		printf("1..1\nnot ok 1 the platform's devices can be asked for\n");
		return 1;
	}
	if (!ndevices) {
		printf("1..0 # SKIP %s\n", find_platform()
						   ? "the platform has no devices here"
						   : "the loader shows no such platform (OCL_ICD_VENDORS=folder/)");
		return could_not_run;
	}
	int n = 0, failed = 0;
	for (test_case *c = first_case; c; c = c->next)
		n += is_wanted(c->name, argc, argv) ? ndevices : 0;
	if (!n) {
		printf("1..1\nnot ok 1 none of its cases has such a name\n");
		return 1;
	}
	printf("1..%d\n", n);
	n = 0;
	for (test_case *c = first_case; c; c = c->next) {
		for (int d = 0; d < ndevices && is_wanted(c->name, argc, argv); d++) {
			const int status = in_child([&] {
				if (c->prepare)
					c->prepare();
				const std::vector<cl_device_id> found = find_devices();
				if (size_t(d) >= found.size())
					FAIL("the platform shows %zu of its %d devices", found.size(), ndevices);
				fixture fx(found[size_t(d)]);
				c->run(fx);
			});
			printf("%s %d %s.%d\n", status ? "not ok" : "ok", ++n, c->name, d);
			failed += status != 0;
		}
	}
	printf("# passed %d, failed %d, skipped 0\n", n - failed, failed);
	return failed != 0;
}

} // namespace cltest

int main(int argc, char **argv)
{
	return cltest::run_all(argc, argv);
}
