// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "turns.h"

#include <cstdlib>
#include <cstring>
#include <thread>

namespace selftest
{

namespace
{

// Each work-item counts its rounds with an atomic, and adds what they have made of its number at the end.
const char turns_ptx[] = R"(
.version 6.3
.target sm_70
.address_size 64
.visible .entry turns(.param .u64 counts, .param .u64 sums, .param .u32 rounds)
{
	.reg .pred %p<2>;
	.reg .b32 %r<10>;
	.reg .b64 %rd<6>;
	ld.param.u64 %rd1, [counts];
	ld.param.u64 %rd2, [sums];
	ld.param.u32 %r1, [rounds];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.u32 %r5, %r2, %r3, %r4;
	cvta.to.global.u64 %rd1, %rd1;
	cvta.to.global.u64 %rd2, %rd2;
	mad.wide.u32 %rd3, %r5, 4, %rd1;
	mad.wide.u32 %rd4, %r5, 4, %rd2;
	mov.u32 %r6, %r5;
	mov.u32 %r7, 0;
AGAIN:
	atom.global.add.u32 %r8, [%rd3], 1;
	mad.lo.u32 %r6, %r6, 1664525, 1013904223;
	add.u32 %r7, %r7, 1;
	setp.lt.u32 %p1, %r7, %r1;
	@%p1 bra AGAIN;
	atom.global.add.u32 %r9, [%rd4], %r6;
	ret;
}
)";

constexpr size_t whole_chunk = 64 << 10;

uint32_t after_rounds(uint32_t x, uint32_t rounds)
{
	while (rounds--)
		x = x * 1664525 + 1013904223;
	return x;
}

} // namespace

void make_kernel(program_handle &program, kernel_handle &kernel, std::string_view ptx, const char *name)
{
	make_program_of_ptx(program, ptx);
	HET_OK(het_kernel_create(program, name, kernel.out()));
}

void make_turns(program_handle &program, kernel_handle &kernel)
{
	make_kernel(program, kernel, turns_ptx, "turns");
}

het_device *first_device()
{
	het_device *d;
	uint32_t count;
	HET_OK(het_devices(1, &d, &count));
	return d;
}

numbers::numbers(size_t n)
    : bytes_((4 * n + whole_chunk - 1) / whole_chunk * whole_chunk),
      first_(static_cast<uint32_t *>(aligned_alloc(whole_chunk, bytes_)))
{
	memset(first_, 0, bytes_);
}

numbers::~numbers()
{
	free(first_);
}

void turns_arrays::launch(het_queue *queue, het_kernel *kernel, uint32_t rounds, int priority, het_event **event,
			  std::span<het_event *const> waits)
{
	const het_arg args[] = {counts.arg(), sums.arg(), value_arg(rounds)};
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = kernel;
	l.dimensions = 1;
	l.global[0] = expected_counts.size();
	l.local[0] = group;
	l.arg_size = sizeof(het_arg);
	l.nargs = std::size(args);
	l.args = args;
	l.nwaits = waits.size();
	l.waits = waits.data();
	l.priority = priority;
	l.device = device;
	l.deadline_ns = deadline_ns;
	HET_OK(het_launch(queue, &l, event));
	for (uint32_t i = 0; i < expected_counts.size(); i++) {
		expected_counts[i] += rounds;
		expected_sums[i] += after_rounds(i, rounds);
	}
}

void turns_arrays::check() const
{
	for (size_t i = 0; i < expected_counts.size(); i++) {
		CHECK_EQ(counts[i], expected_counts[i]);
		CHECK_EQ(sums[i], expected_sums[i]);
	}
}

held_in_the_middle::~held_in_the_middle()
{
	while (is_told_ && driver_.writes_under_way)
		std::this_thread::yield();
	driver_.hold_after = -1;
}

void held_in_the_middle::wait() const
{
	while (!driver_.is_held)
		std::this_thread::yield();
}

void held_in_the_middle::go_on_until(long steps) const
{
	while (driver_.writes_under_way)
		std::this_thread::yield();
	driver_.hold_after = steps;
	while (driver_.held_at < steps)
		std::this_thread::yield();
	wait();
}

void wait_until_it_waits(het_event *e, int number)
{
	while (fake_cuda_driver().kernels_begun < number && status_of(e) > HET_COMPLETE)
		std::this_thread::yield();
}

void use_two_levels(het_queue *queue, het_kernel *kernel)
{
	turns_arrays few(turns_arrays::group);
	for (int priority : {0, 7}) {
		event_handle e;
		few.launch(queue, kernel, 1, priority, e.out());
		wait_for(e);
	}
	few.check();
}

} // namespace selftest
