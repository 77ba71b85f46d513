// SPDX-License-Identifier: GPL-2.0
/* The test build has these private ioctls and hooks. */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "account.h"
#include "test.h"

static unsigned int flags, delay_us, fail_at;
static atomic_t allocations;

bool gvm_is_test_ioctl(unsigned int cmd)
{
	return cmd == GPUVM_IOC_TEST || cmd == GPUVM_IOC_TEST_TOUCH;
}

static long configure(void __user *user)
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

struct kernel_touch {
	struct work_struct work;
	struct mm_struct *mm;
	const u8 __user *byte;
	int error;
};

static void touch(struct work_struct *work)
{
	struct kernel_touch *t = container_of(work, struct kernel_touch, work);
	u8 value;

	kthread_use_mm(t->mm);
	t->error = get_user(value, t->byte);
	kthread_unuse_mm(t->mm);
}

/*
 * Drivers' threads copy like this from and to the memory of whoever asked them.
 */
static long touch_from_kernel_thread(void __user *user)
{
	struct kernel_touch t = { .mm = current->mm };
	struct gpuvm_test_touch test;

	if (copy_from_user(&test, user, sizeof(test)))
		return -EFAULT;
	if (test.size != sizeof(test))
		return -EINVAL;
	t.byte = u64_to_user_ptr(test.address);
	INIT_WORK_ONSTACK(&t.work, touch);
	schedule_work(&t.work);
	flush_work(&t.work);
	destroy_work_on_stack(&t.work);
	test.error = t.error;
	return copy_to_user(user, &test, sizeof(test)) ? -EFAULT : 0;
}

long gvm_test_ioctl(unsigned int cmd, void __user *user)
{
	return cmd == GPUVM_IOC_TEST ? configure(user) : touch_from_kernel_thread(user);
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
