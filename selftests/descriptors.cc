// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Programs close every descriptor above 2, as daemons and launchers do, and use the numbers for files of their own.
// Where the C library does it the arrays go on; where the system is called directly the process ends with one sentence.
// In both cases no byte of the program's files changes, nothing is read from its sockets, and no stale byte is shown.
#include "harness/clock.h"
#include "harness/fixture.h"
#include "harness/pattern.h"
#include "harness/process.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace selftest;

extern char **environ;

namespace
{
constexpr size_t page = 4096, file_size = 1 << 20;
constexpr int numbers = 1024;
constexpr unsigned unshare_flag = 2, cloexec_flag = 4; // CLOSE_RANGE_UNSHARE and CLOSE_RANGE_CLOEXEC

// The library opens files in passing, as any library does, so some numbers must stay free.
bool stays_free(int n)
{
	return n >= 900 && n < 930;
}

void limit_numbers()
{
	rlimit limit = {numbers, numbers};
	CHECK_SYS(setrlimit(RLIMIT_NOFILE, &limit));
}

// The program has a file and a socket with bytes to read, which nobody else may change.
class belongings
{
      public:
	belongings()
	{
		char name[] = "/tmp/het-descriptors-XXXXXX";
		CHECK_SYS(file_ = mkstemp(name));
		unlink(name);
		bytes_.resize(file_size);
		fill_pattern(bytes_.data(), 0, file_size, 77);
		CHECK_EQ(pwrite(file_, bytes_.data(), file_size, 0), file_size);
		CHECK_SYS(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets_));
		CHECK_EQ(write(sockets_[0], bytes_.data(), unread), unread);
	}
	~belongings()
	{
		close(file_);
		close(sockets_[0]);
		close(sockets_[1]);
	}
	int file() const { return file_; }
	int socket() const { return sockets_[1]; }
	bool has(int fd) const { return fd == file_ || fd == sockets_[0] || fd == sockets_[1]; }
	void check() const
	{
		struct stat s;
		CHECK_EQ(fstat(file_, &s), 0);
		CHECK_EQ(s.st_size, file_size);
		std::vector<uint8_t> now(file_size);
		CHECK_EQ(pread(file_, now.data(), file_size, 0), file_size);
		CHECK_BYTES(now.data(), bytes_.data(), file_size, "the program's file");
		CHECK_EQ(lseek(file_, 0, SEEK_CUR), 0);
		for (int end : sockets_) {
			int waiting = -1;
			CHECK_SYS(ioctl(end, FIONREAD, &waiting));
			CHECK_EQ(waiting, end == sockets_[1] ? unread : 0);
		}
	}

      private:
	static constexpr int unread = 64;
	int file_, sockets_[2];
	std::vector<uint8_t> bytes_;
};

// There are arrays in each state that matters here.
struct arrays {
	explicit arrays(fixture &fx)
	    : at_home(fx, kind::mmapped, 70 * page), away(fx, kind::map, 70 * page), shared(fx, kind::slice, 70 * page),
	      written(fx, kind::library, 70 * page), later(fx, kind::map, file_size), stranger(fx, kind::map, 30 * page)
	{
		at_home.link();
		shared.link();
		away.link();
		written.link();
		use();
	}
	void use()
	{
		at_home.add_everywhere(0, 1);
		at_home.check();
		shared.kernel_on(0, GPUVM_READ_ONLY, {kernel::add, 0, 0, 0});
		away.add_everywhere(0, 3);
		written.add_everywhere(0, 4);
		written.write_on_host(10 * page, 100, 5);
	}
	void check()
	{
		for (array *a : {&at_home, &away, &shared, &written})
			a->check();
	}

	array at_home, away, shared, written, later, stranger;
};

// Does all that a program may go on with.
void live_on(fixture &fx, arrays &all)
{
	all.later.link();
	all.later.add_everywhere(0, 9);
	array fresh(fx, kind::library_huge, 2 << 20);
	fresh.link();
	fresh.add_everywhere(0, 1);
	expect_success(run_process(10, [&] { all.check(); }), "a child's arrays");
	all.check();
	all.later.check("linked afterwards");
	fresh.check("allocated afterwards");
	all.use();
	all.check();
	for (array *a : {&all.at_home, &all.away, &all.shared, &all.written, &all.later}) {
		a->add_everywhere(0, 1);
		a->unlink_everywhere();
		a->check("after unlink");
	}
}

void close_each()
{
	for (int fd = 3; fd < numbers; fd++)
		close(fd);
}

void put_everywhere(int fd)
{
	for (int n = 3; n < numbers; n++) {
		if (n == fd || stays_free(n))
			continue;
		if (dup2(fd, n) == -1)
			CHECK_EQ(errno, EBUSY);
		if (dup3(fd, n, O_CLOEXEC) == -1)
			CHECK_EQ(errno, EBUSY);
	}
}

