// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches whose arguments or groups do not fit their kernel must fail by themselves, and say why, where that can be
// known.
#include "harness/fixture.h"
#include "harness/runtime.h"

#include <string>

using namespace selftest;

namespace
{

const char source[] = R"(
typedef struct { int low, high; } pair;
kernel void all(global uint *out, local uint *scratch, constant uint *table, uint4 four, pair both, float real)
{
	size_t i = get_global_id(0);
	scratch[get_local_id(0)] = table[0];
	out[i] = scratch[get_local_id(0)] + four.w + both.high + (uint)real;
}
kernel __attribute__((reqd_work_group_size(16, 1, 1))) void sixteen(global uint *out)
{
	out[get_global_id(0)] = get_local_size(0);
}
kernel void plain(global uint *out)
{
	out[get_global_id(0)] = get_local_size(0);
}
)";

struct pair {
	int low, high;
};

struct arguments_fixture {
	arguments_fixture()
	{
		het_program_args p = {};
		p.size = sizeof p;
		p.source = source;
		HET_OK(het_program_create(&p, program.out()));
		HET_OK(het_queue_create(nullptr, queue.out()));
		HET_OK(het_kernel_create(program, "all", all.out()));
		HET_OK(het_kernel_create(program, "sixteen", sixteen.out()));
		HET_OK(het_kernel_create(program, "plain", plain.out()));
	}
	int launch(het_kernel *k, std::vector<het_arg> args, size_t global, size_t local, het_event **event = nullptr)
	{
		het_launch_args l = {};
		l.size = sizeof l;
		l.kernel = k;
		l.dimensions = 1;
		l.global[0] = global;
		l.local[0] = local;
		l.arg_size = sizeof(het_arg);
		l.nargs = args.size();
		l.args = args.data();
		return het_launch(queue, &l, event);
	}
	// The launch must fail with a sentence that has this in it.
	void refuse(het_kernel *k, const std::vector<het_arg> &args, size_t global, size_t local, const char *part)
	{
		stderr_capture capture;
		int err = launch(k, args, global, local);
		std::string text = capture.text();
		note("%s", text.c_str());
		CHECK_EQ(err, HET_EARG);
		CHECK(text.find(part) != text.npos);
	}

	program_handle program;
	queue_handle queue;
	kernel_handle all, sixteen, plain;
};

bool is_opencl(het_device *d)
{
	het_device_info info = {};
	info.size = sizeof info;
	HET_OK(het_device_describe(d, &info));
	return info.kind == HET_DEVICE_OPENCL;
}

void need_opencl()
{
	het_device *first;
	uint32_t count = 0;
	if (het_devices(1, &first, &count) || !is_opencl(first))
		skip("no OpenCL device");
}

} // namespace

TEST(kinds_and_sizes_that_the_source_has, .traps = trap::best, .devices = device::opencl)
{
	restart_with(t, {"HET_DEVICES=opencl", "HET_CACHE_SIZE=0"});
	need_opencl();
	arguments_fixture fx;
	constexpr size_t n = 64;
	std::vector<uint32_t> out(n), table(4, 1);
	const uint32_t four[4] = {0, 0, 0, 10}, one = 1;
	const pair both = {0, 100};
	const float real = 1000;
	const double wide = 1000;
	const auto memory = range_arg(out.data(), n * sizeof(uint32_t), HET_READ_WRITE);
	const auto constants = range_arg(table.data(), 16, HET_READ_ONLY);
	const std::vector<het_arg> right = {memory,          local_arg(n * 4), constants,
					    value_arg(four), value_arg(both),  value_arg(real)};
	const struct {
		size_t argument;
		het_arg given;
		const char *said;
	} rows[] = {
		{0, value_arg(one), "argument 0 of kernel all (uint* out) is device memory, and a value was given"},
		{0, local_arg(16), "argument 0 of kernel all (uint* out) is device memory, and local memory was given"},
		{1, memory,
		 "argument 1 of kernel all (uint* scratch) is local memory, and a range of host memory was given"},
		{2, local_arg(16), "argument 2 of kernel all (uint* table) is device memory"},
		{3, memory, "argument 3 of kernel all (uint4 four) is a value, and a range of host memory was given"},
		{3, value_arg(one), "argument 3 of kernel all (uint4 four) has 16 bytes, and 4 were given"},
		{4, local_arg(8), "argument 4 of kernel all (pair both) is a value, and local memory was given"},
		{5, value_arg(wide), "argument 5 of kernel all (float real) has 4 bytes, and 8 were given"},
	};
	for (const auto &r : rows) {
		std::vector<het_arg> args = right;
		args[r.argument] = r.given;
		fx.refuse(fx.all, args, n, n, r.said);
	}
	fx.refuse(fx.all, {memory, local_arg(4)}, n, n, "2 arguments; kernel all has 6");
	event_handle e;
	HET_OK(fx.launch(fx.all, right, n, n, e.out()));
	wait_for(e);
	for (uint32_t v : out)
		CHECK_EQ(v, 1111);
}

TEST(groups_that_no_device_takes, .traps = trap::best, .devices = device::opencl)
{
	restart_with(t, {"HET_DEVICES=opencl", "HET_CACHE_SIZE=0"});
	need_opencl();
	arguments_fixture fx;
	constexpr size_t n = 1 << 20;
	std::vector<uint32_t> out(n);
	const std::vector<het_arg> args = {range_arg(out.data(), n * sizeof(uint32_t), HET_READ_WRITE)};
	fx.refuse(fx.sixteen, args, n, 32,
		  "the kernel requires groups of 16 x 1 x 1 work-items, and 32 x 1 x 1 were given");
	fx.refuse(fx.plain, args, n, n, "are larger than the");
	event_handle e;
	// A launch that asks for no groups gets those that the kernel requires.
	HET_OK(fx.launch(fx.sixteen, args, n, 0, e.out()));
	wait_for(e);
	CHECK_EQ(out[n - 1], 16);
	HET_OK(fx.launch(fx.sixteen, args, 160, 16, e.out()));
	wait_for(e);
}

// A device that takes no smaller last group leaves the launch to another, and with none left the launch says so.
TEST(groups_that_do_not_divide, .traps = trap::best, .devices = device::mixed)
{
	runtime_fixture fx(t);
	std::vector<uint8_t> bytes(1000);
	uint8_t one = 1;
	uint64_t n = bytes.size();
	const het_arg args[] = {range_arg(bytes.data(), n, HET_READ_WRITE), value_arg(one), value_arg(n)};
	het_device *all[8];
	uint32_t count = 0;
	HET_OK(het_devices(8, all, &count));
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = fx.add;
	l.dimensions = 1;
	l.global[0] = n;
	l.local[0] = 64;
	l.arg_size = sizeof(het_arg);
	l.nargs = std::size(args);
	l.args = args;
	stderr_capture capture;
	l.device = all[0];
	event_handle e;
	int err = het_launch(fx.queue, &l, e.out());
	std::string text = capture.text();
	het_event *launched[] = {e};
	if (!err && !het_event_wait(1, launched))
		skip("the OpenCL device has groups of different sizes");
	CHECK_EQ(err, HET_EARG);
	CHECK(text.find("1000 work-items in dimension 0 are no whole number of groups of 64") != text.npos);
	l.device = nullptr;
	for (uint8_t round = 1; round <= 8; round++) {
		HET_OK(het_launch(fx.queue, &l, e.out()));
		wait_for(e);
		CHECK(!is_opencl(parts_of(e).at(0).device));
		CHECK_EQ(bytes[n - 1], round);
	}
}
