// SPDX-License-Identifier: GPL-2.0
/*
 * Who pays for memory: the process whose context it is for, whoever makes it
 * exist.
 *
 * A page is charged three times: to the memory cgroup of the owner, to the
 * RLIMIT_MEMLOCK of the owner's user (it is not swapped) beside what io_uring
 * and perf have locked, and to the module's max_mb. The last two end when nobody
 * has the page any more. Others may have it pinned when we give it back, and
 * nothing tells us when they let it go; so such a page keeps our reference and
 * is looked at again each second, and when a charge would fail.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "account.h"
#include "gpuvm_drv.h"
#include "test.h"

static atomic_long_t in_use;

/* These accounts have pinned pages, with a reference and a list each. */
static DEFINE_MUTEX(pinned_lock);
static LIST_HEAD(pinned_accounts);
static void look_again(struct work_struct *work);
static DECLARE_DELAYED_WORK(looking, look_again);

long gvm_pages_in_use(void)
{
	return atomic_long_read(&in_use);
}

/*
 * Makes an account for the memory of the calling thread, which is not charged
 * to anybody's limit yet.
 */
struct gvm_account *gvm_account_alloc(void)
{
	struct gvm_account *a;

	if (gvm_test_fails())
		return NULL;
	a = kzalloc(sizeof(*a), GFP_KERNEL_ACCOUNT);
	if (!a)
		return NULL;
	kref_init(&a->ref);
	spin_lock_init(&a->lock);
	INIT_LIST_HEAD(&a->pinned);
	a->mm = current->mm;
	mmgrab(a->mm);
	return a;
}

static void account_free(struct kref *ref)
{
	struct gvm_account *a = container_of(ref, struct gvm_account, ref);

	if (a->cred)
		put_cred(a->cred);
	mmdrop(a->mm);
	kfree(a);
}

void gvm_account_put(struct gvm_account *a)
{
	kref_put(&a->ref, account_free);
}

/*
 * From now on the limit of the calling thread's user counts, if any does. This
 * is called before the first charge.
 */
void gvm_account_limit(struct gvm_account *a)
{
	if (a->cred || !READ_ONCE(gvm_memlock) || capable(CAP_IPC_LOCK))
		return;
	/* These keep the user there. Not every 6.1 exports free_uid(). */
	a->cred = get_current_cred();
}

/*
 * Returns the owner's limit as its threads last had it: those of others have
 * another one.
 */
static unsigned long most_pages(struct gvm_account *a)
{
	if (current->mm == a->mm && !(current->flags & PF_KTHREAD))
		WRITE_ONCE(a->most, rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT);
	return READ_ONCE(a->most);
}

static bool charge_user(struct gvm_account *a, long n)
{
	unsigned long most;
	atomic_long_t *locked;
	long now;

	if (!a->cred)
		return true;
	most = most_pages(a);
	locked = &a->cred->user->locked_vm;
	now = atomic_long_read(locked);
	do {
		if (now + n > most)
			return false;
	} while (!atomic_long_try_cmpxchg(locked, &now, now + n));
	return true;
}

static bool charge(struct gvm_account *a, long n)
{
	long all = atomic_long_add_return(n, &in_use);

	if ((all - 1) >> (20 - PAGE_SHIFT) < READ_ONCE(gvm_max_mb) && charge_user(a, n)) {
		atomic64_add(n, &a->mm->pinned_vm);
		return true;
	}
	atomic_long_sub(n, &in_use);
	return false;
}

static void uncharge(struct gvm_account *a, long n)
{
	atomic64_sub(n, &a->mm->pinned_vm);
	if (a->cred)
		atomic_long_sub(n, &a->cred->user->locked_vm);
	atomic_long_sub(n, &in_use);
}

static void free_page_of(struct gvm_account *a, struct page *page)
{
	uncharge(a, compound_nr(page));
	put_page(page);
}

/*
 * Frees what is pinned no longer, and returns true if that is all of it. The
 * caller holds pinned_lock.
 */
static bool free_unpinned(struct gvm_account *a)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, &a->pinned, lru) {
		if (page_ref_count(page) == 1) {
			list_del(&page->lru);
			free_page_of(a, page);
		}
		cond_resched();
	}
	return list_empty(&a->pinned);
}

