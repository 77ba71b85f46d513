// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/own_descriptor.h"

#include "os/lock.h"
#include "os/log.h"
#include "os/thread.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace het
{

namespace
{

constexpr size_t most = 16;

// Each has 1 added, so that a number is none before any constructor has run.
std::atomic<int> numbers[most];
std::atomic<pid_t> process{0};

void enter(int fd)
{
	process.store(getpid());
	for (auto &n : numbers) {
		int none = 0;
		if (n.compare_exchange_strong(none, fd + 1))
			return;
	}
}

void remove(int fd)
{
	for (auto &n : numbers) {
		int ours = fd + 1;
		n.compare_exchange_strong(ours, 0);
	}
}

bool identify(int fd, struct stat *s)
{
	return !syscall(SYS_fstat, fd, s);
}

// Programs get the lowest free number, and few have a thousand. The new number is not much above, since the table of
// numbers is as long as the highest one, and fork() copies it.
int move_out_of_the_way(int fd)
{
	rlimit limit{};
	getrlimit(RLIMIT_NOFILE, &limit);
	int end = int(std::min<rlim_t>(limit.rlim_cur, 1024));
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, end - end / 16);
	if (moved < 0)
		return fd;
	syscall(SYS_close, fd);
	return moved;
}

// Only one thread of the process does this; others that find out the same wait for the end.
[[noreturn]] void give_up(int fd)
{
	static std::atomic<pid_t> teller{0};
	pid_t self = getpid();
	while (teller.exchange(self) == self)
		pause();
	die("file descriptor %d, which libhet needs to keep arrays consistent, was closed by the program or became "
	    "another file, past the C library: the process ends before data is lost (close() and dup2() of the C "
	    "library, "
	    "close_range() and closefrom() leave it alone; link or preload libhet, and use these)",
	    fd);
}

} // namespace

own_descriptor::own_descriptor(int fd)
{
	struct stat s;
	if (fd < 0)
		return;
	fd_ = move_out_of_the_way(fd);
	if (identify(fd_, &s)) {
		device_ = s.st_dev;
		inode_ = s.st_ino;
	}
	enter(fd_);
}

bool own_descriptor::is_ours() const
{
	struct stat s;
	return identify(fd_, &s) && s.st_dev == device_ && s.st_ino == inode_;
}

void own_descriptor::check() const
{
	if (!is_ours())
		give_up(fd_);
}

void own_descriptor::reset()
{
	if (fd_ < 0)
		return;
	remove(fd_);
	if (is_ours())
		syscall(SYS_close, fd_);
	fd_ = -1;
}

bool is_own_descriptor(int fd)
{
	auto is_it = [fd](const auto &n) { return n.load(std::memory_order_relaxed) == fd + 1; };
	return fd >= 0 && std::any_of(std::begin(numbers), std::end(numbers), is_it) && process.load() == getpid();
}

std::span<int> own_descriptors(std::span<int> room)
{
	size_t count = 0;
	for (const auto &n : numbers) {
		int number = n.load() - 1;
		if (count < room.size() && is_own_descriptor(number))
			room[count++] = number;
	}
	std::sort(room.begin(), room.begin() + ssize_t(count));
	return room.first(count);
}

namespace
{

// 0 while it works, then 1, or 2 if there is no such table.
std::atomic<uint32_t> kept{0};

// Makes the table the calling thread's alone, with nothing but the library's files. What is above the highest is not
// even copied; the rest is the program's business, which must see the end of its pipes when it closes them.
bool take_table()
{
	int room[most];
	unsigned from = 0;
	std::span<int> ours = own_descriptors(room);
	if (ours.empty() || syscall(SYS_close_range, ours.back() + 1, ~0u, CLOSE_RANGE_UNSHARE))
		return false;
	for (int fd : ours) {
		if (unsigned(fd) > from)
			syscall(SYS_close_range, from, fd - 1, 0);
		from = unsigned(fd) + 1;
	}
	return true;
}

void keep(void *)
{
	bool taken = take_table();
	kept.store(taken ? 1 : 2);
	futex_wake(&kept, INT_MAX);
	static std::atomic<uint32_t> never{0};
	while (taken)
		futex_wait(&never, 0);
}

} // namespace

bool keep_own_descriptors()
{
	static bool started;
	started = started || start_thread("het-keeper", keep, nullptr);
	while (started && !kept.load())
		futex_wait(&kept, 0);
	return started;
}

void close_own_descriptors()
{
	for (auto &n : numbers) {
		if (int number = n.exchange(0))
			syscall(SYS_close, number - 1);
	}
}

} // namespace het
