// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/file_io.h"

#include <cerrno>
#include <sys/syscall.h>
#include <unistd.h>

namespace het
{

namespace
{

template <class Call> bool transfer_all(Call call, size_t n, off_t at)
{
	for (size_t done = 0; done < n;) {
		ssize_t more = call(done, n - done, at + off_t(done));
		if (more < 0 && errno == EINTR)
			continue;
		if (more <= 0)
			return false;
		done += size_t(more);
	}
	return true;
}

} // namespace

bool read_all(int fd, void *to, size_t n, off_t at)
{
	auto *p = static_cast<char *>(to);
	return transfer_all(
		[=](size_t done, size_t rest, off_t o) { return syscall(SYS_pread64, fd, p + done, rest, o); }, n, at);
}

bool write_all(int fd, const void *from, size_t n, off_t at)
{
	auto *p = static_cast<const char *>(from);
	return transfer_all(
		[=](size_t done, size_t rest, off_t o) { return syscall(SYS_pwrite64, fd, p + done, rest, o); }, n, at);
}

} // namespace het
