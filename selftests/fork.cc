// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A forked child has the arrays as they were at the moment of the fork, may write them, and disturbs nobody.
#include "harness/clock.h"
#include "harness/fixture.h"
#include "harness/pattern.h"
#include "harness/process.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace selftest;

extern char **environ;

namespace
{
constexpr size_t page = 4096;
constexpr uint32_t kinds = kind::map | kind::mmapped | kind::library | kind::slice;

// The function keeps its frame to itself: the parent comes back into what the child left of it.
__attribute__((noinline)) pid_t vfork_and_exec(const char *const *command)
{
	pid_t pid = vfork();
	if (pid == 0) {
		execve(command[0], const_cast<char **>(command), environ);
		_exit(127);
	}
	return pid;
}

// Waits for one byte from the other process.
void wait_for_byte(int fd)
{
	char c;
	CHECK_EQ(read(fd, &c, 1), 1);
}

void send_byte(int fd)
{
	CHECK_EQ(write(fd, "x", 1), 1);
}
} // namespace

TEST(child_has_the_contents, .traps = trap::all, .devices = device::single | device::host2, .kinds = kinds)
{
	skip_under_tsan("no threads after a fork");
	fixture fx(t);
	array a(fx, t.v.kind, 70 * page + 55);
	a.link_everywhere();
	for (int round = 0; round < 4; round++) {
		a.add_everywhere(fx.devices() - 1, 1);
		if (round == 1)
			a.check(10 * page, page); // brings a part home
		if (round == 2)
			a.write_on_host(33 * page, 100, 5);
		expect_success(run_process(10,
					   [&] {
						   a.check("child");
						   fill_pattern(a.data(), 0, a.size(), 99);
						   fill_pattern(a.model(), 0, a.size(), 99);
						   a.check("child after writing");
					   }),
			       "child");
		a.check("parent after the child wrote");
	}
}

TEST(child_and_parent_go_separate_ways, .traps = trap::all, .devices = device::plain, .kinds = kinds)
{
	skip_under_tsan("no threads after a fork");
	fixture fx(t);
	array a(fx, t.v.kind, 50 * page);
	a.link();
	a.add_everywhere(0, 1);
	int to_child[2], to_parent[2];
	CHECK_SYS(pipe(to_child));
	CHECK_SYS(pipe(to_parent));
	int pid = fork();
	CHECK_SYS(pid);
	if (pid == 0) {
		a.check(0, 20 * page, "child, first look");
		send_byte(to_parent[1]);
		wait_for_byte(to_child[0]); // waits until the parent has run kernels
		a.check("child, after kernels of the parent");
		a.write_on_host(0, a.size(), 50);
		send_byte(to_parent[1]);
		wait_for_byte(to_child[0]);
		a.check("child, at the end");
		_exit(0);
	}
	wait_for_byte(to_parent[0]);
	a.add_everywhere(0, 1);
	a.check("parent");
	a.add_everywhere(0, 1);
	send_byte(to_child[1]);
	wait_for_byte(to_parent[0]);
	a.check("parent, after the child wrote");
	a.write_on_host(0, a.size(), 60);
	a.add_everywhere(0, 1);
	send_byte(to_child[1]);
	expect_success(wait_for(pid, 10), "child");
	a.check("parent, at the end");
}

TEST(library_is_closed_in_the_child, .traps = trap::all, .devices = device::plain)
{
	skip_under_tsan("no threads after a fork");
	fixture fx(t);
	array a(fx, kind::map, 10 * page), other(fx, kind::map, page);
	a.link();
	a.add_everywhere(0, 1);
	expect_success(run_process(10,
				   [&] {
					   CHECK_ERR(gpuvm_link(other.data(), page, 0, other.buffer(0), GPUVM_ON_HOST),
						     GPUVM_ESTATE);
					   CHECK_ERR(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE), GPUVM_ESTATE);
					   CHECK_ERR(gpuvm_kernel_end(a.data(), 0), GPUVM_ESTATE);
					   CHECK_ERR(gpuvm_unlink(a.data(), 0), GPUVM_ESTATE);
					   CHECK_ERR(gpuvm_host_begin(a.data(), page, GPUVM_READ_ONLY), GPUVM_ESTATE);
					   CHECK(gpuvm_malloc(page, 0, GPUVM_NONE) == nullptr);
					   // It goes on as before, without the library.
					   a.check();
					   free(malloc(1000000));
				   }),
		       "child");
	a.add_everywhere(0, 1);
	a.check();
}

