// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A launch whose own arrays are larger than what the library may use of a device's memory runs there as slices.
#include "fake/fake_cuda.h"
#include "harness/clock.h"
#include "harness/combine.h"
#include "harness/growing_fixture.h"
#include "harness/process.h"
#include "harness/rounds.h"
#include "harness/slices.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <gpuvm.h>
#include <memory>
#include <thread>

using namespace selftest;

namespace
{

constexpr uint32_t one_device = device::host | device::opencl | device::cuda;
constexpr char tiny[] = "HET_DEVICE_MEMORY=40K", small[] = "HET_DEVICE_MEMORY=256K";

// --- the device ----------------------------------------------------------------

// Slices have run since, and have given their memory back.
void check_sliced(const het_memory_info &before, uint64_t least_slices = 2)
{
	het_memory_info now = memory_of(device_apart());
	CHECK_EQ(now.windows, 0);
	if (now.slices - before.slices < least_slices)
		FAIL("%zu slices, not %zu or more", size_t(now.slices - before.slices), size_t(least_slices));
}

} // namespace

// Ten times as much as the budget, in memory of all kinds; what was read is as before.
TEST(what_does_not_fit_runs, .traps = trap::best | trap::sigsegv, .devices = one_device,
     .kinds = kind::mmapped | kind::library | kind::slice)
{
	slices_fixture fx(t, settings{small});
	het_memory_info before = memory_of(device_apart());
	const size_t n = (1 << 20) + 1000;
	model_array from(t.v.kind, n), to(t.v.kind, n, 2);
	for (unsigned i = 0; i < 3; i++)
		combine(fx, from, to);
	HET_OK(het_finish(fx.queue));
	to.check("what was read and written");
	from.check("what was read");
	check_sliced(before, 3 * 8);
	het_memory_info now = memory_of(device_apart());
	CHECK_EQ(now.sent + now.reused - before.sent - before.reused, 3 * 2 * n);
	const uint64_t brought = now.brought - before.brought; // what stayed there is overwritten by the next
	CHECK(brought >= n && brought <= 3 * n);
	CHECK_EQ(now.given, before.given);
}

// A launch tells how it has used the memory: one that fits, one in slices, and the next of these, which finds
// something.
TEST(what_a_launch_tells, .traps = trap::best, .devices = one_device)
{
	slices_fixture fx(t, settings{small});
	const size_t n = growth() * (256 << 10);
	HET_OK(het_device_set_budget(device_apart(), n));
	model_array few(kind::mmapped, 4096), from(kind::mmapped, n), to(kind::mmapped, n, 2),
		table(kind::heap, 512, 3);
	event_handle whole, sliced[3], looks_up;
	launch_add(fx, few, 0, few.size(), 1, whole.out(), {});
	for (event_handle &e : sliced)
		combine(fx, from, to, e.out());
	HET_OK(fx.launch_grid(fx.kernel("look_up"), {n, 0}, {64, 0},
			      {by_bytes(from, HET_READ_ONLY), table.all(HET_READ_ONLY), by_bytes(to, HET_WRITE_ONLY)},
			      looks_up.out()));
	HET_OK(het_finish(fx.queue));
	het_memory_use u = memory_use_of(whole);
	CHECK_EQ(u.way, HET_MEMORY_WHOLE);
	CHECK_EQ(u.memory_class, HET_CLASS_UNKNOWN);
	CHECK_EQ(u.slices + u.sent + u.brought + u.declared + u.whole, 0);
	uint64_t away = 0;
	for (unsigned i = 0; i < 3; i++) {
		u = memory_use_of(sliced[i]);
		CHECK_EQ(u.way, HET_MEMORY_SLICES);
		CHECK_EQ(u.memory_class, HET_CLASS_REGULAR);
		CHECK_EQ(u.is_shared, i > 0);
		CHECK_EQ(u.declared, 2);
		CHECK_EQ(u.analysed + u.whole, 0);
		CHECK(u.slices >= 2 && u.stalls < u.slices && (u.stalls || !u.stalled_ns));
		CHECK_EQ(u.sent + u.reused, 2 * n);
		CHECK_EQ(u.brought + u.left, n);
		CHECK_EQ(u.accesses_in_place, 0);
		away += u.left;
	}
	CHECK(away > 0);
	u = memory_use_of(looks_up);
	CHECK_EQ(u.way, HET_MEMORY_SLICES);
	CHECK_EQ(u.memory_class, HET_CLASS_IRREGULAR);
	CHECK_EQ(u.declared, 2);
	CHECK_EQ(u.whole, 1);
	CHECK_EQ(u.level, 0);
	het_memory_use small_one = {};
	HET_ERR(het_event_memory(whole, &small_one), HET_EARG);
	HET_ERR(het_event_memory(nullptr, &u), HET_ENULL);
	HET_ERR(het_event_memory(whole, nullptr), HET_ENULL);
	event_handle user;
	HET_OK(het_user_event_create(user.out()));
	u.size = sizeof u;
	HET_ERR(het_event_memory(user, &u), HET_ESTATE);
	HET_OK(het_user_event_set(user, 0));
}

