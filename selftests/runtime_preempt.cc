// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// More urgent launches come first, and kernels on CUDA devices stop for them and go on: each effect of each block
// happens once.
#include "fake/fake_cuda.h"
#include "harness/rounds.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>

using namespace selftest;

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

constexpr uint32_t group = 32;

uint32_t after_rounds(uint32_t x, uint32_t rounds)
{
	while (rounds--)
		x = x * 1664525 + 1013904223;
	return x;
}

void make_kernel(program_handle &program, kernel_handle &kernel, std::string_view ptx, const char *name)
{
	const het_image image = {HET_IMAGE_PTX, 0, ptx.data(), ptx.size()};
	het_program_args a = {};
	a.size = sizeof a;
	a.images = &image;
	a.nimages = 1;
	HET_OK(het_program_create(&a, program.out()));
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

// Has whole chunks: launches that have a page in common wait for each other.
class numbers
{
      public:
	explicit numbers(size_t n)
	    : bytes_((4 * n + chunk - 1) / chunk * chunk), first_(static_cast<uint32_t *>(aligned_alloc(chunk, bytes_)))
	{
		memset(first_, 0, bytes_);
	}
	~numbers() { free(first_); }
	numbers(const numbers &) = delete;
	numbers &operator=(const numbers &) = delete;
	const uint32_t &operator[](size_t i) const { return first_[i]; }
	het_arg arg() const { return range_arg(first_, bytes_, HET_READ_WRITE); }

      private:
	static constexpr size_t chunk = 64 << 10;
	const size_t bytes_;
	uint32_t *const first_;
};

// What launches of `turns` write, and what they must have written.
struct turns_arrays {
	explicit turns_arrays(size_t items) : counts(items), sums(items), expected_counts(items), expected_sums(items)
	{
	}

	void launch(het_queue *queue, het_kernel *kernel, uint32_t rounds, int priority, het_event **event,
		    std::span<het_event *const> waits = {})
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
		HET_OK(het_launch(queue, &l, event));
		for (uint32_t i = 0; i < expected_counts.size(); i++) {
			expected_counts[i] += rounds;
			expected_sums[i] += after_rounds(i, rounds);
		}
	}
	void check() const
	{
		for (size_t i = 0; i < expected_counts.size(); i++) {
			CHECK_EQ(counts[i], expected_counts[i]);
			CHECK_EQ(sums[i], expected_sums[i]);
		}
	}

	het_device *device = first_device(); // the launches run here; null: where it suits
	numbers counts, sums;
	std::vector<uint32_t> expected_counts, expected_sums;
};

// A kernel of the least priority stays where it is while one of these lives.
class held_in_the_middle
{
      public:
	// It sees what was told to it until then, unless @is_told is false: then copies may wait for it.
	explicit held_in_the_middle(long steps, bool is_told = true) : is_told_(is_told) { driver_.hold_after = steps; }
	~held_in_the_middle()
	{
		while (is_told_ && driver_.writes_under_way)
			std::this_thread::yield();
		driver_.hold_after = -1;
	}
	held_in_the_middle(const held_in_the_middle &) = delete;
	held_in_the_middle &operator=(const held_in_the_middle &) = delete;

	void wait() const
	{
		while (!driver_.is_held)
			std::this_thread::yield();
	}

      private:
	const bool is_told_;
	fake_cuda_state &driver_ = fake_cuda_driver();
};

// Its kernel, that with this number, waits for room on the device, or it has failed: what it had to tell others was
// told.
void wait_until_it_waits(het_event *e, int number)
{
	while (fake_cuda_driver().kernels_begun < number && status_of(e) > HET_COMPLETE)
		std::this_thread::yield();
}

het_preemption preemption_of(het_event *e)
{
	het_preemption p = {};
	p.size = sizeof p;
	HET_OK(het_event_preemption(e, &p));
	return p;
}

// Another level has been there: from now on what is less urgent can be stopped.
void use_two_levels(het_queue *queue, het_kernel *kernel)
{
	turns_arrays few(group);
	for (int priority : {0, 7}) {
		event_handle e;
		few.launch(queue, kernel, 1, priority, e.out());
		wait_for(e);
	}
	few.check();
}

