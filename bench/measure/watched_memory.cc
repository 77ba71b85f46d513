// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/watched_memory.h"

#include "common/format.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

// Debian 12's headers are older than this flag.
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

namespace bench
{

namespace
{

// The library's resolvers have this priority.
constexpr int urgent_nice = -15;

void check(bool ok, const char *what)
{
	if (!ok)
		throw std::runtime_error(format("userfaultfd: %s: %s", what, strerror(errno)));
}

owned_mapping shared_memory(size_t nbytes)
{
	het::descriptor file(memfd_create("watched", MFD_CLOEXEC));
	check(file.get() >= 0 && !ftruncate(file.get(), off_t(nbytes)), "memfd");
	return {mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0), nbytes};
}

} // namespace

watched_memory::watched_memory(size_t nbytes, size_t chunk)
    : chunk_(chunk), uffd_(int(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY))),
      stop_(eventfd(0, EFD_CLOEXEC)), mapping_(shared_memory(nbytes))
{
	check(uffd_.get() >= 0 && stop_.get() >= 0, "open");
	check(bool(mapping_), "mmap");
	memset(mapping_.data(), 1, nbytes);
	watch();
	server_ = std::thread([this] { serve(); });
}

watched_memory::~watched_memory()
{
	eventfd_write(stop_.get(), 1);
	server_.join();
}

void watched_memory::watch() const
{
	uffdio_api api{};
	api.api = UFFD_API;
	api.features = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM;
	check(!ioctl(uffd_.get(), UFFDIO_API, &api), "API");
	uffdio_register all{};
	all.range = {uintptr_t(data()), size()};
	all.mode = UFFDIO_REGISTER_MODE_WP;
	check(!ioctl(uffd_.get(), UFFDIO_REGISTER, &all), "REGISTER");
}

void watched_memory::set_protection(char *at, size_t nbytes, bool on) const
{
	uffdio_writeprotect w{};
	w.range = {uintptr_t(at), nbytes};
	w.mode = on ? UFFDIO_WRITEPROTECT_MODE_WP : 0;
	check(!ioctl(uffd_.get(), UFFDIO_WRITEPROTECT, &w), "WRITEPROTECT");
}

void watched_memory::serve() const
{
	setpriority(PRIO_PROCESS, id_t(gettid()), urgent_nice);
	pollfd fds[] = {{uffd_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}};
	while (poll(fds, 2, -1) >= 0 && !fds[1].revents) {
		uffd_msg m;
		if (read(uffd_.get(), &m, sizeof(m)) != sizeof(m))
			continue;
		const size_t offset = (m.arg.pagefault.address - uintptr_t(data())) / chunk_ * chunk_;
		set_protection(data() + offset, chunk_, false);
	}
}

} // namespace bench
