// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches with the promise that the host touches their bytes only when it is told that they have finished: what it
// touches is home by then, its pages stay, and other commands do not wait for that.
#include "harness/random_program.h"
#include "harness/rounds.h"

#include <sys/resource.h>

using namespace selftest;

namespace
{

using settings = std::vector<const char *>;

constexpr size_t chunk = 64 << 10;
constexpr uint32_t promise = HET_TOUCH_AFTER_WAIT;
constexpr uint32_t devices = device::runtime_apart | device::host3 | device::mixed | device::cuda2;

// Of 32 chunks two groups of 8 have one that is asked, each eighth time; and drivers may allocate a whole one for
// edges.
void check_steady_state(runtime_fixture &fx, uint32_t flags)
{
	skip_under_tsan("so many kernels that work byte by byte take minutes there");
	model_array a(kind::mmapped, 32 * chunk);
	auto host = [&] { a.check("after a launch"); };
	rounds_of(fx, a, 6, flags, host);
	counts before;
	rounds_of(fx, a, 64, flags, host);
	counts c = before.since();
	CHECK_LE(c.touches, 64 / 8 * 4 * 2 + 8);
	note("home %llu, foreseen %llu, touches %llu, there %llu", c.home / chunk, c.foreseen / chunk, c.touches,
	     c.there / chunk);
	CHECK(c.foreseen >= 56ull * 26 * chunk);
	CHECK_LE(c.home, 64ull * 34 * chunk);
}

long faults_of_this_thread()
{
	rusage used = {};
	CHECK_SYS(getrusage(RUSAGE_THREAD, &used));
	return used.ru_minflt;
}

} // namespace

TEST(a_loop_takes_few_faults, .traps = trap::all, .devices = device::runtime_apart)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=eager"});
	check_steady_state(fx, promise);
}

// Who promises makes no difference to a device.
TEST(a_queue_promises_for_its_launches, .traps = trap::best, .devices = device::host)
{
	runtime_fixture fx(t, HET_QUEUE_TOUCH_AFTER_WAIT, settings{"GPUVM_FORESIGHT=eager"});
	check_steady_state(fx, 0);
}

TEST(the_environment_promises, .traps = trap::best, .devices = device::host)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=eager", "HET_TOUCH_AFTER_WAIT=1"});
	check_steady_state(fx, 0);
}

TEST(what_is_written_stays_writable, .traps = trap::all, .devices = device::runtime_apart)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=eager"});
	skip_under_tsan("so many kernels that work byte by byte take minutes there");
	model_array a(kind::mmapped, 16 * chunk);
	uint8_t round = 0;
	auto host = [&] {
		for (size_t c = 0; c < 16; c++) {
			size_t at = c * chunk + 100;
			a.check(at, 1000, "before a write");
			memset(a.b.data() + at, ++round, 1000);
			memset(a.model.data() + at, round, 1000);
		}
	};
	rounds_of(fx, a, 6, promise, host);
	counts before;
	rounds_of(fx, a, 32, promise, host);
	// A chunk of each group is asked in each eighth round, and one is a probe in each second at the most; it is
	// read first, and then written.
	CHECK_LE(before.since().touches, 4 * 2 * 2 * 2 + 32 / 2 * 2 + 8);
	a.check("at the end");
}

