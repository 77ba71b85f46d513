// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "cache/store.h"

#include "cache/entry.h"
#include "cache/folder.h"
#include "os/clock.h"
#include "os/log.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>

namespace het::cache
{

namespace
{

// A sweep looks at every file. So there is one for each @swept_part of what may be there, on the average, and it leaves
// room for several times as much: that all of it is filled before the next one has a chance of exp(-8).
constexpr uint64_t swept_part = 64, spare_part = 8;
// An empty file takes so much of the disk.
constexpr uint64_t least_counted = 4096;

// The last digits of the clock are as good as chance.
uint32_t any_number()
{
	return uint32_t(now_ns() * 0x9e3779b97f4a7c15 >> 32);
}

bool read_all(int fd, std::byte *to, size_t size)
{
	while (size) {
		ssize_t n = read(fd, to, size);
		if (n <= 0)
			return false;
		to += n;
		size -= size_t(n);
	}
	return true;
}

bool write_new(int folder, const char *name, const key &k, bytes value)
{
	constexpr int how = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	descriptor file(openat(folder, name, how, S_IRUSR | S_IWUSR));
	return file.get() >= 0 && write_entry(file.get(), k, value);
}

// Puts an entry there whole, or not at all. Returns false, with the reason in errno, if it can't.
bool place(int folder, const key &k, bytes value)
{
	entry_name name = temporary_name();
	if (write_new(folder, name.text, k, value) && !renameat(folder, name.text, folder, name_of(k).text))
		return true;
	int why = errno;
	unlinkat(folder, name.text, 0);
	errno = why;
	return false;
}

} // namespace

// All bytes have the same chance, whichever processes write them, and nobody needs to count.
bool is_time_to_sweep(uint64_t size, uint64_t most, uint32_t random)
{
	const uint64_t each = std::max<uint64_t>(most / swept_part, 1);
	const uint64_t counted = std::min(std::max(size, least_counted), each);
	return double(random) < double(counted) / double(each) * 0x1p32;
}

contents store::get(const key &k) const
{
	descriptor folder = open_folder(folder_.c_str());
	descriptor file(folder.get() < 0 ? -1
					 : openat(folder.get(), name_of(k).text, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
	struct stat s;
	if (file.get() < 0 || fstat(file.get(), &s) || !S_ISREG(s.st_mode) || !is_trusted(s))
		return {};
	auto size = size_t(s.st_size);
	contents c = {std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[size]), {}};
	if (!c || !read_all(file.get(), c.memory.get(), size) || !read_entry({c.memory.get(), size}, k, c.value))
		return {};
	memmove(c.memory.get(), c.value.data(), c.value.size());
	c.value = {c.memory.get(), c.value.size()};
	futimens(file.get(), nullptr); // notes the use; it is of no consequence where that fails
	return c;
}

usage store::used() const
{
	descriptor folder = open_folder(folder_.c_str());
	return folder.get() < 0 ? usage{} : count(folder.get());
}

// The folder above must be the user's: one of root's in a user's home would shut the user out.
bool store::make_folder() const
{
	std::string above = folder_.substr(0, folder_.rfind('/'));
	mkdir(above.c_str(), S_IRWXU);
	struct stat s;
	if (stat(above.c_str(), &s))
		return false;
	if (s.st_uid == geteuid())
		return !mkdir(folder_.c_str(), S_IRWXU) || errno == EEXIST;
	errno = EPERM;
	return false;
}

void store::put(const key &k, bytes value) const
{
	const uint64_t kept = most_ - most_ / spare_part;
	if (folder_.empty() || value.size() > kept)
		return;
	descriptor folder = open_folder(folder_.c_str());
	if (folder.get() < 0 && errno == ENOENT && make_folder())
		folder = open_folder(folder_.c_str());
	if (folder.get() < 0 || !place(folder.get(), k, value))
		inform("%s: nothing can be kept there for later runs: %s", folder_.c_str(), strerror(errno));
	else if (is_time_to_sweep(value.size(), most_, any_number()))
		sweep(folder.get(), kept);
}

} // namespace het::cache
