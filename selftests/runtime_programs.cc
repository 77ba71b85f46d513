// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Programs come from fat binaries in memory, in a file, and in a section of this very executable; others are refused.
#include "harness/block.h"
#include "harness/pattern.h"
#include "harness/runtime.h"

#include <CL/cl.h>
#include <cstddef>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace selftest;

// This is the fat binary of runtime/fatbin/tests/corpus/kernels.cl, with OpenCL C, SPIR-V, and binaries for devices
// that do not exist.
asm(".pushsection .het.selftest, \"a\"\n"
    ".global het_selftest_image\n"
    ".global het_selftest_image_end\n"
    "het_selftest_image:\n"
    ".incbin \"" HET_FATBIN_CORPUS "/images.het\"\n"
    "het_selftest_image_end:\n"
    ".popsection");
extern const char het_selftest_image[], het_selftest_image_end[];

namespace
{

std::string image()
{
	return {het_selftest_image, het_selftest_image_end};
}

void add_on_host(const het_group *g, void *const *args)
{
	auto *p = static_cast<uint8_t *>(args[0]);
	for (size_t i = g->first[0]; i < g->first[0] + g->items[0] && i < *static_cast<uint64_t *>(args[2]); i++)
		p[i] = uint8_t(p[i] + *static_cast<uint8_t *>(args[1]));
}

struct parameters {
	uint32_t factor;
	uint8_t added;
};

void combine_on_host(const het_group *g, void *const *args)
{
	auto *from = static_cast<const uint8_t *>(args[0]);
	auto *to = static_cast<uint8_t *>(args[1]);
	auto *with = static_cast<const parameters *>(args[3]);
	for (size_t i = g->first[0]; i < g->first[0] + g->items[0]; i++)
		to[i] = uint8_t(with->factor * to[i] + from[i] + with->added);
}

const het_function functions[] = {{"add", add_on_host, 3}, {"combine", combine_on_host, 4}};

// These have nothing to build from but the host's functions.
het_program_args arguments()
{
	het_program_args a = {};
	a.size = sizeof a;
	a.functions = functions;
	a.nfunctions = std::size(functions);
	return a;
}

het_program_args in_memory(const std::string &bytes)
{
	het_program_args a = arguments();
	a.fat_binary = bytes.data();
	a.fat_binary_size = bytes.size();
	return a;
}

// The file is there as long as this.
class image_file
{
      public:
	explicit image_file(const std::string &bytes) : fd_(memfd_create("image", 0))
	{
		CHECK_EQ(write(fd_, bytes.data(), bytes.size()), ssize_t(bytes.size()));
		path_ = "/proc/self/fd/" + std::to_string(fd_);
	}
	image_file(const image_file &) = delete;
	image_file &operator=(const image_file &) = delete;
	~image_file() { close(fd_); }
	const char *path() const { return path_.c_str(); }

      private:
	int fd_;
	std::string path_;
};

constexpr size_t group = 64, n = group * 100;

het_launch_args launch_of(het_kernel *k, std::span<const het_arg> args)
{
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = k;
	l.dimensions = 1;
	l.global[0] = n;
	l.local[0] = group;
	l.arg_size = sizeof(het_arg);
	l.nargs = args.size();
	l.args = args.data();
	return l;
}

// Runs both kernels of the program on host memory.
void check_kernels(const runtime_fixture &fx, het_program *program)
{
	kernel_handle add, combine;
	HET_OK(het_kernel_create(program, "add", add.out()));
	HET_OK(het_kernel_create(program, "combine", combine.out()));
	std::vector<uint8_t> from(n), to(n);
	fill_pattern(from.data(), 0, n, 1);
	fill_pattern(to.data(), 0, n, 2);
	uint8_t five = 5;
	uint64_t bytes = n;
	parameters with = {3, 9};
	const het_arg for_add[] = {range_arg(to.data(), n, HET_READ_WRITE), value_arg(five), value_arg(bytes)};
	const het_arg for_combine[] = {range_arg(from.data(), n, HET_READ_ONLY),
				       range_arg(to.data(), n, HET_READ_WRITE), local_arg(group * 4), value_arg(with)};
	auto first = launch_of(add, for_add), second = launch_of(combine, for_combine);
	HET_OK(het_launch(fx.queue, &first, nullptr));
	HET_OK(het_launch(fx.queue, &second, nullptr));
	HET_OK(het_finish(fx.queue));
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(to[i], uint8_t(3 * (pattern_byte(i, 2) + 5) + pattern_byte(i, 1) + 9));
}

int create(const het_program_args &a)
{
	program_handle program;
	return het_program_create(&a, program.out());
}

} // namespace

