// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches without a promise: their pages are taken when they begin, the host hears of the end at once, and what it
// touches comes home behind them, unless somebody else comes first.
#include "fake/fake_cuda.h"
#include "harness/process.h"
#include "harness/random_program.h"
#include "harness/rounds.h"

#include <atomic>
#include <cstdlib>
#include <span>
#include <string>
#include <thread>
#include <unistd.h>

using namespace selftest;

namespace
{

using settings = std::vector<const char *>;

constexpr size_t chunk = 64 << 10;
constexpr uint32_t devices = device::runtime_apart | device::host3 | device::mixed | device::cuda2;

// Edges are not foreseen, so the arrays are those without any, whatever malloc there is.
void wait_until_home(const counts &before, size_t n)
{
	while (before.since().foreseen < n)
		std::this_thread::yield();
}

// The driver's copies to the host wait while one of these lives.
class held_reads
{
      public:
	held_reads() { driver_.reads_wait = true; }
	~held_reads() { driver_.reads_wait = false; }
	held_reads(const held_reads &) = delete;
	held_reads &operator=(const held_reads &) = delete;

	// Waits until one has been asked for.
	void wait_for_one() const
	{
		while (driver_.asked_copies == before_)
			std::this_thread::yield();
	}

      private:
	fake_cuda_state &driver_ = fake_cuda_driver();
	const int before_ = driver_.asked_copies;
};

} // namespace

TEST(what_was_touched_comes_behind, .traps = trap::all, .devices = device::runtime_apart)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=always"});
	model_array a(kind::map, 20 * chunk);
	rounds_of(fx, a, 1, 0, [&] { a.check("after the first launch"); });
	for (unsigned i = 0; i < t.rounds(20, 100); i++) {
		counts before;
		rounds_of(fx, a, 1, 0, [&] {
			wait_until_home(before, a.size());
			a.check("after a launch");
		});
		CHECK_EQ(before.since().touches, 0);
		CHECK_EQ(before.since().home, a.size());
	}
}

// Each device has a history of its own, so there is one.
TEST(what_was_written_comes_writable, .traps = trap::all, .devices = device::host | device::opencl | device::cuda)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=always"});
	uint32_t devices_here = 0;
	het_device *first;
	HET_OK(het_devices(1, &first, &devices_here));
	if (devices_here > 1)
		skip("there are %u devices, and launches may take turns on them", devices_here);
	model_array a(kind::map, 8 * chunk);
	auto write = [&](uint8_t value) {
		for (size_t at = 100; at < a.size(); at += chunk)
			a.b.data()[at] = a.model[at] = value;
	};
	rounds_of(fx, a, 1, 0, [&] { write(7); });
	for (uint8_t i = 0; i < 20; i++) {
		counts before;
		rounds_of(fx, a, 1, 0, [&] {
			wait_until_home(before, a.size());
			a.check("after a launch");
			write(i);
		});
		// The first writes that it sees are those to chunks that were expected to be read. They may be counted
		// after the writer has gone on.
		CHECK(i < 2 || !before.since().touches);
	}
	a.check("at the end");
}

TEST(off_means_off, .traps = trap::best, .devices = device::host)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=0"});
	model_array a(kind::mmapped, 8 * chunk);
	rounds_of(fx, a, 20, 0, [&] { a.check("after a launch"); });
	CHECK_EQ(count_of(GPUVM_STAT_FORESEEN), 0);
}

// What is on its way is waited for by touches alone: the host hears of the end, another kernel on the device reads, and
// one on other bytes writes.
TEST(nobody_but_touches_waits, .traps = trap::all, .devices = device::cuda)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=always"});
	model_array a(kind::mmapped, 8 * chunk), b(kind::mmapped, 4 * chunk, 2);
	rounds_of(fx, a, 2, 0, [&] { a.check("after a launch"); });
	for (told_by how : all_ways) {
		event_handle e, reads;
		std::thread toucher;
		{
			held_reads held;
			launch_add(fx, a, 0, a.size(), 1, e.out(), {});
			hear(fx, e, how);
			held.wait_for_one();
			toucher = std::thread([&] { a.check("touched beside the copy"); });
			HET_OK(fx.launch(fx.combine, b.size(),
					 {a.part(0, b.size(), HET_READ_ONLY), b.all(HET_READ_WRITE)}, reads.out()));
			wait_for(reads);
			for (size_t i = 0; i < b.size(); i++)
				b.model[i] = uint8_t(3 * b.model[i] + a.model[i]);
		}
		toucher.join();
		b.check("what was read beside the copy");
	}
}

