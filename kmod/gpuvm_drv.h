/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the module share.
 *
 * Locks, outermost first:
 *
 *   gvm_context.mutex		regions come and go
 *   mmap_lock, VMA lock	the core's, around faults and mmap()
 *   gvm_table.lock		its pages against insertion
 *   gvm_region.lock		page states against insertion: see fault.c
 *   folio lock			of a huge block: how it is mapped, see huge.c
 *   gvm_region.marks		state bytes and page slots, among those who hold
 *				gvm_region.lock for read
 *   gvm_ring.lock		producers of the ring
 *
 * account.c has two more, which are taken below gvm_table.lock and
 * gvm_region.lock.
 *
 * Below gvm_region.lock pages are allocated and i_mmap_rwsem and page table
 * locks are taken (by the core), so no user memory may be accessed there.
 */
#ifndef GPUVM_DRV_H
#define GPUVM_DRV_H

#include <linux/idr.h>
#include <linux/kref.h>
#include <linux/maple_tree.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include <linux/gpuvm.h>

#include "geometry.h"

#ifndef CONFIG_64BIT
#error "gpuvm needs a 64-bit kernel: the space of a context has 2^46 bytes, and five such areas are mapped"
#endif

struct gvm_account;

#define GVM_AREA_SHIFT		(46 - PAGE_SHIFT)
#define GVM_SPACE_PAGES		(GPUVM_SPACE >> PAGE_SHIFT)
#define GVM_HUGE_PAGES		(PMD_SIZE >> PAGE_SHIFT)
#define GVM_HUGE_ORDER		(PMD_SHIFT - PAGE_SHIFT)
#define GVM_WAIT_BITS		6

/**
 * struct gvm_table - pages that user space maps read-only
 * @ctx: whose
 * @place: in the file, where the table is mapped
 * @pages: by index; each counts its users (@lock)
 */
struct gvm_table {
	struct gvm_context *ctx;
	u64 place;
	/** @lock: pages come and go; for read while one is mapped */
	struct rw_semaphore lock;
	struct xarray pages;
};

/**
 * struct gvm_ring - touches for the resolver
 * @shared: what user space maps, and writes: nothing in it is trusted
 * @entries: the part of @shared that holds touches
 * @pages: the memory of @shared
 * @count: how many pages
 * @size: how many entries, a power of two
 * @head: touches posted so far (@lock)
 * @consumers: sleep in poll(2)
 */
struct gvm_ring {
	/** @lock: producers */
	spinlock_t lock;
	struct gpuvm_ring *shared;
	struct gpuvm_touch *entries;
	struct page **pages;
	unsigned int count;
	u32 size;
	u32 head;
	wait_queue_head_t consumers;
};

/**
 * struct gvm_context - what one open of /dev/gpuvm gives
 * @ref: held by the file, the event's file and each region
 * @account: pays for all memory of the context
 * @mm: whose arrays these are; the account's
 * @inode: its mapping has all VMAs of the context, so that pages can be
 *	unmapped by their offset; goes with the file
 * @stage: GVM_NEW, GVM_GREETING or GVM_READY
 * @closed: nobody resolves any more: touches of DEVICE pages get SIGBUS
 * @features: what was granted
 * @regions: struct gvm_region by page in the space
 * @ids: of regions
 * @states: one byte a page in the space
 * @upgrades: one u64 a region
 * @ring: touches for the resolver
 * @closings: how many primary mappings went
 * @waiters: touchers that sleep, by a hash of their chunk
 */
struct gvm_context {
	struct kref ref;
	struct gvm_account *account;
	struct mm_struct *mm;
	struct inode *inode;
	/** @mutex: regions come and go */
	struct mutex mutex;
	int stage;
	bool closed;
	u64 features;
	struct maple_tree regions;
	struct ida ids;
	struct gvm_table states;
	struct gvm_table upgrades;
	struct gvm_ring ring;
	atomic_t closings;
	wait_queue_head_t waiters[1 << GVM_WAIT_BITS];
};

