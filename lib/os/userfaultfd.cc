// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/userfaultfd.h"

#include "os/mapping.h"
#include "os/settings.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// Debian 12's headers are older than this.
#ifndef USERFAULTFD_IOC_NEW
#define USERFAULTFD_IOC_NEW _IO(0xAA, 0x00)
#endif
#ifndef UFFDIO_CONTINUE_MODE_WP
#define UFFDIO_CONTINUE_MODE_WP ((__u64)1 << 1)
#endif
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24
#endif

namespace het
{

namespace
{

constexpr uint64_t needed_features = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_MISSING_SHMEM |
				     UFFD_FEATURE_MINOR_SHMEM | UFFD_FEATURE_WP_HUGETLBFS_SHMEM;
// These are for huge pages, and only some processors have them.
constexpr uint64_t hugetlb_features = UFFD_FEATURE_MISSING_HUGETLBFS | UFFD_FEATURE_MINOR_HUGETLBFS;
// Linux 6.1 knows no others.
constexpr uint64_t features_6_1 = 0x1fff;

struct way {
	const char *name;
	bool kernel_mode;
	int (*open)();
};

int open_device()
{
	int dev = ::open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
	if (dev < 0)
		return -1;
	int fd = ioctl(dev, USERFAULTFD_IOC_NEW, O_CLOEXEC | O_NONBLOCK);
	int saved = errno;
	close(dev);
	errno = saved;
	return fd;
}

int open_syscall()
{
	return int(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK));
}
int open_user_mode()
{
	return int(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY));
}

constexpr way ways[] = {
	{"dev", true, open_device},
	{"syscall", true, open_syscall},
	{"user", false, open_user_mode},
};

// UFFDIO_API can be called once a descriptor, so what is supported is asked on one and used on another.
uint64_t supported_features(const way &w)
{
	int fd = w.open();
	if (fd < 0)
		return 0;
	uffdio_api api{.api = UFFD_API, .features = 0, .ioctls = 0};
	int err = ioctl(fd, UFFDIO_API, &api);
	close(fd);
	if (err)
		return 0;
	return settings().kernel_6_1 ? api.features & features_6_1 : api.features;
}

// Most operations refuse a range that spans mappings with ENOENT. Then this does its halves, both in any case. The
// answer is the first half's, or the second's error; that its first page was mapped is none.
template <class Operation> int on_each_mapping(range r, Operation operation)
{
	int err = operation(r);
	if (err != -ENOENT || r.size() <= page_size())
		return err;
	// Huge pages stay whole: they are refused in part.
	uintptr_t middle = round_down(r.begin + r.size() / 2, huge_page);
	if (middle <= r.begin)
		middle = round_down(r.begin + r.size() / 2, page_size());
	err = on_each_mapping({r.begin, middle}, operation);
	int second = on_each_mapping({middle, r.end}, operation);
	return err ? err : (second == -EEXIST ? 0 : second);
}

int result(int r)
{
	return r < 0 ? -errno : 0;
}

} // namespace

std::optional<userfaultfd> userfaultfd::open(uint64_t extra, const char **why)
{
	*why = "userfaultfd can't be opened: run 'make setup' as root (rights for /dev/userfaultfd), or set "
	       "vm.unprivileged_userfaultfd=1";
	const char *only = settings().uffd_open;
	for (const way &w : ways) {
		if (only && strcmp(only, w.name))
			continue;
		uint64_t have = supported_features(w);
		if (!have)
			continue;
		if (~have & (needed_features | extra)) {
			*why = "this kernel's userfaultfd lacks minor faults or write protection on shared memory "
			       "(Linux "
			       "5.19 has them)";
			continue;
		}
		own_descriptor file(w.open());
		uint64_t wanted = needed_features | extra | (have & hugetlb_features);
		uffdio_api api{.api = UFFD_API, .features = wanted, .ioctls = 0};
		if (!file || ioctl(file.get(), UFFDIO_API, &api))
			continue;
		userfaultfd u(std::move(file), w.kernel_mode);
		u.continue_wp_ = !settings().kernel_6_1 && u.probe_continue_wp();
		*why = nullptr;
		return u;
	}
	return std::nullopt;
}

// No file but a userfaultfd knows these requests, and refuses them without harm. One of the program's could only be
// made to watch memory of ours, or no longer to watch its own.
int userfaultfd::call(unsigned long request, void *arg) const
{
	bool can_harm = request == UFFDIO_REGISTER || request == UFFDIO_UNREGISTER;
	int err = result(ioctl(can_harm ? file_.get() : file_.number(), request, arg));
	if (err)
		file_.check();
	return err;
}

int userfaultfd::register_shared(range r) const
{
	uffdio_register reg{.range = {r.begin, r.size()},
			    .mode = UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_MINOR | UFFDIO_REGISTER_MODE_WP,
			    .ioctls = 0};
	return call(UFFDIO_REGISTER, &reg);
}

int userfaultfd::register_private(range r) const
{
	uffdio_register reg{.range = {r.begin, r.size()},
			    .mode = UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP,
			    .ioctls = 0};
	return call(UFFDIO_REGISTER, &reg);
}

int userfaultfd::unregister(range r) const
{
	uffdio_range u{r.begin, r.size()};
	return call(UFFDIO_UNREGISTER, &u);
}

int userfaultfd::write_protect(range r, bool on) const
{
	return on_each_mapping(r, [&](range part) {
		uffdio_writeprotect wp{.range = {part.begin, part.size()},
				       .mode = on ? UFFDIO_WRITEPROTECT_MODE_WP : 0ull};
		int err;
		// EAGAIN says that the address space is being changed under us (fork, mremap), which ends by itself.
		do
			err = call(UFFDIO_WRITEPROTECT, &wp);
		while (err == -EAGAIN);
		return err;
	});
}

int userfaultfd::continue_in_mapping(range r, bool read_only) const
{
	uintptr_t at = r.begin;
	while (at < r.end) {
		uffdio_continue c{};
		c.range = {at, r.end - at};
		c.mode = read_only ? UFFDIO_CONTINUE_MODE_WP : 0;
		int err = call(UFFDIO_CONTINUE, &c);
		if (!err)
			return 0;
		if (c.mapped > 0)
			at += size_t(c.mapped);
		else if (err != -EAGAIN)
			return at > r.begin ? 0 : err;
	}
	return 0;
}

int userfaultfd::continue_from(range r, bool read_only) const
{
	return on_each_mapping(r, [&](range part) { return continue_in_mapping(part, read_only); });
}

void userfaultfd::wake(range r) const
{
	uffdio_range u{r.begin, r.size()};
	call(UFFDIO_WAKE, &u);
}

bool userfaultfd::probe_continue_wp() const
{
	size_t page = page_size();
	int fd = memfd_create("het-probe", MFD_CLOEXEC);
	if (fd < 0)
		return false;
	bool works = false;
	void *p = ftruncate(fd, off_t(page)) ? MAP_FAILED
					     : mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p != MAP_FAILED) {
		range r = range_of(p, page);
		works = !fallocate(fd, 0, 0, off_t(page)) && !register_shared(r) && !continue_from(r, true);
		unmap(r);
	}
	close(fd);
	return works;
}

int drop_pages(range r)
{
	if (!madvise(r.ptr(), r.size(), MADV_DONTNEED))
		return 0;
	if (errno != EINVAL)
		return -errno;
	return result(madvise(r.ptr(), r.size(), MADV_DONTNEED_LOCKED));
}

} // namespace het
