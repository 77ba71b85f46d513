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

// Nobody writes one entry for so long.
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

// All entries. Others may remove them at any moment.
std::vector<found> list(int folder, DIR *d)
{
	std::vector<found> all;
	while (const dirent *e = readdir(d)) {
		file_kind kind = kind_of(e->d_name);
		struct stat s;
		if (kind == file_kind::foreign || fstatat(folder, e->d_name, &s, AT_SYMLINK_NOFOLLOW))
			continue;
		if (kind == file_kind::entry)
			all.push_back({s.st_mtim, uint64_t(s.st_size), e->d_name});
		else if (time(nullptr) - s.st_mtime > abandoned_s)
			unlinkat(folder, e->d_name, 0);
	}
	return all;
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

void sweep(int folder, uint64_t most)
{
	// readdir() moves along the file that it is given, and closes it.
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? nullptr : fdopendir(copy);
	if (!d)
		return;
	std::vector<found> all = list(folder, d);
	closedir(d);
	std::ranges::sort(all, is_older);
	uint64_t bytes = 0;
	for (const found &f : all)
		bytes += f.size;
	for (const found &f : all) {
		if (bytes <= most)
			return;
		unlinkat(folder, f.name.c_str(), 0);
		bytes -= f.size;
	}
}

} // namespace het::cache
