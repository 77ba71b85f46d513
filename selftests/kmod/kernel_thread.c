// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel threads may have a process's memory. No signal could end their waiting, so they get EFAULT where others would
 * wait for a resolver. This needs a module built with GPUVM_TEST=1, whose work item touches.
 */
#include "common/context.h"

#include <errno.h>
#include <unistd.h>

#include "common/harness.h"
#include <gpuvm_test.h>

#define MIB (1UL << 20)

FIXTURE(kernel_thread)
{
	struct context c;
	struct array a;
};

FIXTURE_SETUP(kernel_thread)
{
	struct gpuvm_test test = {.size = sizeof(test)};

	self->c.fd = -1;
	if (no_device())
		SKIP(return, "%s", no_device());
	ASSERT_EQ(context_open(&self->c, ALL_FEATURES, 0), 0);
	if (gpuvm_ioctl(self->c.fd, GPUVM_IOC_TEST, &test) == -ENOTTY)
		SKIP(return, "the module was not built with GPUVM_TEST=1");
	ASSERT_EQ(array_create(&self->a, &self->c, 0, MIB, 16), 0);
}

FIXTURE_TEARDOWN(kernel_thread)
{
	if (self->c.fd >= 0)
		context_close(&self->c);
}

struct call {
	struct array *a;
	int error;
	atomic_bool ended;
};

static void *touch(void *argument)
{
	struct call *call = argument;
	struct gpuvm_test_touch touch = {.size = sizeof(touch), .address = (uintptr_t)call->a->primary};
	int rc = gpuvm_ioctl(call->a->in->fd, GPUVM_IOC_TEST_TOUCH, &touch);

	call->error = rc ?: touch.error;
	call->ended = true;
	return NULL;
}

TEST_F(kernel_thread, sees_what_the_host_may_see)
{
	struct call call = {.a = &self->a};

	touch(&call);
	EXPECT_EQ(call.error, 0);
	ASSERT_EQ(set_state(&self->a, 0, MIB, GPUVM_STATE_SHARED, NULL), 0);
	touch(&call);
	EXPECT_EQ(call.error, 0);
}

TEST_F(kernel_thread, does_not_wait)
{
	struct call call = {.a = &self->a};
	pthread_t thread;

	ASSERT_EQ(set_state(&self->a, 0, MIB, GPUVM_STATE_DEVICE, NULL), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, touch, &call), 0);
	while (!call.ended && !touches_posted(&self->c))
		sleep_ms(1);
	EXPECT_EQ(touches_posted(&self->c), 0);
	/* The thread is let go if it waits all the same. */
	close(self->c.hello.event_fd);
	self->c.hello.event_fd = -1;
	pthread_join(thread, NULL);
	EXPECT_EQ(call.error, -EFAULT);
}

TEST_HARNESS_MAIN
