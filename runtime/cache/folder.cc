// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "cache/folder.h"

#include "cache/entry.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <vector>

namespace het::cache
{

namespace
{

// Nobody takes so long to write one entry.
constexpr time_t abandoned_s = 3600;

struct found {
	timespec used;
	uint64_t size;
	std::string name;
};

bool is_older(const found &a, const found &b)
{
	return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec : a.used.tv_nsec < b.used.tv_nsec;
}

// Calls @f(name, status) for all that is the store's. Others may remove it at any moment.
template <class F> void for_files(int folder, F f)
{
	// readdir() moves along the file that it is given, and closedir() closes it.
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? nullptr : fdopendir(copy);
	if (!d)
		return;
	struct stat s;
	while (const dirent *e = readdir(d))
		if (kind_of(e->d_name) != file_kind::foreign && !fstatat(folder, e->d_name, &s, AT_SYMLINK_NOFOLLOW))
			f(e->d_name, s);
	closedir(d);
}

} // namespace

bool is_trusted(const struct stat &s)
{
	return (s.st_uid == geteuid() || s.st_uid == 0) && !(s.st_mode & (S_IWGRP | S_IWOTH));
}

descriptor open_folder(const char *name)
{
	descriptor folder(open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	struct stat s;
	if (folder.get() < 0 || fstat(folder.get(), &s))
		return descriptor(-1);
	if (is_trusted(s))
		return folder;
	errno = EPERM;
	return descriptor(-1);
}

usage count(int folder)
{
	usage all;
	for_files(folder, [&](const char *name, const struct stat &s) {
		all.entries += kind_of(name) == file_kind::entry;
		all.bytes += uint64_t(s.st_size);
	});
	return all;
}

void sweep(int folder, uint64_t most)
{
	std::vector<found> all;
	uint64_t bytes = 0;
	time_t now = time(nullptr);
	for_files(folder, [&](const char *name, const struct stat &s) {
		if (kind_of(name) == file_kind::entry) {
			all.push_back({s.st_mtim, uint64_t(s.st_size), name});
			bytes += uint64_t(s.st_size);
		} else if (now - s.st_mtime > abandoned_s) {
			unlinkat(folder, name, 0);
		}
	});
	std::ranges::sort(all, is_older);
	for (const found &f : all) {
		if (bytes <= most)
			return;
		unlinkat(folder, f.name.c_str(), 0);
		bytes -= f.size;
	}
}

} // namespace het::cache
