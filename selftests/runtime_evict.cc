// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Programs whose arrays together are larger than what the library may use of a device's memory run as others do, as
// long as the arrays of each launch fit.
#include "fake/fake_cuda.h"
#include "harness/clock.h"
#include "harness/process.h"
#include "harness/random_program.h"
#include "harness/rounds.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <memory>
#include <thread>

using namespace selftest;

namespace
{

using settings = std::vector<const char *>;

constexpr size_t chunk = 64 << 10;
constexpr size_t array_bytes = 4 * chunk;
constexpr uint32_t one_device = device::host | device::opencl | device::cuda;
constexpr uint32_t several = device::host2 | device::mixed | device::cuda2;

// The budget has room for so many arrays.
constexpr char for_two[] = "HET_DEVICE_MEMORY=512K", for_three[] = "HET_DEVICE_MEMORY=768K";

using arrays = std::vector<std::unique_ptr<model_array>>;

arrays make_arrays(size_t n, uint32_t k = kind::mmapped, size_t size = array_bytes)
{
	arrays all;
	for (size_t i = 0; i < n; i++)
		all.push_back(std::make_unique<model_array>(k, size, uint32_t(i + 1)));
	return all;
}

void add(runtime_fixture &fx, model_array &a, het_device *d, het_event **e = nullptr, het_queue *q = nullptr)
{
	launch_add(fx, a, 0, a.size(), 3, e, {.queue = q, .device = d});
}

// to = 3 * to + from
void combine(runtime_fixture &fx, model_array &from, model_array &to, het_device *d, het_queue *q = nullptr,
	     het_event **e = nullptr)
{
	HET_OK(fx.launch(fx.combine, to.size(), {from.all(HET_READ_ONLY), to.all(HET_READ_WRITE)}, e,
			 {.queue = q, .device = d}));
	for (size_t i = 0; i < to.size(); i++)
		to.model[i] = uint8_t(3 * to.model[i] + from.model[i]);
}

void check_all(runtime_fixture &fx, const arrays &all)
{
	HET_OK(het_finish(fx.queue));
	for (auto &a : all)
		a->check("an array");
}

void check_budget(het_device *d, uint64_t budget)
{
	het_memory_info m = memory_of(d);
	if (m.arrays + m.raw + m.textures + m.copies > budget)
		FAIL("%zu bytes of arrays and %zu others are more than %zu", size_t(m.arrays),
		     size_t(m.raw + m.textures + m.copies), size_t(budget));
}

} // namespace

// Eight arrays pass through memory for two, again and again.
TEST(arrays_take_turns, .traps = trap::best | trap::sigsegv, .devices = one_device)
{
	runtime_fixture fx(t, 0, settings{for_two});
	het_device *d = device_apart();
	arrays all = make_arrays(8);
	for (unsigned round = 0; round < 4; round++) {
		for (auto &a : all)
			add(fx, *a, d);
		HET_OK(het_finish(fx.queue));
		check_budget(d, 2 * array_bytes);
		all[round]->check("between rounds");
	}
	check_all(fx, all);
	het_memory_info m = memory_of(d);
	CHECK_EQ(m.budget, 2 * array_bytes);
	CHECK(m.evictions >= 20);
	CHECK_EQ(m.evicted, m.evictions * array_bytes);
	CHECK(m.written_back > 0); // is more than was evicted if a kernel took an array again that was about to go
	CHECK_EQ(m.given, m.evicted + m.arrays);
}

