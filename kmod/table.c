// SPDX-License-Identifier: GPL-2.0
/*
 * Tables that the kernel writes and user space reads.
 *
 * A page is there as long as somebody uses it; user space sees zeroes in place
 * of all others. Pages are inserted under the table's lock for read. Who takes
 * one out, or puts one in place of the zeroes, holds it for write, and then
 * unmaps what was there: so no mapping keeps an outdated page.
 */
#include <linux/gfp.h>

#include "account.h"
#include "gpuvm_drv.h"
#include "compat.h"

static struct page *zeroes;

int gvm_tables_init(void)
{
	zeroes = alloc_page(GFP_KERNEL | __GFP_ZERO);
	return zeroes ? 0 : -ENOMEM;
}

void gvm_tables_exit(void)
{
	put_page(zeroes);
}

void gvm_table_init(struct gvm_table *t, struct gvm_context *ctx, u64 place)
{
	t->ctx = ctx;
	t->place = place;
	init_rwsem(&t->lock);
	xa_init_flags(&t->pages, XA_FLAGS_ACCOUNT);
}

static void unmap(struct gvm_table *t, unsigned long index)
{
	unmap_mapping_range(t->ctx->inode->i_mapping, t->place + ((loff_t)index << PAGE_SHIFT),
			    PAGE_SIZE, 1);
}

static struct page *new_page(struct gvm_table *t, unsigned long index)
{
	struct page *page = gvm_page_alloc(t->ctx->account, NUMA_NO_NODE, 0);

	if (!page)
		return NULL;
	if (xa_err(xa_store(&t->pages, index, page, GFP_KERNEL_ACCOUNT))) {
		gvm_page_free(t->ctx->account, page);
		return NULL;
	}
	set_page_private(page, 0);
	unmap(t, index);
	return page;
}

/*
 * Returns the address of a page for one more user; it comes zeroed if there was
 * none. Returns NULL if there is no memory.
 */
void *gvm_table_add(struct gvm_table *t, unsigned long index)
{
	struct page *page;

	down_write(&t->lock);
	page = xa_load(&t->pages, index);
	if (!page)
		page = new_page(t, index);
	if (page)
		set_page_private(page, page_private(page) + 1);
	up_write(&t->lock);
	return page ? page_address(page) : NULL;
}

/* Takes a user away. */
void gvm_table_remove(struct gvm_table *t, unsigned long index)
{
	struct page *page;

	down_write(&t->lock);
	page = xa_load(&t->pages, index);
	set_page_private(page, page_private(page) - 1);
	if (!page_private(page)) {
		xa_erase(&t->pages, index);
		unmap(t, index);
		gvm_page_free(t->ctx->account, page);
	}
	up_write(&t->lock);
}

static vm_fault_t table_fault(struct vm_fault *vmf)
{
	struct gvm_table *t = vmf->vma->vm_private_data;
	struct page *page;
	vm_fault_t ret;

	down_read(&t->lock);
	page = xa_load(&t->pages, vmf->pgoff - (t->place >> PAGE_SHIFT));
	ret = vmf_insert_page(vmf->vma, vmf->address, page ? page : zeroes);
	up_read(&t->lock);
	return ret;
}

static const struct vm_operations_struct table_ops = {
	.fault = table_fault,
	GVM_UNDER_VMA_LOCK
};

int gvm_table_mmap(struct gvm_table *t, struct vm_area_struct *vma)
{
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	vm_flags_set(vma, VM_MIXEDMAP);
	vm_flags_clear(vma, VM_MAYWRITE);
	vma->vm_private_data = t;
	vma->vm_ops = &table_ops;
	return 0;
}
