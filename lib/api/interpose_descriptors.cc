// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// close, close_range, closefrom, dup2 and dup3 spare the library's descriptors: programs that close what they did not
// open (daemons, launchers) go on with their arrays. To close() these numbers are not open, and dup2() can't have them.
// A child that vfork() made has a table of its own, in which they are numbers like others.
#include "api/next_function.h"
#include "api/public.h"
#include "os/own_descriptor.h"

#include <cerrno>
#include <linux/close_range.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" int __close(int fd); // glibc's own
extern "C" int __dup2(int from, int to);

using namespace het;

namespace
{

// glibc has it since 2.34.
int raw_close_range(unsigned first, unsigned last, int flags)
{
	return int(syscall(SYS_close_range, first, last, flags));
}

next_function<int (*)(int)> next_close("close");
next_function<int (*)(unsigned, unsigned, int)> next_close_range("close_range", raw_close_range);
next_function<int (*)(int, int)> next_dup2("dup2");
next_function<int (*)(int, int, int)> next_dup3("dup3");

bool loaded;

// All may be called in signal handlers and between fork and exec, dlsym() may not.
__attribute__((constructor)) void find_next_functions()
{
	next_close.get();
	next_close_range.get();
	next_dup2.get();
	next_dup3.get();
	loaded = true;
}

int close_unless_ours(int fd)
{
	if (!is_own_descriptor(fd))
		return next_close.get()(fd);
	errno = EBADF;
	return -1;
}

// Closes those of a thread with a table of its own, too, where the flags ask for that.
int close_between_ours(unsigned first, unsigned last, int flags)
{
	int room[16];
	for (int own : own_descriptors(room)) {
		auto fd = unsigned(own);
		if (fd < first || fd > last)
			continue;
		if (fd > first && next_close_range.get()(first, fd - 1, flags))
			return -1;
		if (fd == last)
			return 0;
		first = fd + 1;
	}
	return next_close_range.get()(first, last, flags);
}

bool is_taken(int from, int to)
{
	bool taken = from != to && is_own_descriptor(to);
	if (taken)
		errno = EBUSY;
	return taken;
}

int dup2_unless_ours(int from, int to)
{
	return is_taken(from, to) ? -1 : next_dup2.get()(from, to);
}

} // namespace

// As with sigaction(), the thread sanitizer calls before it can bear instrumented code.
GPUVM_PUBLIC __attribute__((no_sanitize("thread"))) int close(int fd)
{
	return loaded ? close_unless_ours(fd) : __close(fd);
}

GPUVM_PUBLIC __attribute__((no_sanitize("thread"))) int dup2(int from, int to)
{
	return loaded ? dup2_unless_ours(from, to) : __dup2(from, to);
}

GPUVM_PUBLIC int dup3(int from, int to, int flags)
{
	return is_taken(from, to) ? -1 : next_dup3.get()(from, to, flags);
}

// Ours are closed at exec anyway.
GPUVM_PUBLIC int close_range(unsigned first, unsigned last, int flags)
{
	bool closes = first <= last && !(unsigned(flags) & CLOSE_RANGE_CLOEXEC);
	return closes ? close_between_ours(first, last, flags) : next_close_range.get()(first, last, flags);
}

GPUVM_PUBLIC void closefrom(int first)
{
	first = first < 0 ? 0 : first;
	if (!close_range(unsigned(first), ~0u, 0))
		return;
	for (int fd = first, end = getdtablesize(); fd < end; fd++)
		close(fd);
}
