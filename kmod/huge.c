// SPDX-License-Identifier: GPL-2.0
/*
 * Huge page table entries, under gvm_region.lock for read: from 6.15 on.
 * vmf_insert_folio_pmd() makes ordinary ones, which count and which
 * get_user_pages() can take. (For earlier kernels see huge_core.c.)
 *
 * The core does not count the entries of folios in a VMA with VM_MIXEDMAP right,
 * which vm_insert_pages() asks for. So a mapping is either for huge entries,
 * without that flag, or it is not.
 */
#include <linux/pagemap.h>

#include "gpuvm_drv.h"
#include "compat.h"

#ifdef GVM_HUGE_ENTRIES
/* Returns the pages of the touched huge block, as the page table divides them. */
static struct gvm_span block_of(const struct gvm_touch *t)
{
	unsigned long before = (t->vmf->address & ~PMD_MASK) >> PAGE_SHIFT;

	return (struct gvm_span){ t->at - before, t->at - before + GVM_HUGE_PAGES };
}

/*
 * Returns the folio that may be shown by one entry if the pages of @s may be
 * shown alike.
 */
static struct folio *whole_block(const struct gvm_touch *t, struct gvm_span s)
{
	struct gvm_span block = block_of(t);
	struct page *page = gvm_page(t->region, t->at);
	struct folio *folio = page_folio(page);

	if (s.begin > block.begin || s.end < block.end || folio_order(folio) != GVM_HUGE_ORDER ||
	    folio_page_idx(folio, page) != t->at - block.begin)
		return NULL;
	return folio;
}

/*
 * A page table can not become a huge entry, nor the other way round, but by being
 * emptied first. So who finds neither decides for all that touch the block, one
 * at a time.
 */
static vm_fault_t show_locked(const struct gvm_touch *t, struct gvm_span s, bool writable)
{
	struct folio *folio = whole_block(t, s);
	pmd_t entry = READ_ONCE(*t->vmf->pmd);

	if (folio && (pmd_none(entry) || pmd_leaf(entry)))
		return vmf_insert_folio_pmd(t->vmf, folio,
					    writable && t->vmf->vma->vm_flags & VM_WRITE);
	/* A neighbour's touch put it there when the states were alike; if it is too little, the core splits it. */
	if (pmd_leaf(entry))
		return VM_FAULT_NOPAGE;
	return gvm_insert(t, s, writable) ? VM_FAULT_OOM : VM_FAULT_NOPAGE;
}

vm_fault_t gvm_show_huge(const struct gvm_touch *t, struct gvm_span s, bool writable)
{
	struct folio *folio = page_folio(gvm_page(t->region, t->at));
	vm_fault_t ret;

	if (gvm_is_watched(t->vmf))
		return gvm_insert_watched(t, writable) ? VM_FAULT_OOM : VM_FAULT_NOPAGE;
	folio_lock(folio);
	ret = show_locked(t, s, writable);
	folio_unlock(folio);
	return ret;
}

vm_fault_t gvm_allow_write_huge(const struct gvm_touch *t, struct gvm_span s)
{
	return gvm_show_huge(t, s, true);
}

/* There is nothing to settle, as no fault leaves the insertion to the core. */
void gvm_settle_huge(struct gvm_region *r, struct gvm_span s)
{
}
#endif

/*
 * Returns whether the mapping shows nothing but whole huge blocks of one huge
 * region, whose chunks are such blocks, at addresses that fit.
 */
bool gvm_can_map_huge(struct gvm_context *ctx, struct vm_area_struct *vma)
{
	unsigned long first = vma->vm_pgoff & (GVM_SPACE_PAGES - 1);
	struct gvm_region *r;
	bool can;

	if (!IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		return false;
	if (!IS_ALIGNED(vma->vm_start | vma->vm_end, PMD_SIZE) ||
	    !IS_ALIGNED(first, GVM_HUGE_PAGES))
		return false;
	r = gvm_region_get(ctx, first);
	if (!r)
		return false;
	can = r->huge && r->chunk_order >= GVM_HUGE_ORDER &&
	      first + vma_pages(vma) <= r->first + r->count;
	gvm_region_put(r);
	return can;
}
