/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GPUVM_ACCOUNT_H
#define GPUVM_ACCOUNT_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/spinlock.h>

/**
 * struct gvm_account - who pays for a context's memory
 * @ref: held by the context, and while there are pinned pages
 * @mm: the owner
 * @cred: of the user whose RLIMIT_MEMLOCK counts, or NULL
 * @most: that limit in pages
 * @bytes: charged in parts of pages (@lock)
 * @pinned: pages that were given back, and others still hold
 * @node: of all accounts that have some
 */
struct gvm_account {
	struct kref ref;
	struct mm_struct *mm;
	const struct cred *cred;
	unsigned long most;
	/** @lock: @bytes with their charge */
	spinlock_t lock;
	size_t bytes;
	struct list_head pinned;
	struct list_head node;
};

struct gvm_account *gvm_account_alloc(void);
void gvm_account_limit(struct gvm_account *a);
void gvm_account_put(struct gvm_account *a);
void gvm_account_exit(void);
long gvm_pages_in_use(void);

bool gvm_charge_bytes(struct gvm_account *a, size_t n);
void gvm_uncharge_bytes(struct gvm_account *a, size_t n);
struct page *gvm_page_alloc(struct gvm_account *a, int node, unsigned int order);
void gvm_page_free(struct gvm_account *a, struct page *page);

#endif /* GPUVM_ACCOUNT_H */