namespace
{

// The error callback was told this.
std::atomic<bool> is_reported{false};
std::string report_text;

void on_error(int, void *, const char *message, void *)
{
	report_text = message;
	is_reported.store(true);
}

} // namespace

// Nothing comes home from the device, which has no memory for more slices: the watch says so.
TEST(what_slices_wait_for_is_named, .traps = trap::best, .devices = device::cuda, .seconds = 60)
{
	slices_fixture fx(t, settings{tiny, "GPUVM_WATCHDOG=1"});
	CHECK_OK(gpuvm_set_error_callback(on_error, nullptr));
	model_array from(kind::mmapped, 64 << 10), to(kind::mmapped, 64 << 10, 2);
	fake_cuda_driver().reads_wait = true;
	combine(fx, from, to, nullptr, {.device = device_apart()});
	while (!is_reported.load())
		usleep(1000);
	note("%s", report_text.c_str());
	for (const char *said : {"a slice took", "what slice 0 of", "has written to come from"})
		CHECK(report_text.find(said) != std::string::npos);
	fake_cuda_driver().reads_wait = false;
	HET_OK(het_finish(fx.queue));
	to.check("what came at last");
}

// What is only written does not travel to the device.
TEST(what_is_only_written, .traps = trap::best, .devices = one_device)
{
	slices_fixture fx(t, settings{small});
	const size_t n = 1 << 20;
	model_array from(kind::mmapped, n), to(kind::slice, n, 2);
	HET_OK(fx.launch(fx.copy, n, {by_bytes(from, HET_READ_ONLY), by_bytes(to, HET_WRITE_ONLY)}));
	HET_OK(het_finish(fx.queue));
	to.model = from.model;
	to.check("a copy");
	het_memory_info now = memory_of(device_apart());
	CHECK_EQ(now.sent, n);
	CHECK_EQ(now.brought, n);
}

// Each step reads a row more on either side than it writes.
TEST(stencils, .traps = trap::best, .devices = one_device, .kinds = kind::mmapped | kind::slice)
{
	slices_fixture fx(t, settings{small});
	het_kernel *blur = fx.kernel("blur");
	constexpr size_t width = 512, height = 1200;
	model_array one(t.v.kind, width * height), other(t.v.kind, width * height, 2);
	model_array *from = &one, *to = &other;
	const het_pattern halo = {sizeof halo, -int64_t(width), width, 3 * width, 1, 0},
			  own = {sizeof own, 0, width, width, 1, 0};
	for (unsigned step = 0; step < 4; step++) {
		HET_OK(fx.launch_grid(blur, {width, height}, {64, 4},
				      {range_arg(from->b.data(), from->size(), HET_READ_ONLY, halo),
				       range_arg(to->b.data(), to->size(), HET_WRITE_ONLY, own)}));
		blur_rows(from->model.data(), to->model.data(), width, height, 0, width * height);
		std::swap(from, to);
	}
	HET_OK(het_finish(fx.queue));
	one.check("one");
	other.check("the other");
	check_sliced({}, 4 * 5);
}

