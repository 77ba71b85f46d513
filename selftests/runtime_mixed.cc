// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches in slices that are queued one behind the other run mixed, and nobody can tell but by what travels.
#include "fake/fake_cuda.h"
#include "harness/combine.h"
#include "harness/growing_fixture.h"
#include "harness/slices.h"

#include <thread>

using namespace selftest;

namespace
{

constexpr uint32_t one_device = device::host | device::opencl | device::cuda;
constexpr size_t width = 256;
constexpr char mixed[] = "HET_EVICT=mix";

struct rows {
	size_t first, count;
};

// Arrays of rows, and launches that get each row of one from three of another. They may be of some rows alone.
class steps
{
      public:
	steps(slices_fixture &fx, size_t height, uint32_t first = kind::library)
	    : fx_(fx), height_(height), blur_(fx.kernel("blur"))
	{
		for (unsigned i = 0; i < 3; i++)
			all_.push_back(std::make_unique<model_array>(i ? kind::mmapped : first, width * height, i + 1));
	}

	model_array &array(unsigned i) { return *all_[i]; }
	size_t height() const { return height_; }

	// There are four rows in a row of groups.
	void blur(unsigned from, unsigned to, rows r, het_event **event = nullptr, het_event *after = nullptr,
		  int priority = 0)
	{
		const size_t begin = r.first * width, n = r.count * width;
		const het_pattern halo = {sizeof halo, -int64_t(width), width, 3 * width, 1, 0},
				  own = {sizeof own, 0, width, width, 1, 0};
		const het_arg args[] = {range_arg(array(from).b.data() + begin, n, HET_READ_ONLY, halo),
					range_arg(array(to).b.data() + begin, n, HET_WRITE_ONLY, own)};
		het_launch_args l = {};
		l.size = sizeof l;
		l.kernel = blur_;
		l.dimensions = 2;
		l.global[0] = width;
		l.global[1] = r.count;
		l.local[0] = 64;
		l.local[1] = 4;
		l.arg_size = sizeof(het_arg);
		l.nargs = 2;
		l.args = args;
		l.nwaits = after ? 1 : 0;
		l.waits = &after;
		l.priority = priority;
		l.device = device_apart();
		HET_OK(het_launch(fx_.queue, &l, event));
		blur_rows(array(from).model.data() + begin, array(to).model.data() + begin, width, r.count, 0, n);
	}
	// They go from one array to another and back, and the first one waits for an event.
	void to_and_fro(unsigned n, het_event *after = nullptr, event_handle *events = nullptr)
	{
		for (unsigned i = 0; i < n; i++)
			blur(i % 2, 1 - i % 2, all(), events ? events[i].out() : nullptr, i ? nullptr : after);
	}
	rows all() const { return {0, height_}; }
	void check(const char *when)
	{
		for (auto &a : all_)
			a->check(when);
	}

      private:
	slices_fixture &fx_;
	const size_t height_;
	het_kernel *const blur_;
	std::vector<std::unique_ptr<model_array>> all_;
};

uint64_t sent_to(het_device *d)
{
	return memory_of(d).sent;
}

} // namespace

// Those that are queued when the first one begins run with it: what one of them reads that another has written does not
// travel.
TEST(each_byte_travels_once, .traps = trap::best | trap::sigsegv, .devices = one_device)
{
	slices_fixture fx(t, settings{"HET_DEVICE_MEMORY=600K", mixed});
	constexpr unsigned nsteps = 32;
	steps s(fx, growth() * 2400);
	het_device *d = device_apart();
	HET_OK(het_device_set_budget(d, growth() * (600 << 10)));
	const size_t n = width * s.height();
	event_handle start, events[nsteps];
	HET_OK(het_user_event_create(start.out()));
	s.to_and_fro(nsteps, start, events);
	HET_OK(het_user_event_set(start, 0));
	HET_OK(het_finish(fx.queue));
	CHECK_EQ(sent_to(d), n);
	CHECK_EQ(memory_of(d).windows, 0);
	for (event_handle &e : events) {
		const het_memory_use u = memory_use_of(e);
		CHECK_EQ(u.way, HET_MEMORY_SLICES);
		CHECK_EQ(u.declared, 2);
		CHECK(u.slices > 2);
		CHECK_EQ(u.sent, &e == events ? n : 0);
	}
	s.check("after steps that ran mixed");
}