/*
 * A context's stage tells whether HELLO was said. It changes without a lock,
 * since HELLO touches user memory.
 */
enum {
	GVM_NEW,
	GVM_GREETING,
	GVM_READY,
};

static inline bool gvm_is_ready(const struct gvm_context *ctx)
{
	/*
	 * The load pairs with the release in ioctl.c: what HELLO has set up is
	 * seen.
	 */
	return smp_load_acquire(&ctx->stage) == GVM_READY;
}

/**
 * struct gvm_region - the pages and states of one array
 * @ref: held by the context's tree and by who works with it
 * @rcu: lookups run under RCU
 * @ctx: a reference
 * @first: its first page in the space
 * @count: how many pages
 * @id: its number in @ctx->upgrades
 * @chunk_order: log2 of the pages of a chunk
 * @node: where pages come from
 * @huge: pages come in blocks of GVM_HUGE_PAGES where they can be had
 * @lock: see fault.c
 * @dead: no longer in the tree (@lock)
 * @pages: slots; from NULL to a page under @lock for read and @marks, anything
 *	else under @lock for write. The slots of a huge block hold one reference
 *	of its folio together.
 * @states: the pages of @ctx->states that hold the region's bytes
 * @upgrades: the region's counter in @ctx->upgrades (@marks)
 * @accessed: a bit a chunk: see accessed.c; NULL without GPUVM_FEATURE_ACCESSED
 * @written: a bit a chunk, in the same piece of memory
 */
struct gvm_region {
	struct kref ref;
	struct rcu_head rcu;
	struct gvm_context *ctx;
	unsigned long first;
	unsigned long count;
	unsigned int id;
	unsigned int chunk_order;
	int node;
	bool huge;
	struct rw_semaphore lock;
	bool dead;
	/** @marks: state bytes and slots, among those who hold @lock for read */
	spinlock_t marks;
	struct page **pages;
	u8 **states;
	u64 *upgrades;
	unsigned long *accessed;
	unsigned long *written;
};

/* main.c */
extern unsigned int gvm_spin_us;
extern unsigned long gvm_features;
extern unsigned long gvm_max_mb;
extern bool gvm_memlock;
struct inode *gvm_new_inode(void);

/* context.c */
extern const struct file_operations gvm_fops;
void gvm_context_put(struct gvm_context *ctx);

/* ioctl.c */
long gvm_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

/* map.c */
int gvm_mmap(struct file *file, struct vm_area_struct *vma);
void gvm_unmap(struct gvm_region *r, struct gvm_span s, u64 place);

/* region.c */
struct gvm_region *gvm_region_prepare(struct gvm_context *ctx, struct gpuvm_region *arg);
int gvm_region_enter(struct gvm_region *r);
void gvm_region_abandon(struct gvm_region *r);
int gvm_region_destroy(struct gvm_context *ctx, u64 offset);
void gvm_region_destroy_all(struct gvm_context *ctx);
struct gvm_region *gvm_region_get(struct gvm_context *ctx, unsigned long page);
void gvm_region_put(struct gvm_region *r);
struct gvm_span gvm_chunk(const struct gvm_region *r, unsigned long at);

/* accessed.c */
size_t gvm_accessed_size(const struct gvm_region *r);
int gvm_accessed_init(struct gvm_region *r);
bool gvm_accessed_note(struct gvm_region *r, unsigned long at, bool write);
int gvm_accessed_take(struct gvm_region *r, struct gvm_span s, u8 __user *answer);

/* range.c */
int gvm_range_op(struct gvm_context *ctx, struct gpuvm_range_op *op, unsigned int nr);

/* state.c */
#define GVM_DEVICE_POSTED (GPUVM_STATE_DEVICE | GPUVM_STATE_POSTED)

struct gvm_change {
	/* Pages may be mapped in a way that the new state forbids. */
	bool unmap;
	u64 upgraded;		/* counts pages that had GPUVM_STATE_UPGRADED */
};

