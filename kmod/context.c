// SPDX-License-Identifier: GPL-2.0
/*
 * A context is what an open of /dev/gpuvm gives, from open to the end of its
 * last user.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "account.h"
#include "gpuvm_drv.h"
#include "test.h"

static void context_free(struct kref *ref)
{
	struct gvm_context *ctx = container_of(ref, struct gvm_context, ref);

	/* Regions hold the context, so the tables are empty by now. */
	gvm_ring_free(&ctx->ring, ctx->account);
	mtree_destroy(&ctx->regions);
	ida_destroy(&ctx->ids);
	gvm_account_put(ctx->account);
	kfree(ctx);
}

void gvm_context_put(struct gvm_context *ctx)
{
	kref_put(&ctx->ref, context_free);
}

static struct gvm_context *context_alloc(void)
{
	struct gvm_context *ctx;
	int i;

	if (gvm_test_fails())
		return NULL;
	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return NULL;
	ctx->account = gvm_account_alloc();
	if (!ctx->account) {
		kfree(ctx);
		return NULL;
	}
	kref_init(&ctx->ref);
	mutex_init(&ctx->mutex);
	mt_init_flags(&ctx->regions, MT_FLAGS_USE_RCU);
	ida_init(&ctx->ids);
	gvm_table_init(&ctx->states, ctx, GPUVM_MMAP_STATE);
	gvm_table_init(&ctx->upgrades, ctx, GPUVM_MMAP_UPGRADES);
	spin_lock_init(&ctx->ring.lock);
	init_waitqueue_head(&ctx->ring.consumers);
	for (i = 0; i < ARRAY_SIZE(ctx->waiters); i++)
		init_waitqueue_head(&ctx->waiters[i]);
	ctx->mm = ctx->account->mm;
	return ctx;
}

static int context_open(struct inode *inode, struct file *file)
{
	struct gvm_context *ctx;

	if (!current->mm)
		return -EPERM;
	ctx = context_alloc();
	if (!ctx)
		return -ENOMEM;
	ctx->inode = gvm_new_inode();
	if (IS_ERR(ctx->inode)) {
		int err = PTR_ERR(ctx->inode);

		gvm_context_put(ctx);
		return err;
	}
	/* Otherwise all mappings of the device node would share one mapping. */
	file->f_mapping = ctx->inode->i_mapping;
	file->private_data = ctx;
	return 0;
}

/* Mappings hold the file, so there are none left. */
static int context_release(struct inode *inode, struct file *file)
{
	struct gvm_context *ctx = file->private_data;

	gvm_region_destroy_all(ctx);
	iput(ctx->inode);
	gvm_context_put(ctx);
	return 0;
}

const struct file_operations gvm_fops = {
	.owner = THIS_MODULE,
	.open = context_open,
	.release = context_release,
	.unlocked_ioctl = gvm_ioctl,
	.mmap = gvm_mmap,
	.llseek = noop_llseek,
};
