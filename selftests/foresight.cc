// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The host is expected to touch what comes home at a kernel's end. Programs of loops run against a reference model,
// with foresight that learns, that says yes to everything and that says anything; other cases measure what it costs and
// saves.
#include "harness/array_program.h"
#include "harness/fixture.h"
#include "harness/process.h"

#include <atomic>
#include <gpuvm.h>
#include <memory>
#include <thread>
#include <unistd.h>

using namespace selftest;

namespace
{
constexpr size_t page = 4096, chunk = 64 << 10;

unsigned long long foreseen()
{
	return count_of(GPUVM_STAT_FORESEEN);
}

// A program consists of such steps. Each loop repeats a few of them, so that there is something to foresee.
enum action {
	kernel_rw,
	kernel_wo,
	kernel_ro,
	range_rw,
	event_rw,
	host_read,
	host_write,
	host_begin,
	several_threads,
	failing_end,
	fork_child,
	link_anew,
	actions
};

const char *const action_names[] = {"kernel RW",         "kernel WO",    "kernel RO",  "range RW",
				    "kernel with event", "host read",    "host write", "host_begin",
				    "threads",           "failing copy", "fork",       "link anew"};
// Each weight is how often its action comes, out of their sum.
const unsigned weights[] = {20, 4, 4, 8, 3, 24, 14, 3, 4, 3, 1, 1};

class program final : array_program
{
      public:
	explicit program(context &t) : array_program(t, {action_names, weights}, {1, 5, 40}) {}

	void run(uint64_t steps)
	{
		while (number_ < steps) {
			std::vector<array_step> body(t_.random.between(1, 6));
			for (array_step &s : body)
				s = random_step();
			loop(body, t_.random.one_in(4) ? 40 : unsigned(t_.random.between(1, 12)));
			for (unsigned i = 0; i < arrays_.size(); i++)
				check_whole(i, "after a loop");
		}
	}

	// Returns how many ends in succession, of kernels on one array, could have foreseen something.
	unsigned most_chances() const { return most_chances_; }

      private:
	// This counts what is sure of an array since it was linked, whatever else was done with it: a kernel that wrote
	// all of it has ended; then the host has touched it; then so many of such kernels have ended.
	struct certainty {
		bool taken = false, touched = false;
		unsigned chances = 0;
	};

	void kernel_ended(unsigned which)
	{
		certainty &sure = sure_[which];
		sure.taken = true;
		sure.chances += sure.touched;
		most_chances_ = std::max(most_chances_, sure.chances);
	}

	void check_whole(unsigned which, const char *when)
	{
		arrays_[which].check(when);
		sure_[which].touched |= sure_[which].taken;
	}

	void perform(const array_step &s) override
	{
		array &a = arrays_[s.which];
		kernel mix{kernel::mix, s.off, s.n, number_};
		switch (action(s.what)) {
		case kernel_rw:
			a.kernel_on(s.dev, GPUVM_READ_WRITE, mix);
			kernel_ended(s.which);
			break;
		case kernel_wo:
			a.kernel_on(s.dev, GPUVM_WRITE_ONLY, {kernel::fill, 0, a.size(), number_});
			kernel_ended(s.which);
			break;
		case kernel_ro:
			CHECK_OK(gpuvm_kernel_begin(a.data(), s.dev, GPUVM_READ_ONLY));
			a.check_buffer(s.dev, "buffer in a read-only kernel");
			CHECK_OK(gpuvm_kernel_end(a.data(), s.dev));
			break;
		case range_rw:
			CHECK_OK(gpuvm_kernel_begin_range(a.data() + s.off, s.n, s.dev, GPUVM_READ_WRITE));
			a.run(s.dev, mix);
			CHECK_OK(gpuvm_kernel_end_range(a.data() + s.off, s.n, s.dev));
			break;
		case event_rw:
			end_by_event(a, s.dev);
			break;
		case host_read:
			a.check(s.off, s.n, "host read");
			break;
		case host_write:
			a.write_on_host(s.off, s.n, unsigned(number_));
			break;
		case host_begin:
			CHECK_OK(gpuvm_host_begin(a.data() + s.off, s.n,
						  number_ % 2 ? GPUVM_READ_ONLY : GPUVM_READ_WRITE));
			sure_[s.which].taken = false;
			break;
		case several_threads:
			read_by_threads(a);
			break;
		case failing_end:
			fail_end(a, s.dev, mix);
			break;
		case fork_child:
			if (!with_tsan && !(t_.v.device & ~(device::host | device::host2 | device::hostcb)))
				expect_success(run_process(20, [&] { a.check("in a forked child"); }), "child");
			for (certainty &sure : sure_)
				sure.taken = false;
			break;
		case link_anew:
			CHECK_OK(gpuvm_unlink(a.data(), GPUVM_ALL_DEVICES));
			a.check("unlinked");
			a.link_everywhere();
			sure_[s.which] = {};
			break;
		case actions:
			break;
		}
	}

