/* SPDX-License-Identifier: GPL-2.0 */
/* The test build (GPUVM_TEST=1) has these hooks; any other has none. */
#ifndef GPUVM_TEST_HOOKS_H
#define GPUVM_TEST_HOOKS_H

#include "gpuvm_drv.h"

#ifdef GPUVM_TEST
#include "gpuvm_test.h"

#define GVM_TEST_FEATURES GPUVM_FEATURE_TEST

bool gvm_is_test_ioctl(unsigned int cmd);
long gvm_test_ioctl(unsigned int cmd, void __user *user);
/* Returns whether the next allocation is to fail. */
bool gvm_test_fails(void);
/*
 * Delays a fault between its look at the state and the insertion. The caller
 * holds the region's lock for read.
 */
void gvm_test_before_insertion(struct gvm_region *r);
/*
 * Delays a toucher that has slept. The caller holds no lock, neither the core's
 * nor ours.
 */
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
