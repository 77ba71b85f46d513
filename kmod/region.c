// SPDX-License-Identifier: GPL-2.0
/* Regions come, are found, and go here. */
#include <linux/nodemask.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "account.h"
#include "gpuvm_drv.h"
#include "test.h"

#define UPGRADES_PER_PAGE (PAGE_SIZE / sizeof(u64))

/* Returns the chunk that the page lies in. */
struct gvm_span gvm_chunk(const struct gvm_region *r, unsigned long at)
{
	return gvm_chunk_around(at, r->chunk_order, r->count);
}

struct gvm_region *gvm_region_get(struct gvm_context *ctx, unsigned long page)
{
	struct gvm_region *r;

	rcu_read_lock();
	r = mtree_load(&ctx->regions, page);
	if (r && !kref_get_unless_zero(&r->ref))
		r = NULL;
	rcu_read_unlock();
	return r;
}

static unsigned long first_table_page(const struct gvm_region *r)
{
	return r->first / PAGE_SIZE;
}

static unsigned long table_pages(const struct gvm_region *r)
{
	return (r->first + r->count - 1) / PAGE_SIZE - first_table_page(r) + 1;
}

/* Returns the bytes of the region and of what it has from kvcalloc(). */
static size_t size_of(const struct gvm_region *r)
{
	return sizeof(*r) + r->count * sizeof(r->pages[0]) + table_pages(r) * sizeof(r->states[0]) +
	       gvm_accessed_size(r);
}

/* Threads that wait look at the state bytes as long as they have the region. */
static void leave_tables(struct gvm_region *r)
{
	unsigned long n = r->states ? table_pages(r) : 0;
	unsigned long i;

	for (i = 0; i < n && r->states[i]; i++) {
		gvm_table_remove(&r->ctx->states, first_table_page(r) + i);
		cond_resched();
	}
	if (r->upgrades)
		gvm_table_remove(&r->ctx->upgrades, r->id / UPGRADES_PER_PAGE);
}

static void region_free(struct gvm_region *r)
{
	leave_tables(r);
	kvfree(r->pages);
	kvfree(r->states);
	kvfree(r->accessed);
	gvm_uncharge_bytes(r->ctx->account, size_of(r));
	gvm_context_put(r->ctx);
	kfree_rcu(r, rcu);
}

static void region_release(struct kref *ref)
{
	region_free(container_of(ref, struct gvm_region, ref));
}

void gvm_region_put(struct gvm_region *r)
{
	kref_put(&r->ref, region_release);
}

static int check(const struct gvm_context *ctx, const struct gpuvm_region *arg)
{
	if (arg->flags & ~(GPUVM_REGION_HUGE | GPUVM_REGION_NODE) || arg->reserved)
		return -EINVAL;
	if (!PAGE_ALIGNED(arg->offset | arg->length) || !arg->length ||
	    arg->length > GPUVM_REGION_BYTES_MAX || arg->offset > GPUVM_SPACE - arg->length)
		return -EINVAL;
	/* Such a region could never be filled, and its tables alone would be large. */
	if ((arg->length - 1) >> 20 >= READ_ONCE(gvm_max_mb))
		return -ENOMEM;
	if (!gvm_chunk_shift_is_valid(arg->chunk_shift, PAGE_SHIFT))
		return -EINVAL;
	if (arg->flags & GPUVM_REGION_HUGE) {
		if (!(ctx->features & GPUVM_FEATURE_HUGE))
			return -EOPNOTSUPP;
		if (!IS_ALIGNED(arg->offset, PMD_SIZE))
			return -EINVAL;
	}
	if (arg->flags & GPUVM_REGION_NODE) {
		if (!(ctx->features & GPUVM_FEATURE_NODE))
			return -EOPNOTSUPP;
		if (arg->node >= MAX_NUMNODES || !node_online(arg->node))
			return -EINVAL;
	} else if (arg->node) {
		return -EINVAL;
	}
	return 0;
}

static struct gvm_region *region_alloc(struct gvm_context *ctx, const struct gpuvm_region *arg)
{
	struct gvm_region *r;

	if (gvm_test_fails())
		return NULL;
	r = kzalloc(sizeof(*r), GFP_KERNEL_ACCOUNT);
	if (!r)
		return NULL;
	kref_init(&r->ref);
	init_rwsem(&r->lock);
	spin_lock_init(&r->marks);
	r->first = arg->offset >> PAGE_SHIFT;
	r->count = arg->length >> PAGE_SHIFT;
	r->chunk_order = arg->chunk_shift - PAGE_SHIFT;
	r->huge = arg->flags & GPUVM_REGION_HUGE;
	r->node = arg->flags & GPUVM_REGION_NODE ? arg->node : NUMA_NO_NODE;
	r->ctx = ctx;
	if (!gvm_charge_bytes(ctx->account, size_of(r))) {
		kfree(r);
		return NULL;
	}
	kref_get(&ctx->ref);
	return r;
}