TEST(child_exits_normally, .traps = trap::all, .devices = device::host)
{
	skip_under_tsan("no threads after a fork");
	if (with_asan)
		skip("exit() would look for leaks");
	fixture fx(t);
	array a(fx, kind::slice, 30 * page);
	a.link();
	a.add_everywhere(0, 1);
	expect_success(run_process(10,
				   [&] {
					   a.check();
					   exit(0);
				   }),
		       "child that calls exit()");
	// Grandchildren get the arrays, too.
	expect_success(run_process(10,
				   [&] {
					   expect_success(run_process(5, [&] { a.check("grandchild"); }), "grandchild");
					   a.check("child");
				   }),
		       "child with a child");
	expect_killed_by(run_process(10, [] { abort(); }), SIGABRT, "child that aborts");
	a.check();
}

// What the parent did for the fork is over in the child: memory that it takes afterwards stays its own when it forks
// itself.
TEST(child_maps_and_forks, .traps = trap::all, .devices = device::host, .kinds = kind::map | kind::library)
{
	skip_under_tsan("no threads after a fork");
	fixture fx(t);
	array a(fx, t.v.kind, 30 * page);
	a.link();
	a.add_everywhere(0, 1);
	expect_success(run_process(10,
				   [&] {
					   std::vector<block> mine;
					   for (int i = 0; i < 8; i++) {
						   mine.emplace_back(kind::map, a.size());
						   fill_pattern(mine.back().data(), 0, a.size(), i);
					   }
					   expect_success(run_process(5, [] {}), "grandchild");
					   std::vector<uint8_t> model(a.size());
					   for (int i = 0; i < 8; i++) {
						   fill_pattern(model.data(), 0, a.size(), i);
						   CHECK_BYTES(mine[i].data(), model.data(), a.size(),
							       "child's memory");
					   }
					   a.check("child");
				   }),
		       "child with memory of its own");
	a.check();
}

TEST(freeing_in_the_child, .traps = trap::all, .devices = device::host, .kinds = kind::heap | kind::mmapped | kind::map)
{
	skip_under_tsan("no threads after a fork");
	fixture fx(t);
	array a(fx, t.v.kind, 30 * page);
	a.link();
	a.add_everywhere(0, 1);
	expect_success(run_process(10,
				   [&] {
					   uint8_t *p = a.data();
					   if (t.v.kind == kind::map) {
						   CHECK_SYS(munmap(p, a.size()));
						   return;
					   }
					   p = static_cast<uint8_t *>(realloc(p, 2 * a.size()));
					   CHECK_BYTES(p, a.model(), a.size(), "child after realloc");
					   free(p);
				   }),
		       "child that frees");
	a.check();
	a.add_everywhere(0, 1);
	a.check();
}

