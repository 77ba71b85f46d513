// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Commands of each level have a stream of their own on CUDA devices: none waits there for what is less urgent, for
// memory, or for what launches read in a variable of their module.
#include "harness/rounds.h"
#include "harness/turns.h"

using namespace selftest;

// --- launches in slices and in parts ---------------------------------------------

namespace
{

constexpr uint32_t group = turns_arrays::group;

// An urgent launch adds to @n bytes while a kernel of level 0 is held in the middle: so many kernels of it wait for
// room on the device then, and are next.
void add_beside_a_held_kernel(runtime_fixture &fx, size_t n, const het_pattern *pattern, uint32_t flags, int kernels)
{
	program_handle program;
	kernel_handle kernel;
	make_turns(program, kernel);
	use_two_levels(fx.queue, kernel);
	queue_handle urgent;
	HET_OK(het_queue_create(nullptr, urgent.out()));
	HET_OK(het_queue_set_priority(urgent, 7));
	turns_arrays victim(2 * group);
	model_array bytes(kind::mmapped, n);
	const het_arg all = range_arg(bytes.b.data(), n, HET_READ_WRITE);
	const het_arg arg = pattern ? range_arg(bytes.b.data(), n, HET_READ_WRITE, *pattern) : all;
	const uint8_t value = 5;
	const int before = fake_cuda_driver().kernels_begun;
	event_handle long_one, urgent_one;
	{
		held_in_the_middle held(100, false);
		victim.launch(fx.queue, kernel, 50, 0, long_one.out());
		held.wait();
		HET_OK(fx.launch(fx.add, n, {arg, value_arg(value)}, urgent_one.out(),
				 {.queue = urgent, .flags = flags}));
		wait_until_it_waits(urgent_one, before + 1 + kernels);
	}
	wait_for(urgent_one);
	wait_for(long_one);
	add_to_model(bytes.model, 0, n, value);
	bytes.check("what the urgent launch added to");
	victim.check();
}

} // namespace

TEST(urgent_slices_do_not_wait_for_what_is_less_urgent, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t, 0, "HET_DEVICE_MEMORY=512K");
	add_beside_a_held_kernel(fx, 600'000, &each_byte, 0, 1);
	CHECK(memory_of(first_device()).slices > 1);
}

// A launch in slices waits for the one whose bytes are brought, and others come meanwhile.
TEST(the_bytes_of_urgent_slices_are_brought_first, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t, 0, "HET_DEVICE_MEMORY=256K");
	program_handle program;
	kernel_handle kernel;
	make_turns(program, kernel);
	use_two_levels(fx.queue, kernel);
	queue_handle urgent;
	HET_OK(het_queue_create(nullptr, urgent.out()));
	HET_OK(het_queue_set_priority(urgent, 7));
	const size_t n = 300'000;
	model_array bytes[] = {{kind::mmapped, n}, {kind::mmapped, n}, {kind::mmapped, n}};
	event_handle events[3];
	const uint8_t value = 5;
	{
		held_in_the_middle held(100, false);
		for (unsigned i = 0; i < 3; i++) {
			HET_OK(fx.launch(fx.add, n,
					 {range_arg(bytes[i].b.data(), n, HET_READ_WRITE, each_byte), value_arg(value)},
					 events[i].out(), {.queue = i == 2 ? urgent.get() : nullptr}));
			if (!i)
				held.wait();
		}
	}
	HET_OK(het_finish(fx.queue));
	HET_OK(het_finish(urgent));
	// The last one was not the urgent one.
	CHECK_EQ(fake_cuda_driver().ends & 1, 0u);
	for (model_array &b : bytes) {
		add_to_model(b.model, 0, n, value);
		b.check("what was added to");
	}
}

// Nothing tells what each part writes, so copies of what was there are taken ahead of them, on their lanes.
TEST(urgent_parts_do_not_wait_for_what_is_less_urgent, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t, 0, std::vector<const char *>{"HET_POLICY=static", "FAKE_CUDA_DEVICES=2"});
	CHECK_EQ(all_devices().size(), 2u);
	fake_cuda_driver().slow_us = 2000; // what waits for a kernel of another lane comes after this lane's
	add_beside_a_held_kernel(fx, 300'000, nullptr, HET_SPLIT, 2);
}

