// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/disk_file.h"

#include "fatbin/checksum.h"
#include "os/clock.h"
#include "os/file_io.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cinttypes>
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

// Opens the folder in which the file is, or makes a file without a name there.
int open_folder_of(const char *path, int how, unsigned mode = 0)
{
	const char *slash = strrchr(path, '/');
	if (!slash)
		return ::open(".", how | O_CLOEXEC, mode);
	char folder[PATH_MAX];
	const auto n = std::max(size_t(slash - path), size_t{1});
	if (n >= sizeof(folder)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(folder, path, n);
	folder[n] = 0;
	return ::open(folder, how | O_CLOEXEC, mode);
}

struct path_of_descriptor {
	explicit path_of_descriptor(int fd) { snprintf(text, sizeof(text), "/proc/self/fd/%d", fd); }
	char text[32];
};

// Returns a name that nothing has, most likely, with @path in front, or with what of it leaves room for the rest; null
// if there is no memory.
std::unique_ptr<char[]> name_beside(const char *path)
{
	static std::atomic<uint64_t> count{0};
	const uint64_t moment[] = {uint64_t(getpid()), now_ns(), uint64_t(time(nullptr)), count.fetch_add(1)};
	constexpr size_t added = sizeof(".new-") - 1 + 16;
	const char *slash = strrchr(path, '/');
	const size_t before = slash ? size_t(slash - path) + 1 : 0;
	const size_t kept = before + std::min(strlen(path + before), size_t{NAME_MAX} - added);
	const size_t room = kept + added + 1;
	std::unique_ptr<char[]> name(new (std::nothrow) char[room]);
	if (name)
		snprintf(name.get(), room, "%.*s.new-%016" PRIx64, int(kept), path,
			 fatbin::checksum(std::as_bytes(std::span(moment))));
	else
		errno = ENOMEM;
	return name;
}

constexpr int tries = 100;

// Moves a file to a name that nothing has. Where the file system can't do that in one step the file has both for a
// moment.
bool takes_free_name(const char *from, const char *to)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return true;
	if ((errno != EINVAL && errno != ENOSYS) || link(from, to))
		return false;
	(void)unlink(from);
	return true;
}

} // namespace

disk_file &disk_file::operator=(disk_file &&o) noexcept
{
	std::swap(fd_, o.fd_);
	std::swap(name_, o.name_);
	return *this;
}

disk_file::~disk_file()
{
	if (name_)
		unlink(name_.get());
}

// It is not to wait for somebody who writes a pipe.
disk_file::opened disk_file::open(const char *path, bool read_only)
{
	for (;;) {
		const int how = (read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
		descriptor fd(::open(path, how));
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
		if (!read_only && flock(fd.get(), LOCK_EX | LOCK_NB))
			return errno == EWOULDBLOCK ? opened::in_use : opened::failed;
		if (!rt::is_at(fd.get(), path))
			continue;
		fd_ = std::move(fd);
		return opened::yes;
	}
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

// Not all file systems know such files, and they get no name where there is no /proc.
bool disk_file::make_nameless(const char *path, unsigned mode)
{
	descriptor fd(open_folder_of(path, O_RDWR | O_TMPFILE, mode));
	struct stat s;
	if (fd.get() < 0 || stat(path_of_descriptor(fd.get()).text, &s))
		return false;
	fd_ = std::move(fd);
	return true;
}

bool disk_file::make_named(const char *path, unsigned mode)
{
	for (int i = 0; i < tries; i++) {
		std::unique_ptr<char[]> name = name_beside(path);
		if (!name)
			return false;
		descriptor fd(::open(name.get(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
		if (fd.get() < 0 && errno == EEXIST)
			continue;
		if (fd.get() < 0)
			return false;
		fd_ = std::move(fd);
		name_ = std::move(name);
		return true;
	}
	return false;
}

// Nobody else can open what is to have the rights of another before it has them.
bool disk_file::make(const char *path, const disk_file *like, bool named)
{
	const unsigned mode = like ? S_IRUSR | S_IWUSR : usual_mode;
	*this = disk_file();
	return ((!named && make_nameless(path, mode)) || make_named(path, mode)) &&
	       !flock(fd_.get(), LOCK_EX | LOCK_NB) && (!like || take_rights_of(*like));
}

// Gives a file without a name this one.
bool disk_file::get_name(const char *path)
{
	return !linkat(AT_FDCWD, path_of_descriptor(fd_.get()).text, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

bool disk_file::put_in_place(const char *path, bool replaces)
{
	if (!name_ && !replaces)
		return get_name(path);
	for (int i = 0; i < tries && !name_; i++) {
		std::unique_ptr<char[]> name = name_beside(path);
		if (!name || (!get_name(name.get()) && errno != EEXIST))
			return false;
		if (is_at(name.get()))
			name_ = std::move(name);
	}
	if (!name_)
		return false;
	if (replaces ? rename(name_.get(), path) : !takes_free_name(name_.get(), path))
		return false;
	name_ = nullptr;
	return true;
}

// Who may not read the folder, or where folders can't be synchronized, has all of the file system synchronized.
bool disk_file::sync_name(const char *path)
{
	descriptor folder(open_folder_of(path, O_RDONLY | O_DIRECTORY));
	if (folder.get() >= 0 && !fsync(folder.get()))
		return true;
	return errno == (folder.get() < 0 ? EACCES : EINVAL) && !syncfs(fd_.get());
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
