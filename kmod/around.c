// SPDX-License-Identifier: GPL-2.0
/* A touch shows a chunk at a time, under gvm_region.lock for read. */
#include "gpuvm_drv.h"
#include "compat.h"

/* Returns the part of the touched chunk that the VMA shows. */
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
 * Returns the pages that exist around the touched one, and in the primary have
 * the same state. Mostly the whole window has one, which is found out eight at
 * a time.
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

/* Shows pages in mappings that have single entries alone. */
static vm_fault_t show_pages(const struct gvm_touch *t, struct gvm_span s, bool writable)
{
	int err;

	if (gvm_is_watched(t->vmf))
		err = gvm_insert_watched(t, writable);
	else
		err = gvm_insert(t, s, writable);
	return err ? VM_FAULT_OOM : VM_FAULT_NOPAGE;
}

static bool has_huge_entries(const struct gvm_touch *t)
{
	return !(t->vmf->vma->vm_flags & VM_MIXEDMAP);
}

static vm_fault_t show_together(const struct gvm_touch *t, bool primary, bool writable)
{
	struct gvm_span s;

	if (gvm_page_fill(t->region, t->at))
		return VM_FAULT_SIGBUS;
	s = shown_together(t, primary);
	return has_huge_entries(t) ? gvm_show_huge(t, s, writable) : show_pages(t, s, writable);
}

static vm_fault_t show(const struct gvm_touch *t, bool writable)
{
	return show_together(t, true, writable);
}

static vm_fault_t show_writable(const struct gvm_touch *t, bool writable)
{
	if (has_huge_entries(t) && gvm_page(t->region, t->at))
		return gvm_allow_write_huge(t, shown_together(t, true));
	return show_together(t, true, true);
}

/* All states are alike there, and the VMA's own protection says what is writable. */
static vm_fault_t show_alias(const struct gvm_touch *t, bool writable)
{
	return show_together(t, false, false);
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