// Runs a long launch and an urgent one beside it, and tells how the first was stopped. Returns the ends of the kernels for the two, in their order, as bits
// behind a first 1: 1 for one on an urgent stream, 0 for another.
unsigned run_beside(const context &t, const char *setting, het_preemption &stopped, bool has_streams = true)
{
	runtime_fixture fx(t, 0, setting);
	program_handle program;
	kernel_handle kernel;
	make_turns(program, kernel);
	use_two_levels(fx.queue, kernel);
	const int before = fake_cuda_driver().kernels_begun;
	turns_arrays victim(16 * group), urgent(group);
	event_handle long_one, short_one;
	{
		held_in_the_middle held(500);
		victim.launch(fx.queue, kernel, 50, -3, long_one.out());
		held.wait();
		urgent.launch(fx.queue, kernel, 5, 7, short_one.out());
		if (has_streams)
			wait_until_it_waits(short_one, before + 2);
	}
	wait_for(short_one);
	wait_for(long_one);
	victim.check();
	urgent.check();
	CHECK_EQ(preemption_of(short_one).stops, 0u);
	stopped = preemption_of(long_one);
	const int kernels = fake_cuda_driver().kernels_begun - before;
	return 1u << kernels | unsigned(fake_cuda_driver().ends & ((1u << kernels) - 1));
}

} // namespace