	// Edges can't be copied back after the event, so they end in the other way.
	void end_by_event(array &a, unsigned dev)
	{
		if (has_edges(a))
			return;
		kernel add{kernel::add, 0, a.size(), number_};
		CHECK_OK(gpuvm_kernel_begin(a.data(), dev, GPUVM_READ_WRITE));
		void *event = fx_.dev().start(dev, a.buffer(dev), add);
		CHECK_OK(gpuvm_kernel_end_event(a.data(), dev, event));
		apply(add, a.model());
		a.check(0, std::min<size_t>(a.size(), 100), "after an event");
		fx_.dev().finish(dev, event);
	}

	void read_by_threads(array &a)
	{
		std::vector<std::thread> threads;
		for (unsigned i = 0; i < 3; i++)
			threads.emplace_back([&] { a.check("on one of several threads"); });
		for (std::thread &t : threads)
			t.join();
	}

	// The copy breaks off half-way. The end does not fail for it, and the device keeps what the kernel wrote. An
	// array with an edge would make it fail.
	void fail_end(array &a, unsigned dev, const kernel &k)
	{
		host_faults *faults = fx_.dev().faults();
		bool has_edges = reinterpret_cast<uintptr_t>(a.data()) % page || a.size() % page;
		if (!faults || has_edges)
			return;
		CHECK_OK(gpuvm_kernel_begin(a.data(), dev, GPUVM_READ_WRITE));
		a.run(dev, k);
		{
			stderr_capture quiet;
			faults->leave_half = true;
			faults->fail_reads = true;
			CHECK_OK(gpuvm_kernel_end(a.data(), dev));
			faults->fail_reads = false;
		}
		a.check("after a copy that failed");
	}

	std::vector<certainty> sure_ = std::vector<certainty>(3);
	unsigned most_chances_ = 0;
};

// A program with so many chances must have foreseen something; under a sanitizer it may be too short to have them.
void run_program(context &t, unsigned chances)
{
	program p(t);
	bool quick = t.v.device & (device::host | device::host2);
	p.run(quick ? t.rounds(1200, 200000) : t.rounds(240, 20000));
	CHECK(foreseen() > 0 || p.most_chances() < chances);
}
// Where chance decides, foresight says no to a chunk once in three times.
constexpr unsigned one_chance = 1, many_chances = 20, no_matter = ~0u;

constexpr uint32_t devices = device::host | device::host2 | device::hostcb | device::opencl | device::opencl2 |
			     device::mixed | device::cuda | device::cuda2;
constexpr uint32_t kinds = kind::map | kind::library | kind::slice;
} // namespace

TEST(programs_that_are_learned, .traps = trap::all, .devices = devices, .kinds = kinds, .seconds = 60)
{
	restart_with(t, {"GPUVM_FORESIGHT=1"});
	run_program(t, no_matter);
}

TEST(programs_with_always, .traps = trap::all, .devices = devices, .kinds = kinds, .seconds = 60)
{
	restart_with(t, {"GPUVM_FORESIGHT=always"});
	run_program(t, one_chance);
}

TEST(programs_with_anything, .traps = trap::all, .devices = devices, .kinds = kinds, .seconds = 60)
{
	restart_with(t, {"GPUVM_FORESIGHT=random"});
	run_program(t, many_chances);
}

