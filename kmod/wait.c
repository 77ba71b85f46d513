// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting for a resolver: on the processor for a while, then asleep.
 *
 * A touch waits while its page is DEVICE | POSTED. Who changes that byte calls
 * gvm_wake() afterwards; a sleeper is in its queue before it looks at the byte
 * for the last time, so no wake is lost.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>

#include "gpuvm_drv.h"
#include "compat.h"
#include "test.h"

/*
 * A thread that is in a system call waits like this. It may be frozen where it
 * is, as its resolver may be frozen first, and it could never go on then. The
 * call may hold locks, as those of network file systems do: whoever wants one
 * of them keeps the freezer waiting, as without a touch.
 */
#define BUSY_STATE (TASK_KILLABLE | TASK_FREEZABLE_UNSAFE)

static bool must_wait(const struct gvm_region *r, unsigned long at)
{
	return gvm_state(r, at) == GVM_DEVICE_POSTED && !READ_ONCE(r->dead) &&
	       !READ_ONCE(r->ctx->closed);
}

static bool must_sleep(const struct gvm_touch *t, int closings)
{
	return must_wait(t->region, t->at) && atomic_read(&t->region->ctx->closings) == closings;
}

static wait_queue_head_t *queue_of(const struct gvm_region *r, unsigned long chunk)
{
	return &r->ctx->waiters[hash_long(r->first + (chunk << r->chunk_order), GVM_WAIT_BITS)];
}

/*
 * Returns when to stop spinning; never 0. The default of spin_us is what
 * sleeping and being woken costs on virtual machines (10 to 45 us were
 * measured): so a touch pays at most twice for what would have been the better
 * choice.
 */
u64 gvm_spin_until(void)
{
	unsigned int us = READ_ONCE(gvm_spin_us);

	return us && num_online_cpus() > 1 ? local_clock() + us * (u64)NSEC_PER_USEC : 1;
}

/*
 * Returns whether it is worth while to look again, also when the time is over
 * by now: a thread that the resolver preempted need not sleep and fault a
 * second time.
 */
bool gvm_spin(const struct gvm_touch *t, u64 until)
{
	while (must_wait(t->region, t->at)) {
		if (local_clock() >= until || need_resched() || signal_pending(current))
			return false;
		cpu_relax();
	}
	return true;
}

/*
 * Leaves the core's lock and sleeps until the touch should be repeated. System
 * calls that copy from or to user memory can not be interrupted half-way by a
 * signal that does not kill.
 *
 * Without that lock the mapping may go, and its reference of the file, hence the
 * one of our own, which the caller gives back. Who sleeps for a mapping that is
 * gone is woken by gvm_primary_close(): nobody may be left to resolve.
 */
vm_fault_t gvm_sleep(struct gvm_touch *t)
{
	struct gvm_region *r = t->region;
	wait_queue_head_t *queue = queue_of(r, t->at >> r->chunk_order);
	unsigned int state = t->vmf->flags & FAULT_FLAG_USER ? TASK_INTERRUPTIBLE : BUSY_STATE;
	int closings = atomic_read(&r->ctx->closings);

	if (t->vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
		return VM_FAULT_RETRY;
	t->file = get_file(t->vmf->vma->vm_file);
	release_fault_lock(t->vmf);
	if (!t->posted) {
		/* The ring was full, and its consumer tells nobody when there is room. */
		__set_current_state(state);
		schedule_timeout(msecs_to_jiffies(1));
	} else {
		wait_event_state(*queue, !must_sleep(t, closings), state);
	}
	gvm_test_after_sleep();
	return VM_FAULT_RETRY;
}

static void wake(wait_queue_head_t *queue)
{
	if (wq_has_sleeper(queue))
		wake_up_all(queue);
}

/* Lets all that wait in @s look again. */
void gvm_wake(struct gvm_region *r, struct gvm_span s)
{
	unsigned long first = s.begin >> r->chunk_order;
	unsigned long last = (s.end - 1) >> r->chunk_order;
	unsigned long chunk;

	if (last - first >= ARRAY_SIZE(r->ctx->waiters)) {
		gvm_wake_all(r->ctx);
		return;
	}
	for (chunk = first; chunk <= last; chunk++)
		wake(queue_of(r, chunk));
}

/*
 * A mapping goes, or a part of one. Whoever sleeps there finds that when it
 * looks again.
 */
void gvm_primary_close(struct vm_area_struct *vma)
{
	struct gvm_context *ctx = vma->vm_private_data;

	if (vma->vm_mm != ctx->mm)
		return;
	atomic_inc(&ctx->closings);
	gvm_wake_all(ctx);
}

void gvm_wake_all(struct gvm_context *ctx)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(ctx->waiters); i++)
		wake(&ctx->waiters[i]);
}
