/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/* Only a module built with GPUVM_TEST=1 understands this. It is not installed. */
#ifndef GPUVM_TEST_H
#define GPUVM_TEST_H

#include <linux/gpuvm.h>

/*
 * This feature is offered in addition, and without effect: a later module may
 * have such a one.
 */
#define GPUVM_FEATURE_TEST	(1ULL << 63)

/* The mutant does not hold the region's lock while a fault is delayed. */
#define GPUVM_TEST_NO_LOCK	(1U << 0)
/* The delay comes once more where a toucher has slept, before it leaves the module. */
#define GPUVM_TEST_AFTER_SLEEP	(1U << 1)

/**
 * struct gpuvm_test - argument of %GPUVM_IOC_TEST: settings of the whole
 * module, and its counts
 * @size: sizeof(struct gpuvm_test)
 * @flags: GPUVM_TEST_*
 * @delay_us: how long each fault of a primary waits between the look at the
 *	state and the insertion
 * @fail_at: the allocation that fails, counted from this call on; 0: none.
 *	Later ones succeed.
 * @allocations: out: allocations since the last call
 * @pages: out: pages that contexts have, of all processes
 */
struct gpuvm_test {
	__u32 size;
	__u32 flags;
	__u32 delay_us;
	__u32 fail_at;
	__aligned_u64 allocations;
	__aligned_u64 pages;
};

/**
 * struct gpuvm_test_touch - argument of %GPUVM_IOC_TEST_TOUCH: a kernel thread
 * with the caller's memory reads a byte
 * @size: sizeof(struct gpuvm_test_touch)
 * @error: out: 0, or a negative errno
 * @address: of the byte
 */
struct gpuvm_test_touch {
	__u32 size;
	__s32 error;
	__aligned_u64 address;
};

#define GPUVM_IOC_TEST		_IO(GPUVM_IOC, 0x80)
#define GPUVM_IOC_TEST_TOUCH	_IO(GPUVM_IOC, 0x81)

#endif /* GPUVM_TEST_H */