// It is the default that they do not.
TEST(without_the_setting_they_run_one_by_one, .traps = trap::best, .devices = device::host)
{
	slices_fixture fx(t, settings{"HET_DEVICE_MEMORY=600K"});
	steps s(fx, 2400);
	event_handle start;
	HET_OK(het_user_event_create(start.out()));
	s.to_and_fro(4, start);
	HET_OK(het_user_event_set(start, 0));
	HET_OK(het_finish(fx.queue));
	const het_memory_info m = memory_of(device_apart());
	CHECK(m.sent + m.reused >= 4 * width * s.height());
	s.check("after steps");
}

// Those that more memory would be needed for run behind the others, mixed with each other; with too little for two they
// run one by one.
TEST(groups_are_as_large_as_memory_allows, .traps = trap::best, .devices = device::host | device::opencl)
{
	slices_fixture fx(t, settings{"HET_DEVICE_MEMORY=600K", mixed});
	steps s(fx, growth() * 2400);
	het_device *d = device_apart();
	uint64_t before = 0, had = 0;
	for (const size_t budget : {600, 100, 40, 12}) {
		HET_OK(het_device_set_budget(d, growth() * budget << 10));
		before = sent_to(d);
		event_handle start;
		HET_OK(het_user_event_create(start.out()));
		s.to_and_fro(16, start);
		HET_OK(het_user_event_set(start, 0));
		HET_OK(het_finish(fx.queue));
		const uint64_t sent = sent_to(d) - before;
		note("%zu K: %zu bytes", budget, size_t(sent));
		CHECK(sent >= had);
		had = sent;
	}
	s.check("after groups");
}

// One that fails takes those with it that ran mixed with it, and what comes later runs.
TEST(all_of_a_group_fail, .traps = trap::best, .devices = device::cuda)
{
	slices_fixture fx(t, settings{"HET_DEVICE_MEMORY=600K", mixed});
	for (const int copies : {0, 1, 5, 9}) {
		steps s(fx, 2400);
		event_handle start, events[6];
		HET_OK(het_user_event_create(start.out()));
		s.to_and_fro(6, start, events);
		fail_cuda_call(copies % 2 ? "cuMemcpyHtoDAsync_v2" : "cuMemcpyDtoHAsync_v2", cuda_out_of_memory,
			       copies / 2);
		HET_OK(het_user_event_set(start, 0));
		for (event_handle &e : events) {
			het_event *one = e;
			CHECK_EQ(het_event_wait(1, &one), HET_EWAIT);
		}
		CHECK(status_of(events[0]) < 0 && status_of(events[5]) < 0);
		fake_cuda_driver().fail_symbol = nullptr;
		for (unsigned i = 0; i < 2; i++)
			std::copy(s.array(i).model.begin(), s.array(i).model.end(), s.array(i).b.data());
		s.blur(0, 2, s.all());
		HET_OK(het_finish(fx.queue));
		s.check("after a failure");
		CHECK_EQ(memory_of(device_apart()).windows, 0);
	}
}