// With edges, and in parts.
TEST(arrays_of_all_kinds_take_turns, .traps = trap::best, .devices = one_device | several)
{
	runtime_fixture fx(t, 0, settings{"HET_DEVICE_MEMORY=540K"});
	arrays all;
	for (uint32_t k : {kind::mmapped, kind::library, kind::slice, kind::heap, kind::map})
		all.push_back(std::make_unique<model_array>(k, k == kind::heap ? 20000 : 3 * chunk + 1000, k));
	for (unsigned i = 0; i < t.rounds(120, 3000); i++) {
		model_array &a = *all[t.random.below(all.size())], &b = *all[t.random.below(all.size())];
		size_t off = t.random.below(a.size()), n = 1 + t.random.below(a.size() - off);
		if (&a == &b || t.random.one_in(3))
			launch_add(fx, a, off, n, uint8_t(i), nullptr, {});
		else if (a.size() == b.size())
			combine(fx, a, b, nullptr);
		if (t.random.one_in(8)) {
			HET_OK(het_finish(fx.queue));
			b.check("between launches");
		}
	}
	check_all(fx, all);
}

// What a launch has written is on the device alone until the host reads it. A program of before the field asks as ever.
TEST(what_only_the_device_has_is_told, .traps = trap::best, .devices = one_device)
{
	runtime_fixture fx(t, 0, settings{for_three});
	het_device *d = device_apart();
	// These are whole pages. A sanitizer's malloc puts its own bytes beside an array, so that has edges, and those
	// are always at home.
	model_array a(kind::map, array_bytes), b(kind::map, array_bytes, 2);
	combine(fx, a, b, d);
	HET_OK(het_finish(fx.queue));
	CHECK_EQ(memory_of(d).dirty, array_bytes);
	b.check(0, chunk, "one chunk");
	CHECK(memory_of(d).dirty <= array_bytes - chunk);
	b.check("all of it");
	CHECK_EQ(memory_of(d).dirty, 0);
	CHECK_EQ(memory_of(d).away, 0);
	het_memory_info old = {};
	old.size = offsetof(het_memory_info, dirty);
	old.dirty = 7;
	HET_OK(het_device_memory(d, &old));
	CHECK_EQ(old.size, offsetof(het_memory_info, dirty));
	CHECK_EQ(old.arrays, 2 * array_bytes);
	CHECK_EQ(old.dirty, 7);
}

// What a kernel reads is not lost although nobody has it besides.
TEST(clean_arrays_are_dropped, .traps = trap::best, .devices = one_device)
{
	runtime_fixture fx(t, 0, settings{for_two, "GPUVM_FORESIGHT=0"});
	het_device *d = device_apart();
	arrays all = make_arrays(4);
	model_array to(kind::mmapped, array_bytes, 77);
	for (unsigned round = 0; round < 3; round++) {
		for (auto &a : all)
			combine(fx, *a, to, d);
	}
	HET_OK(het_finish(fx.queue));
	het_memory_info m = memory_of(d);
	CHECK(m.evictions > 0);
	// Only `to` is ever the device's alone.
	CHECK(m.written_back <= m.evicted / 2);
	check_all(fx, all);
	to.check("what all were added to");
}

// Two CUDA devices lend each other memory for copies, as long as there is much.
TEST(what_copies_pass_through_counts, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t, 0, settings{"FAKE_CUDA_DEVICES=2", "HET_DEVICE_MEMORY=600M"});
	fake_cuda_driver();
	const std::vector<het_device *> all = all_devices();
	arrays one = make_arrays(1);
	add(fx, *one[0], all[0]);
	HET_OK(het_finish(fx.queue));
	CHECK_EQ(all.size(), 2u);
	for (het_device *d : all)
		CHECK_EQ(memory_of(d).copies, 32u << 20);
	HET_OK(het_device_set_budget(all[1], 500u << 20));
	CHECK_EQ(memory_of(all[1]).copies, 0u);
	CHECK_EQ(memory_of(all[0]).copies, 32u << 20);
	// Of the usual budget they are a part.
	HET_OK(het_device_set_budget(all[0], 0));
	uint64_t usual = memory_of(all[0]).budget;
	HET_OK(het_device_set_budget(all[0], 1u << 20));
	CHECK_EQ(memory_of(all[0]).copies, 0u);
	HET_OK(het_device_set_budget(all[0], 0));
	CHECK(memory_of(all[0]).budget >= usual - (1 << 20) && memory_of(all[0]).budget <= usual + (1 << 20));
	add(fx, *one[0], all[0]);
	check_all(fx, one);
}