// Linux 6.1 can't show a page read-only.
TEST(programs_that_can_not_share, .traps = trap::uffd | trap::uffd_sigbus, .devices = device::host | device::hostcb,
     .kinds = kinds, .seconds = 60)
{
	restart_with(t, {"GPUVM_FORESIGHT=random", "GPUVM_UFFD_FEATURES=6.1"});
	run_program(t, many_chances);
}

namespace
{
// Repeats a loop whose host touches the first half.
template <typename F> void rounds_of(array &a, unsigned n, F host)
{
	for (unsigned i = 0; i < n; i++) {
		a.add_everywhere(0, 1);
		host();
	}
}

struct counts {
	unsigned long long touches = count_of(GPUVM_STAT_TOUCHES), home = count_of(GPUVM_STAT_BYTES_TO_HOST),
			   there = count_of(GPUVM_STAT_BYTES_TO_DEVICE), foreseen = ::foreseen();
	counts since() const
	{
		counts now;
		return {now.touches - touches, now.home - home, now.there - there, now.foreseen - foreseen};
	}
};
} // namespace

TEST(a_loop_takes_few_faults, .traps = trap::all, .devices = device::plain, .kinds = kind::map | kind::library)
{
	restart_with(t, {"GPUVM_FORESIGHT=eager"});
	fixture fx(t);
	array a(fx, t.v.kind, 64 * chunk);
	a.link();
	auto host = [&] { a.check(0, 32 * chunk); };
	rounds_of(a, 6, host);
	counts before;
	rounds_of(a, 64, host);
	counts c = before.since();
	// Four of the 32 chunks are asked in each eighth round, and one is a probe in each second round at the most.
	constexpr unsigned most = 64 / 8 * 4 + 64 / 2 + 8;
	CHECK_LE(c.touches, most);
	CHECK(c.foreseen >= 60ull * 28 * chunk);
	CHECK_LE(c.home, 64ull * 33 * chunk);
	// Before Linux 6.4 the host is the only owner of a chunk that it was asked about.
	CHECK_LE(c.there, most * chunk);
	CHECK(count_of(GPUVM_STAT_FORESEEN_USED) > 40ull * 32 * chunk);
	// This is what a read-ahead had brought, once.
	CHECK_LE(count_of(GPUVM_STAT_FORESEEN_IN_VAIN), 32ull * chunk);
}

TEST(what_is_written_stays_writable, .traps = trap::all, .devices = device::plain, .kinds = kind::map | kind::library)
{
	restart_with(t, {"GPUVM_FORESIGHT=eager"});
	fixture fx(t);
	array a(fx, t.v.kind, 16 * chunk);
	a.link();
	unsigned round = 0;
	auto host = [&] {
		for (size_t c = 0; c < 16; c++)
			a.write_on_host(c * chunk + 100, 1000, ++round);
	};
	rounds_of(a, 6, host);
	counts before;
	rounds_of(a, 32, host);
	CHECK_LE(before.since().touches, 4 * 2 * 2 + 8);
	a.check();
}

namespace
{
// The bit of GPUVM_FEATURE_ACCESSED in the module's parameter.
constexpr unsigned long tells_accesses = 8;

unsigned long features_of_module()
{
	FILE *f = fopen("/sys/module/gpuvm/parameters/features", "re");
	unsigned long mask = 0;
	if (!f || fscanf(f, "%lu", &mask) != 1)
		mask = 0;
	if (f)
		fclose(f);
	return mask;
}
} // namespace