// Another device is lost after a group was gathered, while that waits for memory. What was there alone is overwritten
// by the first launch of the group, which reads nothing of it: so no launch fails.
TEST(a_device_is_lost_before_a_group_begins, .traps = trap::best, .devices = device::cuda)
{
	slices_fixture fx(t, settings{"HET_DEVICE_MEMORY=600K", mixed}, "HET_DEVICES=apart,cuda");
	fake_cuda_driver(); // before anything waits
	het_device *const here = device_apart(), *const gpu = all_devices().at(1);
	steps s(fx, 2400);
	model_array blocks(kind::mmapped, 400 << 10, 4), lost(kind::mmapped, 4096, 5);
	HET_OK(het_device_set_budget(gpu, 4 << 20));
	HET_OK(fx.launch(fx.add, width * s.height(), {s.array(1).all(HET_READ_WRITE), value_arg(uint8_t{1})}, nullptr,
			 {.device = gpu}));
	gated_kernel gated;
	HET_OK(fx.launch_line(gated, blocks.size(), {blocks.all(HET_READ_WRITE)}));
	add_to_model(blocks.model, 0, blocks.size(), 1);
	gated.wait_until_begun();
	event_handle start, events[3];
	HET_OK(het_user_event_create(start.out()));
	s.to_and_fro(3, start, events);
	HET_OK(het_user_event_set(start, 0));
	while (status_of(events[1]) != HET_RUNNING)
		std::this_thread::yield();
	fail_cuda_call("work of cuLaunchKernel", cuda_launch_failed);
	event_handle fails;
	HET_OK(fx.launch(fx.add, lost.size(), {lost.all(HET_READ_WRITE), value_arg(uint8_t{1})}, fails.out(),
			 {.device = gpu}));
	het_event *one = fails;
	CHECK_EQ(het_event_wait(1, &one), HET_EWAIT);
	gated.open();
	for (event_handle &e : events)
		wait_for(e);
	blocks.check("what had the memory");
	s.check("after a device was lost");
	CHECK_EQ(memory_of(here).windows, 0);
}

namespace
{

// Launches of all sorts, in bursts of which the first one may wait for the host, with touches and budgets between them.
class random_steps
{
      public:
	random_steps(context &t, slices_fixture &fx) : t_(t), fx_(fx), s_(fx, 64 + t.random.below(600)) {}

	void burst()
	{
		event_handle start;
		const bool waits = t_.random.one_in(2);
		if (waits)
			HET_OK(het_user_event_create(start.out()));
		const size_t n = 1 + t_.random.below(12);
		for (size_t i = 0; i < n; i++)
			launch(i || !waits ? nullptr : static_cast<het_event *>(start));
		if (waits)
			HET_OK(het_user_event_set(start, 0));
		if (t_.random.one_in(4))
			HET_OK(het_device_set_budget(device_apart(), budget()));
		if (t_.random.one_in(2))
			touch();
	}
	void check()
	{
		HET_OK(het_finish(fx_.queue));
		s_.check("in the end");
		CHECK_EQ(memory_of(device_apart()).windows, 0);
	}
	size_t budget() { return (20 << 10) + t_.random.below(3 * width * s_.height()); }

      private:
	void launch(het_event *after)
	{
		const unsigned from = unsigned(t_.random.below(3)), to = (from + 1 + unsigned(t_.random.below(2))) % 3;
		rows r = s_.all();
		if (t_.random.one_in(3)) {
			r.first = t_.random.below(s_.height() / 2);
			r.count = 4 + t_.random.below(s_.height() - r.first - 4);
		}
		r.count = r.count / 4 * 4;
		if (!t_.random.one_in(8)) {
			s_.blur(from, to, r, nullptr, after, t_.random.one_in(9) ? 1 : 0);
			return;
		}
		const std::span<het_event *const> waits(&after, after ? 1 : 0);
		combine(fx_, s_.array(from), s_.array(to), nullptr, {.waits = waits, .device = device_apart()});
	}
	void touch()
	{
		model_array &a = s_.array(unsigned(t_.random.below(3)));
		HET_OK(het_finish(fx_.queue));
		const size_t off = t_.random.below(a.size()),
			     n = 1 + t_.random.below(std::min<size_t>(a.size() - off, 9000));
		a.check(off, n, "between launches");
		for (size_t i = off; i < off + n; i += 1 + t_.random.below(700))
			a.b.data()[i] = a.model[i] = uint8_t(t_.random.below(256));
	}

