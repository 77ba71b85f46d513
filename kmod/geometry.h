/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Computes with pages, chunks and huge blocks, for pages of any size. It is
 * pure, so that selftests/kmod/geometry.c can look at sizes that the machine
 * does not have.
 */
#ifndef GPUVM_GEOMETRY_H
#define GPUVM_GEOMETRY_H

#include <linux/gpuvm.h>

/* A span is pages of a region, counted from the region's beginning. */
struct gvm_span {
	unsigned long begin, end;
};

/* A chunk is made of whole pages. */
static inline bool gvm_chunk_shift_is_valid(unsigned int chunk_shift, unsigned int page_shift)
{
	return chunk_shift >= page_shift && chunk_shift <= GPUVM_CHUNK_SHIFT_MAX;
}

/*
 * A huge block that is larger than the largest chunk could never be shown whole:
 * with pages of 16 KiB it has 32 MiB, with 64 KiB 512 MiB.
 */
static inline bool gvm_huge_is_of_use(unsigned int huge_shift)
{
	return huge_shift <= GPUVM_CHUNK_SHIFT_MAX;
}

/*
 * Returns the chunk that page @at of a region with @count pages lies in. The
 * last one may be short.
 */
static inline struct gvm_span gvm_chunk_around(unsigned long at, unsigned int order,
					       unsigned long count)
{
	unsigned long begin = at >> order << order;
	unsigned long end = begin + (1UL << order);

	return (struct gvm_span){ begin, end < count ? end : count };
}

#endif /* GPUVM_GEOMETRY_H */
