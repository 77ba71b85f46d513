// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the host writes is sent ahead of the kernel that will need it. Programs of loops, whose hosts write in order and
// out of order, run against a reference model, with everything sent at once, with anything, and with what is learned;
// other cases look at what was sent, and at what must not be.
#include "harness/array_program.h"
#include "harness/fixture.h"
#include "harness/process.h"

#include <atomic>
#include <cstring>
#include <gpuvm.h>
#include <thread>
#include <unistd.h>

using namespace selftest;

namespace
{
constexpr size_t page = 4096, chunk = 64 << 10;

unsigned long long sent()
{
	return count_of(GPUVM_STAT_SENT_AHEAD);
}

enum action {
	sweep,
	sweep_down,
	sweep_by_threads,
	write_some,
	write_again,
	read_some,
	kernel_rw,
	kernel_ro,
	kernel_wo,
	range_rw,
	event_rw,
	alias_write,
	failing_copies,
	pause,
	fork_child,
	link_one_anew,
	link_anew,
	actions
};

const char *const action_names[] = {"sweep",         "sweep down",  "sweep by threads", "host write", "written again",
				    "host read",     "kernel RW",   "kernel RO",        "kernel WO",  "range RW",
				    "event",         "alias write", "failing copies",   "pause",      "fork",
				    "link one anew", "link anew"};
// Each weight is how often its action comes, out of their sum.
const unsigned weights[] = {16, 6, 4, 10, 6, 10, 16, 10, 3, 5, 3, 3, 3, 4, 1, 2, 1};
static_assert(std::size(weights) == actions && std::size(action_names) == actions);

class program final : array_program
{
      public:
	explicit program(context &t) : array_program(t, {action_names, weights}, {1, 7, 40})
	{
		if (host_faults *faults = fx_.dev().faults())
			faults->delay_us = 100;
	}

	void run(uint64_t steps)
	{
		while (number_ < steps) {
			std::vector<array_step> body(t_.random.between(2, 6));
			for (array_step &s : body)
				s = random_step();
			loop(body, unsigned(t_.random.between(1, 8)));
			for (array &a : arrays_)
				a.check("after a loop");
		}
	}

      private:
	void perform(const array_step &s) override
	{
		array &a = arrays_[s.which];
		kernel mix{kernel::mix, s.off, s.n, number_};
		switch (action(s.what)) {
		case sweep:
			write_all(a);
			break;
		case sweep_down:
			for (size_t end = a.size(); end; end -= std::min(end, chunk))
				write(a, end - std::min(end, chunk), end);
			break;
		case sweep_by_threads:
			write_by_threads(a);
			break;
		case write_some:
			a.write_on_host(s.off, s.n, unsigned(number_));
			break;
		case write_again:
			write_all(a);
			a.write_on_host(s.off, s.n, unsigned(number_));
			break;
		case read_some:
			a.check(s.off, s.n, "host read");
			break;
		case kernel_rw:
			a.kernel_on(s.dev, GPUVM_READ_WRITE, mix);
			break;
		case kernel_ro:
			CHECK_OK(gpuvm_kernel_begin(a.data(), s.dev, GPUVM_READ_ONLY));
			a.check_buffer(s.dev, "buffer in a read-only kernel");
			CHECK_OK(gpuvm_kernel_end(a.data(), s.dev));
			break;
		case kernel_wo:
			a.kernel_on(s.dev, GPUVM_WRITE_ONLY, {kernel::fill, 0, a.size(), number_});
			break;
		case range_rw:
			CHECK_OK(gpuvm_kernel_begin_range(a.data() + s.off, s.n, s.dev, GPUVM_READ_WRITE));
			a.run(s.dev, mix);
			CHECK_OK(gpuvm_kernel_end_range(a.data() + s.off, s.n, s.dev));
			break;
		case event_rw:
			end_by_event(a, s.dev);
			break;
		case alias_write:
			write_past_the_host(a, s.off, s.n);
			break;
		case failing_copies:
			fail_copies(a);
			break;
		case pause:
			usleep(unsigned(t_.random.below(500)));
			break;
		case fork_child:
			if (!with_tsan && !(t_.v.device & ~(device::host | device::host2 | device::hostcb)))
				expect_success(run_process(20, [&] { a.check("in a forked child"); }), "child");
			break;
		case link_one_anew:
			CHECK_OK(gpuvm_unlink(a.data(), s.dev));
			a.check("unlinked on one device");
			if (fx_.devices() > 1)
				a.link(s.dev);
			else
				a.link_everywhere();
			break;
		case link_anew:
			CHECK_OK(gpuvm_unlink(a.data(), GPUVM_ALL_DEVICES));
			a.check("unlinked");
			a.link_everywhere();
			break;
		case actions:
			break;
		}
	}