	context &t_;
	slices_fixture &fx_;
	steps s_;
};

void run_random_steps(context &t, const char *evicts)
{
	slices_fixture fx(t, settings{"HET_DEVICE_MEMORY=150K", evicts});
	random_steps p(t, fx);
	HET_OK(het_device_set_budget(device_apart(), p.budget()));
	const unsigned bursts = t.rounds(25, 1500);
	for (unsigned i = 0; i < bursts; i++)
		p.burst();
	p.check();
}

} // namespace

TEST(random_steps_mixed, .traps = trap::best | trap::sigsegv, .devices = one_device, .seconds = 60)
{
	run_random_steps(t, "HET_EVICT=mix");
}

TEST(random_steps_mixed_without_what_is_kept, .traps = trap::best, .devices = one_device, .seconds = 60)
{
	run_random_steps(t, "HET_EVICT=mix,stream");
}

TEST(random_steps_mixed_and_written_through, .traps = trap::best, .devices = one_device, .seconds = 60)
{
	run_random_steps(t, "HET_EVICT=mix,through");
}

// Memory that is freed waits for the group that has it; launches that have not begun fail.
TEST(arrays_are_freed_while_groups_run, .traps = trap::best, .devices = one_device)
{
	slices_fixture fx(t, settings{"HET_DEVICE_MEMORY=200K", mixed});
	for (unsigned round = 0; round < 6; round++) {
		steps s(fx, 600, kind::mmapped);
		for (unsigned i = 0; i < 2 * round; i++)
			s.blur(i % 2, 1 - i % 2, s.all());
		if (round % 2)
			HET_OK(het_device_set_budget(device_apart(), (30 << 10) * round));
	}
	HET_OK(het_finish(fx.queue));
	CHECK_EQ(memory_of(device_apart()).windows, 0);
	HET_OK(het_device_set_budget(device_apart(), 200 << 10));
	steps s(fx, 600);
	s.to_and_fro(5);
	HET_OK(het_finish(fx.queue));
	s.check("after others were freed");
}

// A level that is raised while a group runs does not make its kernels pass each other, and others' launches get on.
TEST(urgent_launches_beside_a_group, .traps = trap::best, .devices = one_device)
{
	slices_fixture fx(t, settings{"HET_DEVICE_MEMORY=200K", mixed});
	queue_handle second;
	HET_OK(het_queue_create(nullptr, second.out()));
	steps s(fx, 600);
	model_array few(kind::mmapped, 5000);
	for (unsigned round = 0; round < 5; round++) {
		s.to_and_fro(10);
		HET_OK(fx.launch(fx.add, few.size(), {few.all(HET_READ_WRITE), value_arg(uint8_t{1})}, nullptr,
				 {.queue = second, .device = device_apart(), .priority = 3}));
		add_to_model(few.model, 0, few.size(), 1);
		s.blur(0, 2, s.all(), nullptr, nullptr, 5); // waits for all of them, which rise
	}
	HET_OK(het_finish(second));
	HET_OK(het_finish(fx.queue));
	few.check("what was urgent");
	s.check("what rose");
}

// Two queues, on arrays of their own, have their groups on one device, which has memory for about one.
TEST(groups_of_two_queues, .traps = trap::best, .devices = one_device, .seconds = 60)
{
	slices_fixture fx(t, settings{"HET_DEVICE_MEMORY=500K", mixed});
	steps one(fx, 1200), other(fx, 1200);
	queue_handle second;
	HET_OK(het_queue_create(nullptr, second.out()));
	for (unsigned round = 0; round < 4; round++) {
		std::thread beside([&] {
			for (unsigned i = 0; i < 8; i++)
				combine(fx, other.array(i % 2), other.array(1 - i % 2), nullptr,
					{.queue = second, .device = device_apart()});
			HET_OK(het_finish(second));
		});
		one.to_and_fro(8);
		HET_OK(het_finish(fx.queue));
		beside.join();
	}
	one.check("one queue");
	other.check("the other");
}
