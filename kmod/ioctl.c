// SPDX-License-Identifier: GPL-2.0
/* One table dispatches the ioctls. */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>

#include "account.h"
#include "gpuvm_drv.h"
#include "test.h"

union argument {
	u32 size;
	struct gpuvm_hello hello;
	struct gpuvm_region region;
	struct gpuvm_range_op range_op;
};

struct caller {
	void __user *arg;
	u32 size;		/* of its structure */
	u32 known;		/* what the kernel knows of it */
	unsigned int nr;	/* of the ioctl */
};

/*
 * User memory is touched with no lock held: a touch may wait for as long as its
 * owner likes.
 */
static int answer(const struct caller *c, union argument *arg)
{
	arg->size = c->size;
	return copy_to_user(c->arg, arg, c->known) ? -EFAULT : 0;
}

/* The descriptor is known to the caller before it is there, never the other way round. */
static int open_event(struct gvm_context *ctx, const struct caller *c, union argument *arg)
{
	struct file *file;
	int fd, err;

	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	arg->hello.event_fd = fd;
	err = answer(c, arg);
	if (err)
		goto out;
	file = gvm_event_file(ctx);
	err = PTR_ERR_OR_ZERO(file);
	if (!err)
		fd_install(fd, file);
out:
	if (err) {
		put_unused_fd(fd);
		arg->hello.event_fd = -1;
	}
	return err;
}

static int greet(struct gvm_context *ctx, const struct caller *c, union argument *arg)
{
	struct gpuvm_hello *h = &arg->hello;
	int err;

	gvm_account_limit(ctx->account);
	err = gvm_ring_init(&ctx->ring, ctx->account, h->ring_entries);
	if (err)
		return err;
	h->offered = gvm_features;
	h->features &= h->offered;
	h->ring_entries = ctx->ring.size;
	h->ring_bytes = ctx->ring.count * PAGE_SIZE;
	h->page_size = PAGE_SIZE;
	h->huge_size = h->features & GPUVM_FEATURE_HUGE ? PMD_SIZE : 0;
	err = open_event(ctx, c, arg);
	if (err) {
		gvm_ring_free(&ctx->ring, ctx->account);
		return err;
	}
	ctx->features = h->features;
	return 0;
}

static int hello(struct gvm_context *ctx, const struct caller *c, union argument *arg)
{
	int err;

	if (arg->hello.flags || arg->hello.reserved)
		return -EINVAL;
	if (cmpxchg(&ctx->stage, GVM_NEW, GVM_GREETING) != GVM_NEW)
		return -EALREADY;
	err = greet(ctx, c, arg);
	/* This pairs with the acquire in gvm_is_ready(). */
	smp_store_release(&ctx->stage, err ? GVM_NEW : GVM_READY);
	if (err)
		answer(c, arg);
	return err;
}

/* As with the descriptor, the id is known before the region is. */
static int region_create(struct gvm_context *ctx, const struct caller *c, union argument *arg)
{
	struct gvm_region *r = gvm_region_prepare(ctx, &arg->region);
	int err;

	if (IS_ERR(r))
		return PTR_ERR(r);
	err = answer(c, arg);
	if (!err)
		err = gvm_region_enter(r);
	if (err)
		gvm_region_abandon(r);
	return err;
}

static int region_destroy(struct gvm_context *ctx, const struct caller *c, union argument *arg)
{
	const struct gpuvm_region *r = &arg->region;

	if (r->flags || r->length || r->chunk_shift || r->node || r->id || r->reserved)
		return -EINVAL;
	return gvm_region_destroy(ctx, r->offset);
}

static int range_op(struct gvm_context *ctx, const struct caller *c, union argument *arg)
{
	int err = gvm_range_op(ctx, &arg->range_op, c->nr);

	/* The answer is given with an error, too: it says how far the call came. */
	return answer(c, arg) && !err ? -EFAULT : err;
}

/*
 * @first_size is the size of the structure's first version, the least that a
 * caller may know.
 */
static const struct {
	int (*call)(struct gvm_context *ctx, const struct caller *c, union argument *arg);
	u32 size, first_size;
} table[] = {
	[_IOC_NR(GPUVM_IOC_HELLO)] = { hello, sizeof(struct gpuvm_hello), 48 },
	[_IOC_NR(GPUVM_IOC_REGION_CREATE)] = { region_create, sizeof(struct gpuvm_region), 40 },
	[_IOC_NR(GPUVM_IOC_REGION_DESTROY)] = { region_destroy, sizeof(struct gpuvm_region), 40 },
	[_IOC_NR(GPUVM_IOC_SET_STATE)] = { range_op, sizeof(struct gpuvm_range_op), 32 },
	[_IOC_NR(GPUVM_IOC_WAKE)] = { range_op, sizeof(struct gpuvm_range_op), 32 },
	[_IOC_NR(GPUVM_IOC_POPULATE)] = { range_op, sizeof(struct gpuvm_range_op), 32 },
	[_IOC_NR(GPUVM_IOC_PUNCH)] = { range_op, sizeof(struct gpuvm_range_op), 32 },
	[_IOC_NR(GPUVM_IOC_ACCESSED)] = { range_op, sizeof(struct gpuvm_range_op), 40 },
};

long gvm_ioctl(struct file *file, unsigned int cmd, unsigned long address)
{
	struct gvm_context *ctx = file->private_data;
	struct caller c = { .arg = (void __user *)address, .nr = _IOC_NR(cmd) };
	union argument arg;
	int err;

	if (current->mm != ctx->mm)
		return -EPERM;
	if (gvm_is_test_ioctl(cmd))
		return gvm_test_ioctl(cmd, c.arg);
	if (cmd != _IO(GPUVM_IOC, c.nr) || c.nr >= ARRAY_SIZE(table))
		return -ENOTTY;
	c.nr = array_index_nospec(c.nr, ARRAY_SIZE(table));
	if (c.nr != _IOC_NR(GPUVM_IOC_HELLO) && !gvm_is_ready(ctx))
		return -EBADFD;

	if (get_user(c.size, (u32 __user *)c.arg))
		return -EFAULT;
	if (c.size < table[c.nr].first_size)
		return -EINVAL;
	if (c.size > PAGE_SIZE)
		return -E2BIG;
	c.known = min(c.size, table[c.nr].size);
	err = copy_struct_from_user(&arg, table[c.nr].size, c.arg, c.size);
	/* What could not be told is not begun. */
	if (!err)
		err = answer(&c, &arg);
	return err ? err : table[c.nr].call(ctx, &c, &arg);
}