	void write(array &a, size_t begin, size_t end)
	{
		a.write_on_host(begin, end - begin, unsigned(number_ + begin));
	}

	void write_all(array &a)
	{
		for (size_t at = 0; at < a.size(); at += chunk)
			write(a, at, std::min(at + chunk, a.size()));
	}

	void write_by_threads(array &a)
	{
		constexpr size_t count = 3;
		size_t part = (a.size() + count - 1) / count;
		std::vector<std::thread> threads;
		for (size_t i = 0; i < count; i++)
			threads.emplace_back([&, i] {
				size_t end = std::min((i + 1) * part, a.size());
				for (size_t at = i * part; at < end; at += chunk / 4)
					write(a, at, std::min(at + chunk / 4, end));
			});
		for (std::thread &t : threads)
			t.join();
	}

	// Edges can't be copied back after the event.
	void end_by_event(array &a, unsigned dev)
	{
		if (has_edges(a))
			return;
		kernel add{kernel::add, 0, a.size(), number_};
		CHECK_OK(gpuvm_kernel_begin(a.data(), dev, GPUVM_READ_WRITE));
		void *event = fx_.dev().start(dev, a.buffer(dev), add);
		CHECK_OK(gpuvm_kernel_end_event(a.data(), dev, event));
		apply(add, a.model());
		a.write_on_host(0, std::min<size_t>(a.size(), 100), unsigned(number_));
		fx_.dev().finish(dev, event);
	}

	// A peer writes through the alias, as a network card would, for as long as until the next begin.
	void write_past_the_host(array &a, size_t off, size_t n)
	{
		void *alias = has_edges(a) ? nullptr : gpuvm_alias(a.data() + off);
		if (!alias)
			return;
		CHECK_OK(gpuvm_host_begin(a.data() + off, n, GPUVM_READ_WRITE));
		memset(alias, 1, n);
		write_all(a);
		memset(alias, int(number_), n);
		memset(a.model() + off, int(number_), n);
	}

	// Copies that fail while the host writes are nobody's business: the begin tries again.
	void fail_copies(array &a)
	{
		host_faults *faults = fx_.dev().faults();
		if (!faults)
			return;
		stderr_capture quiet;
		faults->fail_writes = true;
		write_all(a);
		usleep(200);
		faults->fail_writes = false;
	}
};

void run_program(context &t)
{
	program p(t);
	bool quick = t.v.device & (device::host | device::host2);
	p.run(quick ? t.rounds(700, 150000) : t.rounds(210, 20000));
}

constexpr uint32_t devices = device::host | device::host2 | device::hostcb | device::opencl | device::opencl2 |
			     device::mixed | device::cuda | device::cuda2;
constexpr uint32_t kinds = kind::map | kind::library | kind::slice;
} // namespace

TEST(programs_with_always, .traps = trap::all, .devices = devices, .kinds = kinds, .seconds = 60)
{
	restart_with(t, {"GPUVM_SEND_AHEAD=always", "GPUVM_FORESIGHT=eager"});
	run_program(t);
}

TEST(programs_with_anything, .traps = trap::all, .devices = devices, .kinds = kinds, .seconds = 60)
{
	restart_with(t, {"GPUVM_SEND_AHEAD=random", "GPUVM_FORESIGHT=always"});
	run_program(t);
}

TEST(programs_that_are_learned, .traps = trap::all, .devices = devices, .kinds = kinds, .seconds = 60)
{
	restart_with(t, {"GPUVM_SEND_AHEAD=eager", "GPUVM_FORESIGHT=random"});
	run_program(t);
}