// A kernel that only reads the array makes its pages read-only; the last one overwrites it. What is shown writable then
// is so in the page table, too: otherwise each page would cost a fault of its own that nobody but the kernel hears of.
TEST(what_was_read_only_is_mapped_writable, .traps = trap::uffd, .devices = device::host | device::cuda)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=eager"});
	skip_under_tsan("so many kernels that work byte by byte take minutes there");
	constexpr size_t chunks = 16, pages = chunks * chunk / 4096;
	model_array a(kind::mmapped, chunks * chunk), b(kind::mmapped, chunks * chunk, 2);
	auto round = [&](uint8_t value) {
		event_handle e;
		HET_OK(fx.launch(fx.combine, a.size(), {a.all(HET_READ_ONLY), b.all(HET_READ_WRITE)}, nullptr,
				 {.flags = promise}));
		launch_add(fx, a, 0, a.size(), 1, e.out(), {.flags = promise});
		wait_for(e);
		for (size_t i = 0; i < a.size(); i++)
			b.model[i] = uint8_t(3 * b.model[i] + uint8_t(a.model[i] - 1));
		a.check("after both");
		long before = faults_of_this_thread();
		memset(a.b.data(), value, a.size());
		long faults = faults_of_this_thread() - before;
		memset(a.model.data(), value, a.size());
		return size_t(faults);
	};
	for (uint8_t i = 0; i < 8; i++)
		round(i);
	size_t faults = 0;
	constexpr size_t rounds = 16;
	for (uint8_t i = 0; i < rounds; i++)
		faults += round(i);
	note("%zu faults for %zu pages", faults, rounds * pages);
	// Chunks that are asked are shown by a touch.
	CHECK_LE(faults, rounds * pages / 4);
	b.check("at the end");
}

TEST(off_means_off, .traps = trap::best, .devices = device::host)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=0"});
	model_array a(kind::mmapped, 8 * chunk);
	rounds_of(fx, a, 20, promise, [&] { a.check("after a launch"); });
	CHECK_EQ(count_of(GPUVM_STAT_FORESEEN), 0);
}

TEST(unknown_flags_are_refused, .devices = device::none)
{
	runtime_fixture fx(t);
	het_queue_args q = {};
	q.size = sizeof q;
	q.flags = 4;
	queue_handle other;
	HET_ERR(het_queue_create(&q, other.out()), HET_EARG);
	model_array a(kind::mmapped, chunk);
	uint8_t one = 1;
	for (uint32_t flags : {8u, promise | HET_SPLIT_UNSAFE})
		HET_ERR(fx.launch(fx.add, chunk, {a.all(HET_READ_WRITE), value_arg(one)}, nullptr, {.flags = flags}),
			HET_EARG);
	event_handle e;
	launch_add(fx, a, 0, chunk, 1, e.out(), {.flags = promise | HET_SPLIT | HET_SPLIT_UNSAFE});
	wait_for(e);
	a.check("on the host");
}

// Many queued steps on one array, all of them known before the first has ended: what the next will write does not come
// home.
TEST(what_is_written_again_stays_away, .traps = trap::best, .devices = device::runtime_apart)
{
	runtime_fixture fx(t, HET_QUEUE_TOUCH_AFTER_WAIT, settings{"GPUVM_FORESIGHT=always"});
	skip_under_tsan("so many kernels that work byte by byte take minutes there");
	model_array a(kind::mmapped, 16 * chunk);
	constexpr unsigned steps = 5;
	for (unsigned round = 0; round < 10; round++) {
		counts before;
		event_handle start, last;
		HET_OK(het_user_event_create(start.out()));
		het_event *waits[] = {start.get()};
		for (unsigned i = 0; i < steps; i++)
			launch_add(fx, a, 0, a.size(), uint8_t(i), last.out(),
				   {.waits = i ? std::span<het_event *const>{} : waits});
		HET_OK(het_user_event_set(start, HET_COMPLETE));
		wait_for(last);
		a.check("after all steps");
		counts c = before.since();
		note("home %llu, foreseen %llu, touches %llu, there %llu", c.home / chunk, c.foreseen / chunk,
		     c.touches, c.there / chunk);
		CHECK_LE(c.home, 17ull * chunk);
	}
	CHECK(count_of(GPUVM_STAT_FORESEEN) >= 8ull * 16 * chunk);
}