// Threads go on touching in the parent. Each page carries one generation number.
TEST(fork_beside_touches, .traps = trap::all, .devices = device::plain, .kinds = kinds)
{
	skip_under_tsan("no threads after a fork");
	fixture fx(t);
	const size_t pages = 40;
	array a(fx, t.v.kind, (pages + 1) * page), b(fx, t.v.kind, 30 * page, 9);
	const size_t start = -reinterpret_cast<uintptr_t>(a.data()) & 7;
	auto word = [&](size_t p) {
		return __atomic_load_n(reinterpret_cast<uint64_t *>(a.data() + start + p * page), __ATOMIC_RELAXED);
	};
	a.link();
	b.link();
	a.kernel_on(0, GPUVM_READ_WRITE, {kernel::stamp, start, a.size() - start, 1});
	b.add_everywhere(0, 1);
	std::atomic<bool> stop{false};
	std::atomic<uint64_t> newest{1}, finished{1};
	std::vector<std::thread> touchers;
	for (int i = 0; i < 3; i++)
		touchers.emplace_back([&, i] {
			random_source random(t.seed + i);
			while (!stop) {
				uint64_t oldest = finished, value = word(random.below(pages));
				if (value < oldest || value > newest)
					FAIL("parent: generation %llu, not %llu to %llu", (unsigned long long)value,
					     (unsigned long long)oldest, (unsigned long long)newest.load());
			}
		});
	for (uint64_t round = 0; round < t.rounds(20, 500); round++) {
		uint64_t g = newest = newest + 1;
		a.kernel_on(0, GPUVM_READ_WRITE, {kernel::stamp, start, a.size() - start, g});
		finished = g;
		expect_success(run_process(10,
					   [&] {
						   for (size_t p = 0; p < pages; p++)
							   if (word(p) != g)
								   FAIL("child: page %zu has generation %llu, not %llu",
									p, (unsigned long long)word(p),
									(unsigned long long)g);
						   b.check("child, second array");
					   }),
			       "child");
	}
	stop = true;
	for (auto &th : touchers)
		th.join();
	a.check();
	b.check();
}

TEST(fork_on_another_thread, .traps = trap::all, .devices = device::plain, .kinds = kind::map)
{
	skip_under_tsan("no threads after a fork");
	fixture fx(t);
	array a(fx, t.v.kind, 50 * page);
	a.link();
	std::atomic<bool> stop{false};
	std::thread forking([&] {
		while (!stop)
			expect_success(run_process(10, [] {}), "child of a thread");
	});
	for (uint64_t round = 0; round < t.rounds(60, 2000); round++) {
		a.add_everywhere(0, 1);
		a.check("beside forks");
		if (round % 4 == 0) {
			a.unlink_everywhere();
			a.link();
		}
	}
	stop = true;
	forking.join();
}

// More threads than the library has lanes for its callers make and remove links meanwhile.
TEST(fork_beside_link_and_unlink, .traps = trap::all, .devices = device::host, .kinds = kinds)
{
	skip_under_tsan("no threads after a fork");
	fixture fx(t);
	array a(fx, t.v.kind, 20 * page);
	a.link();
	std::atomic<bool> stop{false};
	std::vector<std::thread> others;
	for (unsigned i = 0; i < 12; i++)
		others.emplace_back([&, i] {
			array mine(fx, t.v.kind, 5 * page, i);
			for (uint64_t round = 0; !stop; round++) {
				mine.link();
				if (round % 8 == i % 8)
					mine.add_everywhere(0, 1);
				CHECK_OK(gpuvm_unlink(mine.data(), 0));
				mine.check("array of one thread");
			}
		});
	std::vector<std::thread> forking;
	for (unsigned i = 0; i < 3; i++)
		forking.emplace_back([&] {
			for (uint64_t round = 0; round < t.rounds(5, 300); round++)
				expect_success(run_process(10, [&] { a.check("child"); }), "child");
		});
	for (auto &th : forking)
		th.join();
	stop = true;
	for (auto &th : others)
		th.join();
	a.add_everywhere(0, 1);
	a.check();
}

namespace
{
constexpr int signals_of_masks[] = {SIGUSR1, SIGUSR2, SIGTERM};

bool only_blocked(int signal)
{
	sigset_t now;
	pthread_sigmask(SIG_SETMASK, nullptr, &now);
	for (int s : signals_of_masks)
		if (sigismember(&now, s) != (s == signal))
			return false;
	return true;
}
} // namespace

