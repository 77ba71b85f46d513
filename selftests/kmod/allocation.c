// SPDX-License-Identifier: GPL-2.0
/*
 * Each allocation fails once, one after the other: the module's own with a module built with GPUVM_TEST=1, and all of
 * the kernel's with /proc/self/fail-nth where the kernel has that. Whatever fails, nothing breaks or leaks, and what
 * was in the way of nothing else works.
 */
#include "common/cgroup.h"
#include "common/context.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/harness.h"
#include <gpuvm_test.h>

#define MIB (1UL << 20)
#define MOST 3000 /* the scenario can't need more allocations */

/* Does some of everything. Returns the number of the first step that failed, or 0. All is undone at the end. */
static int scenario(int *error)
{
	struct gpuvm_region region = {.size = sizeof(region), .length = 4 * MIB, .chunk_shift = 16};
	struct array small, large;
	struct context c;
	int step = 0;

	*error = context_open(&c, ALL_FEATURES, 16);
	if (*error)
		return 1;
	*error = array_create(&small, &c, 64 * MIB, MIB, 16);
	if (*error) {
		context_close(&c);
		return 2;
	}
	if (c.hello.features & GPUVM_FEATURE_HUGE)
		region.flags = GPUVM_REGION_HUGE;
	*error = array_create_with(&large, &c, region);
	if (*error) {
		step = 3;
	} else {
		if (try_write(large.primary, 1) || try_write(large.alias + 3 * MIB, 1))
			step = 4;
		array_destroy(&large);
	}
	if (!step && try_read(small.primary))
		step = 5;
	if (!step && try_write(small.primary + 65536, 1))
		step = 6;
	if (!step && range_call(&small, GPUVM_IOC_POPULATE, 0, MIB))
		step = 7;
	if (!step && set_state(&small, 0, MIB, GPUVM_STATE_SHARED, NULL))
		step = 8;
	if (!step && try_write(small.primary, 1))
		step = 9;
	if (!step && (small.alias[0] != 1 || small.alias[65536] != 1))
		step = 10;
	if (array_destroy(&small) && !step)
		step = 11;
	context_close(&c);
	return step;
}

FIXTURE(allocation)
{
	int fd;
};

FIXTURE_SETUP(allocation)
{
	self->fd = -1;
	if (no_device())
		SKIP(return, "%s", no_device());
	self->fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(allocation)
{
	close(self->fd);
}

static int configure(int fd, __u32 fail_at, struct gpuvm_test *test)
{
	*test = (struct gpuvm_test){.size = sizeof(*test), .fail_at = fail_at};
	return gpuvm_ioctl(fd, GPUVM_IOC_TEST, test);
}

TEST_F_TIMEOUT(allocation, of_the_module, 3600)
{
	struct gpuvm_test test;
	int step = -1, error;
	__u64 pages;
	__u32 at;

	if (configure(self->fd, 0, &test) == -ENOTTY)
		SKIP(return, "the module was not built with GPUVM_TEST=1");
	ASSERT_EQ(scenario(&error), 0);
	ASSERT_EQ(configure(self->fd, 0, &test), 0);
	pages = test.pages;
	for (at = 1; step && at < MOST; at++) {
		ASSERT_EQ(configure(self->fd, at, &test), 0);
		step = scenario(&error);
		ASSERT_EQ(configure(self->fd, 0, &test), 0);
		EXPECT_EQ(test.pages, pages) TH_LOG("allocation %u failed, in step %d", at, step);
		if (step >= 1 && step <= 3) {
			EXPECT_EQ(error, -ENOMEM) TH_LOG("allocation %u failed, in step %d", at, step);
		}
		/* A huge page that can't be had does no harm, so the first success need not be the end. */
		if (!step && test.allocations >= at)
			step = -1;
	}
	EXPECT_EQ(step, 0);
	TH_LOG("%u allocations", at - 2);
}

/* Makes the n-th allocation of this thread fail, counted from now on; 0 lets all succeed. */
static int fail_nth(int fd, int n)
{
	char text[16];

	return pwrite(fd, text, sprintf(text, "%d", n), 0) < 0 ? -errno : 0;
}

/* Tells whether an allocation was made to fail. */
static bool has_failed(int fd)
{
	char text[16] = "";

	return pread(fd, text, sizeof(text) - 1, 0) > 0 && atoi(text) == 0;
}

TEST_F_TIMEOUT(allocation, of_the_kernel, 3600)
{
	static const char *const settings[][2] = {
		{"/sys/kernel/debug/failslab/ignore-gfp-wait", "N"},
		{"/sys/kernel/debug/failslab/verbose", "0"},
		{"/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N"},
		{"/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem", "N"},
		{"/sys/kernel/debug/fail_page_alloc/min-order", "0"},
		{"/sys/kernel/debug/fail_page_alloc/verbose", "0"},
	};
	int fd = open("/proc/self/fail-nth", O_RDWR), error, n;
	bool failed = true;

	if (fd < 0)
		SKIP(return, "no /proc/self/fail-nth: the kernel lacks CONFIG_FAULT_INJECTION");
	for (int i = 0; i < 6; i++) {
		if (!write_text(settings[i][0], settings[i][1]))
			SKIP(return, "can't write %s", settings[i][0]);
	}
	ASSERT_EQ(scenario(&error), 0);
	for (n = 1; failed && n < MOST; n++) {
		int step;

		ASSERT_EQ(fail_nth(fd, n), 0);
		step = scenario(&error);
		failed = has_failed(fd);
		fail_nth(fd, 0);
		EXPECT_TRUE(failed || !step) TH_LOG("step %d failed by itself", step);
	}
	EXPECT_FALSE(failed);
	TH_LOG("%d allocations", n - 2);
	EXPECT_EQ(scenario(&error), 0);
	close(fd);
}

TEST_HARNESS_MAIN