// A copy of the first device's, a part of which stands on the link of the second, has slots of the second. While that
// one takes them back, the third one gets arrays and runs.
TEST(others_go_on_while_slots_are_taken_back, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t, 0, settings{"FAKE_CUDA_DEVICES=3", "HET_PATHS=static", "HET_DEVICE_MEMORY=600M"});
	fake_cuda_state &fake = fake_cuda_driver();
	const std::vector<het_device *> all = all_devices();
	arrays small = make_arrays(2);
	model_array big(kind::mmapped, 16 << 20);
	add(fx, *small[0], all[0]); // starts what is started once
	HET_OK(het_finish(fx.queue));
	auto ways = [&] {
		uint32_t n = 0;
		HET_OK(het_device_paths(all[0], &n));
		return n;
	};
	const uint32_t before = ways();
	const unsigned long relayed = fake.carried[2][0];
	fake.link_stops[1][0] = true;
	std::thread copying([&] { add(fx, big, all[0]); });       // may copy itself
	wait_until([&] { return fake.carried[2][0] > relayed; }); // it has asked for the link before it before
	std::thread keeping([&] { HET_OK(het_device_set_budget(all[1], 1 << 20)); });
	wait_until([&] { return ways() < before; });
	event_handle e;
	add(fx, *small[1], all[2], e.out());
	wait_for(e);
	fake.link_stops[1][0] = false;
	for (std::thread *thread : {&copying, &keeping})
		thread->join();
	HET_OK(het_finish(fx.queue));
	CHECK_EQ(memory_of(all[1]).copies, 0u);
	big.check("what was copied meanwhile");
	check_all(fx, small);
}

// By way: with HET_PATHS=static each that there is carries a part.
TEST(ways_of_copies_are_told, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t, 0, settings{"FAKE_CUDA_DEVICES=2", "HET_PATHS=static"});
	fake_cuda_driver();
	const std::vector<het_device *> all = all_devices();
	uint32_t n = 0;
	constexpr size_t items = 64, much = 16 << 20;
	model_array small(kind::mmapped, chunk, 1), big(kind::mmapped, much, 2);
	auto add_to_big = [&](het_device *d) {
		HET_OK(fx.launch(fx.combine, items, {small.all(HET_READ_ONLY), big.all(HET_READ_WRITE)}, nullptr,
				 {.device = d}));
		for (size_t i = 0; i < items; i++)
			big.model[i] = uint8_t(3 * big.model[i] + small.model[i]);
	};
	add_to_big(all[0]);
	add_to_big(all[1]);
	HET_OK(het_finish(fx.queue));
	for (het_device *d : all) {
		HET_OK(het_device_paths(d, &n));
		CHECK_EQ(n, 6u); // two ways in each direction, and two from the other
		uint64_t carried[3] = {};
		for (uint32_t i = 0; i < n; i++) {
			het_path_info p = {};
			p.size = sizeof p;
			HET_OK(het_device_path(d, i, &p));
			CHECK_EQ(p.from, p.way == HET_PATH_FROM_DEVICE ? all[d == all[0]] : nullptr);
			CHECK(p.by == all[0] || p.by == all[1]);
			CHECK(p.carried > 0 || !(p.rate > 0));
			CHECK_EQ(p.by_kernels, 0u);
			carried[p.way] += p.carried;
		}
		CHECK_EQ(carried[HET_PATH_TO_DEVICE], d == all[0] ? much : 0u);
		CHECK_EQ(carried[HET_PATH_FROM_DEVICE], d == all[1] ? much : 0u);
	}
	het_path_info p = {};
	p.size = sizeof p;
	HET_ERR(het_device_path(all[0], n, &p), HET_EARG);
	HET_ERR(het_device_path(all[0], 0, nullptr), HET_ENULL);
	HET_ERR(het_device_paths(all[0], nullptr), HET_ENULL);
	big.check("what went from device to device");
}

