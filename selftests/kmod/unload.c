// SPDX-License-Identifier: GPL-2.0
/*
 * The module stays as long as anybody is in it: a toucher that was woken by the end of all that it touched is made slow
 * on its way out. This needs a module built with GPUVM_TEST=1, and its path in GPUVM_KO, since it is unloaded and
 * loaded.
 */
#include "common/context.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/harness.h"
#include <gpuvm_test.h>

#define MIB (1UL << 20)
#define DELAY_US 2000000

static int unload(void)
{
	return syscall(SYS_delete_module, "gpuvm", O_NONBLOCK) ? -errno : 0;
}

static int load(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;

	if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
		rc = -errno;
	close(fd);
	return rc;
}

/* Ends everything while a thread of ours is on its way out of the module; its touch is a SIGSEGV then. */
static void end_all_and_unload(int answer)
{
	struct gpuvm_test test = {.size = sizeof(test), .flags = GPUVM_TEST_AFTER_SLEEP, .delay_us = DELAY_US};
	struct gpuvm_touch touch;
	struct context c;
	struct toucher t;
	struct array a;
	int rc;

	if (context_open(&c, ALL_FEATURES, 0) || array_create(&a, &c, 0, MIB, 16) ||
	    gpuvm_ioctl(c.fd, GPUVM_IOC_TEST, &test) || set_state(&a, 0, MIB, GPUVM_STATE_DEVICE, NULL) ||
	    toucher_start(&t, a.primary, false) || !next_touch(&c, &touch, SOON))
		_exit(1);
	sleep_ms(LONG); /* lets it fall asleep */
	signal(SIGSEGV, SIG_DFL);
	munmap((void *)a.primary, MIB);
	munmap((void *)a.alias, MIB);
	context_close(&c);
	rc = unload();
	if (write(answer, &rc, sizeof(rc)) != sizeof(rc))
		_exit(2);
	for (;;)
		pause();
}

TEST(toucher_on_its_way_out)
{
	const char *module = getenv("GPUVM_KO");
	struct gpuvm_test test = {.size = sizeof(test)};
	uint64_t until = now_ms() + SOON;
	int fd, ends[2], answer = 1, rc;
	pid_t child;

	if (no_device())
		SKIP(return, "%s", no_device());
	if (!module)
		SKIP(return, "GPUVM_KO= does not say which module to load again");
	fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(fd, 0);
	rc = gpuvm_ioctl(fd, GPUVM_IOC_TEST, &test);
	close(fd);
	if (rc == -ENOTTY)
		SKIP(return, "the module was not built with GPUVM_TEST=1");
	ASSERT_EQ(pipe(ends), 0);
	child = fork();
	if (!child)
		end_all_and_unload(ends[1]);
	close(ends[1]);
	EXPECT_EQ(read(ends[0], &answer, sizeof(answer)), sizeof(answer));
	EXPECT_EQ(answer, -EWOULDBLOCK);
	EXPECT_EQ(wait_for(child), SIGSEGV);
	/* The module is gone, and so is what it held. */
	do {
		rc = unload();
	} while (rc == -EWOULDBLOCK && now_ms() < until && (sleep_ms(10), true));
	EXPECT_EQ(rc, 0);
	EXPECT_EQ(load(module), 0);
	EXPECT_EQ(no_device(), NULL);
}

TEST_HARNESS_MAIN
