// SPDX-License-Identifier: GPL-2.0
/* mmap() of the device goes by place, and unmapping by offset. */
#include <linux/fs.h>
#include <linux/vmalloc.h>

#include "gpuvm_drv.h"
#include "compat.h"

static int map_table(struct gvm_table *t, struct vm_area_struct *vma, unsigned long pages)
{
	if ((vma->vm_pgoff & (GVM_SPACE_PAGES - 1)) + vma_pages(vma) > pages)
		return -ENODEV;
	return gvm_table_mmap(t, vma);
}

static int map_ring(struct gvm_context *ctx, struct vm_area_struct *vma)
{
	return remap_vmalloc_range(vma, ctx->ring.shared, vma->vm_pgoff & (GVM_SPACE_PAGES - 1));
}

static int map_pages(struct gvm_context *ctx, struct vm_area_struct *vma, bool primary)
{
	if (!gvm_can_map_huge(ctx, vma))
		vm_flags_set(vma, VM_MIXEDMAP);
	vma->vm_private_data = ctx;
	vma->vm_ops = primary ? &gvm_primary_ops : &gvm_alias_ops;
	return 0;
}

int gvm_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct gvm_context *ctx = file->private_data;
	unsigned long last = vma->vm_pgoff + vma_pages(vma) - 1;
	unsigned long area = vma->vm_pgoff >> GVM_AREA_SHIFT;

	if (vma->vm_mm != ctx->mm)
		return -EPERM;
	if (!gvm_is_ready(ctx))
		return -EBADFD;
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (last >> GVM_AREA_SHIFT != area)
		return -ENODEV;

	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY);
	switch ((u64)area << 46) {
	case GPUVM_MMAP_PRIMARY:
		return map_pages(ctx, vma, true);
	case GPUVM_MMAP_ALIAS:
		return map_pages(ctx, vma, false);
	case GPUVM_MMAP_STATE:
		return map_table(&ctx->states, vma, GVM_SPACE_PAGES >> PAGE_SHIFT);
	case GPUVM_MMAP_UPGRADES:
		return map_table(&ctx->upgrades, vma,
				 DIV_ROUND_UP(GPUVM_REGIONS_MAX * sizeof(u64), PAGE_SIZE));
	case GPUVM_MMAP_RING:
		return map_ring(ctx, vma);
	default:
		return -ENODEV;
	}
}

/*
 * Takes pages out of all mappings at @place. The caller holds the region's lock
 * for write.
 */
void gvm_unmap(struct gvm_region *r, struct gvm_span s, u64 place)
{
	loff_t first = place + ((loff_t)(r->first + s.begin) << PAGE_SHIFT);

	if (r->huge)
		gvm_settle_huge(r, s);
	unmap_mapping_range(r->ctx->inode->i_mapping, first,
			    (loff_t)(s.end - s.begin) << PAGE_SHIFT, 1);
}