TEST(from_memory, .devices = device::runtime)
{
	runtime_fixture fx(t);
	program_handle program;
	{
		std::string bytes = image();
		het_program_args a = in_memory(bytes);
		HET_OK(het_program_create(&a, program.out()));
		std::fill(bytes.begin(), bytes.end(), 'x'); // the library must have copied them
	}
	check_kernels(fx, program);
}

TEST(from_a_file, .devices = device::runtime)
{
	runtime_fixture fx(t);
	program_handle program;
	{
		image_file file(image());
		het_program_args a = arguments();
		a.file = file.path();
		HET_OK(het_program_create(&a, program.out()));
	}
	check_kernels(fx, program);
}

TEST(from_a_section, .devices = device::runtime)
{
	runtime_fixture fx(t);
	program_handle program;
	het_program_args a = arguments();
	a.section = ".het.selftest";
	HET_OK(het_program_create(&a, program.out()));
	check_kernels(fx, program);
	a.file = "/proc/self/exe";
	HET_OK(het_program_create(&a, program.out()));
	a.section = ".het.no_such";
	HET_ERR(create(a), HET_EIMAGE);
}

TEST(without_an_image_for_the_device, .devices = device::none | device::host)
{
	runtime_fixture fx(t);
	std::string bytes = image();
	het_program_args a = in_memory(bytes);
	a.functions = nullptr;
	a.nfunctions = 0;
	program_handle program;
	kernel_handle kernel;
	HET_OK(het_program_create(&a, program.out()));
	HET_ERR(het_kernel_create(program, "add", kernel.out()), HET_ENODEV);
}

TEST(arguments_are_described, .devices = device::runtime)
{
	runtime_fixture fx(t);
	std::string bytes = image();
	het_program_args a = in_memory(bytes);
	program_handle program;
	kernel_handle kernel;
	HET_OK(het_program_create(&a, program.out()));
	HET_OK(het_kernel_create(program, "combine", kernel.out()));
	const struct {
		uint32_t space, access;
		size_t nbytes;
		const char *name, *type;
	} wanted[] = {{HET_SPACE_GLOBAL, HET_READ_ONLY, 1, "from", "uchar*"},
		      {HET_SPACE_GLOBAL, HET_READ_WRITE, 1, "to", "uchar*"},
		      {HET_SPACE_LOCAL, HET_READ_WRITE, 4, "scratch", "uint*"},
		      {HET_SPACE_VALUE, 0, sizeof(parameters), "with", "parameters"}};
	het_argument_info info = {};
	HET_ERR(het_kernel_argument(kernel, 0, &info), HET_EARG);
	info.size = sizeof info;
	for (uint32_t i = 0; i < std::size(wanted); i++) {
		HET_OK(het_kernel_argument(kernel, i, &info));
		CHECK_EQ(info.space, wanted[i].space);
		CHECK_EQ(info.access, wanted[i].access);
		CHECK_EQ(info.nbytes, wanted[i].nbytes);
		CHECK(!strcmp(info.name, wanted[i].name) && !strcmp(info.type, wanted[i].type));
	}
	HET_ERR(het_kernel_argument(kernel, 4, &info), HET_EARG);
	CHECK(!strcmp(het_last_error(), "het_kernel_argument: kernel combine has no argument 4"));
	if (t.v.device == device::none || t.v.device == device::host)
		HET_ERR(het_kernel_argument(fx.add, 0, &info), HET_ESTATE);
}

