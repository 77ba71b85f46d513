// SPDX-License-Identifier: GPL-2.0
/*
 * Hundreds of processes use the device and end in every way. What they had must all come back. GPUVM_LEAKS_DIVISOR says
 * of how many processes and regions one is taken (default: 1), for kernels that are slow because they watch.
 */
#include "common/cgroup.h"
#include "common/context.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/harness.h"
#include "common/random.h"

#define MIB (1UL << 20)
#define WARM_UP 40
#define PROCESSES 300
#define REGIONS 2000
/* The group may be charged with so much for other reasons: stacks and slabs are kept for the next process. */
#define NOISE (96 * 1024L)

/* Touches all of these pages; what they hold is not looked at. */
static void touch_pages(volatile char *at, size_t length)
{
	for (size_t i = 0; i < length; i += 4096)
		at[i] = 1;
}

static void use_and_end(int how)
{
	struct gpuvm_region destroyed = {.size = sizeof(destroyed), .offset = 4 * MIB};
	struct array a[4];
	struct toucher t;
	struct context c;

	if (context_open(&c, ALL_FEATURES, 0))
		_exit(1);
	for (unsigned long i = 0; i < 4; i++) {
		if (array_create(&a[i], &c, i * 4 * MIB, MIB, 12 + 3 * i))
			_exit(2);
		touch_pages(a[i].primary, MIB);
		if (set_state(&a[i], 0, MIB / 2, GPUVM_STATE_DEVICE, NULL))
			_exit(3);
	}
	if (toucher_start(&t, a[1].primary, false))
		_exit(4);
	sleep_ms(1);
	switch (how % 4) {
	case 0:
		kill(getpid(), SIGKILL);
		break;
	case 1:
		_exit(0);
	case 2:
		close(c.hello.event_fd);
		pthread_join(t.thread, NULL);
		_exit(0);
	default:
		/* A touch that waits there gets SIGBUS; without its mapping it would be SIGSEGV. */
		if (gpuvm_ioctl(c.fd, GPUVM_IOC_REGION_DESTROY, &destroyed) || array_destroy(&a[3]))
			_exit(5);
		pthread_join(t.thread, NULL);
		_exit(0);
	}
}

/* Runs two processes at a time, and returns how many ended otherwise than they should. */
static int run_processes(int count)
{
	int bad = 0;

	for (int i = 0; i < count; i += 2) {
		pid_t child[2];

		for (int j = 0; j < 2; j++) {
			child[j] = fork();
			if (!child[j])
				use_and_end(i + j);
		}
		for (int j = 0; j < 2; j++) {
			int status = wait_for(child[j]);

			bad += status != ((i + j) % 4 ? 0 : SIGKILL);
		}
	}
	return bad;
}

/* Returns what the group is charged with. The kernel adds its processors' counts up every two seconds. */
static long settled_usage(void)
{
	long now = cgroup_kernel_usage(), before;

	do {
		before = now;
		sleep_ms(2500);
		now = cgroup_kernel_usage();
	} while (labs(now - before) > 16384);
	return now;
}

static int divided(int count)
{
	return count / setting("GPUVM_LEAKS_DIVISOR", 1);
}

FIXTURE(leaks){};

/* The kernel counts what the group's processes have, not what goes on elsewhere: all of the module's memory is
 * charged. */
FIXTURE_SETUP(leaks)
{
	if (no_device())
		SKIP(return, "%s", no_device());
	if (!cgroup_create(0) || !cgroup_enter())
		SKIP(return, "no memory cgroup can be made below /sys/fs/cgroup");
	ASSERT_GE(cgroup_kernel_usage(), 0);
}

FIXTURE_TEARDOWN(leaks)
{
	cgroup_remove();
}

/* Each process has 4 MiB of pages: a leak of one page each would stand out. */
TEST_F_TIMEOUT(leaks, hundreds_of_processes, 3600)
{
	int processes = divided(PROCESSES);
	long usage;

	ASSERT_EQ(run_processes(divided(WARM_UP)), 0);
	usage = settled_usage();
	ASSERT_EQ(run_processes(processes), 0);
	usage = settled_usage() - usage;
	TH_LOG("%ld KiB more are charged after %d processes", usage / 1024, processes);
	EXPECT_LT(usage, processes * 2048L + NOISE);
}

static int use_regions(struct context *c, int count)
{
	for (int i = 0; i < count; i++) {
		struct array a;

		if (array_create(&a, c, i % 7 * MIB, 16 * 4096, 16))
			return -1;
		touch_pages(a.primary, 16 * 4096);
		if (set_state(&a, 0, 4096, GPUVM_STATE_DEVICE, NULL) ||
		    (i % 3 == 0 && range_call(&a, GPUVM_IOC_PUNCH, 0, 8 * 4096)) || array_destroy(&a))
			return -1;
	}
	return 0;
}

/* One process makes the same array over and over. */
TEST_F_TIMEOUT(leaks, thousands_of_regions, 3600)
{
	int regions = divided(REGIONS);
	struct context c;
	long usage;

	ASSERT_EQ(context_open(&c, ALL_FEATURES, 0), 0);
	ASSERT_EQ(use_regions(&c, regions / 10), 0);
	usage = settled_usage();
	ASSERT_EQ(use_regions(&c, regions), 0);
	usage = settled_usage() - usage;
	TH_LOG("%ld KiB more are charged after %d regions", usage / 1024, regions);
	EXPECT_LT(usage, regions * 512L + NOISE);
	context_close(&c);
}

TEST_HARNESS_MAIN
