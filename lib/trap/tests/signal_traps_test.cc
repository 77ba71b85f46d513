// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests the traps that catch touches by signals. A tiny core drives each of them.
#include "os/mapping.h"
#include "trap/tests/tiny_core.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

using namespace het;

namespace
{

struct kind {
	const char *name;
	std::unique_ptr<trap> (*make)(const touch_sink &, const char **);
};

class signal_trap_test : public testing::TestWithParam<kind>
{
      protected:
	// Returns null if the trap is not to be had here; why_ says why.
	std::unique_ptr<tiny_core> core(unsigned fetch_delay_us = 0)
	{
		auto c = std::make_unique<tiny_core>(GetParam().make, fetch_delay_us);
		why_ = c->why() ? c->why() : "";
		return c->why() ? nullptr : std::move(c);
	}

	std::string why_;
};

#define CORE(...)                       \
	auto owner = core(__VA_ARGS__); \
	if (!owner)                     \
		GTEST_SKIP() << why_;   \
	tiny_core &c = *owner

constexpr size_t page = tiny_core::page;
// A child process exits with this if the trap is not to be had.
constexpr int no_trap = 77;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// peek() and poke() race by intention.
char peek(const volatile char *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}
void poke(volatile char *p, char value)
{
	__atomic_store_n(p, value, __ATOMIC_RELAXED);
}

// Runs @body in a child process, and returns its result or -signal.
template <class F> int in_child(F body)
{
	pid_t child = fork();
	if (!child) {
		signal(SIGALRM, SIG_DFL);
		alarm(20);
		_exit(body());
	}
	int status = -1;
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

TEST_P(signal_trap_test, says_what_it_can_do)
{
	CORE();
	trap_features f = c.the_trap().features();
	EXPECT_STREQ(c.the_trap().name(), GetParam().name);
	EXPECT_FALSE(f.kernel_touches);
	EXPECT_EQ(f.stops_threads, GetParam().make == make_sigsegv_stop_trap);
}

TEST_P(signal_trap_test, a_process_has_one_of_them)
{
	auto owner = core();
	if (!owner)
		GTEST_SKIP() << why_;
	const char *why = nullptr;
	EXPECT_EQ(GetParam().make({}, &why), nullptr);
	EXPECT_NE(why, nullptr);
}

TEST_P(signal_trap_test, a_touch_brings_the_device_data)
{
	CORE();
	for (char value = 1; value < 20; value++) {
		c.give_to_device(value);
		unsigned fetched = c.fetches.load();
		EXPECT_EQ(c.primary()[5 * page + 3], value);
		EXPECT_EQ(c.primary()[4 * page], value);
		c.primary()[40 * page] = 99;
		EXPECT_EQ(c.primary()[40 * page + 1], value);
		EXPECT_EQ(c.alias()[40 * page], 99);
		EXPECT_EQ(c.fetches.load(), fetched + 2) << "one a chunk";
	}
}

TEST_P(signal_trap_test, the_fault_tells_a_write_from_a_read)
{
	CORE();
	c.give_to_device(1);
	unsigned reads = c.reads.load(), writes = c.writes.load();
	(void)c.primary()[0];
	EXPECT_GT(c.reads.load(), reads);
	EXPECT_EQ(c.writes.load(), writes);
	reads = c.reads.load();
	c.primary()[20 * page] = 1;
	EXPECT_GT(c.writes.load(), writes);
	EXPECT_EQ(c.reads.load(), reads);
	writes = c.writes.load();
	// It reads and writes, so it needs the right to write.
	__atomic_fetch_add(&c.primary()[30 * page], 1, __ATOMIC_RELAXED);
	EXPECT_GT(c.writes.load(), writes);
	EXPECT_EQ(c.primary()[30 * page], 2);
}

TEST_P(signal_trap_test, a_shared_page_is_read_freely_and_written_with_notice)
{
	CORE();
	if (!c.the_trap().features().shared_reads)
		GTEST_SKIP() << "not on this kernel";
	c.give_to_device(7);
	EXPECT_EQ(c.primary()[0], 7); // the touch shows the page read-only
	unsigned reads = c.reads.load(), writes = c.writes.load();
	for (size_t i = 0; i < tiny_core::chunk_bytes; i++)
		EXPECT_EQ(c.primary()[i], 7);
	EXPECT_EQ(c.reads.load(), reads);
	c.primary()[1] = 8;
	EXPECT_EQ(c.writes.load(), writes + 1);
	c.primary()[2] = 8;
	EXPECT_EQ(c.writes.load(), writes + 1) << "the page is the host's now";
}

TEST_P(signal_trap_test, protection_to_read_lets_reads_pass)
{
	CORE();
	for (size_t i = 0; i < tiny_core::pages; i++)
		c.primary()[i * page] = char(i);
	c.share();
	unsigned reads = c.reads.load(), writes = c.writes.load();
	for (size_t i = 0; i < tiny_core::pages; i++)
		EXPECT_EQ(c.primary()[i * page], char(i));
	EXPECT_EQ(c.reads.load(), reads);
	c.primary()[9 * page + 1] = 1;
	EXPECT_EQ(c.writes.load(), writes + 1);
	EXPECT_EQ(c.primary()[9 * page], 9);
}

TEST_P(signal_trap_test, locked_pages_are_revoked_too)
{
	CORE();
	if (mlock2(c.body().ptr(), 8 * page, MLOCK_ONFAULT)) // mlock() would touch the pages in the kernel
		GTEST_SKIP() << "mlock2: " << strerror(errno);
	c.give_to_device(3);
	EXPECT_EQ(c.primary()[0], 3);
}

TEST_P(signal_trap_test, kernel_mode_touches_are_refused)
{
	CORE();
	c.give_to_device(3);
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int pipes[2];
	ASSERT_EQ(pipe(pipes), 0);
	EXPECT_EQ(write(pipes[1], c.body().ptr(), 16), -1);
	EXPECT_EQ(errno, EFAULT);
	(void)c.primary()[0];
	EXPECT_EQ(write(pipes[1], c.body().ptr(), 16), 16) << "what is there is there for the kernel too";
	for (int f : {fd, pipes[0], pipes[1]})
		close(f);
}

TEST_P(signal_trap_test, errno_survives_a_touch)
{
	CORE();
	for (char v = 1; v < 20; v++) {
		c.give_to_device(v);
		errno = 4711;
		(void)c.primary()[0];
		EXPECT_EQ(errno, 4711);
	}
}

TEST_P(signal_trap_test, a_hundred_threads_touch_one_chunk)
{
	CORE(1000);
	for (char round = 1; round < 6; round++) {
		c.give_to_device(round);
		std::vector<std::thread> threads;
		std::atomic<unsigned> right{0};
		for (unsigned i = 0; i < 100; i++)
			threads.emplace_back([&, i] { right += c.primary()[i * 64] == round; });
		for (auto &t : threads)
			t.join();
		EXPECT_EQ(right.load(), 100u);
	}
}

TEST_P(signal_trap_test, threads_touch_everything_while_it_comes_and_goes)
{
	CORE();
	c.give_to_device(1);
	std::atomic<bool> stop{false};
	std::atomic<unsigned> wrong{0};
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < 8; i++)
		threads.emplace_back([&, i] {
			// The alias has '?' until a chunk has been fetched.
			for (size_t n = i; !stop.load(); n += 7)
				wrong += peek(c.primary() + (n % tiny_core::pages) * page + n % page) == '?';
		});
	for (char v = 64; v < 120; v++) {
		c.share();
		usleep(300);
		poke(c.primary() + (unsigned(v) % tiny_core::pages) * page, v);
		c.give_to_device(v);
		usleep(300);
	}
	stop.store(true);
	for (auto &t : threads)
		t.join();
	EXPECT_EQ(wrong.load(), 0u);
}

// A fault may be taken while the array is watched, and looked at after it became ordinary memory. That must not kill.
TEST_P(signal_trap_test, touches_survive_the_end_of_the_watch)
{
	CORE();
	c.think_us.store(50);
	std::atomic<bool> stop{false};
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < 4; i++)
		threads.emplace_back([&, i] {
			for (size_t n = i; !stop.load(); n++)
				poke(c.primary() + (n % tiny_core::pages) * page + i, 1);
		});
	for (unsigned round = 0; round < 60; round++) {
		c.forget();
		usleep(round % 4 * 50);
		c.know_again();
		usleep(round % 3 * 50);
	}
	stop.store(true);
	for (auto &t : threads)
		t.join();
	c.forget();
	unsigned touches = c.reads.load() + c.writes.load();
	for (size_t i = 0; i < tiny_core::pages; i++)
		c.primary()[i * page] = 2;
	EXPECT_EQ(c.reads.load() + c.writes.load(), touches) << "ordinary memory";
}