// --- what launches read in a variable of their module ----------------------------

namespace
{

// Each work-item tells the offset of its launch.
const char offsets_ptx[] = R"(
.version 6.3
.target sm_70
.address_size 64
.visible .global .align 8 .b8 het_launch[32];
.visible .entry offsets(.param .u64 to)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [to];
	cvta.to.global.u64 %rd1, %rd1;
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r2, [het_launch];
	st.global.u32 [%rd3], %r2;
	ret;
}
)";

void launch_offsets(het_queue *queue, het_kernel *kernel, const numbers &to, size_t offset, int priority)
{
	const het_arg args[] = {to.arg()};
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = kernel;
	l.dimensions = 1;
	l.global[0] = l.local[0] = group;
	l.offset[0] = offset;
	l.arg_size = sizeof(het_arg);
	l.nargs = std::size(args);
	l.args = args;
	l.priority = priority;
	HET_OK(het_launch(queue, &l, nullptr));
}

} // namespace

// The first one has its numbers written, which takes a while; the urgent one needs the same.
TEST(launches_of_other_levels_wait_for_their_numbers, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t);
	program_handle turns_program, program;
	kernel_handle turns, kernel;
	make_turns(turns_program, turns);
	make_kernel(program, kernel, offsets_ptx, "offsets");
	use_two_levels(fx.queue, turns);
	turns_arrays victim(group);
	numbers first(group), second(group), third(group);
	fake_cuda_driver().slow_us = 2000;
	{
		held_in_the_middle held(50, false);
		victim.launch(fx.queue, turns, 50, -3, nullptr);
		held.wait();
		launch_offsets(fx.queue, kernel, first, 5, -2);
		launch_offsets(fx.queue, kernel, second, 5, 7);
		launch_offsets(fx.queue, kernel, third, 9, 6);
	}
	HET_OK(het_finish(fx.queue));
	victim.check();
	for (unsigned i = 0; i < group; i++) {
		CHECK_EQ(first[i], 5u);
		CHECK_EQ(second[i], 5u);
		CHECK_EQ(third[i], 9u);
	}
}

// --- memory --------------------------------------------------------------------

// What was kept to stop launches is given back before anything else leaves the device.
TEST(memory_for_stops_goes_when_others_want_it, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t, 0, "HET_DEVICE_MEMORY=12M");
	program_handle program;
	kernel_handle kernel;
	make_turns(program, kernel);
	const uint64_t before = memory_of(first_device()).copies;
	for (unsigned i = 0; i < 2; i++) {
		use_two_levels(fx.queue, kernel);
		use_two_levels(fx.queue, kernel);
		CHECK(memory_of(first_device()).copies >= before + (4 << 20));
		void *raw = nullptr;
		HET_OK(het_device_alloc(first_device(), 11 << 20, &raw));
		CHECK_EQ(memory_of(first_device()).copies, before);
		HET_OK(het_device_free(first_device(), raw));
	}
}

// It is no more than a launch that fits without it has to wait for.
TEST(memory_for_stops_makes_no_launch_too_large, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t, 0, "HET_DEVICE_MEMORY=512K");
	program_handle program;
	kernel_handle kernel;
	make_turns(program, kernel);
	const size_t n = 450'000;
	model_array bytes(kind::mmapped, n);
	use_two_levels(fx.queue, kernel);
	for (bool one_runs : {false, true}) {
		use_two_levels(fx.queue, kernel);
		turns_arrays victim(2 * group);
		event_handle long_one, whole;
		{
			held_in_the_middle held(100, false);
			if (one_runs) {
				victim.launch(fx.queue, kernel, 50, 0, long_one.out());
				held.wait();
			}
			CHECK(memory_of(first_device()).copies);
			HET_OK(fx.launch(fx.add, n,
					 {range_arg(bytes.b.data(), n, HET_READ_WRITE), value_arg(uint8_t{5})},
					 whole.out(), {.device = first_device()}));
		}
		wait_for(whole);
		add_to_model(bytes.model, 0, n, 5);
		bytes.check("what was added to");
		victim.check();
	}
	CHECK_EQ(memory_of(first_device()).slices, 0u);
	CHECK_EQ(memory_of(first_device()).in_place, 0u);
}
