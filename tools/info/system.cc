// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "info/system.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

// Debian 12's headers are older than this.
#ifndef USERFAULTFD_IOC_NEW
#define USERFAULTFD_IOC_NEW _IO(0xAA, 0x00)
#endif
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

namespace info
{

namespace
{

json first_line(const char *path)
{
	std::ifstream f(path);
	std::string line;
	return std::getline(f, line) ? json(line) : json();
}

json number_in(const char *path)
{
	std::ifstream f(path);
	long long n = 0;
	return f >> n ? json(n) : json();
}

// The text "always [madvise] never" means madvise.
json choice_in(const char *path)
{
	json line = first_line(path);
	if (line.is_null())
		return line;
	auto text = line.get<std::string>();
	size_t open = text.find('['), close = text.find(']');
	return close == std::string::npos ? line : json(text.substr(open + 1, close - open - 1));
}

json limit(__rlimit_resource what)
{
	rlimit r{};
	if (getrlimit(what, &r))
		return {};
	return r.rlim_cur == RLIM_INFINITY ? json(-1) : json(r.rlim_cur);
}

int open_device()
{
	int device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
	if (device < 0)
		return -1;
	int fd = ioctl(device, USERFAULTFD_IOC_NEW, O_CLOEXEC);
	int error = errno;
	close(device);
	errno = error;
	return fd;
}

int open_by_call()
{
	return int(syscall(SYS_userfaultfd, O_CLOEXEC));
}

int open_for_user_mode()
{
	return int(syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY));
}

// A feature's name stands at its bit, as in <linux/userfaultfd.h> of Linux 6.18.
constexpr const char *userfaultfd_features[] = {"PAGEFAULT_FLAG_WP",
						"EVENT_FORK",
						"EVENT_REMAP",
						"EVENT_REMOVE",
						"MISSING_HUGETLBFS",
						"MISSING_SHMEM",
						"EVENT_UNMAP",
						"SIGBUS",
						"THREAD_ID",
						"MINOR_HUGETLBFS",
						"MINOR_SHMEM",
						"EXACT_ADDRESS",
						"WP_HUGETLBFS_SHMEM",
						"WP_UNPOPULATED",
						"POISON",
						"WP_ASYNC",
						"MOVE"};

json features_of(int fd)
{
	uffdio_api api{.api = UFFD_API, .features = 0, .ioctls = 0};
	json names = json::array();
	if (ioctl(fd, UFFDIO_API, &api))
		return names;
	for (unsigned bit = 0; bit < 64; bit++) {
		if (!(api.features >> bit & 1))
			continue;
		bool known = bit < std::size(userfaultfd_features);
		names.push_back(known ? std::string(userfaultfd_features[bit]) : "bit " + std::to_string(bit));
	}
	return names;
}

} // namespace

json machine()
{
	utsname u{};
	uname(&u);
	cpu_set_t cores;
	CPU_ZERO(&cores);
	sched_getaffinity(0, sizeof(cores), &cores);
	return {{"kernel", u.release},
		{"cores", CPU_COUNT(&cores)},
		{"memory_bytes", sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE)},
		{"page_bytes", sysconf(_SC_PAGESIZE)}};
}

json userfaultfd_ways()
{
	const struct {
		const char *name;
		int (*open)();
		bool kernel_touches;
	} ways[] = {{"/dev/userfaultfd", open_device, true},
		    {"userfaultfd(2)", open_by_call, true},
		    {"userfaultfd(2), user mode only", open_for_user_mode, false}};
	json list = json::array();
	for (const auto &w : ways) {
		int fd = w.open();
		int error = fd < 0 ? errno : 0;
		json way = {{"way", w.name}, {"opens", fd >= 0}};
		if (fd < 0) {
			way["errno"] = error;
			way["error"] = strerror(error);
		} else {
			way["kernel_touches"] = w.kernel_touches;
			way["features"] = features_of(fd);
			close(fd);
		}
		list.push_back(way);
	}
	return list;
}

json memory()
{
	return {{"shmem_huge_pages", choice_in("/sys/kernel/mm/transparent_hugepage/shmem_enabled")},
		{"huge_pages", choice_in("/sys/kernel/mm/transparent_hugepage/enabled")},
		{"hugetlb_pages", number_in("/proc/sys/vm/nr_hugepages")},
		{"hugetlb_free", number_in("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages")},
		{"max_map_count", number_in("/proc/sys/vm/max_map_count")},
		{"locked_memory_limit", limit(RLIMIT_MEMLOCK)},
		{"open_files_limit", limit(RLIMIT_NOFILE)}};
}

json settings()
{
	json set = json::object();
	for (char **e = environ; *e; e++) {
		std::string entry = *e;
		size_t equals = entry.find('=');
		bool ours = entry.starts_with("GPUVM_") || entry.starts_with("HET_");
		if (ours && equals != std::string::npos)
			set[entry.substr(0, equals)] = entry.substr(equals + 1);
	}
	return set;
}

} // namespace info