// Others use most of the first device's link, and the devices don't reach each other. A large copy has shown it; by
// what the launches have taken besides the first one is the better.
TEST(launches_go_where_their_bytes_come_soon, .traps = trap::best, .devices = device::cuda)
{
	restart_with(t, {"FAKE_CUDA_DEVICES=2", "HET_PATHS=latency", "HET_DEVICES=cuda", "HET_CACHE_SIZE=0"});
	fake_cuda_state &fake = fake_cuda_driver();
	fake.fail_code = 1;
	fake.fails_always = true;
	fake.fail_symbol = "cuDeviceCanAccessPeer";
	runtime_fixture fx(t, 0, settings{});
	const std::vector<het_device *> all = all_devices();
	constexpr size_t items = 64, much = 10 << 20, little = 32 << 10;
	model_array small(kind::mmapped, chunk, 1);
	std::vector<std::unique_ptr<model_array>> arrays;
	auto launch = [&](size_t nbytes, het_device *d) {
		arrays.push_back(std::make_unique<model_array>(kind::mmapped, nbytes, 2));
		event_handle e;
		HET_OK(fx.launch(fx.combine, items, {small.all(HET_READ_ONLY), arrays.back()->all(HET_READ_WRITE)},
				 e.out(), {.device = d}));
		wait_for(e);
		return work_of(e, items).items.begin()->first;
	};
	auto measure = [&](het_device *d) {
		launch(much, d);
		fake.slow_us = d == all[0] ? 0 : 3000;
		for (unsigned i = 0; i < 5; i++)
			launch(little, d);
		fake.slow_us = 0;
	};
	fake.link_rate = 1000;
	fake.others_share[0][0] = 99;
	measure(all[0]);
	// Where the machine is busy the second device may have looked as slow, so it is measured again.
	bool is_second = false;
	for (unsigned i = 0; i < 8 && !is_second; i++) {
		measure(all[1]);
		is_second = launch(much, nullptr) == all[1];
	}
	CHECK(is_second);
}

// CUDA devices work in place then: runtime_in_place.cc.
TEST(what_is_too_large_is_refused, .traps = trap::best, .devices = device::host | device::opencl)
{
	runtime_fixture fx(t, 0, settings{for_two});
	het_device *d = device_apart();
	model_array a(kind::mmapped, array_bytes), b(kind::mmapped, 2 * array_bytes, 2);
	HET_ERR(fx.launch(fx.combine, array_bytes, {a.all(HET_READ_ONLY), b.all(HET_READ_WRITE)}, nullptr,
			  {.device = d}),
		HET_EDEVICE);
	HET_OK(fx.launch(fx.combine, array_bytes, {b.all(HET_READ_ONLY), b.all(HET_READ_WRITE)}, nullptr,
			 {.device = d}));
	for (size_t i = 0; i < array_bytes; i++)
		b.model[i] = uint8_t(4 * b.model[i]);
	HET_OK(het_finish(fx.queue));
	b.check("one array that is two arguments");
	a.check("what did not run");
}

TEST(what_is_too_large_is_said, .traps = trap::best)
{
	std::string words = stderr_of_case(t, "what_is_too_large_is_refused.best.host.none");
	for (const char *part : {"kernel combine", "needs 786432 bytes on apart", "524288 of them for argument 1",
				 "may use 524288", "raise HET_DEVICE_MEMORY"}) {
		if (words.find(part) == std::string::npos)
			FAIL("no '%s' in: %s", part, words.c_str());
	}
}

TEST(what_is_too_large_runs_elsewhere, .traps = trap::best, .devices = device::host3)
{
	runtime_fixture fx(t, 0, settings{"HET_DEVICE_MEMORY=64K"}, "HET_DEVICES=apart,host");
	model_array a(kind::mmapped, array_bytes);
	for (unsigned i = 0; i < 5; i++)
		add(fx, a, nullptr);
	HET_OK(het_finish(fx.queue));
	a.check("on the host");
	CHECK_EQ(memory_of(device_apart()).given, 0);
}

