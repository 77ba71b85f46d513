/* SPDX-License-Identifier: GPL-2.0 */
/* These are hooks of the test build (GPUVM_TEST=1); any other has none. */
#ifndef GPUVM_TEST_HOOKS_H
#define GPUVM_TEST_HOOKS_H

#include "gpuvm_drv.h"

#ifdef GPUVM_TEST
#include "gpuvm_test.h"

#define GVM_TEST_FEATURES GPUVM_FEATURE_TEST

bool gvm_is_test_ioctl(unsigned int cmd);
long gvm_test_ioctl(unsigned int cmd, void __user *user);
/* Tells whether the allocation that comes is to fail. */
bool gvm_test_fails(void);
/*
 * This is called between a fault's look at the state and the insertion, with the
 * region's lock held for read.
 */
void gvm_test_before_insertion(struct gvm_region *r);
/* This is called when a toucher has slept, with no lock held, neither the core's nor ours. */
void gvm_test_after_sleep(void);
#else
#define GVM_TEST_FEATURES 0

static inline bool gvm_is_test_ioctl(unsigned int cmd)
{
	return false;
}

static inline long gvm_test_ioctl(unsigned int cmd, void __user *user)
{
	return -ENOTTY;
}

static inline bool gvm_test_fails(void)
{
	return false;
}

static inline void gvm_test_before_insertion(struct gvm_region *r)
{
}

static inline void gvm_test_after_sleep(void)
{
}
#endif

#endif /* GPUVM_TEST_HOOKS_H */
