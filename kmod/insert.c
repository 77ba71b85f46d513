// SPDX-License-Identifier: GPL-2.0
/*
 * Page table entries of single pages, under gvm_region.lock for read.
 *
 * They are ordinary ones, which get_user_pages() can take. A primary's VMA has a
 * ->page_mkwrite, so what vm_insert_pages() puts there is read-only.
 */
#include "gpuvm_drv.h"
#include "compat.h"

static unsigned long address_of(const struct gvm_touch *t, unsigned long at)
{
	return (t->vmf->address & PAGE_MASK) + ((at - t->at) << PAGE_SHIFT);
}

/* Inserts up to the first entry that is there already: somebody else is at work there. */
static int insert_pages(const struct gvm_touch *t, struct gvm_span s)
{
	struct page **pages = &t->region->pages[s.begin];
	unsigned long left = s.end - s.begin;
	int err;

	if (!left)
		return 0;
	err = vm_insert_pages(t->vmf->vma, address_of(t, s.begin), pages, &left);
	return err == -EBUSY ? 0 : err;
}

/* The touched page must be there at the end; the others are a favour. */
static int insert_around(const struct gvm_touch *t, struct gvm_span s)
{
	int err = insert_pages(t, (struct gvm_span){ t->at, s.end });

	if (!err)
		insert_pages(t, (struct gvm_span){ s.begin, t->at });
	return err;
}

#ifdef GVM_HAVE_INSERT_PAGE_MKWRITE
/*
 * Inserts each page by itself. Entries that are there already become writable
 * if @writable.
 */
static int insert_each(const struct gvm_touch *t, struct gvm_span s, bool writable)
{
	vm_fault_t ret = VM_FAULT_NOPAGE;
	unsigned long at;

	for (at = s.begin; at < s.end && ret == VM_FAULT_NOPAGE; at++) {
		struct vm_fault one = { .vma = t->vmf->vma, .address = address_of(t, at) };

		ret = vmf_insert_page_mkwrite(&one, t->region->pages[at], writable);
	}
	return ret == VM_FAULT_NOPAGE ? 0 : -ENOMEM;
}
#else
static int allow_write(pte_t *pte, unsigned long address, void *data)
{
	const struct gvm_touch *t = data;
	pte_t entry = ptep_get(pte);

	if (pte_present(entry) && !pte_write(entry)) {
		entry = pte_mkwrite_novma(pte_mkdirty(pte_mkyoung(entry)));
		set_pte_at(t->vmf->vma->vm_mm, address, pte, entry);
	}
	return 0;
}

/*
 * Before 6.15 no helper inserts a page writable where the VMA's own protection
 * is not. So the entries are changed in a second step, and by hand: what makes
 * an entry allow more (ptep_set_access_flags) is not exported. set_pte_at() will
 * do, since under the page table's lock the processor can change only the
 * accessed bit of a read-only entry, which is set here anyway. All of this may go
 * when 6.15 is the oldest kernel that is built for.
 */
static int insert_each(const struct gvm_touch *t, struct gvm_span s, bool writable)
{
	int err = insert_around(t, s);

	if (err || !writable)
		return err;
	return apply_to_existing_page_range(t->vmf->vma->vm_mm, address_of(t, s.begin),
					    (s.end - s.begin) << PAGE_SHIFT, allow_write, (void *)t);
}
#endif

/* Shows pages that exist; writable, if the VMA is. */
int gvm_insert(const struct gvm_touch *t, struct gvm_span s, bool writable)
{
	const struct vm_area_struct *vma = t->vmf->vma;

	writable = writable && vma->vm_flags & VM_WRITE;
	/* Many at once can only be had where huge entries can not: see huge.c. */
	if (!writable && vma->vm_flags & VM_MIXEDMAP)
		return insert_around(t, s);
	return insert_each(t, s, writable);
}