// Each queue needs two of three arrays that there is room for.
TEST(queues_that_need_more_than_half, .traps = trap::best, .devices = one_device, .seconds = 60)
{
	runtime_fixture fx(t, 0, settings{for_three});
	het_device *d = device_apart();
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < 2; i++) {
		threads.emplace_back([&] {
			arrays own = make_arrays(2);
			queue_handle q;
			HET_OK(het_queue_create(nullptr, q.out()));
			for (unsigned round = 0; round < 20; round++) {
				combine(fx, *own[round % 2], *own[1 - round % 2], d, q);
				if (round % 5 == 4)
					HET_OK(het_finish(q));
			}
			HET_OK(het_finish(q));
			for (auto &a : own)
				a->check("of one queue");
		});
	}
	for (auto &thread : threads)
		thread.join();
	check_budget(d, 3 * array_bytes);
}

// A launch that needs all there is begins, although others never leave a gap.
TEST(the_large_one_begins, .traps = trap::best, .devices = one_device, .seconds = 60)
{
	runtime_fixture fx(t, 0, settings{for_two});
	het_device *d = device_apart();
	arrays large = make_arrays(2);
	std::atomic<bool> stop{false};
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < 3; i++) {
		threads.emplace_back([&] {
			model_array small(kind::mmapped, array_bytes / 2);
			queue_handle q;
			HET_OK(het_queue_create(nullptr, q.out()));
			event_handle last;
			for (unsigned n = 0; !stop; n++) {
				event_handle e;
				add(fx, small, d, e.out(), q);
				if (n % 3 == 2)
					wait_for(e);
			}
			HET_OK(het_finish(q));
			small.check("of one of the others");
		});
	}
	for (unsigned i = 0; i < 4; i++) {
		event_handle e;
		combine(fx, *large[0], *large[1], d, nullptr, e.out());
		wait_for(e);
	}
	stop = true;
	for (auto &thread : threads)
		thread.join();
	check_all(fx, large);
}