// The host writes all bytes each time, and a queued command reads them before: they are sent once, for the next writer.
// These traps can show pages read-only on any Linux. Where that can't be done the host becomes the only owner.
TEST(what_is_read_soon_is_not_sent_back, .traps = trap::sigsegv | trap::kmod,
     .devices = device::host | device::opencl | device::cuda)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=always"});
	model_array a(kind::map, 8 * chunk), b(kind::map, 8 * chunk, 2);
	for (uint32_t flags : {0u, uint32_t(HET_TOUCH_AFTER_WAIT)}) {
		counts before;
		constexpr unsigned rounds = 10;
		for (unsigned i = 0; i < rounds; i++) {
			event_handle start, wrote, read;
			HET_OK(het_user_event_create(start.out()));
			het_event *waits[] = {start.get()};
			launch_add(fx, a, 0, a.size(), 1, wrote.out(), {.waits = waits, .flags = flags});
			HET_OK(fx.launch(fx.combine, b.size(), {a.all(HET_READ_ONLY), b.all(HET_READ_WRITE)},
					 read.out(), {.flags = flags}));
			HET_OK(het_user_event_set(start, HET_COMPLETE));
			wait_for(read);
			for (size_t at = 0; at < a.size(); at++)
				b.model[at] = uint8_t(3 * b.model[at] + a.model[at]);
			for (size_t at = i; at < a.size(); at += chunk)
				a.b.data()[at] = a.model[at] = uint8_t(i);
		}
		// Once more for @b, and for what is not known yet.
		CHECK_LE(before.since().there, (rounds + 3) * a.size());
		a.check("what the host wrote");
		b.check("what was read");
	}
}

// A writer of what is on its way tries again, and the device takes other commands meanwhile.
TEST(others_begin_while_a_writer_waits, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=always"});
	model_array a(kind::mmapped, 8 * chunk), b(kind::mmapped, 4 * chunk, 2);
	for (uint32_t flags : {0u, uint32_t(HET_TOUCH_AFTER_WAIT)}) {
		rounds_of(fx, a, 2, flags, [&] { a.check("after a launch"); });
		event_handle first, second, other;
		{
			held_reads held;
			launch_add(fx, a, 0, a.size(), 1, first.out(), {.flags = flags});
			HET_OK(het_event_callback(
				first, [](het_event *, int, void *) {}, nullptr));
			held.wait_for_one();
			launch_add(fx, a, 0, a.size(), 2, second.out(), {});
			launch_add(fx, b, 0, b.size(), 3, other.out(), {});
			wait_for(other);
			CHECK(status_of(second) > HET_COMPLETE);
		}
		wait_for(second);
		a.check("written while it came home");
		b.check("written beside it");
	}
}

// The copy fails: the launch does not, the device has the bytes, and touches get them.
TEST(a_copy_that_fails_fails_nothing, .traps = trap::all, .devices = device::cuda)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=always"});
	model_array a(kind::mmapped, 8 * chunk);
	fake_cuda_state &driver = fake_cuda_driver();
	rounds_of(fx, a, 4, 0, [&] { a.check("after a launch"); });
	unsigned failed = 0;
	for (unsigned round = 0; round < 24; round++) {
		event_handle e;
		{
			stderr_capture quiet;
			int copies = driver.asked_copies;
			fail_cuda_call(copies_home[round % std::size(copies_home)], cuda_out_of_memory);
			launch_add(fx, a, 0, a.size(), 1, e.out(), {});
			hear(fx, e, all_ways[round / 4 % std::size(all_ways)]);
			while (driver.asked_copies == copies)
				std::this_thread::yield();
			// What has failed may still be on its way back; a touch waits for that.
			failed += !driver.fail_symbol.load();
			fail_cuda_call(nullptr, 0);
			a.check("after a copy that may have failed");
		}
		CHECK_EQ(status_of(e), HET_COMPLETE);
	}
	CHECK(failed > 0);
}

namespace
{

std::atomic<void *> stuck_array{nullptr};

void on_error(int, void *hostptr, const char *, void *)
{
	stuck_array = hostptr;
}

} // namespace

// A copy that does not end is named, though nobody touches what it brings; when it does end, all is well.
TEST(the_watchdog_names_a_copy_that_hangs, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=always", "GPUVM_WATCHDOG=1"});
	CHECK_OK(gpuvm_set_error_callback(on_error, nullptr));
	for (uint32_t flags : {0u, uint32_t(HET_TOUCH_AFTER_WAIT)}) {
		model_array a(kind::mmapped, 8 * chunk);
		rounds_of(fx, a, 2, flags, [&] { a.check("after a launch"); });
		event_handle e;
		stuck_array = nullptr;
		{
			held_reads held;
			launch_add(fx, a, 0, a.size(), 1, e.out(), {.flags = flags});
			HET_OK(het_event_callback(
				e, [](het_event *, int, void *) {}, nullptr));
			while (stuck_array != a.b.data())
				std::this_thread::yield();
		}
		wait_for(e);
		a.check("when the copy has ended");
	}
}

// --- queued steps -------------------------------------------------------------

