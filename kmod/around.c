// SPDX-License-Identifier: GPL-2.0
/*
 * Mappings of single pages, a chunk at a time.
 *
 * Pages go in as ordinary ones (vm_insert_pages), which get_user_pages() can
 * take. What the primary's VMA inserts is read-only, since it has a
 * ->page_mkwrite; entries that may be written are changed in a second step.
 */
#include "gpuvm_drv.h"
#include "compat.h"

static unsigned long address_of(const struct gvm_touch *t, unsigned long at)
{
	return (t->vmf->address & PAGE_MASK) + ((at - t->at) << PAGE_SHIFT);
}

/* The part of the touched chunk that the VMA shows. */
static struct gvm_span window(const struct gvm_touch *t)
{
	const struct vm_area_struct *vma = t->vmf->vma;
	struct gvm_span s = gvm_chunk(t->region, t->at);
	unsigned long before = ((t->vmf->address & PAGE_MASK) - vma->vm_start) >> PAGE_SHIFT;
	unsigned long after = (vma->vm_end - (t->vmf->address & PAGE_MASK)) >> PAGE_SHIFT;

	s.begin = max(s.begin, t->at - min(t->at, before));
	s.end = min(s.end, t->at + after);
	return s;
}

/*
 * Pages that exist around the touched one, and in the primary have the same
 * state. Mostly the whole window has one, which is found out eight at a time.
 */
static struct gvm_span shown_together(const struct gvm_touch *t, bool primary)
{
	struct gvm_region *r = t->region;
	struct gvm_span limit = window(t);
	struct gvm_span s = { t->at, t->at + 1 };
	u8 kind = gvm_kind(r, t->at);
	bool alike = !primary || gvm_states_are(r, limit, BIT(kind));

	while (s.end < limit.end && gvm_page(r, s.end) &&
	       (alike || gvm_kind(r, s.end) == kind))
		s.end++;
	while (s.begin > limit.begin && gvm_page(r, s.begin - 1) &&
	       (alike || gvm_kind(r, s.begin - 1) == kind))
		s.begin--;
	return s;
}

/*
 * Inserts pages up to the first that is there already: somebody else is at work
 * there.
 */
static int insert(const struct gvm_touch *t, struct gvm_span s)
{
	struct page **pages = &t->region->pages[s.begin];
	unsigned long left = s.end - s.begin;
	int err;

	if (!left)
		return 0;
	err = vm_insert_pages(t->vmf->vma, address_of(t, s.begin), pages, &left);
	return err == -EBUSY ? 0 : err;
}

/*
 * Whether a userfaultfd has left a marker in the entry: from 6.7 on one with
 * UFFD_FEATURE_WP_ASYNC may watch any mapping for writes. The core lets no other
 * marker pass. No page can be inserted in its place, so that the touch would be
 * repeated for ever.
 */
static bool is_marked(const struct vm_fault *vmf)
{
	return vmf->flags & FAULT_FLAG_ORIG_PTE_VALID && !pte_none(vmf->orig_pte);
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
 * own faults, unless somebody has written meanwhile.
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

static int insert_around(const struct gvm_touch *t, struct gvm_span s)
{
	bool marked = is_marked(t->vmf);
	int err = marked ? for_touched_entry(t->vmf, clear_mark) : 0;

	if (!err)
		err = insert(t, (struct gvm_span){ t->at, s.end });
	if (!err && marked)
		err = for_touched_entry(t->vmf, watch_writes);
	/* The touched page is there; the others are a favour. */
	if (!err)
		insert(t, (struct gvm_span){ s.begin, t->at });
	return err;
}

static int allow_write(pte_t *pte, unsigned long address, void *data)
{
	const struct gvm_touch *t = data;
	pte_t entry = ptep_get(pte);

	/* Writes that a userfaultfd watches go through the core, each page's first one. */
	if (pte_present(entry) && !pte_write(entry) && !pte_uffd_wp(entry)) {
		entry = pte_mkwrite_novma(pte_mkdirty(pte_mkyoung(entry)));
		set_pte_at(t->vmf->vma->vm_mm, address, pte, entry);
	}
	return 0;
}

static int allow_write_of_host(pte_t *pte, unsigned long address, void *data)
{
	const struct gvm_touch *t = data;
	unsigned long at = t->at + (address >> PAGE_SHIFT) - (t->vmf->address >> PAGE_SHIFT);

	return gvm_kind(t->region, at) == GPUVM_STATE_HOST ? allow_write(pte, address, data) : 0;
}

static void allow_writes(const struct gvm_touch *t, struct gvm_span s)
{
	bool all = gvm_states_are(t->region, s, BIT(GPUVM_STATE_HOST));

	apply_to_existing_page_range(t->vmf->vma->vm_mm, address_of(t, s.begin),
				     (s.end - s.begin) << PAGE_SHIFT,
				     all ? allow_write : allow_write_of_host, (void *)t);
}

static vm_fault_t show(const struct gvm_touch *t, bool writable)
{
	struct gvm_span s;
	int err = gvm_page_fill(t->region, t->at);

	if (err)
		return VM_FAULT_SIGBUS;
	s = shown_together(t, true);
	err = insert_around(t, s);
	if (err)
		return VM_FAULT_OOM;
	if (writable && t->vmf->vma->vm_flags & VM_WRITE)
		allow_writes(t, s);
	return VM_FAULT_NOPAGE;
}

static vm_fault_t show_writable(const struct gvm_touch *t, bool writable)
{
	allow_writes(t, window(t));
	return VM_FAULT_NOPAGE;
}

static vm_fault_t show_alias(const struct gvm_touch *t, bool writable)
{
	if (gvm_page_fill(t->region, t->at))
		return VM_FAULT_SIGBUS;
	return insert_around(t, shown_together(t, false)) ? VM_FAULT_OOM : VM_FAULT_NOPAGE;
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

const struct vm_operations_struct gvm_primary_ops = {
	.close = gvm_primary_close,
	.fault = primary_fault,
	.page_mkwrite = primary_mkwrite,
	GVM_UNDER_VMA_LOCK
};

const struct vm_operations_struct gvm_alias_ops = {
	.fault = alias_fault,
	GVM_UNDER_VMA_LOCK
};