#define SPLIT(POLICY)                                                                   \
	TEST(split_by_##POLICY, .traps = trap::best, .devices = several, .seconds = 60) \
	{                                                                               \
		run_splits(t, "HET_POLICY=" #POLICY);                                   \
	}

namespace
{

// Divided launches of several threads need more than half of each device's budget.
void run_splits(context &t, const char *policy)
{
	runtime_fixture fx(t, 0, settings{for_three, policy});
	for (unsigned round = 0; round < t.rounds(2, 30); round++) {
		std::vector<std::thread> threads;
		for (unsigned i = 0; i < 3; i++) {
			threads.emplace_back([&, i] {
				arrays own = make_arrays(2, i % 2 ? kind::slice : kind::mmapped, array_bytes - 1000);
				queue_handle q;
				HET_OK(het_queue_create(nullptr, q.out()));
				for (unsigned n = 0; n < 6; n++) {
					model_array &from = *own[n % 2], &to = *own[1 - n % 2];
					auto arg = [&](const model_array &a, uint32_t access) {
						return n % 3 ? range_arg(a.b.data(), a.size(), access, each_byte)
							     : a.all(access);
					};
					HET_OK(fx.launch(fx.combine, to.size(),
							 {arg(from, HET_READ_ONLY), arg(to, HET_READ_WRITE)}, nullptr,
							 {.queue = q, .flags = HET_SPLIT}));
					for (size_t k = 0; k < to.size(); k++)
						to.model[k] = uint8_t(3 * to.model[k] + from.model[k]);
				}
				HET_OK(het_finish(q));
				for (auto &a : own)
					a->check("of divided launches");
			});
		}
		for (auto &thread : threads)
			thread.join();
	}
}

} // namespace

SPLIT(static)
SPLIT(dynamic)
SPLIT(hguided)
SPLIT(steal)

// It shrinks and grows while kernels run.
TEST(budgets_change, .traps = trap::best, .devices = one_device, .seconds = 60)
{
	runtime_fixture fx(t);
	het_device *d = device_apart();
	arrays all = make_arrays(6);
	std::atomic<bool> stop{false};
	std::thread changes([&] {
		random_source random(t.seed);
		while (!stop) {
			HET_OK(het_device_set_budget(d, random.between(2, 7) * array_bytes));
			sleep_ms(unsigned(random.below(3)));
		}
	});
	for (unsigned i = 0; i < t.rounds(60, 2000); i++) {
		size_t from = t.random.below(all.size()), to = t.random.below(all.size());
		if (from == to)
			add(fx, *all[to], d);
		else
			combine(fx, *all[from], *all[to], d);
		if (t.random.one_in(10)) {
			HET_OK(het_finish(fx.queue));
			all[to]->check("while the budget changes");
		}
	}
	stop = true;
	changes.join();
	check_all(fx, all);
	HET_OK(het_device_set_budget(d, 2 * array_bytes));
	check_budget(d, 2 * array_bytes);
	HET_OK(het_device_set_budget(d, 1));
	check_budget(d, 1);
	for (auto &a : all)
		a->check("when nothing is there any longer");
	HET_OK(het_device_set_budget(d, 0));
	add(fx, *all[0], d);
	check_all(fx, all);
}

TEST(raw_memory_counts, .traps = trap::best, .devices = device::host | device::cuda)
{
	runtime_fixture fx(t, 0, settings{for_three});
	het_device *d = device_apart();
	arrays all = make_arrays(3);
	for (auto &a : all)
		add(fx, *a, d);
	HET_OK(het_finish(fx.queue));
	void *raw = nullptr, *more = nullptr;
	HET_OK(het_device_alloc(d, array_bytes, &raw));
	CHECK_EQ(memory_of(d).raw, array_bytes);
	check_budget(d, 3 * array_bytes);
	HET_ERR(het_device_alloc(d, 2 * array_bytes + 1, &more), HET_EDEVICE);
	HET_OK(het_device_alloc(d, 2 * array_bytes, &more));
	CHECK_EQ(memory_of(d).arrays, 0);
	for (auto &a : all)
		a->check("what has left for raw memory");
	uint8_t one = 1;
	event_handle e;
	HET_OK(fx.launch(fx.add, array_bytes, {all[0]->all(HET_READ_WRITE), value_arg(one)}, e.out(), {.device = d}));
	het_event *waits[] = {e};
	HET_ERR(het_event_wait(1, waits), HET_EWAIT);
	CHECK_EQ(status_of(e), HET_EDEVICE);
	HET_OK(het_device_free(d, more));
	add(fx, *all[0], d);
	check_all(fx, all);
	HET_OK(het_device_free(d, raw));
	CHECK_EQ(memory_of(d).raw, 0);
}

// Memory is freed, and other memory made, while arrays come and go.
TEST(memory_goes, .traps = trap::best, .devices = one_device, .seconds = 60)
{
	runtime_fixture fx(t, 0, settings{for_two});
	het_device *d = device_apart();
	arrays all = make_arrays(5);
	for (unsigned i = 0; i < t.rounds(80, 2000); i++) {
		auto &a = all[t.random.below(all.size())];
		add(fx, *a, d);
		if (!t.random.one_in(4))
			continue;
		HET_OK(het_finish(fx.queue));
		if (t.random.one_in(2))
			a->check("before it goes");
		a.reset();
		a = std::make_unique<model_array>(kind::mmapped, array_bytes, i);
	}
	check_all(fx, all);
}

// Nobody takes the memory of kernels that are at work: the next one waits.
TEST(what_is_in_flight_stays, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t, 0, settings{for_two, "GPUVM_FORESIGHT=0"});
	fake_cuda_state &driver = fake_cuda_driver();
	het_device *d = device_apart();
	arrays all = make_arrays(3);
	for (unsigned round = 0; round < 3; round++) {
		add(fx, *all[0], d);
		add(fx, *all[1], d);
		HET_OK(het_finish(fx.queue));
		het_memory_info before = memory_of(d);
		driver.kernels_let = driver.kernels_begun.load();
		add(fx, *all[0], d);
		add(fx, *all[1], d);
		event_handle e;
		add(fx, *all[2], d, e.out());
		sleep_ms(20);
		het_memory_info m = memory_of(d);
		int status = status_of(e);
		driver.kernels_let = INT_MAX;
		CHECK_EQ(m.evictions, before.evictions);
		CHECK_EQ(m.waits, before.waits + 1);
		CHECK_EQ(status, HET_QUEUED);
		check_all(fx, all);
		CHECK_EQ(memory_of(d).evictions, before.evictions + 1);
	}
}

// Another process has taken memory: the library makes do with what there is.
TEST(the_driver_has_no_memory, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t);
	fake_cuda_state &driver = fake_cuda_driver();
	het_device *d = device_apart();
	arrays all = make_arrays(6);
	add(fx, *all[0], d);
	HET_OK(het_finish(fx.queue));
	// The first array is there, and what the library itself needs for copies between host and devices.
	driver.others_memory = driver.memory - driver.most_memory - array_bytes - chunk;
	for (unsigned round = 0; round < 3; round++) {
		for (auto &a : all)
			add(fx, *a, d);
	}
	check_all(fx, all);
	het_memory_info m = memory_of(d);
	CHECK(m.evictions > 10);
	CHECK(m.budget <= m.copies + 2 * array_bytes + chunk);
	driver.others_memory = 0;
	HET_OK(het_device_set_budget(d, 0));
	CHECK(memory_of(d).budget > 100 * array_bytes);
	for (auto &a : all)
		add(fx, *a, d);
	check_all(fx, all);
	CHECK_EQ(memory_of(d).evictions, m.evictions);
}