// A table that all read, and bins that all write, stay on the device.
TEST(what_all_slices_use, .traps = trap::best, .devices = one_device)
{
	slices_fixture fx(t, settings{small});
	const size_t n = 1 << 20;
	model_array from(kind::mmapped, n), to(kind::mmapped, n, 2), table(kind::heap, 512, 3);
	std::vector<unsigned> bins(256, 5), expected = bins;
	HET_OK(fx.launch_line(fx.kernel("look_up"), n,
			      {by_bytes(from, HET_READ_ONLY), table.all(HET_READ_ONLY), by_bytes(to, HET_WRITE_ONLY)}));
	HET_OK(fx.launch_line(fx.kernel("histogram"), n,
			      {by_bytes(from, HET_READ_ONLY),
			       range_arg(bins.data(), bins.size() * sizeof(unsigned), HET_READ_WRITE)}));
	for (size_t i = 0; i < n; i++) {
		to.model[i] = uint8_t(table.model[from.model[i]] + table.model[256 + i % 256]);
		expected[from.model[i]]++;
	}
	HET_OK(het_finish(fx.queue));
	to.check("what was looked up");
	CHECK(bins == expected);
	het_memory_info m = memory_of(device_apart());
	CHECK(m.slices > 8);
	CHECK_EQ(m.sent, 2 * n + 512 + sizeof(unsigned) * 256);
}

// Bytes between those that are written are not lost, nor those at the ends.
TEST(bytes_between, .traps = trap::best, .devices = one_device, .kinds = kind::mmapped | kind::slice)
{
	slices_fixture fx(t, settings{tiny});
	const size_t n = 100 << 10;
	model_array from(t.v.kind, n), to(t.v.kind, 3 * n + 100, 2);
	const het_pattern two_of_three = {sizeof two_of_three, 0, 3, 2, 1, 0};
	HET_OK(fx.launch_line(
		fx.kernel("spread"), n,
		{by_bytes(from, HET_READ_ONLY), range_arg(to.b.data(), 3 * n, HET_READ_WRITE, two_of_three)}));
	for (size_t i = 0; i < n; i++)
		to.model[3 * i + 1] = uint8_t(to.model[3 * i] + from.model[i]);
	HET_OK(het_finish(fx.queue));
	to.check("two of three bytes");
	check_sliced({});
}

// Equal bytes have one place.
TEST(arguments_that_share_bytes, .traps = trap::best, .devices = one_device, .kinds = kind::mmapped | kind::slice)
{
	slices_fixture fx(t, settings{small});
	const size_t n = 1 << 20;
	model_array a(t.v.kind, n);
	HET_OK(fx.launch_line(fx.kernel("twice"), n, {by_bytes(a, HET_READ_WRITE), by_bytes(a, HET_READ_WRITE)}));
	for (uint8_t &byte : a.model)
		byte = uint8_t(3 * uint8_t(byte + 7));
	combine(fx, a, a);
	HET_OK(het_finish(fx.queue));
	a.check("one array that is two arguments");
	// The second half of an array gets what is in the first.
	HET_OK(fx.launch(fx.copy, n / 2,
			 {range_arg(a.b.data(), n / 2, HET_READ_ONLY, each_byte),
			  range_arg(a.b.data() + n / 2, n / 2, HET_WRITE_ONLY, each_byte)}));
	std::copy_n(a.model.begin(), n / 2, a.model.begin() + n / 2);
	HET_OK(het_finish(fx.queue));
	a.check("two parts of one array");
	check_sliced({}, 3 * 3);
}

// What runs in slices and what runs whole see each other's bytes, and so does the host.
TEST(launches_of_both_kinds, .traps = trap::best | trap::sigsegv, .devices = one_device, .seconds = 60)
{
	slices_fixture fx(t, settings{small});
	const size_t n = (400 << 10) + 10;
	std::vector<std::unique_ptr<model_array>> all;
	for (uint32_t k : {kind::mmapped, kind::slice, kind::map, kind::library})
		all.push_back(std::make_unique<model_array>(k, n, k));
	const unsigned rounds = t.rounds(60, 2000);
	for (unsigned i = 0; i < rounds; i++) {
		model_array &a = *all[t.random.below(all.size())], &b = *all[t.random.below(all.size())];
		if (t.random.one_in(4))
			HET_OK(het_device_set_budget(device_apart(), (40 << 10) + t.random.below(600 << 10)));
		switch (t.random.below(4)) {
		case 0:
			combine(fx, a, b);
			break;
		case 1: {
			size_t off = t.random.below(n), count = 1 + t.random.below(std::min<size_t>(n - off, 30000));
			HET_OK(fx.launch(fx.add, count,
					 {range_arg(a.b.data() + off, count, HET_READ_WRITE, each_byte),
					  value_arg(uint8_t(i))}));
			add_to_model(a.model, off, count, uint8_t(i));
			break;
		}
		case 2: {
			HET_OK(het_finish(fx.queue));
			size_t off = t.random.below(n);
			a.check(off, std::min<size_t>(5000, n - off), "between launches");
			a.b.data()[off] = a.model[off] = uint8_t(i);
			break;
		}
		default:
			b.model = a.model;
			HET_OK(fx.launch(fx.copy, n, {by_bytes(a, HET_READ_ONLY), by_bytes(b, HET_WRITE_ONLY)}));
		}
	}
	HET_OK(het_finish(fx.queue));
	for (auto &a : all)
		a->check("in the end");
	check_sliced({}, rounds / 6);
}