// The module tells whether the host still uses what stays mapped: no touch waits, and nothing is sent or brought for
// asking, whether the host reads or writes.
TEST(what_is_asked_in_place_is_not_taken_away, .traps = trap::kmod, .devices = device::plain,
     .kinds = kind::map | kind::library)
{
	if (!(features_of_module() & tells_accesses))
		skip("the module does not tell accesses");
	restart_with(t, {"GPUVM_FORESIGHT=eager"});
	fixture fx(t);
	array a(fx, t.v.kind, 64 * chunk);
	a.link();
	unsigned round = 0;
	auto host = [&] {
		a.check(0, 32 * chunk);
		for (size_t c = 16; c < 24; c++)
			a.write_on_host(c * chunk + 100, 1000, ++round);
	};
	rounds_of(a, 8, host);
	counts before;
	rounds_of(a, 64, host);
	counts c = before.since();
	CHECK_EQ(c.touches, 0);
	CHECK_EQ(c.home, 64ull * 32 * chunk);
	CHECK_EQ(c.foreseen, c.home);
	CHECK(count_of(GPUVM_STAT_FORESEEN_USED) > 56ull * 32 * chunk);

	// All of it was of use until it stops; that is found out at one of the next eight ends.
	auto in_vain = count_of(GPUVM_STAT_FORESEEN_IN_VAIN);
	before = {};
	rounds_of(a, 64, [] {});
	CHECK_LE(before.since().home, 10ull * 32 * chunk);
	CHECK(count_of(GPUVM_STAT_FORESEEN_IN_VAIN) > in_vain);
	a.check();
}

namespace
{
// What the host writes is read by a kernel, which is shown all of it.
template <typename F> void rounds_of_input(array &a, unsigned n, F host)
{
	for (unsigned i = 0; i < n; i++) {
		host();
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
		a.check_buffer(0, "input of a kernel");
		CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	}
}
} // namespace

TEST(input_stays_writable, .traps = trap::all, .devices = device::plain, .kinds = kind::map | kind::library)
{
	restart_with(t, {"GPUVM_FORESIGHT=eager"});
	fixture fx(t);
	array a(fx, t.v.kind, 64 * chunk);
	a.link();
	unsigned round = 0;
	auto host = [&] {
		++round;
		for (size_t c = 0; c < 64; c++)
			a.write_on_host(c * chunk + 100, 1000, round);
	};
	rounds_of_input(a, 6, host);
	counts before;
	rounds_of_input(a, 32, host);
	counts c = before.since();
	// Sixteen groups of eight chunks, or fewer, are asked in each eighth round, and one chunk each second at most.
	CHECK_LE(c.touches, 32 / 8 * 8 + 32 / 2 + 8);
	CHECK_LE(c.there, 32ull * 64 * chunk);
	CHECK(count_of(GPUVM_STAT_LEFT_WRITABLE) >= 24ull * 48 * chunk);
	CHECK_EQ(count_of(GPUVM_STAT_LEFT_IN_VAIN), 0);
}

TEST(input_that_stays_the_same_is_sent_no_more, .traps = trap::best, .devices = device::plain, .kinds = kind::library)
{
	restart_with(t, {"GPUVM_FORESIGHT=eager"});
	fixture fx(t);
	array a(fx, t.v.kind, 64 * chunk);
	a.link();
	unsigned round = 0;
	rounds_of_input(a, 64, [&] { a.write_on_host(0, a.size(), ++round); });
	CHECK(count_of(GPUVM_STAT_LEFT_WRITABLE) > 0);
	counts before;
	rounds_of_input(a, 64, [] {});
	CHECK_LE(before.since().there, 8ull * 64 * chunk);
}

// Of kernels that read one input in turn only the last may find it written anew.
TEST(input_of_many_kernels_is_sent_once, .traps = trap::best, .devices = device::plain, .kinds = kind::library)
{
	restart_with(t, {"GPUVM_FORESIGHT=eager"});
	fixture fx(t);
	array a(fx, t.v.kind, 16 * chunk);
	a.link();
	unsigned round = 0;
	counts before;
	for (unsigned i = 0; i < 20; i++) {
		rounds_of_input(a, 1, [&] { a.write_on_host(0, a.size(), ++round); });
		rounds_of_input(a, 19, [] {});
	}
	CHECK_LE(before.since().there, 20ull * 16 * chunk);
}

TEST(a_host_that_stops_gets_little_more, .traps = trap::best, .devices = device::plain, .kinds = kind::library)
{
	restart_with(t, {"GPUVM_FORESIGHT=eager"});
	fixture fx(t);
	array a(fx, t.v.kind, 64 * chunk);
	a.link();
	rounds_of(a, 64, [&] { a.check(); });
	counts before;
	rounds_of(a, 64, [] {});
	CHECK_LE(before.since().home, 8ull * 64 * chunk);
	a.check();
}

