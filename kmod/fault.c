// SPDX-License-Identifier: GPL-2.0
/*
 * Touches.
 *
 * THE LOCK RULE. A fault holds gvm_region.lock for read from the look at the
 * page's state until the page table entry that the state allows is there. Who
 * changes states to allow less holds it for write, first changes the bytes and
 * then unmaps the pages. So at any time each entry of the primary mapping is
 * one that the states allow, or its removal is under way by somebody whose
 * system call has not returned yet. Without the lock a fault that has seen HOST
 * could insert its entry after the unmapping, and the process would go on with
 * a stale page.
 *
 * Before 6.15 the core inserts the entries of huge mappings, after the handler
 * has returned; what stays held until then is the folio's lock: huge_core.c.
 *
 * One change is made by faults themselves, under the lock for read: SHARED to
 * HOST, which allows more.
 *
 * Nobody waits for a resolver with gvm_region.lock held.
 */
#include <linux/file.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>

#include "gpuvm_drv.h"
#include "test.h"
#include "trace.h"

/* Kernel threads get no signal that could end the waiting. */
static bool may_wait(const struct vm_fault *vmf)
{
	return vmf->flags & FAULT_FLAG_ALLOW_RETRY &&
	       !(current->flags & (PF_EXITING | PF_DUMPCORE | PF_KTHREAD));
}

static void post(struct gvm_touch *t)
{
	struct gvm_region *r = t->region;
	const struct vm_fault *vmf = t->vmf;
	struct gpuvm_touch touch = {
		.offset = (u64)(r->first + t->at) << PAGE_SHIFT,
		.address = vmf->address & PAGE_MASK,
		.flags = vmf->flags & FAULT_FLAG_WRITE ? GPUVM_TOUCH_WRITE : 0,
		.tid = task_pid_vnr(current),
	};

	if (!(vmf->flags & FAULT_FLAG_USER))
		touch.flags |= GPUVM_TOUCH_KERNEL;
	if (vmf->flags & FAULT_FLAG_REMOTE)
		touch.flags |= GPUVM_TOUCH_REMOTE;
	t->posted = gvm_states_post(r, t->at, &touch);
}

/*
 * Does what the state allows, and returns 0 if that is nothing yet. The caller
 * holds the region's lock.
 */
static vm_fault_t look(struct gvm_touch *t, gvm_show_t show)
{
	struct gvm_region *r = t->region;
	bool may_write;
	u8 kind;

	if (r->dead)
		return VM_FAULT_NOPAGE;
	kind = gvm_kind(r, t->at);
	if (kind == GPUVM_STATE_SHARED && t->vmf->flags & FAULT_FLAG_WRITE) {
		gvm_states_upgrade(r, gvm_chunk(r, t->at));
		kind = GPUVM_STATE_HOST;
	}
	switch (kind) {
	case GPUVM_STATE_HOST:
	case GPUVM_STATE_SHARED:
		may_write = gvm_accessed_note(r, t->at, t->vmf->flags & FAULT_FLAG_WRITE);
		gvm_test_before_insertion(r);
		return show(t, kind == GPUVM_STATE_HOST && may_write);
	case GPUVM_STATE_DEVICE:
		if (!may_wait(t->vmf) || READ_ONCE(r->ctx->closed))
			return VM_FAULT_SIGBUS;
		post(t);
		return 0;
	default:
		return VM_FAULT_SIGBUS;
	}
}

static vm_fault_t touch(struct gvm_touch *t, gvm_show_t show)
{
	u64 until = 0;
	vm_fault_t ret;

	for (;;) {
		down_read(&t->region->lock);
		ret = look(t, show);
		up_read(&t->region->lock);
		trace_gpuvm_fault(t, ret);
		if (ret)
			return ret;
		/* The core's locks are held, so there is an end to looking, also with a full ring. */
		if (until && (local_clock() >= until || need_resched()))
			return gvm_sleep(t);
		if (!until)
			until = gvm_spin_until();
		if (!gvm_spin(t, until))
			return gvm_sleep(t);
	}
}

/*
 * Takes a reference to the region. Returns false if there is none for this
 * toucher.
 */
static bool find_region(struct gvm_touch *t, unsigned long page)
{
	struct gvm_context *ctx = t->vmf->vma->vm_private_data;

	/* MADV_DOFORK gives a child a copy of the mapping, not of the context. */
	if (t->vmf->vma->vm_mm != ctx->mm)
		return false;
	t->region = gvm_region_get(ctx, page);
	if (!t->region)
		return false;
	t->at = page - t->region->first;
	return true;
}

vm_fault_t gvm_primary_fault(struct vm_fault *vmf, gvm_show_t show)
{
	struct gvm_touch t = { .vmf = vmf };
	vm_fault_t ret;

	if (!find_region(&t, vmf->pgoff))
		return VM_FAULT_SIGBUS;
	ret = touch(&t, show);
	gvm_region_put(t.region);
	/*
	 * This comes last: the mapping may be gone, and then the file is what
	 * keeps the module loaded.
	 */
	if (t.file)
		fput(t.file);
	return ret;
}

/*
 * Handles a write to a page that is mapped read-only: the state was SHARED
 * then, or it was asked whether somebody writes, or the VMA not writable.
 */
vm_fault_t gvm_primary_mkwrite(struct vm_fault *vmf, gvm_show_t show)
{
	struct gvm_touch t = { .vmf = vmf };
	vm_fault_t ret = VM_FAULT_NOPAGE;
	u8 kind = GPUVM_STATE_NONE;

	if (!find_region(&t, vmf->pgoff))
		return VM_FAULT_SIGBUS;

	down_read(&t.region->lock);
	if (!t.region->dead)
		kind = gvm_kind(t.region, t.at);
	if (kind == GPUVM_STATE_SHARED)
		gvm_states_upgrade(t.region, gvm_chunk(t.region, t.at));
	/* In any other state the entry is gone by now: the touch comes again. */
	if (kind == GPUVM_STATE_HOST || kind == GPUVM_STATE_SHARED) {
		gvm_accessed_note(t.region, t.at, true);
		gvm_test_before_insertion(t.region);
		ret = show(&t, true);
	}
	up_read(&t.region->lock);
	trace_gpuvm_fault(&t, ret);
	gvm_region_put(t.region);
	return ret;
}

vm_fault_t gvm_alias_fault(struct vm_fault *vmf, gvm_show_t show)
{
	struct gvm_touch t = { .vmf = vmf };
	vm_fault_t ret = VM_FAULT_NOPAGE;

	if (!find_region(&t, vmf->pgoff & (GVM_SPACE_PAGES - 1)))
		return VM_FAULT_SIGBUS;

	down_read(&t.region->lock);
	if (!t.region->dead)
		ret = show(&t, true);
	up_read(&t.region->lock);
	gvm_region_put(t.region);
	return ret;
}