// A touch of what a slice has waits for all of them. (That of an edge does not, so the arrays have none.)
TEST(touches_wait_for_the_last_slice, .traps = trap::best | trap::sigsegv, .devices = one_device)
{
	slices_fixture fx(t, settings{small});
	const size_t n = 2 << 20;
	model_array from(kind::library, n), to(kind::library, n, 2);
	for (unsigned i = 0; i < 3; i++) {
		const auto arrived = [] {
			const het_memory_info m = memory_of(device_apart());
			return m.sent + m.reused;
		};
		const uint64_t before = arrived();
		combine(fx, from, to);
		while (arrived() - before < 2 * (n / 4) * (i + 1))
			;
		to.check((n / 4) * i, n / 4, "touched meanwhile");
		to.check("touched later");
	}
}

// What no slice has needed yet is still the host's, while the first one computes: on demand nothing is taken ahead.
// What that one has is not: a write there waits for the launch, and comes behind it.
TEST(the_host_has_what_no_slice_has_needed, .traps = trap::best | trap::sigsegv, .devices = device::host)
{
	slices_fixture fx(t, settings{small, "HET_EVICT=demand"});
	const size_t n = 1 << 20;
	model_array a(kind::library, n);
	gated_kernel k;
	HET_OK(fx.launch_line(k, n, {by_bytes(a, HET_READ_WRITE)}));
	k.wait_until_begun();
	a.check(n - 1000, 1000, "before its slice");
	a.b.data()[n - 1] = a.model[n - 1] = 100;
	std::atomic<bool> is_there{false}, is_written{false};
	std::thread beside([&] {
		is_there.store(true);
		a.b.data()[0] = 50;
		is_written.store(true);
	});
	for (unsigned i = 0; i < 1000 && !is_written.load(); i += is_there.load())
		std::this_thread::yield();
	k.open();
	beside.join();
	add_to_model(a.model, 0, n, 1);
	a.model[0] = 50;
	a.check(0, 1000, "touched meanwhile");
	HET_OK(het_finish(fx.queue));
	a.check("with what the host has written");
	check_sliced({});
}

namespace
{

// A write of the host's beside a launch comes before all of that, or behind: never is it lost.
void write_beside_slices(context &t, const char *evicts)
{
	slices_fixture fx(t, settings{small, evicts});
	const size_t n = 512 << 10, step = 1531;
	model_array a(kind::library, n);
	const unsigned rounds = t.rounds(20, 500);
	for (unsigned round = 0; round < rounds; round++) {
		HET_OK(fx.launch(fx.add, n, {by_bytes(a, HET_READ_WRITE), value_arg(uint8_t{1})}));
		add_to_model(a.model, 0, n, 1);
		std::vector<size_t> written;
		for (size_t i = n - 1 - round; i >= step; i -= step) {
			a.b.data()[i] = a.model[i] = uint8_t(3 * round + 100);
			written.push_back(i);
		}
		HET_OK(het_finish(fx.queue));
		for (size_t i : written)
			a.model[i] += a.b.data()[i] == uint8_t(a.model[i] + 1);
		a.check("after a launch");
	}
	check_sliced({}, rounds);
}

} // namespace

TEST(the_host_writes_beside_slices, .traps = trap::best | trap::sigsegv, .devices = one_device)
{
	write_beside_slices(t, "HET_EVICT=keep");
}