// Linux 6.1 can't show a page read-only.
TEST(programs_that_can_not_share, .traps = trap::uffd | trap::uffd_sigbus, .devices = device::host | device::hostcb,
     .kinds = kinds, .seconds = 60)
{
	restart_with(t, {"GPUVM_SEND_AHEAD=always", "GPUVM_FORESIGHT=random", "GPUVM_UFFD_FEATURES=6.1"});
	run_program(t);
}

namespace
{
// 16 segments of so many chunks.
constexpr size_t segments = 16, segment = 2 * chunk;
// The module lets the host write to what it may read, so nobody would be told.
constexpr uint32_t telling_traps = trap::all & ~trap::kmod;

// The sender is asleep, or has not come to it; it will.
void wait_until_sent(unsigned long long bytes)
{
	while (sent() < bytes)
		usleep(100);
}

void write_segment(array &a, size_t i, unsigned seed)
{
	a.write_on_host(i * segment, segment, seed);
}

// Rounds whose hosts write all in order, with time for the sender.
void write_in_order(array &a, unsigned rounds, bool wait, int access = GPUVM_READ_WRITE)
{
	for (unsigned r = 0; r < rounds; r++) {
		auto before = sent();
		for (size_t i = 0; i < segments; i++) {
			write_segment(a, i, r * 100 + unsigned(i));
			if (wait && i)
				wait_until_sent(before + i * segment);
		}
		kernel add{kernel::add, 0, a.size(), r};
		if (access == GPUVM_READ_WRITE) {
			a.kernel_on(0, access, add);
			continue;
		}
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, access));
		a.check_buffer(0);
		CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	}
}

// What is learned takes three kernels, the pages of the next are watched.
constexpr unsigned to_learn = 8;
} // namespace

TEST(all_but_the_end_is_sent, .traps = telling_traps, .devices = device::plain, .kinds = kind::map | kind::library)
{
	restart_with(t, {"GPUVM_SEND_AHEAD=eager", "GPUVM_FORESIGHT=eager"});
	fixture fx(t);
	array a(fx, t.v.kind, segments * segment);
	a.link();
	for (int access : {GPUVM_READ_WRITE, GPUVM_READ_ONLY}) {
		write_in_order(a, to_learn, false, access);
		auto used = count_of(GPUVM_STAT_SENT_AHEAD_USED), there = count_of(GPUVM_STAT_BYTES_TO_DEVICE);
		auto in_vain = count_of(GPUVM_STAT_SENT_AHEAD_IN_VAIN), touches = count_of(GPUVM_STAT_TOUCHES);
		write_in_order(a, 4, true, access);
		CHECK_EQ(count_of(GPUVM_STAT_SENT_AHEAD_USED) - used, 4 * (segments - 1) * segment);
		CHECK_EQ(count_of(GPUVM_STAT_SENT_AHEAD_IN_VAIN), in_vain);
		CHECK_EQ(count_of(GPUVM_STAT_BYTES_TO_DEVICE) - there, 4 * segments * segment);
		// Foresight asks about a chunk now and then.
		CHECK_LE(count_of(GPUVM_STAT_TOUCHES) - touches, 4 * (segments + 20));
	}
	a.check();
}

TEST(what_is_written_twice_is_soon_left_alone, .traps = telling_traps, .devices = device::host, .kinds = kind::library)
{
	restart_with(t, {"GPUVM_SEND_AHEAD=eager", "GPUVM_FORESIGHT=eager"});
	fixture fx(t);
	array a(fx, t.v.kind, segments * segment);
	a.link();
	auto write_twice = [&](unsigned rounds) {
		for (unsigned r = 0; r < rounds; r++) {
			for (unsigned pass = 0; pass < 2; pass++) {
				for (size_t i = 0; i < segments; i++)
					write_segment(a, i, r * 100 + pass * 50 + unsigned(i));
			}
			a.add_everywhere(0, 1);
		}
	};
	write_twice(60);
	CHECK_LE(sent(), 60ull * segments * segment / 4);
	a.check();
}

