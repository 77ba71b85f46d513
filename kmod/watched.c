// SPDX-License-Identifier: GPL-2.0
/*
 * Mappings that a userfaultfd watches for writes.
 *
 * From 6.7 on one with UFFD_FEATURE_WP_ASYNC may watch any mapping; 7.2 refuses
 * ours. It leaves markers in entries that have no page, which the core lets pass
 * to ->fault. No page can be inserted in the place of one, so that the touch
 * would be repeated for ever. Pages are shown one at a time here.
 */
#include <linux/userfaultfd_k.h>

#include "gpuvm_drv.h"
#include "compat.h"

/* The core lets no other marker pass. */
static bool is_marked(const struct vm_fault *vmf)
{
	return vmf->flags & FAULT_FLAG_ORIG_PTE_VALID && !pte_none(vmf->orig_pte);
}

bool gvm_is_watched(const struct vm_fault *vmf)
{
	return userfaultfd_wp(vmf->vma) || is_marked(vmf);
}

static int clear_mark(pte_t *pte, unsigned long address, void *data)
{
	const struct vm_fault *vmf = data;

	if (pte_same(ptep_get(pte), vmf->orig_pte))
		pte_clear(vmf->vma->vm_mm, address, pte);
	return 0;
}

/*
 * From now on the page's entry says what the marker said, as after the core's
 * own faults, unless somebody has written meanwhile. The core has helpers for
 * neither step; both may go when 7.2 is the oldest kernel that is built for.
 */
static int watch_writes(pte_t *pte, unsigned long address, void *data)
{
	const struct vm_fault *vmf = data;
	pte_t entry = ptep_get(pte);

	if (pte_present(entry) && !pte_write(entry))
		set_pte_at(vmf->vma->vm_mm, address, pte, pte_mkuffd_wp(entry));
	return 0;
}

static int for_touched_entry(const struct vm_fault *vmf, pte_fn_t call)
{
	return apply_to_page_range(vmf->vma->vm_mm, vmf->address & PAGE_MASK, PAGE_SIZE, call,
				   (void *)vmf);
}

/* Writes go through the core, each page's first one: it takes the mark off. */
int gvm_insert_watched(const struct gvm_touch *t, bool writable)
{
	struct gvm_span one = { t->at, t->at + 1 };
	int err;

	if (!is_marked(t->vmf))
		return gvm_insert(t, one, writable);
	err = for_touched_entry(t->vmf, clear_mark);
	if (!err)
		err = gvm_insert(t, one, false);
	return err ?: for_touched_entry(t->vmf, watch_writes);
}