TEST(the_host_writes_beside_slices_on_demand, .traps = trap::best, .devices = one_device)
{
	write_beside_slices(t, "HET_EVICT=demand");
}

// --- others --------------------------------------------------------------------

// Each thread has launches that need most of the budget.
TEST(queues_with_slices, .traps = trap::best, .devices = one_device | device::host2, .seconds = 60)
{
	slices_fixture fx(t, settings{small});
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < 3; i++) {
		threads.emplace_back([&, i] {
			const size_t n = i ? 600 << 10 : 30 << 10; // those of one queue fit
			model_array from(kind::mmapped, n, i), to(kind::slice, n, i + 7);
			queue_handle q;
			HET_OK(het_queue_create(nullptr, q.out()));
			for (unsigned round = 0; round < 6; round++) {
				combine(fx, from, to, nullptr, {.queue = q});
				if (round % 3 == 2) {
					HET_OK(het_finish(q));
					to.check("in a thread, between its launches");
				}
			}
			HET_OK(het_finish(q));
			to.check("in a thread");
		});
	}
	for (auto &thread : threads)
		thread.join();
	uint64_t slices = 0;
	for (het_device *d : all_devices())
		slices += memory_of(d).slices;
	CHECK(slices > 2 * 6 * 4);
}

// Memory goes while slices use it, or are about to.
TEST(memory_of_slices_goes, .traps = trap::best, .devices = one_device)
{
	slices_fixture fx(t, settings{small});
	const size_t n = 1 << 20;
	model_array from(kind::mmapped, n);
	for (unsigned i = 0; i < 6; i++) {
		auto to = std::make_unique<model_array>(i % 2 ? kind::mmapped : kind::slice, n, 2);
		event_handle e;
		combine(fx, from, *to, e.out());
		to.reset();
		het_event *events[] = {e};
		int err = het_event_wait(1, events);
		CHECK(!err || status_of(e) == HET_EMEMORY);
	}
	from.check("what stays");
}

// Nothing tells which bytes a slice uses. (CUDA devices work in place then: runtime_in_place.cc.)
TEST(without_a_pattern, .traps = trap::best, .devices = device::host | device::opencl)
{
	slices_fixture fx(t, settings{small});
	const size_t n = 1 << 20;
	model_array from(kind::mmapped, n), to(kind::mmapped, n, 2);
	het_device *d = device_apart();
	HET_ERR(fx.launch(fx.combine, n, {from.all(HET_READ_ONLY), by_bytes(to, HET_READ_WRITE)}, nullptr,
			  {.device = d}),
		HET_EDEVICE);
	HET_OK(het_device_set_budget(d, 100));
	HET_ERR(fx.launch(fx.combine, n, {by_bytes(from, HET_READ_ONLY), by_bytes(to, HET_READ_WRITE)}, nullptr,
			  {.device = d}),
		HET_EDEVICE);
	to.check("what did not run");
}

TEST(without_a_pattern_it_is_said, .traps = trap::best)
{
	std::string words = stderr_of_case(t, "without_a_pattern.best.host.none");
	for (const char *part :
	     {"the smallest slice of kernel combine needs 1049", "1048576 of them for argument 0", "may use 262144",
	      "give the argument a pattern", "needs 1024 bytes", "may use 100", "or launch on parts"}) {
		if (words.find(part) == std::string::npos)
			FAIL("no '%s' in: %s", part, words.c_str());
	}
}

// Launches that could be divided over devices, if these had the memory, keep their patterns.
TEST(launches_that_could_be_divided, .traps = trap::best, .devices = device::host2 | device::cuda2)
{
	slices_fixture fx(t, settings{small});
	const size_t n = 1 << 20;
	model_array from(kind::mmapped, n), to(kind::slice, n, 2);
	for (het_device *d : all_devices()) {
		if (!memory_of(d).budget)
			skip("a device has the host's memory");
	}
	for (unsigned i = 0; i < 3; i++) {
		HET_OK(fx.launch(fx.combine, n, {by_bytes(from, HET_READ_ONLY), by_bytes(to, HET_READ_WRITE)}, nullptr,
				 {.flags = HET_SPLIT}));
		combine_model(from, to);
	}
	HET_OK(het_finish(fx.queue));
	to.check("what was read and written");
	uint64_t slices = 0;
	for (het_device *d : all_devices())
		slices += memory_of(d).slices;
	CHECK(slices > 3 * 8);
}