TEST(off_means_off, .traps = trap::best, .devices = device::plain, .kinds = kind::library)
{
	restart_with(t, {"GPUVM_FORESIGHT=0"});
	fixture fx(t);
	array a(fx, t.v.kind, 8 * chunk);
	a.link();
	rounds_of(a, 20, [&] { a.check(); });
	CHECK_EQ(foreseen(), 0);
	CHECK_EQ(count_of(GPUVM_STAT_FORESEEN_USED), 0);
}

// A flag must turn foresight off whatever the environment says.
static void check_that_flag_means_off(context &t, int flag)
{
	restart_with(t, {"GPUVM_FORESIGHT=always"});
	fixture fx(t, GPUVM_STAT | flag);
	array a(fx, t.v.kind, 8 * chunk);
	a.link();
	rounds_of(a, 20, [&] { a.check(); });
	CHECK_EQ(foreseen(), 0);
}

TEST(a_flag_means_off, .traps = trap::best, .devices = device::host, .kinds = kind::library)
{
	check_that_flag_means_off(t, GPUVM_NO_FORESIGHT);
}

TEST(on_by_default, .traps = trap::best, .devices = device::plain, .kinds = kind::library)
{
	restart_with(t, {"GPUVM_FORESIGHT="});
	fixture fx(t);
	array a(fx, t.v.kind, 8 * chunk);
	a.link();
	rounds_of(a, 40, [&] { a.check(); });
	CHECK(foreseen() > 0);
}

// A program may touch thousands of arrays once. The history of so many chunks would be a mapping of its own.
TEST(a_single_touch_costs_no_memory, .traps = trap::best, .devices = device::host, .kinds = kind::library)
{
	restart_with(t, {"GPUVM_FORESIGHT=1", "GPUVM_CHUNK=4K"});
	fixture fx(t);
	array a(fx, t.v.kind, 10240 * page);
	a.link();
	auto bytes = count_of(GPUVM_STAT_BOOKKEEPING);
	a.add_everywhere(0, 1);
	a.check();
	rounds_of(a, 4, [] {});
	CHECK_EQ(count_of(GPUVM_STAT_BOOKKEEPING), bytes);
}

TEST(strict_mode_foresees_nothing, .traps = trap::best, .devices = device::host, .kinds = kind::library)
{
	check_that_flag_means_off(t, GPUVM_STRICT);
}

// A thread writes while the bytes come home. Whatever becomes of that write, after the end all copies agree: nothing
// that the next kernel finds is older than what the host then sees.
TEST(host_writes_beside_the_end, .traps = trap::all, .devices = device::host | device::hostcb,
     .kinds = kind::map | kind::library, .seconds = 40)
{
	skip_under_tsan("the host writes while the device's bytes come home");
	restart_with(t, {"GPUVM_FORESIGHT=random"});
	fixture fx(t);
	array a(fx, t.v.kind, 8 * chunk);
	a.link();
	std::atomic<bool> stop{false};
	auto write = [&](uint64_t seed) {
		random_source random(seed);
		while (!stop) {
			uint8_t *at = a.data() + random.below(8) * chunk + 8 * page;
			__atomic_store_n(at, uint8_t(random.below(256)), __ATOMIC_RELAXED);
			std::this_thread::yield();
		}
	};
	std::vector<uint8_t> seen(8), there(8);
	for (uint64_t round = 0; round < t.rounds(40, 1000); round++) {
		stop = false;
		std::thread writer(write, t.seed + round);
		for (unsigned i = 0; i < 8; i++) {
			CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
			fx.dev().run(0, a.buffer(0), {kernel::add, 0, a.size(), 1});
			CHECK_OK(gpuvm_kernel_end(a.data(), 0));
		}
		stop = true;
		writer.join();
		for (size_t c = 0; c < 8; c++)
			seen[c] = a.data()[c * chunk + 8 * page];
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
		for (size_t c = 0; c < 8; c++)
			fx.dev().read(0, a.buffer(0), c * chunk + 8 * page, &there[c], 1);
		CHECK_OK(gpuvm_kernel_end(a.data(), 0));
		CHECK_BYTES(there.data(), seen.data(), 8, "what the next kernel has");
	}
}
