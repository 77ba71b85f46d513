// SPDX-License-Identifier: GPL-2.0
/* The test build's private ioctl and hooks. */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/uaccess.h>

#include "account.h"
#include "test.h"

static unsigned int flags, delay_us, fail_at;
static atomic_t allocations;

bool gvm_is_test_ioctl(unsigned int cmd)
{
	return cmd == GPUVM_IOC_TEST;
}

long gvm_test_ioctl(void __user *user)
{
	struct gpuvm_test test;

	if (copy_from_user(&test, user, sizeof(test)))
		return -EFAULT;
	if (test.size != sizeof(test) ||
	    test.flags & ~(GPUVM_TEST_NO_LOCK | GPUVM_TEST_AFTER_SLEEP))
		return -EINVAL;
	WRITE_ONCE(fail_at, 0);
	test.allocations = atomic_xchg(&allocations, 0);
	test.pages = gvm_pages_in_use();
	WRITE_ONCE(flags, test.flags);
	WRITE_ONCE(delay_us, test.delay_us);
	WRITE_ONCE(fail_at, test.fail_at);
	return copy_to_user(user, &test, sizeof(test)) ? -EFAULT : 0;
}

bool gvm_test_fails(void)
{
	return atomic_inc_return(&allocations) == READ_ONCE(fail_at);
}

void gvm_test_before_insertion(struct gvm_region *r)
{
	unsigned int us = READ_ONCE(delay_us);
	bool no_lock = READ_ONCE(flags) & GPUVM_TEST_NO_LOCK;

	if (no_lock)
		up_read(&r->lock);
	if (us)
		usleep_range(us, us + us / 8 + 1);
	if (no_lock)
		down_read(&r->lock);
}

void gvm_test_after_sleep(void)
{
	if (READ_ONCE(flags) & GPUVM_TEST_AFTER_SLEEP)
		fsleep(READ_ONCE(delay_us));
}
