// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of regions. A region's slots are filled under its lock for read, by
 * several threads at once, and emptied under its lock for write.
 */
#include <linux/highmem.h>

#include "account.h"
#include "gpuvm_drv.h"

/* Returns false if one of the slots is not empty. */
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
	struct page *page = gvm_page_alloc(r->ctx->account, r->node, order);

	if (!page)
		return -ENOMEM;
	if (!place(r, at, page))
		gvm_page_free(r->ctx->account, page);
	return 0;
}

/* Others may be filling slots: place() looks again. */
static bool is_empty_block(const struct gvm_region *r, unsigned long block)
{
	return block + GVM_HUGE_PAGES <= r->count &&
	       !data_race(memchr_inv(&r->pages[block], 0, GVM_HUGE_PAGES * sizeof(r->pages[0])));
}

/*
 * Makes the page exist, and those of its huge block. The caller holds the
 * region's lock.
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
	gvm_page_free(r->ctx->account, head);
	return at + n;
}

/*
 * Empties slots when nothing maps the pages any more. The caller holds the
 * region's lock for write. A huge block that lies in @s only in part stays,
 * with zeroes in that part.
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