// A driver tells as much of OpenCL C.
TEST(drivers_describe, .devices = device::opencl)
{
	runtime_fixture fx(t);
	const char *source =
		"kernel void k(global const float *restrict a, local int4 *b, constant short *c, uint2 d)\n"
		"{ b[0] = (int4)(a[0], c[0], d.x, d.y); }\n"
		"kernel void other(global int *a) { a[0] = 1; }\n";
	program_handle program;
	kernel_handle kernel;
	make_program(program, source, {});
	HET_OK(het_kernel_create(program, "k", kernel.out()));
	const struct {
		uint32_t space, access, qualifiers;
		size_t nbytes;
		const char *name, *type;
	} wanted[] = {{HET_SPACE_GLOBAL, HET_READ_ONLY, HET_QUALIFIED_CONST | HET_QUALIFIED_RESTRICT, 0, "a", "float*"},
		      {HET_SPACE_LOCAL, HET_READ_WRITE, 0, 0, "b", "int4*"},
		      {HET_SPACE_CONSTANT, HET_READ_ONLY, HET_QUALIFIED_CONST, 0, "c", "short*"},
		      {HET_SPACE_VALUE, 0, 0, 8, "d", "uint2"}};
	het_argument_info info = {};
	info.size = sizeof info;
	for (uint32_t i = 0; i < std::size(wanted); i++) {
		HET_OK(het_kernel_argument(kernel, i, &info));
		CHECK_EQ(info.space, wanted[i].space);
		CHECK_EQ(info.access, wanted[i].access);
		CHECK_EQ(info.qualifiers, wanted[i].qualifiers);
		CHECK_EQ(info.nbytes, wanted[i].nbytes);
		CHECK(!strcmp(info.name, wanted[i].name) && !strcmp(info.type, wanted[i].type));
	}
	het_device *d = nullptr;
	uint32_t n = 0;
	HET_OK(het_devices(1, &d, &n));
	char names[64] = "";
	size_t size = 0, group = 0;
	HET_OK(het_program_opencl_info(program, d, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, &size));
	CHECK(!strcmp(names, "k;other") && size == sizeof "k;other");
	HET_ERR(het_program_opencl_info(program, d, CL_PROGRAM_KERNEL_NAMES, 2, names, nullptr), HET_EARG);
	HET_OK(het_kernel_opencl_info(kernel, d, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, nullptr));
	CHECK(group > 0);
	HET_OK(het_kernel_opencl_info(kernel, d, CL_KERNEL_FUNCTION_NAME, sizeof names, names, nullptr));
	CHECK(!strcmp(names, "k"));
	HET_OK(het_device_opencl_info(d, CL_DEVICE_NAME, 0, nullptr, &size));
	CHECK(size > 1);
	HET_ERR(het_device_opencl_info(d, 0, 0, nullptr, &size), HET_EARG);
}

// What a program is linked of is compiled when somebody first needs the program, whoever that is.
TEST(linked_programs, .devices = device::opencl)
{
	runtime_fixture fx(t);
	program_handle object, linked;
	kernel_handle kernel;
	het_program_args of_source = {}, of_objects = {};
	of_source.size = of_objects.size = sizeof of_source;
	of_source.source = "kernel void k(global uchar *p, uchar v, ulong n)\n"
			   "{ if (get_global_id(0) < n) p[get_global_id(0)] = v; }\n";
	of_source.flags = HET_PROGRAM_OBJECT;
	HET_OK(het_program_create(&of_source, object.out()));
	het_program *parts[] = {object};
	of_objects.objects = parts;
	of_objects.nobjects = 1;
	HET_OK(het_program_create(&of_objects, linked.out()));
	het_device *d = nullptr;
	uint32_t n = 0;
	void *address = nullptr;
	size_t size = 0;
	HET_OK(het_devices(1, &d, &n));
	HET_ERR(het_program_global(linked, d, "none", &address, &size), HET_ENODEV);
	HET_OK(het_kernel_create(linked, "k", kernel.out()));
	block b(kind::mmapped, 4096);
	event_handle e;
	const uint8_t three = 3;
	HET_OK(fx.launch(kernel, b.size(), {range_arg(b.data(), b.size(), HET_WRITE_ONLY), value_arg(three)}, e.out()));
	wait_for(e);
	for (size_t i = 0; i < b.size(); i++)
		CHECK_EQ(b.data()[i], three);
}

