// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Other devices do what one can't do; what none can do is refused before a driver sees it; and what does not end is
// waited for once.
#include "fake/fake_cuda.h"
#include "harness/process.h"
#include "harness/runtime.h"

#include <cstdlib>
#include <thread>
#include <unistd.h>

using namespace selftest;

namespace
{

constexpr size_t n = 10000;

void add_one_on_host(const het_group *g, void *const *args)
{
	for (size_t i = 0; i < g->items[0]; i++)
		static_cast<uint8_t *>(args[0])[g->first[0] + i]++;
}

void fill_local_on_host(const het_group *, void *const *args)
{
	*static_cast<uint8_t *>(args[0]) = 1;
}

void never_end(const het_group *, void *const *)
{
	for (;;)
		pause();
}

constexpr char local_source[] = "kernel void fill_local(local uchar *p) { p[get_local_id(0)] = 1; }";

struct program_of {
	program_of(const char *source, const char *name, void (*run)(const het_group *, void *const *), uint32_t nargs)
	{
		const het_function function = {name, run, nargs};
		make_program(program, source, {&function, 1});
		HET_OK(het_kernel_create(program, name, kernel.out()));
	}
	program_handle program;
	kernel_handle kernel;
};

int launch(het_queue *queue, het_kernel *kernel, std::initializer_list<het_arg> args, uint32_t flags = 0)
{
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = kernel;
	l.dimensions = 1;
	l.global[0] = n;
	l.local[0] = 100;
	l.arg_size = sizeof(het_arg);
	l.nargs = args.size();
	l.args = args.begin();
	l.flags = flags;
	return het_launch(queue, &l, nullptr);
}

// Makes launches, split and not. Devices that can do them must do them.
void add_thrice(het_queue *queue, het_kernel *kernel)
{
	std::vector<uint8_t> bytes(n, 5);
	for (uint32_t flags : {0u, uint32_t(HET_SPLIT), 0u})
		HET_OK(launch(queue, kernel, {range_arg(bytes.data(), n, HET_READ_WRITE, each_byte)}, flags));
	HET_OK(het_finish(queue));
	for (uint8_t b : bytes)
		CHECK_EQ(b, 8);
}

} // namespace

TEST(a_program_that_one_device_can_not_build, .devices = device::mixed)
{
	runtime_fixture fx(t);
	program_of broken("kernel void add_one(global uchar *p) { this is no OpenCL; }", "add_one", add_one_on_host, 1);
	add_thrice(fx.queue, broken.kernel);
	het_device *opencl = nullptr;
	uint32_t count;
	HET_OK(het_devices(1, &opencl, &count));
	HET_ERR(het_program_build(broken.program, opencl), HET_EBUILD);
}

TEST(a_device_without_a_context, .devices = device::cuda2)
{
	fail_cuda_call("cuDevicePrimaryCtxRetain", cuda_out_of_memory);
	fake_cuda_driver().fails_always = true;
	runtime_fixture fx(t);
	std::vector<uint8_t> bytes(n, 5);
	fx.run_add(bytes.data(), n, 1);
	event_handle e;
	const uint8_t one = 1;
	HET_OK(fx.launch(fx.add, n, {range_arg(bytes.data(), n, HET_READ_WRITE, each_byte), value_arg(one)}, e.out(),
			 {.flags = HET_SPLIT}));
	wait_for(e);
	for (uint8_t b : bytes)
		CHECK_EQ(b, 7);
}

TEST(more_local_memory_than_there_is, .devices = device::none | device::host | device::opencl | device::mixed)
{
	runtime_fixture fx(t);
	program_of p(local_source, "fill_local", fill_local_on_host, 1);
	HET_OK(launch(fx.queue, p.kernel, {local_arg(1000)}));
	for (size_t bytes : {size_t{1} << 46, SIZE_MAX}) {
		HET_ERR(launch(fx.queue, p.kernel, {local_arg(bytes)}), HET_ENODEV);
		HET_ERR(launch(fx.queue, p.kernel, {local_arg(bytes)}, HET_SPLIT), HET_ENODEV);
	}
	HET_OK(het_finish(fx.queue));
}

TEST(addresses_that_are_no_devices, .devices = device::runtime)
{
	runtime_fixture fx(t);
	const uint8_t one = 1;
	std::vector<uint8_t> bytes(n, 5);
	het_arg a = {};
	a.kind = HET_ARG_ADDRESS;
	a.pointer = bytes.data();
	HET_ERR(fx.launch(fx.add, n, {a, value_arg(one)}), HET_EARG);
	a.pointer = const_cast<char *>(local_source);
	HET_ERR(fx.launch(fx.add, n, {a, value_arg(one)}), HET_EARG);
}

// Freeing an array ends commands on it that have not begun, while others' ends make them ready.
TEST(free_while_commands_become_ready, .devices = device::host | device::opencl)
{
	runtime_fixture fx(t);
	const uint8_t one = 1;
	for (uint64_t round = 0; round < t.rounds(50, 1000); round++) {
		auto *p = static_cast<uint8_t *>(malloc(n));
		memset(p, 0, n);
		event_handle gate, e[3];
		HET_OK(het_user_event_create(gate.out()));
		het_event *waits[] = {gate};
		for (event_handle &one_of_them : e)
			HET_OK(fx.launch(fx.add, n, {range_arg(p, n, HET_READ_WRITE), value_arg(one)},
					 one_of_them.out(), {.waits = waits}));
		std::thread other([&] { HET_OK(het_user_event_set(gate, HET_COMPLETE)); });
		free(p);
		other.join();
		for (event_handle &one_of_them : e) {
			het_event *events[] = {one_of_them};
			het_event_wait(1, events);
			int status = status_of(one_of_them);
			CHECK(status == HET_COMPLETE || status == HET_EMEMORY || status == HET_EWAIT);
		}
	}
}

// This leaves a command for the next case, which looks at how it ends.
TEST(a_command_is_left, .devices = device::none)
{
	setenv("HET_EXIT_WAIT", "1", 1);
	runtime_fixture fx(t);
	program_of p(nullptr, "never_end", never_end, 0);
	HET_OK(launch(fx.queue, p.kernel, {}));
	exit(0);
}

TEST(the_exit_gives_up_once, .devices = device::none)
{
	std::string words = stderr_of_case(t, "a_command_is_left.none.none.none");
	const std::string said = "commands have not finished";
	size_t first = words.find(said);
	CHECK(first != std::string::npos);
	CHECK(words.find(said, first + 1) == std::string::npos);
}