// A table in raw memory is no argument with a window.
TEST(addresses_stay, .traps = trap::best, .devices = one_device)
{
	slices_fixture fx(t, settings{small});
	const size_t n = 1 << 20;
	model_array from(kind::mmapped, n), to(kind::mmapped, n, 2), table(kind::mmapped, 512, 3);
	het_device *d = device_apart();
	void *raw = nullptr;
	if (het_device_alloc(d, 512, &raw) == HET_ENODEV)
		skip("its memory has no addresses");
	het_copy_args c = {};
	c.size = sizeof c;
	c.nbytes = 512;
	c.from_pointer = table.b.data();
	c.to_pointer = raw;
	c.to_device = d;
	HET_OK(het_copy(fx.queue, &c, nullptr));
	HET_OK(het_barrier(fx.queue, 0, nullptr, nullptr)); // as nothing else orders commands on raw memory
	const het_arg address = {HET_ARG_ADDRESS, 0, 0, raw, nullptr, nullptr};
	HET_OK(fx.launch_line(fx.kernel("look_up"), n,
			      {by_bytes(from, HET_READ_ONLY), address, by_bytes(to, HET_WRITE_ONLY)}));
	for (size_t i = 0; i < n; i++)
		to.model[i] = uint8_t(table.model[from.model[i]] + table.model[256 + i % 256]);
	HET_OK(het_finish(fx.queue));
	to.check("what was looked up in raw memory");
	HET_OK(het_device_free(d, raw));
}

// It frees what launches behind it use, in slices and whole.
TEST(a_callback_frees_memory, .traps = trap::best, .devices = one_device)
{
	slices_fixture fx(t, settings{small});
	const size_t n = 1 << 20;
	model_array from(kind::mmapped, n), to(kind::mmapped, n, 2), few(kind::mmapped, 1000, 3);
	for (bool in_slices : {true, false}) {
		model_array other(kind::mmapped, n, 4);
		event_handle first, second;
		queue_handle q;
		HET_OK(het_queue_create(nullptr, q.out()));
		if (in_slices)
			combine(fx, from, to, first.out());
		else
			HET_OK(fx.launch(fx.slow, few.size(), {few.all(HET_READ_WRITE), value_arg(uint8_t{1})},
					 first.out()));
		combine(fx, from, other, second.out(), {.queue = q});
		HET_OK(het_event_callback(
			first, [](het_event *, int, void *arg) { static_cast<block *>(arg)->release(); }, &other.b));
		het_event *both[] = {first, second};
		const int err = het_event_wait(2, both);
		CHECK(!err || status_of(second) == HET_EMEMORY);
	}
	to.check("what stays");
}