// Each thread has a mask of its own, which must be there after the fork, in parent and child.
TEST(signal_masks, .traps = trap::all, .devices = device::host)
{
	skip_under_tsan("no threads after a fork");
	fixture fx(t);
	array a(fx, kind::map, 10 * page);
	a.link();
	std::vector<std::thread> threads;
	for (int signal : signals_of_masks)
		threads.emplace_back([&, signal] {
			sigset_t mask;
			sigemptyset(&mask);
			sigaddset(&mask, signal);
			pthread_sigmask(SIG_SETMASK, &mask, nullptr);
			for (uint64_t round = 0; round < t.rounds(60, 2000); round++) {
				pid_t pid = fork();
				CHECK_SYS(pid);
				if (pid == 0)
					_exit(only_blocked(signal) ? 0 : 1);
				CHECK(only_blocked(signal));
				expect_success(wait_for(pid, 10), "child, whose mask should be its parent's");
			}
		});
	for (auto &th : threads)
		th.join();
}

namespace
{
// This thread runs kernels on an array, which leave one generation number in every page.
class stamper
{
      public:
	static constexpr size_t pages = 100;
	static constexpr size_t bytes = (pages + 1) * page;

	explicit stamper(fixture &fx, uint32_t kind) : array_(fx, kind, bytes)
	{
		memset(array_.data(), 0, bytes);
		array_.link();
		thread_ = std::thread([this] {
			while (!stop_)
				stamp();
		});
	}
	~stamper()
	{
		stop_ = true;
		thread_.join();
	}

	uint64_t finished() const { return finished_; }

	// A fork promises as little about an array that a kernel is writing as a touch does. Touches between two
	// kernels must not be seen half done.
	std::mutex kernel_runs;

	// The child calls this.
	void expect_one_version(uint64_t oldest) const
	{
		uint64_t first = word(0);
		if (first < oldest || first > newest_)
			FAIL("child: generation %llu, not %llu to %llu", (unsigned long long)first,
			     (unsigned long long)oldest, (unsigned long long)newest_.load());
		for (size_t p = 1; p < pages; p++)
			if (word(p) != first)
				FAIL("child: generation %llu in page 0, %llu in page %zu", (unsigned long long)first,
				     (unsigned long long)word(p), p);
	}

      private:
	uint64_t word(size_t p) const
	{
		auto at = reinterpret_cast<const uint64_t *>(array_.data() + start() + p * page);
		return __atomic_load_n(at, __ATOMIC_RELAXED);
	}
	size_t start() const { return -reinterpret_cast<uintptr_t>(array_.data()) & 7; }

	void stamp()
	{
		const uint64_t g = newest_ = newest_ + 1;
		{
			std::lock_guard running(kernel_runs);
			CHECK_OK(gpuvm_kernel_begin(array_.data(), 0, GPUVM_READ_WRITE));
			array_.run(0, {kernel::stamp, start(), bytes - start(), g});
			CHECK_OK(gpuvm_kernel_end(array_.data(), 0));
		}
		finished_ = g;
		if (g % 3 == 0)
			CHECK_EQ(word(g % pages), g);
	}

	array array_;
	std::atomic<uint64_t> newest_{0}, finished_{0};
	std::atomic<bool> stop_{false};
	std::thread thread_;
};
} // namespace

// Other threads go on with kernels: the child has each array as one of them left it.
TEST(fork_beside_kernels, .traps = trap::all, .devices = device::single, .kinds = kinds)
{
	skip_under_tsan("no threads after a fork");
	fixture fx(t);
	stamper first(fx, t.v.kind), second(fx, t.v.kind);
	for (uint64_t round = 0; round < t.rounds(15, 500); round++) {
		uint64_t oldest_of_first = first.finished(), oldest_of_second = second.finished();
		auto look = [&] {
			first.expect_one_version(oldest_of_first);
			second.expect_one_version(oldest_of_second);
		};
		std::scoped_lock none_runs(first.kernel_runs, second.kernel_runs);
		expect_success(run_process(10, look), "child");
	}
}