/* Gets the memory that the region needs besides itself. */
static int region_furnish(struct gvm_region *r)
{
	unsigned long n = table_pages(r);
	unsigned long i;
	u64 *upgrades;

	if (gvm_test_fails())
		return -ENOMEM;
	r->pages = kvcalloc(r->count, sizeof(r->pages[0]), GFP_KERNEL_ACCOUNT);
	r->states = kvcalloc(n, sizeof(r->states[0]), GFP_KERNEL_ACCOUNT);
	if (!r->pages || !r->states || gvm_accessed_init(r))
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		r->states[i] = gvm_table_add(&r->ctx->states, first_table_page(r) + i);
		if (!r->states[i])
			return -ENOMEM;
		cond_resched();
	}
	upgrades = gvm_table_add(&r->ctx->upgrades, r->id / UPGRADES_PER_PAGE);
	if (!upgrades)
		return -ENOMEM;
	r->upgrades = upgrades + r->id % UPGRADES_PER_PAGE;
	return 0;
}

/* Faults that find the region at once wait for its states. */
static int make_known(struct gvm_region *r)
{
	struct gvm_change change = {};
	int err;

	if (gvm_test_fails())
		return -ENOMEM;
	down_write(&r->lock);
	err = mtree_insert_range(&r->ctx->regions, r->first,
				 r->first + r->count - 1, r, GFP_KERNEL_ACCOUNT);
	if (!err)
		gvm_states_set(r, (struct gvm_span){ 0, r->count }, GPUVM_STATE_HOST, &change);
	up_write(&r->lock);
	return err == -EEXIST ? -EBUSY : err;
}

/* Returns a region that nobody knows yet, or an error. */
struct gvm_region *gvm_region_prepare(struct gvm_context *ctx, struct gpuvm_region *arg)
{
	int err = check(ctx, arg);
	struct gvm_region *r;

	if (err)
		return ERR_PTR(err);
	r = region_alloc(ctx, arg);
	if (!r)
		return ERR_PTR(-ENOMEM);
	err = ida_alloc_max(&ctx->ids, GPUVM_REGIONS_MAX - 1, GFP_KERNEL_ACCOUNT);
	if (err < 0) {
		gvm_region_put(r);
		return ERR_PTR(err);
	}
	r->id = err;
	arg->id = r->id;
	err = region_furnish(r);
	if (!err)
		return r;
	gvm_region_abandon(r);
	return ERR_PTR(err);
}

/* Makes a prepared region known. */
int gvm_region_enter(struct gvm_region *r)
{
	int err = mutex_lock_killable(&r->ctx->mutex);

	if (err)
		return err;
	err = make_known(r);
	mutex_unlock(&r->ctx->mutex);
	return err;
}

/* Ends a region that nobody knows. */
void gvm_region_abandon(struct gvm_region *r)
{
	ida_free(&r->ctx->ids, r->id);
	gvm_region_put(r);
}

/*
 * Ends a region: it is not found any more, nothing of it is mapped, and who
 * waits there goes on.
 */
static void retire(struct gvm_region *r)
{
	struct gvm_span all = { 0, r->count };
	struct gvm_change change = {};

	mtree_erase(&r->ctx->regions, r->first);
	down_write(&r->lock);
	WRITE_ONCE(r->dead, true);
	gvm_states_set(r, all, GPUVM_STATE_NONE, &change);
	gvm_unmap(r, all, GPUVM_MMAP_PRIMARY);
	gvm_unmap(r, all, GPUVM_MMAP_ALIAS);
	gvm_pages_drop(r, all);
	up_write(&r->lock);
	gvm_wake(r, all);
	gvm_region_abandon(r);
}

int gvm_region_destroy(struct gvm_context *ctx, u64 offset)
{
	struct gvm_region *r;
	int err;

	if (!PAGE_ALIGNED(offset) || offset >= GPUVM_SPACE)
		return -EINVAL;
	err = mutex_lock_killable(&ctx->mutex);
	if (err)
		return err;
	r = mtree_load(&ctx->regions, offset >> PAGE_SHIFT);
	if (r && r->first == offset >> PAGE_SHIFT)
		retire(r);
	else
		err = -ENOENT;
	mutex_unlock(&ctx->mutex);
	return err;
}

void gvm_region_destroy_all(struct gvm_context *ctx)
{
	struct gvm_region *r;
	unsigned long index = 0;

	mutex_lock(&ctx->mutex);
	mt_for_each(&ctx->regions, r, index, ULONG_MAX) {
		retire(r);
		cond_resched();
	}
	mutex_unlock(&ctx->mutex);
}