// A kernel, a copy or an allocation fails. Each byte is as it was, or as it should be.
TEST(calls_fail_in_turn, .traps = trap::best, .devices = device::cuda, .seconds = 60)
{
	slices_fixture fx(t, settings{small});
	const size_t n = 1 << 20;
	unsigned failed = 0;
	for (const char *symbol : {"cuMemAlloc_v2", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2"}) {
		for (int after : {0, 1, 3, 5, 9, 20}) {
			model_array from(kind::mmapped, n), to(kind::mmapped, n, 2);
			const std::vector<uint8_t> old = to.model;
			const bool only_writes = after % 2;
			fail_cuda_call(symbol, cuda_out_of_memory, after);
			event_handle e;
			if (only_writes) {
				HET_OK(fx.launch(fx.copy, n,
						 {by_bytes(from, HET_READ_ONLY), by_bytes(to, HET_WRITE_ONLY)},
						 e.out()));
				to.model = from.model;
			} else {
				combine(fx, from, to, e.out());
			}
			het_event *events[] = {e};
			const int err = het_event_wait(1, events);
			fake_cuda_driver().fail_symbol = nullptr;
			failed += err != 0;
			for (size_t i = 0; i < n; i++) {
				const uint8_t byte = to.b.data()[i];
				if (byte != to.model[i] && (!err || byte != old[i]))
					FAIL("%s, %d: byte %zu is %u", symbol, after, i, byte);
			}
			CHECK_EQ(memory_of(device_apart()).windows, 0);
		}
	}
	CHECK(failed > 4);
}

// The driver has less memory than the library believes, as others have the rest.
TEST(the_driver_has_less_memory, .traps = trap::best, .devices = device::cuda)
{
	slices_fixture fx(t, settings{});
	const size_t n = 1 << 20;
	model_array from(kind::mmapped, n), to(kind::slice, n, 2), one(kind::mmapped, 1000);
	het_device *d = device_apart();
	HET_OK(fx.launch(fx.add, one.size(), {one.all(HET_READ_WRITE), value_arg(uint8_t{1})}, nullptr, {.device = d}));
	HET_OK(het_finish(fx.queue));
	fake_cuda_state &driver = fake_cuda_driver();
	driver.others_memory = driver.memory - driver.most_memory - (400 << 10);
	for (unsigned i = 0; i < 3; i++) {
		HET_OK(fx.launch(fx.combine, n, {by_bytes(from, HET_READ_ONLY), by_bytes(to, HET_READ_WRITE)}, nullptr,
				 {.device = d}));
		combine_model(from, to);
	}
	HET_OK(het_finish(fx.queue));
	to.check("what was read and written");
	CHECK(memory_of(d).slices >= 3 * 4);
	CHECK_EQ(memory_of(d).windows, 0);
}

// The device is lost in the middle of a launch.
TEST(the_device_dies, .traps = trap::best, .devices = device::cuda)
{
	slices_fixture fx(t, settings{small}, "HET_DEVICES=cuda,apart");
	const size_t n = 1 << 20;
	model_array from(kind::mmapped, n), to(kind::slice, n, 2);
	const std::vector<uint8_t> old = to.model;
	het_device *gpu = device_apart();
	fail_cuda_call("work of cuLaunchKernel", cuda_launch_failed, 4);
	event_handle e;
	HET_OK(fx.launch(fx.combine, n, {by_bytes(from, HET_READ_ONLY), by_bytes(to, HET_READ_WRITE)}, e.out(),
			 {.device = gpu}));
	combine_model(from, to);
	het_event *events[] = {e};
	CHECK_EQ(het_event_wait(1, events), HET_EWAIT);
	CHECK_EQ(status_of(e), HET_EDEVICE);
	from.check("what was read");
	for (size_t i = 0; i < n; i++) {
		CHECK(to.b.data()[i] == old[i] || to.b.data()[i] == to.model[i]);
		to.model[i] = to.b.data()[i];
	}
	combine(fx, from, to);
	HET_OK(het_finish(fx.queue));
	to.check("on another device");
}

// One argument overwrites what a lost device alone had, and another one is the same bytes and reads them: that is seen,
// whichever comes first.
TEST(what_was_lost_is_read_by_another_argument, .traps = trap::best, .devices = device::cuda)
{
	slices_fixture fx(t, settings{small}, "HET_DEVICES=apart,cuda");
	const size_t n = 1 << 20;
	model_array a(kind::mmapped, n);
	het_device *const here = device_apart(), *const gpu = all_devices().at(1);
	HET_OK(het_device_set_budget(gpu, 4 << 20));
	HET_OK(fx.launch(fx.add, n, {a.all(HET_READ_WRITE), value_arg(uint8_t{1})}, nullptr, {.device = gpu}));
	HET_OK(het_finish(fx.queue));
	fail_cuda_call("work of cuLaunchKernel", cuda_launch_failed);
	event_handle e;
	HET_OK(fx.launch(fx.add, n, {a.all(HET_READ_WRITE), value_arg(uint8_t{1})}, e.out(), {.device = gpu}));
	het_event *events[] = {e};
	CHECK_EQ(het_event_wait(1, events), HET_EWAIT);
	for (const uint32_t first : {HET_WRITE_ONLY, HET_READ_WRITE}) {
		event_handle twice;
		HET_OK(fx.launch_line(fx.kernel("twice"), n, {by_bytes(a, first), by_bytes(a, first ^ HET_READ_ONLY)},
				      twice.out(), here));
		events[0] = twice;
		CHECK_EQ(het_event_wait(1, events), HET_EWAIT);
		CHECK_EQ(status_of(twice), HET_EDEVICE);
	}
}