TEST(what_host_begin_names_is_not_sent, .traps = telling_traps, .devices = device::host, .kinds = kind::library)
{
	restart_with(t, {"GPUVM_SEND_AHEAD=always", "GPUVM_FORESIGHT=eager"});
	fixture fx(t);
	array a(fx, t.v.kind, segments * segment);
	a.link();
	write_in_order(a, 3, false);
	CHECK_OK(gpuvm_host_begin(a.data(), a.size(), GPUVM_READ_WRITE));
	auto before = sent();
	for (size_t i = 0; i < segments; i++)
		write_segment(a, i, unsigned(i));
	usleep(20000);
	CHECK_EQ(sent(), before);
	a.add_everywhere(0, 1);
	// That was for one interval.
	while (sent() == before) {
		write_in_order(a, 1, false);
		usleep(100);
	}
	a.check();
}

namespace
{
void expect_nothing_sent(context &t, int flags)
{
	fixture fx(t, GPUVM_STAT | flags);
	array a(fx, t.v.kind, segments * segment);
	a.link();
	write_in_order(a, 20, false);
	a.check();
	CHECK_EQ(sent(), 0);
}
} // namespace

TEST(nobody_has_promised, .traps = trap::best, .devices = device::host, .kinds = kind::library)
{
	restart_with(t, {"GPUVM_SEND_AHEAD="});
	expect_nothing_sent(t, 0);
}

TEST(not_without_foresight, .traps = trap::best, .devices = device::host, .kinds = kind::library)
{
	restart_with(t, {"GPUVM_SEND_AHEAD=always"});
	expect_nothing_sent(t, GPUVM_NO_FORESIGHT);
}

TEST(not_in_strict_mode, .traps = trap::best, .devices = device::host, .kinds = kind::library)
{
	restart_with(t, {"GPUVM_SEND_AHEAD=always"});
	expect_nothing_sent(t, GPUVM_STRICT);
}

TEST(the_environment_wins, .traps = trap::best, .devices = device::host, .kinds = kind::library)
{
	restart_with(t, {"GPUVM_SEND_AHEAD=0"});
	expect_nothing_sent(t, GPUVM_SEND_AHEAD);
}

TEST(a_flag_lets_it_learn, .traps = trap::best, .devices = device::plain, .kinds = kind::library)
{
	restart_with(t, {"GPUVM_SEND_AHEAD="});
	fixture fx(t, GPUVM_STAT | GPUVM_SEND_AHEAD);
	array a(fx, t.v.kind, 8 << 20);
	a.link();
	// Behind some intervals without there are some with, whatever their times will say.
	for (unsigned r = 0; r < 2000 && !sent(); r++) {
		for (size_t at = 0; at < a.size(); at += chunk)
			a.write_on_host(at, 64, r + unsigned(at));
		usleep(1000);
		a.add_everywhere(0, 1);
	}
	a.check();
	CHECK(sent() > 0);
}

// Threads count in words of all chunks while these are sent, again and again. When they have stopped, the next kernel
// finds what the host sees.
TEST(no_write_is_lost, .traps = trap::all, .devices = device::host | device::hostcb, .kinds = kind::map | kind::library,
     .seconds = 40)
{
	restart_with(t, {"GPUVM_SEND_AHEAD=random", "GPUVM_FORESIGHT=always"});
	fixture fx(t);
	constexpr size_t chunks = 24, threads = 2;
	array a(fx, t.v.kind, chunks * chunk);
	a.link();
	std::vector<uint8_t> there(chunks * threads);
	auto word = [&](size_t c, size_t thread) { return c * chunk + (3 + thread) * page; };
	for (uint64_t round = 0; round < t.rounds(60, 2000); round++) {
		std::vector<std::thread> writers;
		for (size_t i = 0; i < threads; i++)
			writers.emplace_back([&, i] {
				random_source random(t.seed + round * threads + i);
				for (unsigned n = 0; n < 300; n++) {
					uint8_t *at = a.data() + word(random.below(chunks), i);
					__atomic_store_n(at, uint8_t(*at + 1), __ATOMIC_RELAXED);
				}
			});
		for (std::thread &w : writers)
			w.join();
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
		for (size_t i = 0; i < there.size(); i++)
			fx.dev().read(0, a.buffer(0), word(i / threads, i % threads), &there[i], 1);
		for (size_t i = 0; i < there.size(); i++)
			CHECK_EQ(there[i], a.data()[word(i / threads, i % threads)]);
		CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	}
}