void reopen_everywhere(const std::function<void()> &close_all)
{
	int memory = memfd_create("program", 0), other[2];
	CHECK_SYS(memory);
	CHECK_SYS(ftruncate(memory, file_size));
	std::vector<uint8_t> zeros(file_size), now(file_size);
	auto *mapped = static_cast<uint8_t *>(mmap(nullptr, file_size, PROT_READ, MAP_SHARED, memory, 0));
	CHECK(mapped != MAP_FAILED);
	close_all();
	// The numbers that are free now go to the program's own files.
	CHECK_SYS(memory = memfd_create("program again", 0));
	CHECK_SYS(ftruncate(memory, file_size));
	CHECK_SYS(socketpair(AF_UNIX, SOCK_STREAM, 0, other));
	put_everywhere(memory);
	CHECK_BYTES(mapped, zeros.data(), file_size, "the program's mapping");
}
} // namespace

// ---- through the C library: the program has closed what is its own, and goes on ----

namespace
{
void survives(const context &t, const std::function<void()> &close_all)
{
	limit_numbers();
	fixture fx(t);
	arrays all(fx);
	reopen_everywhere(close_all);
	live_on(fx, all);
}

void *unshared(void *close_all)
{
	(*static_cast<const std::function<void()> *>(close_all))();
	return nullptr;
}
} // namespace

TEST(each_is_closed, .traps = trap::all, .devices = device::host)
{
	skip_under_tsan("no threads after a fork");
	survives(t, close_each);
}

TEST(closefrom_3, .traps = trap::all, .devices = device::host)
{
	skip_under_tsan("no threads after a fork");
	survives(t, [] { closefrom(3); });
}

TEST(close_range_3_on, .traps = trap::all, .devices = device::host)
{
	skip_under_tsan("no threads after a fork");
	survives(t, [] { CHECK_SYS(close_range(3, ~0u, 0)); });
}

TEST(close_range_at_exec, .traps = trap::all, .devices = device::host)
{
	skip_under_tsan("no threads after a fork");
	survives(t, [] { CHECK_SYS(close_range(3, ~0u, cloexec_flag)); });
}

// A thread stops sharing the others' descriptors: it still has ours, and can call the library.
TEST(close_range_of_one_thread, .traps = trap::all, .devices = device::host)
{
	skip_under_tsan("no threads after a fork");
	limit_numbers();
	fixture fx(t);
	arrays all(fx);
	std::function<void()> alone = [&] {
		CHECK_SYS(close_range(3, ~0u, unshare_flag));
		CHECK(fcntl(3, F_GETFD) == -1);
		live_on(fx, all);
	};
	pthread_t thread;
	CHECK_EQ(pthread_create(&thread, nullptr, unshared, &alone), 0);
	CHECK_EQ(pthread_join(thread, nullptr), 0);
}

TEST(files_over_all_numbers, .traps = trap::all, .devices = device::host)
{
	skip_under_tsan("no threads after a fork");
	limit_numbers();
	belongings own;
	fixture fx(t);
	arrays all(fx);
	for (int fd = 3; fd < numbers; fd++)
		if (!own.has(fd))
			close(fd);
	for (int fd : {own.file(), own.socket()}) {
		for (int n = 3; n < numbers; n++)
			if (!own.has(n) && !stays_free(n) && dup2(fd, n) == -1)
				CHECK_EQ(errno, EBUSY);
		live_on(fx, all);
		for (array *a : {&all.at_home, &all.away, &all.shared, &all.written})
			a->link();
	}
	own.check();
}

// What a child closes is its own, and the parent's stays open.
TEST(children_close_all, .traps = trap::all, .devices = device::host)
{
	skip_under_tsan("no threads after a fork");
	limit_numbers();
	fixture fx(t);
	arrays all(fx);
	expect_success(run_process(10,
				   [&] {
					   reopen_everywhere(close_each);
					   for (int n = 3; n < numbers; n++)
						   CHECK(fcntl(n, F_GETFD) != -1 || stays_free(n));
					   all.check();
				   }),
		       "forked child");
	pid_t pid = vfork();
	if (!pid) {
		closefrom(3);
		for (int n = 3; n < numbers; n++)
			if (!stays_free(n))
				dup2(1, n);
		execl("/bin/true", "true", nullptr);
		_exit(127);
	}
	expect_success(wait_for(pid, 10), "vforked child");
	posix_spawn_file_actions_t actions;
	CHECK_EQ(posix_spawn_file_actions_init(&actions), 0);
	CHECK_EQ(posix_spawn_file_actions_addclosefrom_np(&actions, 3), 0);
	for (int n = 3; n < numbers; n++)
		if (!stays_free(n))
			CHECK_EQ(posix_spawn_file_actions_adddup2(&actions, 1, n), 0);
	char name[] = "/bin/true";
	char *command[] = {name, nullptr};
	CHECK_EQ(posix_spawn(&pid, name, &actions, nullptr, command, environ), 0);
	expect_success(wait_for(pid, 10), "spawned child");
	posix_spawn_file_actions_destroy(&actions);
	all.check();
	live_on(fx, all);
}

