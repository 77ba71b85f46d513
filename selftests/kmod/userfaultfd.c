// SPDX-License-Identifier: GPL-2.0
/*
 * A userfaultfd may watch our own mappings. From 6.7 on one that only notes writes (UFFD_FEATURE_WP_ASYNC) may watch
 * any memory; the kernel refuses all others. Touches end, by system calls too, writes are noted page by page, and
 * revokes hold.
 */
#include "common/context.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/harness.h"

/* The headers of the system may be older than the kernel. */
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#define WP_UNPOPULATED (1 << 13)
#define WP_ASYNC (1 << 15)

#define MIB (1UL << 20)
#define LENGTH (4 * MIB)
#define REFUSED 104 /* a child exits with this */

FIXTURE(userfaultfd)
{
	struct context c;
	struct array a;
	int pages; /* /proc/self/pagemap */
	int fd;
};

FIXTURE_VARIANT(userfaultfd)
{
	bool alias; /* watches it instead of the primary */
	bool huge;
};

FIXTURE_VARIANT_ADD(userfaultfd, primary){};

FIXTURE_VARIANT_ADD(userfaultfd, alias){
	.alias = true,
};

FIXTURE_VARIANT_ADD(userfaultfd, huge_primary){
	.huge = true,
};

FIXTURE_VARIANT_ADD(userfaultfd, huge_alias){
	.alias = true,
	.huge = true,
};

FIXTURE_SETUP(userfaultfd)
{
	struct gpuvm_region region = {.size = sizeof(region), .length = LENGTH, .chunk_shift = variant->huge ? 21 : 16};

	self->c.fd = self->fd = self->pages = -1;
	if (no_device())
		SKIP(return, "%s", no_device());
	ASSERT_EQ(context_open(&self->c, ALL_FEATURES, 0), 0);
	if (variant->huge && !self->c.hello.huge_size)
		SKIP(return, "this kernel offers no huge pages to the module");
	region.flags = variant->huge ? GPUVM_REGION_HUGE : 0;
	ASSERT_EQ(array_create_with(&self->a, &self->c, region), 0);
	self->pages = open("/proc/self/pagemap", O_RDONLY);
	ASSERT_GE(self->pages, 0);
	self->fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
	if (self->fd < 0)
		SKIP(return, "no userfaultfd here");
}

FIXTURE_TEARDOWN(userfaultfd)
{
	close(self->fd);
	close(self->pages);
	if (self->c.fd >= 0)
		context_close(&self->c);
}

static int speak(int fd, __u64 features)
{
	struct uffdio_api api = {.api = UFFD_API, .features = features};

	return ioctl(fd, UFFDIO_API, &api) ? -errno : 0;
}

static int watch(int fd, const volatile void *memory, size_t length, __u64 mode)
{
	struct uffdio_register range = {.range = {(uintptr_t)memory, length}, .mode = mode};

	return ioctl(fd, UFFDIO_REGISTER, &range) ? -errno : 0;
}

/* Notes all writes from now on. */
static int begin_noting(int fd, volatile char *memory)
{
	struct uffdio_writeprotect range = {.range = {(uintptr_t)memory, LENGTH}, .mode = UFFDIO_WRITEPROTECT_MODE_WP};

	return ioctl(fd, UFFDIO_WRITEPROTECT, &range) ? -errno : 0;
}

static bool is_noted(int pages, const volatile char *memory)
{
	__u64 entry = 0;

	if (pread(pages, &entry, sizeof(entry), (uintptr_t)memory / sysconf(_SC_PAGESIZE) * sizeof(entry)) < 0)
		return false;
	return !(entry & (1ULL << 57));
}

/* A system call reads the memory's beginning. Returns how much of it, or a negative errno. */
static ssize_t write_out(const volatile char *memory, char *to, size_t length)
{
	ssize_t n;
	int ends[2];

	if (pipe(ends))
		return -errno;
	n = write(ends[1], (void *)memory, length);
	if (n > 0)
		n = read(ends[0], to, n);
	else
		n = -errno;
	close(ends[0]);
	close(ends[1]);
	return n;
}

/*
 * This runs in a process of its own, since a touch that does not end can't be ended. Returns the number of the step
 * that failed, or 0.
 */
