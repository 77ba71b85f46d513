// SPDX-License-Identifier: GPL-2.0
/*
 * Tables that the kernel writes and user space reads: pages by index, in place
 * from first use to the context's end.
 */
#include <linux/gfp.h>

#include "gpuvm_drv.h"
#include "test.h"

void gvm_table_init(struct gvm_table *t)
{
	xa_init_flags(&t->pages, XA_FLAGS_ACCOUNT);
}

struct page *gvm_table_page(struct gvm_table *t, unsigned long index)
{
	return xa_load(&t->pages, index);
}

/*
 * The address of a page, which comes zeroed if there was none. Null: no memory.
 * Under the context's mutex.
 */
void *gvm_table_add(struct gvm_table *t, unsigned long index)
{
	struct page *page = gvm_table_page(t, index);

	if (page)
		return page_address(page);
	if (gvm_test_fails())
		return NULL;
	page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!page)
		return NULL;
	if (xa_err(xa_store(&t->pages, index, page, GFP_KERNEL_ACCOUNT))) {
		__free_page(page);
		return NULL;
	}
	return page_address(page);
}

/* Mappings keep pages for themselves. */
void gvm_table_free(struct gvm_table *t)
{
	struct page *page;
	unsigned long index;

	xa_for_each(&t->pages, index, page)
		put_page(page);
	xa_destroy(&t->pages);
}