u8 gvm_state(const struct gvm_region *r, unsigned long at);
bool gvm_states_are(const struct gvm_region *r, struct gvm_span s, unsigned long kinds);
void gvm_states_set(struct gvm_region *r, struct gvm_span s, u8 new, struct gvm_change *change);
void gvm_states_wake(struct gvm_region *r, struct gvm_span s);
void gvm_states_upgrade(struct gvm_region *r, struct gvm_span s);
bool gvm_states_post(struct gvm_region *r, unsigned long at, const struct gpuvm_touch *touch);

static inline u8 gvm_kind(const struct gvm_region *r, unsigned long at)
{
	return gvm_state(r, at) & GPUVM_STATE_MASK;
}

/* table.c */
int gvm_tables_init(void);
void gvm_tables_exit(void);
void gvm_table_init(struct gvm_table *t, struct gvm_context *ctx, u64 place);
void *gvm_table_add(struct gvm_table *t, unsigned long index);
void gvm_table_remove(struct gvm_table *t, unsigned long index);
int gvm_table_mmap(struct gvm_table *t, struct vm_area_struct *vma);

/* pages.c */
int gvm_page_fill(struct gvm_region *r, unsigned long at);
void gvm_pages_drop(struct gvm_region *r, struct gvm_span s);

static inline struct page *gvm_page(const struct gvm_region *r, unsigned long at)
{
	/*
	 * The load pairs with the release in pages.c: the zeroes are seen
	 * before the page is.
	 */
	return smp_load_acquire(&r->pages[at]);
}

/* fault.c */
struct gvm_touch {
	struct gvm_region *region;
	unsigned long at;		/* number of the page in the region */
	struct vm_fault *vmf;
	struct file *file;		/* held since the core's lock was left, else NULL */
	/*
	 * The touch was posted, or another of its chunk; if not, the ring is
	 * full.
	 */
	bool posted;
};

/* Inserts the page of a touch and those around it, under the region's lock. */
typedef vm_fault_t (*gvm_show_t)(const struct gvm_touch *t, bool writable);

vm_fault_t gvm_primary_fault(struct vm_fault *vmf, gvm_show_t show);
vm_fault_t gvm_primary_mkwrite(struct vm_fault *vmf, gvm_show_t show);
vm_fault_t gvm_alias_fault(struct vm_fault *vmf, gvm_show_t show);

/* around.c */
extern const struct vm_operations_struct gvm_primary_ops;
extern const struct vm_operations_struct gvm_alias_ops;

/* insert.c */
int gvm_insert(const struct gvm_touch *t, struct gvm_span s, bool writable);

/* watched.c */
bool gvm_is_watched(const struct vm_fault *vmf);
int gvm_insert_watched(const struct gvm_touch *t, bool writable);

/* huge.c, and huge_core.c for kernels before 6.15 */
bool gvm_can_map_huge(struct gvm_context *ctx, struct vm_area_struct *vma);
vm_fault_t gvm_show_huge(const struct gvm_touch *t, struct gvm_span s, bool writable);
vm_fault_t gvm_allow_write_huge(const struct gvm_touch *t, struct gvm_span s);
void gvm_settle_huge(struct gvm_region *r, struct gvm_span s);

/* wait.c */
u64 gvm_spin_until(void);
bool gvm_spin(const struct gvm_touch *t, u64 until);
vm_fault_t gvm_sleep(struct gvm_touch *t);
void gvm_primary_close(struct vm_area_struct *vma);
void gvm_wake(struct gvm_region *r, struct gvm_span s);
void gvm_wake_all(struct gvm_context *ctx);

/* ring.c */
int gvm_ring_init(struct gvm_ring *ring, struct gvm_account *payer, u32 entries);
void gvm_ring_free(struct gvm_ring *ring, struct gvm_account *payer);
bool gvm_ring_post(struct gvm_ring *ring, const struct gpuvm_touch *touch);
struct file *gvm_event_file(struct gvm_context *ctx);

#endif /* GPUVM_DRV_H */
