// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments in memory that can not be written, or not yet: nothing is done that the caller does not learn of, and
 * nobody waits for them.
 */
#include "common/context.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/harness.h"

#define MIB (1UL << 20)

FIXTURE(arguments)
{
	struct context c;
	struct array a;
	void *page; /* for an argument */
};

FIXTURE_SETUP(arguments)
{
	self->c.fd = -1;
	if (no_device())
		SKIP(return, "%s", no_device());
	ASSERT_EQ(context_open(&self->c, ALL_FEATURES, 0), 0);
	ASSERT_EQ(array_create(&self->a, &self->c, 0, MIB, 16), 0);
	self->page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(self->page, MAP_FAILED);
}

FIXTURE_TEARDOWN(arguments)
{
	if (self->c.fd >= 0)
		context_close(&self->c);
}

/* Makes the call with its argument in memory that can only be read. */
static int call_read_only(int fd, void *page, unsigned int number, const void *argument, size_t size)
{
	int rc;

	mprotect(page, 4096, PROT_READ | PROT_WRITE);
	memcpy(page, argument, size);
	mprotect(page, 4096, PROT_READ);
	rc = ioctl(fd, number, page);
	return rc < 0 ? -errno : rc;
}

TEST_F(arguments, no_region_comes_or_goes_unheard)
{
	struct gpuvm_region region = {
		.size = sizeof(region), .offset = 16 * MIB, .length = MIB, .chunk_shift = 16};
	struct gpuvm_region destroyed = {.size = sizeof(destroyed)};
	int fd = self->c.fd;

	EXPECT_EQ(call_read_only(fd, self->page, GPUVM_IOC_REGION_CREATE, &region, sizeof(region)), -EFAULT);
	/* The place is free, and so is the id. */
	ASSERT_EQ(gpuvm_ioctl(fd, GPUVM_IOC_REGION_CREATE, &region), 0);
	EXPECT_EQ(region.id, self->a.region.id + 1);
	EXPECT_EQ(call_read_only(fd, self->page, GPUVM_IOC_REGION_DESTROY, &destroyed, sizeof(destroyed)), -EFAULT);
	EXPECT_EQ(try_write(self->a.primary, 1), 0);
}

TEST_F(arguments, no_range_changes_unheard)
{
	struct gpuvm_range range = {0, MIB};
	struct gpuvm_range_op op = {.size = sizeof(op), .ranges = (uintptr_t)&range, .count = 1};
	int fd = self->c.fd;

	fill(self->a.primary, 0, MIB, 1);
	EXPECT_EQ(call_read_only(fd, self->page, GPUVM_IOC_PUNCH, &op, sizeof(op)), -EFAULT);
	EXPECT_EQ(differs(self->a.primary, 0, MIB, 1), -1);
	op.state = GPUVM_STATE_FAILED;
	EXPECT_EQ(call_read_only(fd, self->page, GPUVM_IOC_SET_STATE, &op, sizeof(op)), -EFAULT);
	EXPECT_EQ(state_of(&self->a, 0), GPUVM_STATE_HOST);
	EXPECT_EQ(differs(self->a.primary, 0, MIB, 1), -1);
}

/* Each write to the page waits for somebody who never comes. */
static int make_writes_wait(void *page)
{
	struct uffdio_api api = {.api = UFFD_API, .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP};
	struct uffdio_register range = {.range = {(uintptr_t)page, 4096}, .mode = UFFDIO_REGISTER_MODE_WP};
	struct uffdio_writeprotect protect = {.range = {(uintptr_t)page, 4096}, .mode = UFFDIO_WRITEPROTECT_MODE_WP};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range) ||
	    ioctl(fd, UFFDIO_WRITEPROTECT, &protect))
		return -errno;
	return fd;
}

struct call {
	int fd;
	unsigned int number;
	void *argument;
	atomic_bool begun;
};

static void *call(void *argument)
{
	struct call *c = argument;

	c->begun = true;
	ioctl(c->fd, c->number, c->argument);
	return NULL;
}

/* One thread says HELLO, or creates a region, with an answer that waits; the main thread does the same. */
static void call_beside_a_waiting_one(bool greets, void *page, int answer)
{
	struct gpuvm_region region = {.size = sizeof(region), .offset = 16 * MIB, .length = MIB, .chunk_shift = 16};
	struct gpuvm_hello hello = {.size = sizeof(hello)};
	struct call waiting = {.number = greets ? GPUVM_IOC_HELLO : GPUVM_IOC_REGION_CREATE, .argument = page};
	struct context c;
	pthread_t thread;
	int rc;

	if (greets) {
		waiting.fd = open(DEVICE, O_RDWR | O_CLOEXEC);
		memcpy(page, &hello, sizeof(hello));
	} else {
		if (context_open(&c, ALL_FEATURES, 0))
			_exit(1);
		waiting.fd = c.fd;
		memcpy(page, &region, sizeof(region));
		region.offset *= 2;
	}
	rc = make_writes_wait(page);
	if (rc >= 0 && pthread_create(&thread, NULL, call, &waiting))
		_exit(2);
	while (rc >= 0 && !waiting.begun)
		sleep_ms(1);
	if (rc >= 0) {
		sleep_ms(LONG); /* it waits by now */
		rc = gpuvm_ioctl(waiting.fd, waiting.number, greets ? (void *)&hello : (void *)&region);
	}
	if (write(answer, &rc, sizeof(rc)) != sizeof(rc))
		_exit(3);
	for (;;)
		pause();
}

TEST_F(arguments, nobody_waits_for_an_answer_to_another)
{
	for (int greets = 0; greets < 2; greets++) {
		int ends[2], rc = -ETIMEDOUT;
		pid_t child;

		ASSERT_EQ(pipe(ends), 0);
		child = fork();
		if (!child)
			call_beside_a_waiting_one(greets, self->page, ends[1]);
		close(ends[1]);
		fcntl(ends[0], F_SETFL, O_NONBLOCK);
		for (uint64_t until = now_ms() + SOON / 2; now_ms() < until && rc == -ETIMEDOUT; sleep_ms(5))
			if (read(ends[0], &rc, sizeof(rc)) == 0)
				rc = -ECHILD;
		if (rc == -EPERM || rc == -ENOSYS)
			TH_LOG("no userfaultfd that sees the kernel's own touches");
		else if (rc != -EALREADY)
			EXPECT_EQ(rc, 0);
		kill(child, SIGKILL);
		EXPECT_EQ(wait_for(child), SIGKILL);
		close(ends[0]);
	}
}

TEST_HARNESS_MAIN
