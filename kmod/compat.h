/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hides what differs between the kernels that the module is built for. Kbuild
 * finds out by compiling, since distributions bring later interfaces to earlier
 * versions.
 */
#ifndef GPUVM_COMPAT_H
#define GPUVM_COMPAT_H

#include <linux/mm.h>

#ifndef GVM_HAVE_VM_FLAGS_SET
static inline void vm_flags_set(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}
#endif

#ifndef GVM_HAVE_PTE_MKWRITE_NOVMA
#define pte_mkwrite_novma pte_mkwrite
#endif

#ifdef GVM_HAVE_RELEASE_FAULT_LOCK
/*
 * The core calls ->fault under the VMA's own lock only if there is a
 * ->map_pages; it is called under RCU, where gvm_region.lock can not be taken.
 * So there is one that does nothing, as long as the core wants it (7.2 does).
 */
static inline vm_fault_t gvm_map_no_pages(struct vm_fault *vmf, pgoff_t start, pgoff_t end)
{
	return 0;
}

#define GVM_UNDER_VMA_LOCK .map_pages = gvm_map_no_pages,
#else
static inline void release_fault_lock(struct vm_fault *vmf)
{
	mmap_read_unlock(vmf->vma->vm_mm);
}

#define GVM_UNDER_VMA_LOCK
#endif

/* Entries of both kinds can be inserted under a lock of ours: see huge.c. */
#if defined(CONFIG_TRANSPARENT_HUGEPAGE) && defined(GVM_HAVE_INSERT_FOLIO_PMD) && \
	defined(GVM_HAVE_INSERT_PAGE_MKWRITE)
#define GVM_HUGE_ENTRIES 1
#endif

#endif /* GPUVM_COMPAT_H */