// The fake GPU has room for one kernel, so the urgent one has to wait until the other one leaves.
TEST(a_long_kernel_stops_for_an_urgent_one, .traps = trap::best, .devices = device::cuda)
{
	// The long one was saved, and went on in two kernels: blocks that had begun, and those that had not.
	het_preemption p;
	CHECK_EQ(run_beside(t, "HET_PREEMPT=auto", p), 0b1'0100u);
	CHECK_EQ(p.stops, 1u);
	CHECK(p.saved_blocks > 0 && p.saved_blocks + p.waiting_blocks <= 16);
	CHECK(p.saved_bytes >= p.saved_blocks * group && p.away_ns > 0);
	CHECK_EQ(p.rescues, 0u);
}

TEST(with_drain_blocks_that_have_begun_end_first, .traps = trap::best, .devices = device::cuda)
{
	het_preemption p;
	CHECK_EQ(run_beside(t, "HET_PREEMPT=drain", p), 0b1'010u);
	CHECK_EQ(p.stops, 1u);
	CHECK_EQ(p.saved_blocks, 0u);
	CHECK(p.waiting_blocks > 0 && p.waiting_blocks < 16);
}

TEST(without_preemption_kernels_run_as_they_come, .traps = trap::best, .devices = device::cuda)
{
	het_preemption p;
	CHECK_EQ(run_beside(t, "HET_PREEMPT=off", p, false), 0b1'00u);
	CHECK_EQ(p.stops, 0u);
	CHECK_EQ(p.away_ns, 0u);
}

// Urgent launches come all the time, two of them under way.
TEST(what_has_waited_for_long_goes_on_beside_others, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t, 0, "HET_PREEMPT_PATIENCE=1");
	fake_cuda_driver().copies_between = 37;
	program_handle program;
	kernel_handle kernel;
	make_turns(program, kernel);
	use_two_levels(fx.queue, kernel);
	turns_arrays victim(64 * group), urgent[] = {turns_arrays(group), turns_arrays(group)};
	event_handle long_one, short_ones[2];
	victim.launch(fx.queue, kernel, 200, -3, long_one.out());
	unsigned n = 0;
	for (; status_of(long_one) > HET_COMPLETE; n++) {
		if (short_ones[n % 2])
			wait_for(short_ones[n % 2]);
		urgent[n % 2].launch(fx.queue, kernel, 50, 7, short_ones[n % 2].out());
	}
	HET_OK(het_finish(fx.queue));
	victim.check();
	for (auto &u : urgent)
		u.check();
}

// Launches of all levels, some after others by events or by what they write, touches and frees between them. Copies get
// on in the middle of kernels, so flags are seen anywhere.
TEST(random_launches_of_all_levels_leave_what_they_must, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t);
	fake_cuda_driver().copies_between = 37;
	program_handle program;
	kernel_handle kernel;
	make_turns(program, kernel);
	const int before = fake_cuda_driver().kernels_begun;
	std::mt19937_64 random(7);
	const unsigned launches = getenv("HET_TEST_FULL") ? 5000 : 150;
	std::vector<std::unique_ptr<turns_arrays>> arrays(6);
	std::vector<event_handle> events(8);
	for (unsigned n = 0; n < launches; n++) {
		auto &a = arrays[random() % arrays.size()];
		if (!a)
			a = std::make_unique<turns_arrays>(group * (1 + random() % 12));
		a->device = random() % 2 ? first_device() : nullptr;
		event_handle &e = events[random() % events.size()];
		std::vector<het_event *> waits;
		if (het_event *other = events[random() % events.size()]; other && random() % 3 == 0)
			waits.push_back(other);
		event_handle made;
		a->launch(fx.queue, kernel, 1 + uint32_t(random() % 40), int(random() % 16) - 8, made.out(), waits);
		HET_OK(het_event_retain(made));
		*e.out() = made;
		if (random() % 10 == 0)
			HET_OK(het_finish(fx.queue));
		if (random() % 10)
			continue;
		HET_OK(het_finish(fx.queue));
		a->check();
		a.reset(); // the next ones are elsewhere
	}
	HET_OK(het_finish(fx.queue));
	for (auto &a : arrays)
		if (a)
			a->check();
	fake_cuda_driver().copies_between = 0;
	// Some of them were stopped.
	CHECK(fake_cuda_driver().kernels_begun - before > int(launches));
}

// --- launches in slices and in parts ---------------------------------------------

namespace
{

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

// --- what touches and frees wait for -------------------------------------------

namespace
{

// A kernel of level -3 is held in the middle, and is to stop for one of level 1. Then something waits for the first,
// so the other one is told to stop.
template <class F> void wait_for_the_less_urgent(const context &t, F wait)
{
	runtime_fixture fx(t, 0, "HET_PREEMPT_PATIENCE=100000");
	program_handle program;
	kernel_handle kernel;
	make_turns(program, kernel);
	use_two_levels(fx.queue, kernel);
	auto low = std::make_unique<turns_arrays>(16 * group);
	turns_arrays high(16 * group);
	event_handle low_one, high_one;
	fake_cuda_state &driver = fake_cuda_driver();
	driver.copies_between = 37;
	const int before = driver.kernels_begun;
	std::thread waiting;
	{
		held_in_the_middle held(500);
		low->launch(fx.queue, kernel, 50, -3, low_one.out());
		held.wait();
		high.launch(fx.queue, kernel, 50, 1, high_one.out());
		wait_until_it_waits(high_one, before + 2);
		const int told = driver.writes;
		waiting = std::thread([&] { wait(low); });
		while (driver.writes == told)
			std::this_thread::yield();
	}
	waiting.join();
	wait_for(high_one);
	CHECK_EQ(driver.ends & 1, 1u); // the last kernel was the other one's
	high.check();
}

} // namespace

TEST(what_a_touch_waits_for_becomes_urgent, .traps = trap::best | trap::sigsegv, .devices = device::cuda)
{
	wait_for_the_less_urgent(t, [](std::unique_ptr<turns_arrays> &low) { low->check(); });
}

TEST(what_a_free_waits_for_becomes_urgent, .traps = trap::best, .devices = device::cuda)
{
	wait_for_the_less_urgent(t, [](std::unique_ptr<turns_arrays> &low) { low.reset(); });
}

// --- calls that fail -----------------------------------------------------------

namespace
{

// The kernel that copies them tells.
bool is_lost(const turns_arrays &a)
{
	int pipes[2];
	CHECK_SYS(pipe(pipes));
	bool lost = write(pipes[1], &a.counts[0], 4) != 4 || write(pipes[1], &a.sums[0], 4) != 4;
	close(pipes[0]);
	close(pipes[1]);
	return lost;
}

// One call of the driver's fails while launches stop for others: they fail, or leave what they must, and all end.
void run_with_failure(const context &t, const char *symbol)
{
	runtime_fixture fx(t);
	fake_cuda_driver().copies_between = 37;
	program_handle program;
	kernel_handle kernel;
	make_turns(program, kernel);
	use_two_levels(fx.queue, kernel);
	const int before = fake_cuda_driver().kernels_begun;
	turns_arrays victim(16 * group), urgent(group);
	het_event *events[2];
	{
		held_in_the_middle held(500);
		victim.launch(fx.queue, kernel, 50, -3, &events[0]);
		held.wait();
		fail_cuda_call(symbol, cuda_launch_failed);
		urgent.launch(fx.queue, kernel, 5, 7, &events[1]);
		wait_until_it_waits(events[1], before + 2);
	}
	(void)het_event_wait(2, events);
	const turns_arrays *const arrays[] = {&victim, &urgent};
	for (unsigned i = 0; i < 2; i++) {
		// Bytes that a device had alone are lost with it.
		if (status_of(events[i]) == HET_COMPLETE && !is_lost(*arrays[i]))
			arrays[i]->check();
		het_event_release(events[i]);
	}
	CHECK(!fake_cuda_driver().fail_symbol.load());
}

} // namespace

#define FAILURE_OF(NAME, SYMBOL)                                                     \
	TEST(a_call_that_fails_##NAME, .traps = trap::best, .devices = device::cuda) \
	{                                                                            \
		run_with_failure(t, SYMBOL);                                         \
	}
FAILURE_OF(launch, "cuLaunchKernel")
FAILURE_OF(work_of_launch, "work of cuLaunchKernel")
FAILURE_OF(flag, "cuMemcpyHtoDAsync_v2")
FAILURE_OF(counts, "cuMemcpyDtoHAsync_v2")
FAILURE_OF(work_of_counts, "work of cuMemcpyDtoHAsync_v2")
FAILURE_OF(heads, "cuMemcpy2DAsync_v2")
FAILURE_OF(record, "cuEventRecord")
FAILURE_OF(event_query, "cuEventQuery")
FAILURE_OF(stream_query, "cuStreamQuery")

// --- what is ready -------------------------------------------------------------

namespace
{

std::atomic<bool> let_go;
std::atomic<unsigned> order_count;
std::atomic<int> order[16];

void wait_on_host(const het_group *, void *const *)
{
	while (!let_go)
		std::this_thread::yield();
}

void note_on_host(const het_group *, void *const *args)
{
	order[order_count++] = *static_cast<const int *>(args[0]);
}

struct noting {
	explicit noting(runtime_fixture &fx) : queue(fx.queue)
	{
		const het_function functions[] = {{"wait", wait_on_host, 0}, {"note", note_on_host, 1}};
		make_program(program, nullptr, functions);
		HET_OK(het_kernel_create(program, "wait", wait.out()));
		HET_OK(het_kernel_create(program, "note", note.out()));
		launch(wait, 0, 0, nullptr);
	}
	void launch(het_kernel *kernel, int number, int priority, het_event **event, het_event *after = nullptr)
	{
		const het_arg args[] = {value_arg(number)};
		het_launch_args l = {};
		l.size = sizeof l;
		l.kernel = kernel;
		l.dimensions = 1;
		l.global[0] = l.local[0] = 1;
		l.arg_size = sizeof(het_arg);
		l.nargs = kernel == note;
		l.args = args;
		l.nwaits = after != nullptr;
		l.waits = &after;
		l.priority = priority;
		HET_OK(het_launch(queue, &l, event));
	}
	// Who waits for a launch runs it himself, whatever else is ready; the worker takes what comes first.
	void finish(unsigned count)
	{
		let_go = true;
		while (order_count < count)
			std::this_thread::yield();
		HET_OK(het_finish(queue));
	}

	het_queue *queue;
	program_handle program;
	kernel_handle wait, note;
};

} // namespace

TEST(the_most_urgent_of_those_that_are_ready_comes_first, .traps = trap::best, .devices = device::none)
{
	runtime_fixture fx(t);
	noting n(fx);
	for (int priority : {-8, 1, 5, 7, 6, 2})
		n.launch(n.note, priority, priority, nullptr);
	n.finish(6);
	CHECK_EQ(order[0].load(), 7);
}

TEST(what_an_urgent_launch_waits_for_becomes_urgent, .traps = trap::best, .devices = device::none)
{
	runtime_fixture fx(t);
	noting n(fx);
	event_handle first, second;
	n.launch(n.note, 1, -6, nullptr);
	n.launch(n.note, 2, -8, first.out());
	n.launch(n.note, 3, -7, second.out(), first);
	n.launch(n.note, 4, 7, nullptr, second);
	n.finish(4);
	CHECK_EQ(order[0].load(), 2);
}

namespace
{

std::atomic<bool> has_begun, urgent_is_there, urgent_has_run;
std::atomic<unsigned> groups_after_it;

// Each group waits until the urgent launch is there, and a while for that to run.
void be_long_on_host(const het_group *, void *const *)
{
	constexpr unsigned a_while = 500;
	has_begun = true;
	while (!urgent_is_there)
		std::this_thread::yield();
	for (unsigned i = 0; i < a_while && !urgent_has_run; i++)
		std::this_thread::yield();
	groups_after_it += urgent_has_run;
}

void be_urgent_on_host(const het_group *, void *const *)
{
	urgent_has_run = true;
}

} // namespace

// Nobody waits for the urgent one, who would run it himself; and all threads that there are have the long one.
TEST(between_groups_of_the_host_something_more_urgent_comes, .traps = trap::best,
     .devices = device::none | device::host)
{
	runtime_fixture fx(t);
	const het_function functions[] = {{"be_long", be_long_on_host, 0}, {"be_urgent", be_urgent_on_host, 0}};
	program_handle program;
	kernel_handle slow, fast;
	make_program(program, nullptr, functions);
	HET_OK(het_kernel_create(program, "be_long", slow.out()));
	HET_OK(het_kernel_create(program, "be_urgent", fast.out()));
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = slow;
	l.dimensions = 1;
	l.local[0] = 1;
	l.global[0] = 1000;
	l.arg_size = sizeof(het_arg);
	event_handle long_one;
	HET_OK(het_launch(fx.queue, &l, long_one.out()));
	while (!has_begun)
		std::this_thread::yield();
	l.kernel = fast;
	l.global[0] = 1;
	l.priority = 7;
	HET_OK(het_launch(fx.queue, &l, nullptr));
	urgent_is_there = true;
	wait_for(long_one);
	CHECK(groups_after_it > 0);
	CHECK_EQ(preemption_of(long_one).stops, 1u);
}

TEST(queues_that_say_nothing_have_the_priority_of_the_environment, .traps = trap::best, .devices = device::none)
{
	runtime_fixture fx(t, 0, "HET_PRIORITY=5");
	noting n(fx);
	n.launch(n.note, 1, 4, nullptr);
	n.launch(n.note, 2, 0, nullptr);
	n.launch(n.note, 3, -8, nullptr);
	n.finish(3);
	CHECK_EQ(order[0].load(), 2);
}

TEST(priorities_are_checked, .traps = trap::best, .devices = device::none)
{
	runtime_fixture fx(t);
	HET_OK(het_queue_set_priority(fx.queue, 7));
	HET_OK(het_queue_set_priority(fx.queue, -8));
	HET_ERR(het_queue_set_priority(fx.queue, 8), HET_EARG);
	HET_ERR(het_queue_set_priority(fx.queue, -9), HET_EARG);
	HET_ERR(het_queue_set_priority(nullptr, 0), HET_ENULL);
	het_queue_args q = {};
	q.size = sizeof q;
	q.priority = 9;
	queue_handle other;
	HET_ERR(het_queue_create(&q, other.out()), HET_EARG);
	q.priority = 0;
	q.reserved = 1;
	HET_ERR(het_queue_create(&q, other.out()), HET_EARG);
	q.size = offsetof(het_queue_args, priority);
	HET_OK(het_queue_create(&q, other.out()));
	uint8_t byte = 0, one = 1;
	const uint64_t length = 1;
	const het_arg args[] = {range_arg(&byte, 1, HET_READ_WRITE), value_arg(one), value_arg(length)};
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = fx.add;
	l.dimensions = 1;
	l.global[0] = 1;
	l.arg_size = sizeof(het_arg);
	l.nargs = std::size(args);
	l.args = args;
	l.priority = -9;
	HET_ERR(het_launch(fx.queue, &l, nullptr), HET_EARG);
	l.size = offsetof(het_launch_args, priority);
	event_handle e;
	HET_OK(het_launch(other, &l, e.out()));
	HET_OK(het_finish(other));
	CHECK_EQ(byte, 1);
	het_preemption p = {};
	HET_ERR(het_event_preemption(e, &p), HET_EARG);
	HET_ERR(het_event_preemption(nullptr, &p), HET_ENULL);
	HET_ERR(het_event_preemption(e, nullptr), HET_ENULL);
	CHECK_EQ(preemption_of(e).stops, 0u);
}
