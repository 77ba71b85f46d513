// SPDX-License-Identifier: GPL-2.0
/*
 * Huge mappings.
 *
 * No exported function inserts a PMD of ordinary pages: vmf_insert_pfn_pmd()
 * makes special ones, which get_user_pages() refuses (6.12) and which a VMA with
 * VM_MIXEDMAP does not count. But the core itself maps a PMD if ->fault returns
 * a page of a folio of that size and the VMA is neither VM_PFNMAP nor
 * VM_MIXEDMAP. So the operations here are those of a mapping that begins and
 * ends at huge blocks of a region whose chunks are huge. All other mappings show
 * huge blocks by single pages, a chunk at a time (around.c). Here single pages
 * are shown without those around them, where no huge page was to be had or
 * where user space gives parts of a block states of their own.
 *
 * The core inserts after the handler has returned. What keeps a revoke away
 * meanwhile is the folio's lock: taken here under gvm_region.lock, held by the
 * core until the entry is there, and taken once for each folio by
 * gvm_settle_huge() between the change of states and the unmapping.
 *
 * The core maps a read touch read-only, whatever the state; the first write
 * then goes through ->page_mkwrite.
 */
#include <linux/pagemap.h>

#include "gpuvm_drv.h"
#include "compat.h"

/* Whether the states allow the access that was asked for in all of the block. */
static bool is_uniform(const struct gvm_touch *t)
{
	unsigned long begin = round_down(t->at, GVM_HUGE_PAGES);
	struct gvm_span block = { begin, begin + GVM_HUGE_PAGES };
	unsigned long kinds = BIT(GPUVM_STATE_HOST);

	if (!(t->vmf->flags & FAULT_FLAG_WRITE))
		kinds |= BIT(GPUVM_STATE_SHARED);
	return block.end <= t->region->count && gvm_states_are(t->region, block, kinds);
}

static int do_nothing(pte_t *pte, unsigned long address, void *data)
{
	return 0;
}

/*
 * The core tries to map a PMD only where there is no page table. Only who holds
 * the folio's lock inserts anything there, so none comes between.
 */
static int forbid_pmd(const struct gvm_touch *t)
{
	struct vm_fault *vmf = t->vmf;

	if (!pmd_none(READ_ONCE(*vmf->pmd)))
		return 0;
	return apply_to_page_range(vmf->vma->vm_mm, vmf->address & PAGE_MASK, PAGE_SIZE,
				   do_nothing, NULL);
}

/* Locks the page of the touch for the core, which maps it. */
static vm_fault_t lock(const struct gvm_touch *t, struct page *page)
{
	lock_page(page);
	if (PageCompound(page) && !is_uniform(t) && forbid_pmd(t)) {
		unlock_page(page);
		return VM_FAULT_OOM;
	}
	return VM_FAULT_LOCKED;
}

static vm_fault_t show(const struct gvm_touch *t, bool writable)
{
	struct page *page;
	vm_fault_t ret;

	/*
	 * The region that was mapped so is gone, and whoever revokes pages of
	 * the one in its place would not wait for their folios.
	 */
	if (!t->region->huge)
		return VM_FAULT_SIGBUS;
	if (gvm_page_fill(t->region, t->at))
		return VM_FAULT_SIGBUS;
	page = gvm_page(t->region, t->at);
	ret = lock(t, page);
	if (ret == VM_FAULT_LOCKED) {
		get_page(page);
		t->vmf->page = page;
	}
	return ret;
}

static vm_fault_t show_writable(const struct gvm_touch *t, bool writable)
{
	/* Punched since the core has looked? */
	if (gvm_page(t->region, t->at) != t->vmf->page)
		return VM_FAULT_NOPAGE;
	return lock(t, t->vmf->page);
}

/* Any state may be touched through the alias. */
static vm_fault_t show_alias(const struct gvm_touch *t, bool writable)
{
	struct page *page;

	if (!t->region->huge || gvm_page_fill(t->region, t->at))
		return VM_FAULT_SIGBUS;
	page = gvm_page(t->region, t->at);
	get_page(page);
	lock_page(page);
	t->vmf->page = page;
	return VM_FAULT_LOCKED;
}

static vm_fault_t primary_fault(struct vm_fault *vmf)
{
	return gvm_primary_fault(vmf, show);
}

static vm_fault_t primary_mkwrite(struct vm_fault *vmf)
{
	return gvm_primary_mkwrite(vmf, show_writable);
}

static vm_fault_t alias_fault(struct vm_fault *vmf)
{
	return gvm_alias_fault(vmf, show_alias);
}

const struct vm_operations_struct gvm_huge_primary_ops = {
	.close = gvm_primary_close,
	.fault = primary_fault,
	.page_mkwrite = primary_mkwrite,
	GVM_UNDER_VMA_LOCK
};

const struct vm_operations_struct gvm_huge_alias_ops = {
	.fault = alias_fault,
	GVM_UNDER_VMA_LOCK
};

/*
 * Whether the mapping shows nothing but whole huge blocks of one huge region,
 * whose chunks are such blocks, at addresses that fit.
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

/*
 * Waits for faults that have returned a page of @s and whose entries the core
 * is about to insert. Under the region's lock for write, so that no new ones
 * come.
 */
void gvm_settle_huge(struct gvm_region *r, struct gvm_span s)
{
	while (s.begin < s.end) {
		struct page *page = r->pages[s.begin];
		struct folio *folio;

		if (!page) {
			s.begin++;
			continue;
		}
		folio = page_folio(page);
		folio_lock(folio);
		folio_unlock(folio);
		s.begin += folio_nr_pages(folio) - folio_page_idx(folio, page);
		cond_resched();
	}
}
