// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of regions.
 *
 * They are charged three times over: to the memory cgroup of the thread that
 * makes them exist, to the process's RLIMIT_MEMLOCK (they are not swapped), and
 * to the module's max_mb. A region's slots are filled under its lock for read,
 * by several threads at once, and emptied under its lock for write.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/gfp.h>
#include <linux/highmem.h>
#include <linux/sched/signal.h>

#include "gpuvm_drv.h"
#include "test.h"

static atomic_long_t in_use;

long gvm_pages_in_use(void)
{
	return atomic_long_read(&in_use);
}

static void uncharge(struct gvm_context *ctx, long n)
{
	atomic64_sub(n, &ctx->mm->pinned_vm);
	atomic_long_sub(n, &in_use);
}

static int charge(struct gvm_context *ctx, long n)
{
	long all = atomic_long_add_return(n, &in_use);
	s64 pinned = atomic64_add_return(n, &ctx->mm->pinned_vm);
	s64 may_pin = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	bool over = (all - 1) >> (20 - PAGE_SHIFT) >= READ_ONCE(gvm_max_mb);

	if (pinned > may_pin && READ_ONCE(gvm_memlock) && !capable(CAP_IPC_LOCK))
		over = true;
	if (over)
		uncharge(ctx, n);
	return over ? -ENOMEM : 0;
}

static struct page *allocate(struct gvm_region *r, unsigned int order)
{
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO;
	struct page *page = NULL;

	if (gvm_test_fails() || charge(r->ctx, 1L << order))
		return NULL;
	if (order)
		gfp |= __GFP_COMP | __GFP_NORETRY | __GFP_NOWARN;
	if (r->node == NUMA_NO_NODE)
		page = alloc_pages(gfp, order);
	else
		page = alloc_pages_node(r->node, gfp, order);
	if (!page)
		uncharge(r->ctx, 1L << order);
	return page;
}

static void release(struct gvm_region *r, struct page *page)
{
	uncharge(r->ctx, compound_nr(page));
	put_page(page);
}

/* False: one of the slots is not empty. */
static bool place(struct gvm_region *r, unsigned long at, struct page *page)
{
	unsigned long n = compound_nr(page);
	bool empty = true;
	unsigned long i;

	spin_lock(&r->marks);
	for (i = 0; i < n && empty; i++)
		empty = !r->pages[at + i];
	for (i = 0; i < n && empty; i++)
		smp_store_release(&r->pages[at + i], page + i); /* pairs with gvm_page() */
	spin_unlock(&r->marks);
	return empty;
}

static int fill(struct gvm_region *r, unsigned long at, unsigned int order)
{
	struct page *page = allocate(r, order);

	if (!page)
		return -ENOMEM;
	if (!place(r, at, page))
		release(r, page);
	return 0;
}

static bool is_empty_block(const struct gvm_region *r, unsigned long block)
{
	return block + GVM_HUGE_PAGES <= r->count &&
	       !memchr_inv(&r->pages[block], 0, GVM_HUGE_PAGES * sizeof(r->pages[0]));
}

/*
 * Makes the page exist, and those of its huge block. Under the region's lock.
 */
int gvm_page_fill(struct gvm_region *r, unsigned long at)
{
	unsigned long block = round_down(at, GVM_HUGE_PAGES);

	if (gvm_page(r, at))
		return 0;
	if (r->huge && is_empty_block(r, block)) {
		fill(r, block, GVM_HUGE_ORDER);
		if (gvm_page(r, at))
			return 0;
	}
	return fill(r, at, 0);
}

/*
 * Takes the folio of slot @at out if all of it lies in @s, or zeroes the page.
 * Returns the next slot.
 */
static unsigned long drop(struct gvm_region *r, struct gvm_span s, unsigned long at)
{
	struct page *page = r->pages[at];
	struct page *head = compound_head(page);
	unsigned long n = compound_nr(head);

	if (n > 1 && (page != head || at + n > s.end)) {
		clear_highpage(page);
		return at + 1;
	}
	memset(&r->pages[at], 0, n * sizeof(r->pages[0]));
	release(r, head);
	return at + n;
}

/*
 * Empties slots, under the region's lock for write, when nothing maps the pages
 * any more. A huge block that lies in @s only in part stays, with zeroes in
 * that part.
 */
void gvm_pages_drop(struct gvm_region *r, struct gvm_span s)
{
	unsigned long at = s.begin;

	while (at < s.end) {
		at = r->pages[at] ? drop(r, s, at) : at + 1;
		if (!(at % GVM_HUGE_PAGES))
			cond_resched();
	}
}