namespace
{

// Each round is so many steps on two arrays by turns, behind each other and with nothing touched between. The host
// reads what the last one has written, which has to come home; hardly more does.
void check_queued_steps(context &t, const char *foresight)
{
	runtime_fixture fx(t, HET_QUEUE_IN_ORDER, settings{foresight});
	skip_under_tsan("so many kernels that work byte by byte take minutes there");
	bool slow = t.v.device & device::with_cuda;
	const unsigned rounds = slow ? 6 : 20, steps = slow ? 8 : 40;
	for (uint32_t flags : {0u, uint32_t(HET_TOUCH_AFTER_WAIT)}) {
		model_array arrays[] = {{kind::map, 8 * chunk, 1}, {kind::map, 8 * chunk, 2}};
		counts before;
		for (unsigned round = 0; round < rounds; round++) {
			event_handle start, last;
			HET_OK(het_user_event_create(start.out()));
			het_event *const waits[] = {start.get()};
			for (unsigned i = 0; i < steps; i++) {
				model_array &from = arrays[i % 2], &to = arrays[1 - i % 2];
				HET_OK(fx.launch(fx.combine, to.size(),
						 {from.all(HET_READ_ONLY), to.all(HET_READ_WRITE)}, last.out(),
						 {.waits = !i ? std::span(waits) : std::span<het_event *const>{},
						  .flags = flags}));
				for (size_t at = 0; at < to.size(); at++)
					to.model[at] = uint8_t(3 * to.model[at] + from.model[at]);
			}
			HET_OK(het_user_event_set(start, HET_COMPLETE));
			wait_for(last);
			arrays[0].check("after all steps");
		}
		counts c = before.since();
		note("home %llu, foreseen %llu", c.home / chunk, c.foreseen / chunk);
		CHECK_LE(c.home, rounds * arrays[0].size() * 102 / 100);
		arrays[1].check("the other array");
	}
}

constexpr uint32_t one_device = device::host | device::opencl | device::cuda;

} // namespace

TEST(queued_steps_that_are_known, .traps = trap::best, .devices = one_device, .seconds = 60)
{
	check_queued_steps(t, "GPUVM_FORESIGHT=always");
}

TEST(queued_steps_that_are_learned, .traps = trap::best, .devices = one_device, .seconds = 60)
{
	check_queued_steps(t, "GPUVM_FORESIGHT=eager");
}

TEST(queued_steps_without_foresight, .traps = trap::best, .devices = one_device, .seconds = 60)
{
	check_queued_steps(t, "GPUVM_FORESIGHT=0");
}

// --- memory that goes ---------------------------------------------------------

// The host frees what is on its way, and gets the same addresses again.
TEST(memory_goes_while_its_bytes_come, .traps = trap::all, .devices = device::runtime_apart)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=always"});
	for (unsigned round = 0; round < t.rounds(30, 600); round++) {
		model_array a(kind::mmapped, t.random.between(1, 40) * chunk, round);
		rounds_of(fx, a, 2, 0, [&] { a.check(a.size() / 2, 1, "one byte"); });
		if (round % 2)
			rounds_of(fx, a, 1, 0, [&] { a.check("all bytes"); });
	}
}

TEST(a_child_gets_the_bytes_that_come, .traps = trap::best, .devices = device::runtime_apart)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=always"});
	model_array a(kind::mmapped, 40 * chunk);
	for (unsigned round = 0; round < 6; round++) {
		rounds_of(fx, a, 1, 0, [&] {
			ending child = run_process(20 * t.patience, [&] { a.check("in a child"); });
			expect_success(child, "a child");
			a.check("in the parent");
		});
	}
}

// A process ends while bytes come that nobody will touch: it waits for the piece that is under way, and no command is
// left.
TEST(exit_ends_what_comes, .traps = trap::best, .devices = device::runtime_apart)
{
	skip_under_tsan("it waits for threads at exit");
	static stderr_capture *said;
	// The handler is registered before the runtime's, so it comes after that.
	atexit([] {
		if (said && said->text().find("not finished") != std::string::npos)
			_exit(9);
	});
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=always"});
	static model_array a(kind::mmapped, 200 * chunk);
	said = new stderr_capture;
	rounds_of(fx, a, 3, 0, [&] { a.check(a.size() / 2, 1, "one byte"); });
	exit(0);
}

// --- programs ----------------------------------------------------------------

TEST(programs_with_always, .traps = trap::all, .devices = devices, .seconds = 60)
{
	run_random_program(t, {"GPUVM_FORESIGHT=always"}, false, true);
}

TEST(programs_with_anything, .traps = trap::all, .devices = devices, .seconds = 60)
{
	run_random_program(t, {"GPUVM_FORESIGHT=random"}, false, false);
}

TEST(programs_that_are_learned, .traps = trap::best, .devices = devices, .seconds = 60)
{
	run_random_program(t, {"GPUVM_FORESIGHT=eager"}, false, false);
}
