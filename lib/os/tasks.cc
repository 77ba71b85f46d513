// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/tasks.h"

#include "os/pool.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace het
{

namespace
{

constexpr char directory[] = "/proc/self/task";

// Reads a file of a thread's, which is "" if there is none.
template <size_t n> const char *read_of(pid_t tid, const char *file, char (&text)[n])
{
	char path[48];
	snprintf(path, sizeof(path), "%s/%d/%s", directory, int(tid), file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : ::read(fd, text, n - 1);
	if (fd >= 0)
		close(fd);
	text[std::max<ssize_t>(got, 0)] = 0;
	return text;
}

} // namespace

task_list::~task_list()
{
	if (tids_)
		pool().release(tids_, capacity_ * sizeof(pid_t));
}

bool task_list::append(pid_t tid)
{
	if (count_ == capacity_) {
		size_t larger = capacity_ ? 2 * capacity_ : 64;
		auto *p = pool_array<pid_t>(larger);
		if (!p)
			return false;
		std::copy_n(tids_, count_, p);
		if (tids_)
			pool().release(tids_, capacity_ * sizeof(pid_t));
		tids_ = p;
		capacity_ = larger;
	}
	tids_[count_++] = tid;
	return true;
}

bool task_list::read()
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	count_ = 0;
	alignas(dirent64) char buffer[4096];
	ssize_t n;
	bool all = true;
	while (all && (n = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0) {
		for (char *at = buffer; all && at < buffer + n; at += reinterpret_cast<dirent64 *>(at)->d_reclen) {
			const char *name = reinterpret_cast<dirent64 *>(at)->d_name;
			pid_t tid = 0;
			if (std::from_chars(name, name + strlen(name), tid).ec == std::errc())
				all = append(tid);
		}
	}
	close(fd);
	std::sort(tids_, tids_ + count_);
	return all && count_ > 0;
}

bool task_list::contains(pid_t tid) const
{
	return std::binary_search(tids_, tids_ + count_, tid);
}

size_t task_count()
{
	struct stat s;
	return stat(directory, &s) || s.st_nlink < 3 ? 0 : s.st_nlink - 2;
}

bool task_exists(pid_t tid)
{
	return !syscall(SYS_tgkill, getpid(), tid, 0);
}

bool task_sleeps(pid_t tid)
{
	char text[160];
	long call;
	unsigned long word, operation, value, limit;
	int fields =
		sscanf(read_of(tid, "syscall", text), "%ld %lx %lx %lx %lx", &call, &word, &operation, &value, &limit);
	return fields == 5 && call == SYS_futex && !limit;
}

bool task_ended(pid_t tid)
{
	char text[128];
	// The name, in parentheses, may hold any character.
	const char *name_end = strrchr(read_of(tid, "stat", text), ')');
	return !name_end || !strncmp(name_end, ") Z", 3) || !strncmp(name_end, ") X", 3);
}

pid_t this_task()
{
	return pid_t(syscall(SYS_gettid));
}

} // namespace het
