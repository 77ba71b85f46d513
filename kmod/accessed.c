// SPDX-License-Identifier: GPL-2.0
/*
 * Accessed bits of chunks.
 *
 * They are kept as Linux keeps those of pages where the processor has none: what
 * was asked about is unmapped, though its state stays, and the next touch of it
 * is a fault, which shows the chunk and sets its bit. A chunk that was asked
 * about is shown read-only to a read, so that its first write is a fault, too.
 *
 * The processor's own bits would save that fault, but can be kept right by
 * nobody outside the core: an entry that is made old must leave all TLBs, or
 * later accesses leave no trace, and no function that flushes them is exported;
 * what get_user_pages() finds is never made young; and nothing that is exported
 * walks over a huge entry.
 *
 * The bits are set under gvm_region.lock for read, before the entry is there,
 * and are taken under it for write. So whatever is mapped has its bit, and an
 * access after the answer is a fault that comes after it.
 */
#include <linux/bitmap.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "gpuvm_drv.h"

static unsigned long chunks(const struct gvm_region *r)
{
	return ((r->count - 1) >> r->chunk_order) + 1;
}

/* Returns the bytes of the region's bits: two for each chunk, if it has any. */
size_t gvm_accessed_size(const struct gvm_region *r)
{
	if (!(r->ctx->features & GPUVM_FEATURE_ACCESSED))
		return 0;
	return 2 * BITS_TO_LONGS(chunks(r)) * sizeof(long);
}

/* Chunks that were never asked about are shown writable at once. */
int gvm_accessed_init(struct gvm_region *r)
{
	size_t size = gvm_accessed_size(r);

	if (!size)
		return 0;
	r->accessed = kvzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!r->accessed)
		return -ENOMEM;
	r->written = r->accessed + BITS_TO_LONGS(chunks(r));
	bitmap_fill(r->written, chunks(r));
	return 0;
}

static void note(unsigned long *bits, unsigned long chunk)
{
	if (!test_bit(chunk, bits))
		set_bit(chunk, bits);
}

/*
 * The page is about to be shown: this notes it, and returns whether it may be
 * shown writable. The caller holds the region's lock for read.
 */
bool gvm_accessed_note(struct gvm_region *r, unsigned long at, bool write)
{
	unsigned long chunk = at >> r->chunk_order;

	if (!r->accessed)
		return true;
	note(r->accessed, chunk);
	if (write)
		note(r->written, chunk);
	return write || test_bit(chunk, r->written);
}

/*
 * Returns what was done to the chunks of @s, which are whole ones, since it was
 * asked the last time. The caller holds the region's lock for write.
 */
static u8 take(struct gvm_region *r, struct gvm_span s)
{
	unsigned long chunk = s.begin >> r->chunk_order;
	unsigned long end = ((s.end - 1) >> r->chunk_order) + 1;
	u8 seen = 0;

	for (; chunk < end; chunk++) {
		bool written = __test_and_clear_bit(chunk, r->written);

		if (!__test_and_clear_bit(chunk, r->accessed))
			continue;
		seen |= GPUVM_ACCESSED_ANY;
		if (written)
			seen |= GPUVM_ACCESSED_WRITE;
	}
	/* Nothing else is mapped there. */
	if (seen)
		gvm_unmap(r, s, GPUVM_MMAP_PRIMARY);
	return seen;
}

/* @s is of whole chunks. */
int gvm_accessed_take(struct gvm_region *r, struct gvm_span s, u8 __user *answer)
{
	u8 seen = 0;
	int err;

	/* What could not be told is not taken. */
	if (put_user(seen, answer))
		return -EFAULT;
	err = down_write_killable(&r->lock);
	if (err)
		return err;
	if (r->dead)
		err = -ENOENT;
	else
		seen = take(r, s);
	up_write(&r->lock);
	if (!err && put_user(seen, answer))
		err = -EFAULT;
	return err;
}