// The host touches what the last of such steps has left, whatever their number is.
TEST(the_last_of_queued_steps_is_foreseen, .traps = trap::best, .devices = device::runtime_apart)
{
	runtime_fixture fx(t, HET_QUEUE_TOUCH_AFTER_WAIT, settings{"GPUVM_FORESIGHT=eager"});
	skip_under_tsan("so many kernels that work byte by byte take minutes there");
	model_array a(kind::mmapped, 16 * chunk);
	auto steps = [&](unsigned n) {
		event_handle start, last;
		HET_OK(het_user_event_create(start.out()));
		het_event *waits[] = {start.get()};
		for (unsigned i = 0; i < n; i++)
			launch_add(fx, a, 0, a.size(), uint8_t(i + 1), last.out(),
				   {.waits = i ? std::span<het_event *const>{} : waits});
		HET_OK(het_user_event_set(start, HET_COMPLETE));
		wait_for(last);
		a.check("after all steps");
	};
	for (unsigned round = 0; round < 6; round++)
		steps(5);
	counts before;
	for (unsigned round = 0; round < 16; round++)
		steps(5 + round % 3);
	counts c = before.since();
	CHECK_LE(c.touches, 16 / 8 * 2 * 2 + 16 / 2 + 8);
	CHECK(c.foreseen >= 14ull * 12 * chunk);
	CHECK_LE(c.home, 16ull * 17 * chunk);
}

// The host writes what no launch has, in chunks that have bytes of one, while that is at work.
TEST(neighbours_of_its_bytes_are_free, .traps = trap::all, .devices = device::runtime_apart, .kinds = kind::mmapped)
{
	skip_under_tsan("touches order the host with copies, which the sanitizer does not know");
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=always"});
	model_array a(t.v.kind, 4 * chunk);
	const size_t off = chunk / 2, n = 3 * chunk;
	event_handle e;
	launch_add(fx, a, 0, a.size(), 1, e.out(), {.flags = promise});
	wait_for(e);
	for (unsigned round = 0; round < t.rounds(60, 1000); round++) {
		launch_add(fx, a, off, n, 1, e.out(), {.flags = promise});
		for (size_t at : {off - 10, off + n, off - 3000, off + n + 5000}) {
			CHECK_EQ(a.b.data()[at], a.model[at]);
			a.b.data()[at] = a.model[at] = uint8_t(round + at);
		}
		hear(fx, e, all_ways[round % std::size(all_ways)]);
		a.check("its bytes and others");
	}
}

// The copy fails, once or for good, and no touch is the first to hear of it: the launch does not fail, the device has
// the bytes, and the host gets them later.
TEST(a_copy_that_fails_fails_nothing, .traps = trap::all, .devices = device::cuda, .kinds = kind::mmapped)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=always"});
	model_array a(t.v.kind, 8 * chunk);
	rounds_of(fx, a, 4, promise, [&] { a.check("after a launch"); });
	unsigned failed = 0;
	for (unsigned round = 0; round < 24; round++) {
		event_handle e;
		counts before;
		{
			stderr_capture quiet;
			fail_cuda_call(copies_home[round % std::size(copies_home)], cuda_out_of_memory);
			launch_add(fx, a, 0, a.size(), 1, e.out(), {.flags = promise});
			hear(fx, e, all_ways[round / 4 % std::size(all_ways)]);
			fail_cuda_call(nullptr, 0);
		}
		failed += before.since().foreseen < 8 * chunk;
		CHECK_EQ(status_of(e), HET_COMPLETE);
		a.check("after a copy that may have failed");
	}
	CHECK(failed > 0);
}

// --- programs ----------------------------------------------------------------

TEST(programs_with_always, .traps = trap::all, .devices = devices, .seconds = 60)
{
	run_random_program(t, {"GPUVM_FORESIGHT=always"}, true, false);
	CHECK(count_of(GPUVM_STAT_FORESEEN) > 0);
}

TEST(programs_with_anything, .traps = trap::all, .devices = devices, .seconds = 60)
{
	run_random_program(t, {"GPUVM_FORESIGHT=random"}, true, false);
	CHECK(count_of(GPUVM_STAT_FORESEEN) > 0);
}

TEST(programs_that_are_learned, .traps = trap::best, .devices = devices, .seconds = 60)
{
	run_random_program(t, {"GPUVM_FORESIGHT=eager"}, true, false);
}
