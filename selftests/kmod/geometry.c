// SPDX-License-Identifier: GPL-2.0
/* Tests the module's arithmetic with pages of 4, 16 and 64 KiB. It needs no module. */
#include <stdbool.h>

#include "common/harness.h"
#include <geometry.h>

FIXTURE(geometry){};

FIXTURE_VARIANT(geometry)
{
	unsigned int page_shift, huge_shift;
	bool huge; /* tells that huge pages are of use */
};

FIXTURE_VARIANT_ADD(geometry, pages_of_4_kib){
	.page_shift = 12,
	.huge_shift = 21,
	.huge = true,
};

FIXTURE_VARIANT_ADD(geometry, pages_of_16_kib){
	.page_shift = 14,
	.huge_shift = 25,
};

FIXTURE_VARIANT_ADD(geometry, pages_of_64_kib){
	.page_shift = 16,
	.huge_shift = 29,
};

FIXTURE_SETUP(geometry) {}

FIXTURE_TEARDOWN(geometry) {}

TEST_F(geometry, sizes_of_chunks)
{
	for (unsigned int shift = 0; shift < 64; shift++) {
		EXPECT_EQ(gvm_chunk_shift_is_valid(shift, variant->page_shift),
			  shift >= variant->page_shift && shift <= 21);
	}
	EXPECT_FALSE(gvm_chunk_shift_is_valid(~0U, variant->page_shift));
	EXPECT_EQ(gvm_huge_is_of_use(variant->huge_shift), variant->huge);
}

/* Checks that each page lies in one chunk, chunks have no gaps between them, and only the last one is short. */
TEST_F(geometry, chunks_of_a_region)
{
	for (unsigned int shift = variant->page_shift; shift <= GPUVM_CHUNK_SHIFT_MAX; shift++) {
		unsigned int order = shift - variant->page_shift;
		unsigned long most = 1UL << order;

		for (unsigned long count = 1; count < 3 * most + 3; count += 1 + count / 7) {
			struct gvm_span chunk = {0, 0};

			for (unsigned long at = 0; at < count; at++) {
				struct gvm_span s = gvm_chunk_around(at, order, count);

				ASSERT_LE(s.begin, at);
				ASSERT_LT(at, s.end);
				ASSERT_EQ(s.begin, at == chunk.end ? at : chunk.begin);
				ASSERT_EQ(s.end, s.begin + most < count ? s.begin + most : count);
				chunk = s;
			}
		}
	}
}

/* In the last chunk of the largest region nothing may wrap. */
TEST_F(geometry, largest_region)
{
	unsigned long count = GPUVM_REGION_BYTES_MAX >> variant->page_shift;
	struct gvm_span s = gvm_chunk_around(count - 1, GPUVM_CHUNK_SHIFT_MAX - variant->page_shift, count);

	EXPECT_EQ((s.end - s.begin) << variant->page_shift, 1UL << GPUVM_CHUNK_SHIFT_MAX);
	EXPECT_EQ(s.end, count);
}

TEST_HARNESS_MAIN