TEST_P(signal_trap_test, held_memory_can_be_read_and_writers_wait)
{
	CORE();
	auto *old = static_cast<volatile char *>(
		mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	range r = range_of(const_cast<char *>(old), 4 * page);
	for (unsigned round = 0; round < 20; round++) {
		for (size_t i = 0; i < 3; i++)
			old[i * page] = char(i); // the last page stays untouched in the first round
		c.set_held(r);
		ASSERT_EQ(c.the_trap().hold(r), 0);
		for (size_t i = 0; i < 3; i++)
			EXPECT_EQ(old[i * page], char(i));
		std::atomic<int> done{0};
		std::thread writer([&] {
			poke(old + page, 17);
			done.fetch_add(1);
		});
		std::thread late_page([&] {
			poke(old + 3 * page, 18);
			done.fetch_add(1);
		});
		usleep(2000);
		EXPECT_EQ(done.load(), 0);
		EXPECT_EQ(peek(old + page), 1);
		if (round % 2) {
			c.the_trap().unhold(r);
		} else { // another mapping takes the place, as after an adoption
			EXPECT_TRUE(map_private_at(r));
			c.the_trap().wake({r});
		}
		c.set_held({});
		writer.join();
		late_page.join();
		EXPECT_EQ(old[page], 17);
		EXPECT_EQ(old[3 * page], 18);
	}
	munmap(r.ptr(), r.size());
}

std::atomic<uintptr_t> programs_fault{0};

// Writes to a page that is not an array's, or to one of a failed device, and checks what the program's handler sees.
int foreign_fault(const kind &k, bool failed)
{
	bool by_sigbus = k.make == make_uffd_sigbus_trap;
	int empty = memfd_create("empty", MFD_CLOEXEC);
	void *p = mmap(nullptr, page, by_sigbus ? PROT_READ | PROT_WRITE : PROT_NONE, MAP_SHARED, empty, 0);
	auto *foreign = static_cast<volatile char *>(p);
	struct sigaction a = {};
	a.sa_flags = SA_SIGINFO;
	a.sa_sigaction = [](int, siginfo_t *info, void *) {
		programs_fault.store(reinterpret_cast<uintptr_t>(info->si_addr));
		mmap(reinterpret_cast<void *>(programs_fault.load() & ~(page - 1)), page, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	};
	sigaction(by_sigbus ? SIGBUS : SIGSEGV, &a, nullptr);
	tiny_core c(k.make);
	if (c.why())
		return no_trap;
	if (failed)
		c.set_failed(range_of(p, page));
	foreign[9] = 1;
	return programs_fault.load() == range_of(p, page).begin + 9 && foreign[9] == 1 ? 0 : 1;
}

TEST_P(signal_trap_test, other_faults_reach_the_program)
{
	for (bool failed : {false, true}) {
		int r = in_child([&] { return foreign_fault(GetParam(), failed); });
		if (r == no_trap)
			GTEST_SKIP() << "the trap is not to be had here";
		EXPECT_EQ(r, 0) << (failed ? "failed device" : "foreign memory");
	}
}

TEST_P(signal_trap_test, a_jump_into_an_array_ends_the_program)
{
	int r = in_child([&] {
		struct sigaction dfl = {};
		sigaction(SIGSEGV, &dfl, nullptr); // a sanitizer may have installed its own
		auto owner = core();
		if (!owner)
			return no_trap;
		owner->primary()[0] = char(0xc3);
		reinterpret_cast<void (*)()>(owner->body().begin)();
		return 0;
	});
	if (r == no_trap)
		GTEST_SKIP() << "the trap is not to be had here";
	EXPECT_EQ(r, -SIGSEGV);
}

// The kernel kills a thread that blocks the signal. This is documented, and better than a hang.
TEST_P(signal_trap_test, a_toucher_that_blocks_the_signal_is_killed)
{
	int r = in_child([&] {
		auto owner = core();
		if (!owner)
			return no_trap;
		owner->give_to_device(1);
		signals_blocked all;
		(void)owner->primary()[0];
		return 0;
	});
	if (r == no_trap)
		GTEST_SKIP() << "the trap is not to be had here";
	EXPECT_EQ(r, GetParam().make == make_uffd_sigbus_trap ? -SIGBUS : -SIGSEGV);
}

TEST_P(signal_trap_test, a_forked_child_has_no_trap)
{
	CORE();
	c.give_to_device(1);
	EXPECT_EQ(in_child([&] {
			  c.the_trap().forked_child();
			  struct sigaction now;
			  sigaction(GetParam().make == make_uffd_sigbus_trap ? SIGBUS : SIGSEGV, nullptr, &now);
			  return int(now.sa_flags & SA_SIGINFO && now.sa_flags & SA_ONSTACK &&
				     now.sa_flags & SA_RESTART);
		  }),
		  0);
	EXPECT_EQ(c.primary()[0], 1) << "the parent's still works";
}

INSTANTIATE_TEST_SUITE_P(traps, signal_trap_test,
			 testing::Values(kind{"uffd-sigbus", make_uffd_sigbus_trap}, kind{"sigsegv", make_sigsegv_trap},
					 kind{"sigsegv-stop", make_sigsegv_stop_trap}),
			 [](const auto &p) {
				 std::string name = p.param.name;
				 name.erase(name.find('-') == std::string::npos ? name.size() : name.find('-'), 1);
				 return name;
			 });

// Mappings run out at vm.max_map_count. That must be an error, and not a crash.
TEST(sigsegv_trap, too_many_mappings_are_an_error)
{
	if (sanitized)
		GTEST_SKIP() << "the sanitizer needs mappings too";
	EXPECT_EQ(in_child([] {
			  const char *why;
			  auto t = make_sigsegv_trap({[](touch) { return false; }}, &why);
			  size_t n = 200000 * page;
			  void *p = mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			  uintptr_t end = range_of(p, n).end;
			  for (uintptr_t at = range_of(p, n).begin; at < end; at += 2 * page)
				  if (int err = t->protect({{at, at + page}}, access::none))
					  return err == -ENOMEM ? 0 : 1;
			  return no_trap; // this system allows more mappings
		  }) % 77,
		  0);
}

} // namespace
