// SPDX-License-Identifier: GPL-2.0
/*
 * The ring of touches and the event file.
 *
 * The ring is memory that user space can write. The kernel takes from it only
 * the tail, and a wrong tail harms only who wrote it: touches overwrite each
 * other, or wait for room.
 */
#include <linux/anon_inodes.h>
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/vmalloc.h>

#include "account.h"
#include "gpuvm_drv.h"
#include "test.h"

#define DEFAULT_ENTRIES	4096
#define MOST_ENTRIES	65536

void gvm_ring_free(struct gvm_ring *ring, struct gvm_account *payer)
{
	vunmap(ring->shared);
	ring->shared = NULL;
	while (ring->count)
		gvm_page_free(payer, ring->pages[--ring->count]);
	kvfree(ring->pages);
	ring->pages = NULL;
}

/* vmalloc_user() is not used, as it would not charge the memory cgroup. */
static int get_memory(struct gvm_ring *ring, struct gvm_account *payer, unsigned int count)
{
	if (gvm_test_fails())
		return -ENOMEM;
	ring->pages = kvcalloc(count, sizeof(ring->pages[0]), GFP_KERNEL_ACCOUNT);
	if (!ring->pages)
		return -ENOMEM;
	while (ring->count < count) {
		struct page *page = gvm_page_alloc(payer, NUMA_NO_NODE, 0);

		if (!page)
			return -ENOMEM;
		ring->pages[ring->count++] = page;
	}
	ring->shared = vmap(ring->pages, count, VM_MAP | VM_USERMAP, PAGE_KERNEL);
	return ring->shared ? 0 : -ENOMEM;
}

int gvm_ring_init(struct gvm_ring *ring, struct gvm_account *payer, u32 entries)
{
	int err;

	if (entries)
		entries = roundup_pow_of_two(min_t(u32, entries, MOST_ENTRIES));
	else
		entries = DEFAULT_ENTRIES;
	err = get_memory(ring, payer,
			 1 + DIV_ROUND_UP(entries * sizeof(struct gpuvm_touch), PAGE_SIZE));
	if (err) {
		gvm_ring_free(ring, payer);
		return err;
	}
	ring->shared->entries = entries;
	ring->shared->first = PAGE_SIZE;
	ring->entries = (void *)ring->shared + PAGE_SIZE;
	ring->size = entries;
	ring->head = 0;
	return 0;
}

static bool has_touches(const struct gvm_ring *ring)
{
	return READ_ONCE(ring->head) != READ_ONCE(ring->shared->tail);
}

/* Returns false if the ring is full. */
bool gvm_ring_post(struct gvm_ring *ring, const struct gpuvm_touch *touch)
{
	struct gpuvm_ring *shared = ring->shared;
	bool room;

	spin_lock(&ring->lock);
	/*
	 * The load acquires, so that the consumer has read the entry that is
	 * overwritten.
	 */
	room = ring->head - smp_load_acquire(&shared->tail) < ring->size;
	if (room) {
		ring->entries[ring->head & (ring->size - 1)] = *touch;
		WRITE_ONCE(ring->head, ring->head + 1);
		/* The store pairs with the consumer's acquiring load. */
		smp_store_release(&shared->head, ring->head);
	} else {
		WRITE_ONCE(shared->overflows, shared->overflows + 1);
	}
	spin_unlock(&ring->lock);

	/* With its barrier and that in event_poll() the sleeper is seen, or it sees the head. */
	if (wq_has_sleeper(&ring->consumers))
		wake_up_interruptible_poll(&ring->consumers, EPOLLIN | EPOLLRDNORM);
	return room;
}

static __poll_t event_poll(struct file *file, poll_table *wait)
{
	struct gvm_context *ctx = file->private_data;

	poll_wait(file, &ctx->ring.consumers, wait);
	smp_mb(); /* pairs with the barrier in gvm_ring_post() */
	return has_touches(&ctx->ring) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* From now on nobody resolves any more. */
static int event_release(struct inode *inode, struct file *file)
{
	struct gvm_context *ctx = file->private_data;

	WRITE_ONCE(ctx->closed, true);
	gvm_wake_all(ctx);
	gvm_context_put(ctx);
	return 0;
}

static const struct file_operations event_fops = {
	.owner = THIS_MODULE,
	.poll = event_poll,
	.release = event_release,
	.llseek = noop_llseek,
};

/* Makes a file that holds a reference of the context. */
struct file *gvm_event_file(struct gvm_context *ctx)
{
	struct file *file;

	kref_get(&ctx->ref);
	file = anon_inode_getfile("[gpuvm-event]", &event_fops, ctx, O_RDWR);
	if (IS_ERR(file))
		gvm_context_put(ctx);
	return file;
}