// ---- past the C library ----

namespace
{
struct use {
	const char *what;
	void (*run)(fixture &, arrays &);
	bool needs_descriptors; // true under the traps of userfaultfd and of the module
};

constexpr use uses[] = {
	{"read", [](fixture &, arrays &all) { all.away.check(); }, true},
	{"write",
	 [](fixture &, arrays &all) {
		 all.away.write_on_host(7, 20 * page, 6);
		 all.away.check();
	 },
	 true},
	{"touch at home", [](fixture &, arrays &all) { all.at_home.check(); }, false},
	{"kernel",
	 [](fixture &, arrays &all) {
		 all.shared.add_everywhere(0, 1);
		 all.shared.check();
	 },
	 false},
	{"link",
	 [](fixture &, arrays &all) {
		 all.later.link();
		 all.later.add_everywhere(0, 1);
		 all.later.check();
	 },
	 true},
	{"unlink",
	 [](fixture &, arrays &all) {
		 all.written.unlink_everywhere();
		 all.written.check();
	 },
	 false},
	{"give back",
	 [](fixture &, arrays &all) {
		 all.away.unlink_everywhere();
		 all.away.check();
	 },
	 true},
	{"allocate",
	 [](fixture &fx, arrays &) {
		 array fresh(fx, kind::library_huge, 2 << 20);
		 fresh.link();
		 fresh.add_everywhere(0, 1);
		 fresh.check();
	 },
	 true},
	{"fork", [](fixture &, arrays &all) { expect_success(run_process(10, [&] { all.check(); }), "child"); }, false},
};

void close_past_the_library(const belongings &own, bool at_once)
{
	int first = std::min(own.file(), own.socket()), last = std::max(own.file(), own.socket()) + 1;
	if (at_once) {
		CHECK_SYS(syscall(SYS_close_range, last + 1, ~0u, 0));
		for (int n = 3; n < first; n++)
			syscall(SYS_close, n);
		return;
	}
	for (int n = 3; n < numbers; n++)
		if (!own.has(n))
			syscall(SYS_close, n);
}

void put_past_the_library(const belongings &own, int fd)
{
	for (int n = 3; n < numbers; n++)
		if (!own.has(n) && !stays_free(n))
			syscall(SYS_dup3, fd, n, 0);
}

// Counts the library's lines in what a process has said.
unsigned complaints(const std::string &said)
{
	unsigned n = 0;
	for (size_t at = 0; (at = said.find("libhet: ", at)) != std::string::npos; at++)
		n++;
	return n;
}

// The program puts @cover over all numbers, or nothing if it is -1.
void ends_cleanly(const context &t, const belongings &own, const use &u, bool at_once, int cover)
{
	int said = memfd_create("said", 0);
	CHECK_SYS(said);
	ending e = run_process(10, [&] {
		fixture fx(t);
		arrays all(fx);
		CHECK_SYS(dup2(said, STDERR_FILENO));
		close_past_the_library(own, at_once);
		if (cover >= 0)
			put_past_the_library(own, cover);
		sleep_ms(5);
		u.run(fx, all);
	});
	if (e.exited(4))
		_exit(4);
	char text[4096] = "";
	CHECK(pread(said, text, sizeof text - 1, 0) >= 0);
	close(said);
	own.check();
	bool ended = e.killed_by(SIGABRT);
	if (!ended && !e.exited(0))
		FAIL("%s: %s; it said: %s", u.what, e.text().c_str(), text);
	if (u.needs_descriptors && !ended && !(t.v.trap & (trap::sigsegv | trap::sigsegv_stop)))
		FAIL("%s: it went on without the library's descriptors", u.what);
	if (complaints(text) != ended)
		FAIL("%s: not one sentence: %s", u.what, text);
	if (ended && (!strstr(text, "descriptor") || !strstr(text, "close_range()")))
		FAIL("%s: the sentence names no cause, or no cure: %s", u.what, text);
}
} // namespace

TEST(past_the_c_library, .traps = trap::all, .devices = device::host, .seconds = 60)
{
	skip_under_sanitizers("they have descriptors of their own, and abort() in their own way");
	limit_numbers();
	belongings own;
	for (const use &u : uses) {
		ends_cleanly(t, own, u, true, -1);
		ends_cleanly(t, own, u, false, own.file());
		ends_cleanly(t, own, u, true, own.socket());
	}
}
