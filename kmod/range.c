// SPDX-License-Identifier: GPL-2.0
/* User space asks for these operations on ranges. */
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "gpuvm_drv.h"
#include "trace.h"

/*
 * A revoke may come in between whenever so many pages have been made to exist.
 */
#define POPULATE_AT_ONCE 512

typedef int (*range_call_t)(struct gvm_region *r, struct gvm_span s, struct gpuvm_range_op *op);

/*
 * A touch is posted once a chunk. Who waits in the rest of a chunk of which a
 * part was served must post anew.
 */
static struct gvm_span whole_chunks(const struct gvm_region *r, struct gvm_span s)
{
	return (struct gvm_span){ gvm_chunk(r, s.begin).begin, gvm_chunk(r, s.end - 1).end };
}

static int set_state(struct gvm_region *r, struct gvm_span s, struct gpuvm_range_op *op)
{
	struct gvm_change change = {};
	int err = down_write_killable(&r->lock);

	if (err)
		return err;
	if (r->dead) {
		up_write(&r->lock);
		return -ENOENT;
	}
	gvm_states_set(r, s, op->state, &change);
	gvm_states_wake(r, whole_chunks(r, s));
	if (change.unmap)
		gvm_unmap(r, s, GPUVM_MMAP_PRIMARY);
	up_write(&r->lock);
	gvm_wake(r, s);
	op->upgraded += change.upgraded;
	if (op->state == GPUVM_STATE_HOST || op->state == GPUVM_STATE_SHARED)
		trace_gpuvm_resolve(r, &s, op->state);
	if (change.unmap)
		trace_gpuvm_revoke(r, &s, op->state);
	return 0;
}

static int wake(struct gvm_region *r, struct gvm_span s, struct gpuvm_range_op *op)
{
	int err = down_write_killable(&r->lock);

	if (err)
		return err;
	if (!r->dead)
		gvm_states_wake(r, whole_chunks(r, s));
	up_write(&r->lock);
	gvm_wake(r, s);
	return 0;
}

static int populate(struct gvm_region *r, struct gvm_span s, struct gpuvm_range_op *op)
{
	int err = 0;

	while (!err && s.begin < s.end) {
		unsigned long end = min(s.end, s.begin + POPULATE_AT_ONCE);

		down_read(&r->lock);
		if (r->dead)
			err = -ENOENT;
		while (!err && s.begin < end)
			err = gvm_page_fill(r, s.begin++);
		up_read(&r->lock);
		if (!err && signal_pending(current))
			err = -EINTR;
		cond_resched();
	}
	return err;
}

static int punch(struct gvm_region *r, struct gvm_span s, struct gpuvm_range_op *op)
{
	int err = down_write_killable(&r->lock);

	if (err)
		return err;
	if (r->dead) {
		err = -ENOENT;
	} else {
		gvm_unmap(r, s, GPUVM_MMAP_PRIMARY);
		gvm_unmap(r, s, GPUVM_MMAP_ALIAS);
		gvm_pages_drop(r, s);
	}
	up_write(&r->lock);
	return err;
}

static int accessed(struct gvm_region *r, struct gvm_span s, struct gpuvm_range_op *op)
{
	u8 __user *answers = u64_to_user_ptr(op->accessed);

	return gvm_accessed_take(r, whole_chunks(r, s), answers + op->done);
}

static const range_call_t calls[] = {
	[_IOC_NR(GPUVM_IOC_SET_STATE)] = set_state,
	[_IOC_NR(GPUVM_IOC_WAKE)] = wake,
	[_IOC_NR(GPUVM_IOC_POPULATE)] = populate,
	[_IOC_NR(GPUVM_IOC_PUNCH)] = punch,
	[_IOC_NR(GPUVM_IOC_ACCESSED)] = accessed,
};

static int check(const struct gvm_context *ctx, const struct gpuvm_range_op *op, unsigned int nr)
{
	if (op->count > GPUVM_RANGES_MAX)
		return -EINVAL;
	if (nr == _IOC_NR(GPUVM_IOC_ACCESSED)) {
		if (!(ctx->features & GPUVM_FEATURE_ACCESSED))
			return -EOPNOTSUPP;
	} else if (op->accessed) {
		return -EINVAL;
	}
	if (nr != _IOC_NR(GPUVM_IOC_SET_STATE))
		return op->state ? -EINVAL : 0;
	if (op->state < GPUVM_STATE_HOST || op->state > GPUVM_STATE_FAILED)
		return -EINVAL;
	if (op->state == GPUVM_STATE_SHARED && !(ctx->features & GPUVM_FEATURE_SHARED))
		return -EOPNOTSUPP;
	return 0;
}

static int one_range(struct gvm_context *ctx, const struct gpuvm_range __user *from,
		     struct gpuvm_range_op *op, range_call_t call)
{
	struct gpuvm_range range;
	struct gvm_region *r;
	struct gvm_span s;
	int err = -ENOENT;

	if (copy_from_user(&range, from, sizeof(range)))
		return -EFAULT;
	if (!PAGE_ALIGNED(range.offset | range.length) || !range.length ||
	    range.length > GPUVM_SPACE || range.offset > GPUVM_SPACE - range.length)
		return -EINVAL;
	r = gvm_region_get(ctx, range.offset >> PAGE_SHIFT);
	if (!r)
		return -ENOENT;
	s.begin = (range.offset >> PAGE_SHIFT) - r->first;
	s.end = s.begin + (range.length >> PAGE_SHIFT);
	if (s.end <= r->count)
		err = call(r, s, op);
	gvm_region_put(r);
	return err;
}

int gvm_range_op(struct gvm_context *ctx, struct gpuvm_range_op *op, unsigned int nr)
{
	const struct gpuvm_range __user *ranges = u64_to_user_ptr(op->ranges);
	int err = check(ctx, op, nr);

	op->done = 0;
	op->upgraded = 0;
	while (!err && op->done < op->count) {
		err = one_range(ctx, ranges + op->done, op, calls[nr]);
		if (!err)
			op->done++;
		cond_resched();
	}
	return err;
}