TEST(allocations_fail_in_turn, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t);
	het_device *d = device_apart();
	arrays all = make_arrays(4);
	for (auto &a : all)
		add(fx, *a, d);
	HET_OK(het_finish(fx.queue));
	for (int after = 0; after < 6; after++) {
		HET_OK(het_device_set_budget(d, 2 * array_bytes));
		fail_cuda_call("cuMemAlloc_v2", cuda_out_of_memory, after);
		for (auto &a : all)
			add(fx, *a, d);
		check_all(fx, all);
	}
}

// A driver that tells what is free sets the usual budget.
TEST(the_usual_budget, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t, 0, settings{"FAKE_CUDA_MEMORY=268435456"});
	fake_cuda_driver(); // no other has so little
	model_array a(kind::mmapped, chunk);
	het_device *d = device_apart();
	add(fx, a, d);
	HET_OK(het_finish(fx.queue));
	het_memory_info m = memory_of(d);
	CHECK_EQ(m.total, 256 << 20);
	CHECK(m.budget < m.total && m.budget >= m.total / 2);
}

TEST(wrong_settings_are_refused, .devices = device::host)
{
	restart_with(t, {"HET_DEVICE_MEMORY=lots"});
	uint32_t n;
	HET_ERR(het_devices(0, nullptr, &n), HET_EARG);
}

#define RANDOM(NAME, ...)                                                                          \
	TEST(programs_##NAME, .traps = trap::best, .devices = one_device | several, .seconds = 60) \
	{                                                                                          \
		run_random_program(t, {__VA_ARGS__}, false, false);                                \
	}

// Each launch of these fits, as two arrays do at most.
RANDOM(within_a_budget, "HET_DEVICE_MEMORY=2300K")
RANDOM(within_a_budget_foreseen, "HET_DEVICE_MEMORY=2300K", "GPUVM_FORESIGHT=always")
RANDOM(within_a_budget_sent_ahead, "HET_DEVICE_MEMORY=2300K", "GPUVM_SEND_AHEAD=always")