TEST(other_devices_have_no_driver, .devices = device::none | device::host)
{
	runtime_fixture fx(t);
	het_device *d = nullptr;
	uint32_t n = 0;
	size_t size = 0;
	HET_OK(het_devices(1, &d, &n));
	HET_ERR(het_device_opencl_info(d, CL_DEVICE_NAME, 0, nullptr, &size), HET_ENODEV);
	HET_ERR(het_program_opencl_info(fx.program, d, CL_PROGRAM_NUM_KERNELS, 0, nullptr, &size), HET_ENODEV);
	HET_ERR(het_kernel_opencl_info(fx.add, d, CL_KERNEL_WORK_GROUP_SIZE, 0, nullptr, &size), HET_ENODEV);
}

TEST(launches_must_fit_the_description, .devices = device::runtime)
{
	runtime_fixture fx(t);
	std::string bytes = image();
	het_program_args a = in_memory(bytes);
	program_handle program;
	kernel_handle kernel;
	HET_OK(het_program_create(&a, program.out()));
	HET_OK(het_kernel_create(program, "add", kernel.out()));
	std::vector<uint8_t> data(n);
	uint8_t one = 1;
	uint64_t count = n;
	auto range = range_arg(data.data(), n, HET_READ_WRITE);
	const het_arg wrong[][3] = {{range, value_arg(count), value_arg(count)},
				    {range, local_arg(1), value_arg(count)},
				    {local_arg(8), value_arg(one), value_arg(count)},
				    {value_arg(count), value_arg(one), value_arg(count)},
				    {range, value_arg(one), range}};
	for (const auto &args : wrong) {
		auto l = launch_of(kernel, args);
		HET_ERR(het_launch(fx.queue, &l, nullptr), HET_EARG);
	}
	const het_function other[] = {{"add", add_on_host, 2}};
	a.functions = other;
	a.nfunctions = 1;
	bool has_image = t.v.device & (device::opencl | device::cuda);
	HET_OK(het_program_create(&a, program.out()));
	HET_ERR(het_kernel_create(program, "add", kernel.out()), has_image ? 0 : HET_EIMAGE);
}

TEST(what_is_no_fat_binary, .devices = device::none)
{
	runtime_fixture fx(t);
	std::string whole = image();
	for (size_t size = 1; size < whole.size(); size += 7)
		HET_ERR(create(in_memory(whole.substr(0, size))), HET_EIMAGE);
	het_program_args a = arguments();
	a.file = "/nonexistent/kernels.het";
	HET_ERR(create(a), HET_EIMAGE);
	a.file = "/";
	HET_ERR(create(a), HET_EIMAGE);
	a.file = "/dev/null";
	HET_ERR(create(a), HET_EIMAGE);
	image_file empty("");
	a.file = empty.path();
	HET_ERR(create(a), HET_EIMAGE);
	a.file = "/proc/self/exe";
	HET_ERR(create(a), HET_EIMAGE);
	a = in_memory(whole);
	a.source = "kernel void f() {}";
	HET_ERR(create(a), HET_EARG);
	a = in_memory(whole);
	a.options = "-w";
	HET_ERR(create(a), HET_EARG);
	a = in_memory(whole);
	a.fat_binary_size = 0;
	HET_ERR(create(a), HET_EARG);
	a = in_memory(whole);
	program_handle program;
	kernel_handle kernel;
	HET_OK(het_program_create(&a, program.out()));
	HET_ERR(het_kernel_create(program, "subtract", kernel.out()), HET_ENAME);
}

// The directory is right, but the image that is wanted is not.
TEST(a_damaged_image, .devices = device::opencl | device::cuda)
{
	runtime_fixture fx(t);
	std::string bytes = image();
	bytes[bytes.find(t.v.device == device::cuda ? ".entry add" : "kernel void add")] ^= 1;
	het_program_args a = in_memory(bytes);
	program_handle program;
	kernel_handle kernel;
	HET_OK(het_program_create(&a, program.out()));
	HET_ERR(het_kernel_create(program, "add", kernel.out()), HET_EIMAGE);
}

// Programs that were compiled before fat binaries came pass a smaller structure.
TEST(a_program_with_the_smaller_structure, .devices = device::none)
{
	runtime_fixture fx(t);
	het_program_args a = arguments();
	a.size = offsetof(het_program_args, fat_binary);
	HET_OK(create(a));
	a.size--;
	HET_ERR(create(a), HET_EARG);
}