// A thread that forks in the middle of a kernel of its own must not wait for the end.
TEST(fork_inside_a_kernel, .traps = trap::all, .devices = device::single | device::host2, .kinds = kinds)
{
	skip_under_tsan("no threads after a fork");
	fixture fx(t);
	array a(fx, t.v.kind, 50 * page), b(fx, t.v.kind, 30 * page);
	a.link_everywhere();
	b.link_everywhere();
	for (int access : {GPUVM_READ_ONLY, GPUVM_READ_WRITE, GPUVM_WRITE_ONLY, GPUVM_READ_WRITE}) {
		b.add_everywhere(0, 1);
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, access));
		expect_success(run_process(10, [&] { b.check("child, array without a kernel"); }), "child");
		if (access != GPUVM_READ_ONLY)
			a.run(0, {kernel::fill, 0, a.size(), uint64_t(access)});
		CHECK_OK(gpuvm_kernel_end(a.data(), 0));
		a.check();
		b.check();
		a.add_everywhere(0, 1); // the next begin finds it on the device
	}
}

TEST(spawn_and_exec, .traps = trap::all, .devices = device::plain, .kinds = kinds)
{
	skip_under_tsan("no threads after a fork");
	fixture fx(t);
	array a(fx, t.v.kind, 50 * page);
	a.link();
	for (int round = 0; round < 5; round++) {
		a.add_everywhere(0, 1);
		const char *const command[] = {"/bin/true", nullptr};
		pid_t pid;
		CHECK_EQ(posix_spawn(&pid, command[0], nullptr, nullptr, const_cast<char **>(command), environ), 0);
		expect_success(wait_for(pid, 10), "posix_spawn");
		CHECK_EQ(system("true"), 0);
		pid = vfork_and_exec(command);
		expect_success(wait_for(pid, 10), "vfork and exec");
		pid = fork();
		if (pid == 0) {
			execve(command[0], const_cast<char **>(command), environ);
			_exit(127);
		}
		expect_success(wait_for(pid, 10), "fork and exec");
		a.check("after children that execute other programs");
	}
}

// The kernel reads the arguments from an array at the moment of the exec.
TEST(exec_with_arguments_in_an_array, .traps = trap::all, .devices = device::host, .kinds = kind::map)
{
	skip_under_tsan("no threads after a fork");
	fixture fx(t);
	array a(fx, t.v.kind, 4 * page);
	memset(a.data(), 0, a.size());
	strcpy(reinterpret_cast<char *>(a.data()), "/bin/true");
	memcpy(a.model(), a.data(), a.size());
	a.link();
	a.add_everywhere(0, 1);
	a.add_everywhere(0, 255);
	expect_success(run_process(10,
				   [&] {
					   auto name = reinterpret_cast<char *>(a.data());
					   execl(name, name, nullptr);
					   FAIL("exec: %s", strerror(errno));
				   }),
		       "exec of a name that the device wrote");
	a.check();
}

// With GPUVM_FORK_COPY=0 children don't get the bodies. A touch of one ends with a signal, and shows no wrong bytes.
TEST(switched_off, .traps = trap::all, .devices = device::host, .kinds = kind::map | kind::library)
{
	skip_under_tsan("no threads after a fork");
	restart_with(t, {"GPUVM_FORK_COPY=0"});
	fixture fx(t);
	array a(fx, t.v.kind, 50 * page);
	a.link();
	a.add_everywhere(0, 1);
	auto before = count_of(GPUVM_STAT_BYTES_TO_HOST);
	expect_success(run_process(10, [] {}), "child that touches nothing");
	CHECK_EQ(count_of(GPUVM_STAT_BYTES_TO_HOST), before); // nothing was brought home for the fork
	ending e = run_process(10, [&] {
		signal(SIGSEGV, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		a.check("child");
	});
	if (!e.exited(0) && !e.killed_by(SIGSEGV) && !e.killed_by(SIGBUS))
		FAIL("child that touches: %s", e.text().c_str());
	a.check("parent");
	a.add_everywhere(0, 1);
	a.check("parent, later");
}
