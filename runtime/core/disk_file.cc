// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/disk_file.h"

#include "os/file_io.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace het::rt
{

namespace
{

constexpr mode_t usual_mode = S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH;

// The name still means the file that is open: another process may have put one in its place.
bool is_at(int fd, const char *path)
{
	struct stat ours, there;
	return !fstat(fd, &ours) && !stat(path, &there) && ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

// Opens the folder in which the file is.
int open_folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	if (!slash)
		return ::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char folder[PATH_MAX];
	const auto n = std::max(size_t(slash - path), size_t{1});
	if (n >= sizeof(folder)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(folder, path, n);
	folder[n] = 0;
	return ::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

} // namespace

// It is not to wait for somebody who writes a pipe.
disk_file::opened disk_file::open(const char *path, int how, unsigned mode)
{
	for (;;) {
		descriptor fd(::open(path, how | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode));
		if (fd.get() < 0)
			return errno == ENOENT ? opened::absent : opened::failed;
		struct stat s;
		if (fstat(fd.get(), &s))
			return opened::failed;
		if (!S_ISREG(s.st_mode)) {
			errno = EINVAL;
			return opened::failed;
		}
		// Who reads sees what ends with the generation that counted when it looked: that is never changed.
		if ((how & O_ACCMODE) != O_RDONLY && flock(fd.get(), LOCK_EX | LOCK_NB))
			return errno == EWOULDBLOCK ? opened::in_use : opened::failed;
		if (!rt::is_at(fd.get(), path))
			continue;
		fd_ = std::move(fd);
		return opened::yes;
	}
}

disk_file::opened disk_file::open(const char *path, bool read_only)
{
	return open(path, read_only ? O_RDONLY : O_RDWR, 0);
}

bool disk_file::is_at(const char *path) const
{
	return rt::is_at(fd_.get(), path);
}

// A group that can't be had gets no rights. Another owner is what root alone can give.
bool disk_file::take_rights_of(const disk_file &other)
{
	struct stat s;
	if (fstat(other.fd_.get(), &s))
		return false;
	const bool same_group = !fchown(fd_.get(), uid_t(-1), s.st_gid);
	(void)!fchown(fd_.get(), s.st_uid, gid_t(-1));
	return !fchmod(fd_.get(), s.st_mode & (S_IRWXU | S_IRWXO | (same_group ? S_IRWXG : 0)));
}

// Nobody else can open what is to have the rights of another before it has them. A link that somebody has put there is
// not followed.
disk_file::opened disk_file::make(const char *path, const disk_file *like)
{
	const opened o = open(path, O_RDWR | O_CREAT | O_NOFOLLOW, like ? S_IRUSR | S_IWUSR : usual_mode);
	return o == opened::yes && (!cut(0) || (like && !take_rights_of(*like))) ? opened::failed : o;
}

bool disk_file::put_in_place(const char *from, const char *to, bool replaces, bool *stands)
{
	*stands = !renameat2(AT_FDCWD, from, AT_FDCWD, to, replaces ? 0 : RENAME_NOREPLACE) ||
		  (errno == EINVAL && !rename(from, to)); // not all file systems know the flag
	if (!*stands)
		return false;
	descriptor folder(open_folder_of(to));
	return folder.get() >= 0 && !fsync(folder.get());
}

uint64_t disk_file::size() const
{
	struct stat s;
	return fstat(fd_.get(), &s) ? 0 : uint64_t(s.st_size);
}

bool disk_file::read(uint64_t at, std::span<std::byte> to)
{
	errno = EIO; // where the file is shorter than it was
	return read_all(fd_.get(), to.data(), to.size(), off_t(at));
}

bool disk_file::write(uint64_t at, checkpoint::bytes from)
{
	errno = EIO;
	return write_all(fd_.get(), from.data(), from.size(), off_t(at));
}

bool disk_file::sync()
{
	return !fdatasync(fd_.get());
}

bool disk_file::cut(uint64_t size)
{
	return !ftruncate(fd_.get(), off_t(size));
}

} // namespace het::rt