/* The caller holds pinned_lock. */
static void forget(struct gvm_account *a)
{
	list_del(&a->node);
	gvm_account_put(a);
}

static void look_again(struct work_struct *work)
{
	struct gvm_account *a, *next;

	mutex_lock(&pinned_lock);
	list_for_each_entry_safe(a, next, &pinned_accounts, node) {
		if (free_unpinned(a))
			forget(a);
	}
	if (!list_empty(&pinned_accounts))
		schedule_delayed_work(&looking, HZ);
	mutex_unlock(&pinned_lock);
}

/* The module goes; what is still pinned belongs to its pinner. */
void gvm_account_exit(void)
{
	struct gvm_account *a, *next_account;
	struct page *page, *next;

	cancel_delayed_work_sync(&looking);
	list_for_each_entry_safe(a, next_account, &pinned_accounts, node) {
		list_for_each_entry_safe(page, next, &a->pinned, lru) {
			list_del(&page->lru);
			free_page_of(a, page);
		}
		forget(a);
	}
}

static void keep_pinned(struct gvm_account *a, struct page *page)
{
	mutex_lock(&pinned_lock);
	if (list_empty(&a->pinned)) {
		kref_get(&a->ref);
		list_add(&a->node, &pinned_accounts);
		schedule_delayed_work(&looking, HZ);
	}
	list_add(&page->lru, &a->pinned);
	mutex_unlock(&pinned_lock);
}

/* Returns whether another charge may succeed after one that has failed. */
static bool has_freed_some(struct gvm_account *a)
{
	bool had_pinned;

	mutex_lock(&pinned_lock);
	had_pinned = !list_empty(&a->pinned);
	if (had_pinned && free_unpinned(a))
		forget(a);
	mutex_unlock(&pinned_lock);
	return had_pinned;
}

static bool charge_bytes(struct gvm_account *a, size_t n)
{
	bool charged;
	long pages;

	spin_lock(&a->lock);
	pages = DIV_ROUND_UP(a->bytes + n, PAGE_SIZE) - DIV_ROUND_UP(a->bytes, PAGE_SIZE);
	charged = !pages || charge(a, pages);
	if (charged)
		a->bytes += n;
	spin_unlock(&a->lock);
	return charged;
}

/*
 * Charges for what is never mapped, and comes from kmalloc() and the like.
 * Returns false if a limit is reached.
 */
bool gvm_charge_bytes(struct gvm_account *a, size_t n)
{
	return charge_bytes(a, n) || (has_freed_some(a) && charge_bytes(a, n));
}

void gvm_uncharge_bytes(struct gvm_account *a, size_t n)
{
	long pages;

	spin_lock(&a->lock);
	pages = DIV_ROUND_UP(a->bytes, PAGE_SIZE) - DIV_ROUND_UP(a->bytes - n, PAGE_SIZE);
	a->bytes -= n;
	spin_unlock(&a->lock);
	uncharge(a, pages);
}

static struct page *allocate(struct gvm_account *a, int node, unsigned int order)
{
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO;
	struct mem_cgroup *owners = get_mem_cgroup_from_mm(a->mm);
	struct mem_cgroup *before = set_active_memcg(owners);
	struct page *page;

	if (order)
		gfp |= __GFP_COMP | __GFP_NORETRY | __GFP_NOWARN;
	if (node == NUMA_NO_NODE)
		page = alloc_pages(gfp, order);
	else
		page = alloc_pages_node(node, gfp, order);
	set_active_memcg(before);
	mem_cgroup_put(owners);
	return page;
}

/*
 * Returns zeroed pages that user space may map, or NULL if there is no memory,
 * or a limit is reached.
 */
struct page *gvm_page_alloc(struct gvm_account *a, int node, unsigned int order)
{
	long n = 1L << order;
	struct page *page;

	if (gvm_test_fails() || !(charge(a, n) || (has_freed_some(a) && charge(a, n))))
		return NULL;
	page = allocate(a, node, order);
	if (!page)
		uncharge(a, n);
	return page;
}

/* Nothing may map the pages any more. */
void gvm_page_free(struct gvm_account *a, struct page *page)
{
	if (page_ref_count(page) == 1)
		free_page_of(a, page);
	else
		keep_pinned(a, page);
}