static int touch_watched(struct context *c, struct array *a, int fd, int pages, volatile char *watched)
{
	static char bytes[4096];
	struct resolver r;

	if (begin_noting(fd, watched))
		return 1;
	/* Reads meet what is not there yet, and has nothing but a marker. */
	if (write_out(watched, bytes, sizeof(bytes)) != sizeof(bytes))
		return 2;
	if (try_read(watched + MIB) != 0 || try_read(watched + MIB + 4096) != 0)
		return 3;
	if (is_noted(pages, watched) || is_noted(pages, watched + MIB) || is_noted(pages, watched + MIB + 4096))
		return 4;
	/* Writes meet that, and what was read. */
	if (try_write(watched + MIB, 1) || try_write(watched + 2 * MIB, 2))
		return 5;
	if (!is_noted(pages, watched + MIB) || !is_noted(pages, watched + 2 * MIB))
		return 6;
	if (is_noted(pages, watched + MIB + 4096) || is_noted(pages, watched))
		return 7;
	if (a->alias[MIB] != 1 || a->primary[2 * MIB] != 2)
		return 8;
	/* Writes are noted again, where pages are. */
	if (begin_noting(fd, watched) || is_noted(pages, watched + MIB) || try_write(watched + MIB, 3) ||
	    !is_noted(pages, watched + MIB) || is_noted(pages, watched + 2 * MIB))
		return 9;
	/* A revoke leaves markers behind. */
	if (resolver_start(&r, a, GPUVM_STATE_SHARED))
		return 10;
	for (unsigned int round = 1; round < 4; round++) {
		r.round = round;
		if (set_state(a, 0, LENGTH, GPUVM_STATE_DEVICE, NULL) || begin_noting(fd, watched))
			return 11;
		if (write_out(a->primary, bytes, sizeof(bytes)) != sizeof(bytes) ||
		    differs(bytes, 0, sizeof(bytes), round) != -1)
			return 12;
		if (differs(a->primary, 0, LENGTH, round) != -1)
			return 13;
		if (try_write(a->primary + 5, 0) || a->alias[5] ||
		    state_of(a, 0) != (GPUVM_STATE_HOST | GPUVM_STATE_UPGRADED))
			return 14;
	}
	return resolver_stop(&r) ? 15 : 0;
}

TEST_F(userfaultfd, notes_writes)
{
	volatile char *watched = variant->alias ? self->a.alias : self->a.primary;
	int status, rc = speak(self->fd, WP_ASYNC | WP_UNPOPULATED);
	pid_t child;

	if (rc == -EINVAL)
		SKIP(return, "this kernel has no UFFD_FEATURE_WP_ASYNC");
	ASSERT_EQ(rc, 0);
	/* The child needs a context of its own; this one has shown what there is. */
	child = fork();
	if (!child) {
		struct gpuvm_region region = self->a.region;
		struct context c;
		struct array a;

		if (context_open(&c, ALL_FEATURES, 0) || array_create_with(&a, &c, region))
			_exit(101);
		close(self->fd);
		close(self->pages);
		self->fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
		self->pages = open("/proc/self/pagemap", O_RDONLY);
		watched = variant->alias ? a.alias : a.primary;
		if (speak(self->fd, WP_ASYNC | WP_UNPOPULATED))
			_exit(102);
		/* Linux 7.2 lets nobody watch what a driver maps. */
		if (watch(self->fd, watched, LENGTH, UFFDIO_REGISTER_MODE_WP) == -EINVAL)
			_exit(REFUSED);
		/* Only the module writes the states. */
		if (watch(self->fd, c.states, MIB, UFFDIO_REGISTER_MODE_WP) != -EPERM)
			_exit(103);
		_exit(touch_watched(&c, &a, self->fd, self->pages, watched));
	}
	status = wait_for(child);
	ASSERT_GE(status, 0) TH_LOG("a touch does not end");
	EXPECT_EQ(status & 0x7f, 0);
	if (status >> 8 == REFUSED)
		SKIP(return, "this kernel lets no userfaultfd watch such mappings");
	EXPECT_EQ(status >> 8, 0);
}

/* Such a userfaultfd would get the faults that the states decide about. */
TEST_F(userfaultfd, may_not_serve)
{
	volatile char *watched = variant->alias ? self->a.alias : self->a.primary;

	ASSERT_EQ(speak(self->fd, 0), 0);
	EXPECT_EQ(watch(self->fd, watched, LENGTH, UFFDIO_REGISTER_MODE_MISSING), -EINVAL);
	EXPECT_EQ(watch(self->fd, watched, LENGTH, UFFDIO_REGISTER_MODE_WP), -EINVAL);
	EXPECT_EQ(watch(self->fd, watched, LENGTH, UFFDIO_REGISTER_MODE_MINOR), -EINVAL);
	EXPECT_EQ(try_write(watched, 1), 0);
}

TEST_HARNESS_MAIN
