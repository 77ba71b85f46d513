// SPDX-License-Identifier: GPL-2.0
/*
 * Huge page table entries before Linux 6.15, where no exported function inserts
 * ordinary ones: vmf_insert_pfn_pmd() makes special ones, which get_user_pages()
 * refuses from 6.12 on. All of this file may go when 6.15 is the oldest kernel
 * that is built for.
 *
 * The core itself maps a huge block if ->fault returns a page of its folio,
 * locked. It does so after the handler has returned, so the folio's lock is what
 * keeps a revoke away: taken here under gvm_region.lock, held by the core until
 * the entry is there, and taken once for each folio by gvm_settle_huge() between
 * the change of states and the unmapping. That may only be done with kernels
 * that map either the whole block or the one page; later ones map as much of the
 * folio as fits, whatever the pages' states.
 *
 * The core maps a read touch read-only, whatever the state; the first write
 * then goes through ->page_mkwrite.
 */
#include <linux/pagemap.h>

#include "gpuvm_drv.h"
#include "compat.h"

#ifndef GVM_HUGE_ENTRIES
static int do_nothing(pte_t *pte, unsigned long address, void *data)
{
	return 0;
}

/*
 * The core tries to map the whole block only where there is no page table, and
 * nothing is exported that makes one but this. Only who holds the folio's lock
 * inserts anything there, so none comes between.
 */
static int forbid_whole(const struct gvm_touch *t)
{
	struct vm_fault *vmf = t->vmf;

	if (!pmd_none(READ_ONCE(*vmf->pmd)))
		return 0;
	return apply_to_page_range(vmf->vma->vm_mm, vmf->address & PAGE_MASK, PAGE_SIZE,
				   do_nothing, NULL);
}

/* Locks the page of the touch for the core. Those of @s may be shown alike. */
static vm_fault_t lock(const struct gvm_touch *t, struct gvm_span s, struct page *page)
{
	lock_page(page);
	if (PageCompound(page) && s.end - s.begin < GVM_HUGE_PAGES && forbid_whole(t)) {
		unlock_page(page);
		return VM_FAULT_OOM;
	}
	return VM_FAULT_LOCKED;
}

vm_fault_t gvm_show_huge(const struct gvm_touch *t, struct gvm_span s, bool writable)
{
	struct page *page = gvm_page(t->region, t->at);
	vm_fault_t ret;

	/*
	 * The region that was mapped so is gone, and whoever revokes pages of
	 * the one in its place would not wait for their folios.
	 */
	if (!t->region->huge)
		return VM_FAULT_SIGBUS;
	ret = lock(t, s, page);
	if (ret == VM_FAULT_LOCKED) {
		get_page(page);
		t->vmf->page = page;
	}
	return ret;
}

vm_fault_t gvm_allow_write_huge(const struct gvm_touch *t, struct gvm_span s)
{
	/* The page may have been punched since the core has looked. */
	if (gvm_page(t->region, t->at) != t->vmf->page)
		return VM_FAULT_NOPAGE;
	return lock(t, s, t->vmf->page);
}

/*
 * Waits for faults that have returned a page of @s and whose entries the core
 * is about to insert. The caller holds the region's lock for write, so that no
 * new ones come.
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
#endif
