// SPDX-License-Identifier: GPL-2.0
/*
 * One entry shows a huge block where its states are alike, and each page has its own where they are not. Neighbours are
 * looked at again after a block was served.
 */
#include "common/context.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/harness.h"

#define MIB (1UL << 20)

FIXTURE(huge)
{
	struct context c;
	struct array a;
	size_t block, pages; /* of a huge block: its bytes and its pages */
};

FIXTURE_VARIANT(huge)
{
	unsigned int chunk_shift; /* a chunk is a huge block if it is 0 */
	bool between;             /* maps it where no huge entry fits */
};

FIXTURE_VARIANT_ADD(huge, huge_chunks){
	.chunk_shift = 0,
};

FIXTURE_VARIANT_ADD(huge, small_chunks){
	.chunk_shift = 16,
};

FIXTURE_VARIANT_ADD(huge, huge_chunks_between){
	.between = true,
};

/* Moves the primary a page further on, where its addresses are not those that huge entries have. */
static int move_primary(struct array *a)
{
	char *room =
		mmap(NULL, array_length(a) + 4 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uintptr_t begin = (((uintptr_t)room + 2 * MIB) & -(2 * MIB)) + a->in->page;

	munmap((void *)a->primary, array_length(a));
	a->primary = mmap((void *)begin, array_length(a), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, a->in->fd,
			  GPUVM_MMAP_PRIMARY + a->region.offset);
	return a->primary == MAP_FAILED ? -errno : 0;
}

FIXTURE_SETUP(huge)
{
	struct gpuvm_region region = {.size = sizeof(region), .flags = GPUVM_REGION_HUGE, .length = 8 * MIB};

	self->c.fd = -1;
	if (no_device())
		SKIP(return, "%s", no_device());
	ASSERT_EQ(context_open(&self->c, ALL_FEATURES, 0), 0);
	if (!self->c.hello.huge_size)
		SKIP(return, "this kernel offers no huge pages to the module");
	self->block = self->c.hello.huge_size;
	self->pages = self->block / self->c.page;
	region.chunk_shift = variant->chunk_shift ?: __builtin_ctz(self->block);
	ASSERT_EQ(array_create_with(&self->a, &self->c, region), 0);
	if (variant->between) {
		ASSERT_EQ(move_primary(&self->a), 0);
	}
}

FIXTURE_TEARDOWN(huge)
{
	if (self->c.fd >= 0)
		context_close(&self->c);
}

TEST_F(huge, contents_follow_the_states)
{
	struct array *a = &self->a;
	struct resolver r;

	fill(a->primary, 0, array_length(a), 1);
	EXPECT_EQ(differs(a->alias, 0, array_length(a), 1), -1);
	ASSERT_EQ(resolver_start(&r, a, GPUVM_STATE_SHARED), 0);
	ASSERT_EQ(set_state(a, 0, array_length(a), GPUVM_STATE_DEVICE, NULL), 0);
	EXPECT_EQ(differs(a->primary, 0, array_length(a), 0), -1);
	a->primary[MIB] = 7;
	EXPECT_EQ(state_of(a, MIB), GPUVM_STATE_HOST | GPUVM_STATE_UPGRADED);
	EXPECT_EQ(a->alias[MIB], 7);
	EXPECT_EQ(resolver_stop(&r), 0);
}

/* A range that is a part of a huge page takes effect for that part alone. */
TEST_F(huge, parts)
{
	struct array *a = &self->a;

	fill(a->primary, 0, array_length(a), 1);
	ASSERT_EQ(set_state(a, 4096, 4096, GPUVM_STATE_FAILED, NULL), 0);
	EXPECT_EQ(try_read(a->primary + 4096), -1);
	EXPECT_EQ(differs(a->primary, 0, 4096, 1), -1);
	EXPECT_EQ(differs(a->primary, 8192, MIB, 1), -1);
	ASSERT_EQ(set_state(a, 4096, 4096, GPUVM_STATE_HOST, NULL), 0);
	ASSERT_EQ(range_call(a, GPUVM_IOC_PUNCH, 8192, 4096), 0);
	EXPECT_EQ(a->primary[8192], 0);
	EXPECT_EQ(differs(a->primary, 12288, MIB, 1), -1);
	EXPECT_EQ(differs(a->alias, 0, 8192, 1), -1);
	ASSERT_EQ(munmap((void *)(a->primary + 4096), 4096), 0);
	EXPECT_EQ(differs(a->primary, 12288, MIB, 1), -1);
	ASSERT_EQ(mprotect((void *)(a->primary + 2 * MIB + 4096), 4096, PROT_READ), 0);
	EXPECT_EQ(differs(a->primary, 2 * MIB, 2 * MIB, 1), -1);
}

/* Nobody resolves from now on: what must not be seen gives SIGBUS. */
static void stop_resolving(struct context *c)
{
	close(c->hello.event_fd);
	c->hello.event_fd = -1;
}

/*
 * A block has four states, and one of its pages is served: it alone, or its likes. Stale bytes are seen if a page of
 * DEVICE or FAILED comes with it, and a write goes unnoticed if one of SHARED comes writable.
 */
TEST_F(huge, neighbours_are_looked_at_again)
{
	static const __u8 states[] = {GPUVM_STATE_HOST, GPUVM_STATE_DEVICE, GPUVM_STATE_SHARED, GPUVM_STATE_FAILED};
	size_t page = self->c.page, run = self->pages / 8 * page;
	struct array *a = &self->a;
	__u64 upgraded;

	fill(a->alias, 0, array_length(a), 1);
	stop_resolving(&self->c);
	for (int first = 0; first < 4; first++) {
		volatile char *block = a->primary + first * self->block;

		for (size_t i = 0; i < 8; i++)
			ASSERT_EQ(set_state(a, first * self->block + i * run, run, states[i % 4], NULL), 0);
		/* The page is served by a read or a write in a run of HOST, or by a read in one of SHARED. */
		if (first == 0) {
			EXPECT_NE(try_read(block), -1);
		} else if (first == 1) {
			EXPECT_EQ(try_write(block + 5, block[5]), 0);
		} else {
			EXPECT_NE(try_read(block + (first == 2 ? 2 : 6) * run + 17), -1);
		}
		for (size_t i = 0; i < self->pages; i++) {
			__u8 state = states[i * page / run % 4];
			bool visible = state == GPUVM_STATE_HOST || state == GPUVM_STATE_SHARED;

			ASSERT_EQ(try_read(block + i * page) != -1, visible) TH_LOG("block %d, page %zu", first, i);
		}
		for (size_t i = 2; i < 8; i += 4) {
			size_t shared = first * self->block + i * run;

			ASSERT_EQ(state_of(a, shared), GPUVM_STATE_SHARED);
			ASSERT_EQ(try_write(a->primary + shared, a->primary[shared]), 0);
			ASSERT_EQ(state_of(a, shared), GPUVM_STATE_HOST | GPUVM_STATE_UPGRADED);
			ASSERT_EQ(set_state(a, first * self->block + 2 * run, run, GPUVM_STATE_SHARED, &upgraded), 0);
			ASSERT_EQ(set_state(a, first * self->block + 6 * run, run, GPUVM_STATE_SHARED, NULL), 0);
			EXPECT_EQ(upgraded != 0, i == 2 || !variant->chunk_shift);
		}
	}
	EXPECT_EQ(differs(a->alias, 0, array_length(a), 1), -1);
}

/* The states must be right, page by page, under random changes and touches. */
TEST_F(huge, any_mixture_of_states)
{
	static const __u8 states[] = {GPUVM_STATE_HOST, GPUVM_STATE_SHARED, GPUVM_STATE_DEVICE, GPUVM_STATE_FAILED};
	size_t page = self->c.page, chunk = (1UL << self->a.region.chunk_shift) / page;
	struct array *a = &self->a;
	__u8 *expected = malloc(self->pages);

	fill(a->alias, 0, self->block, 1);
	stop_resolving(&self->c);
	memset(expected, GPUVM_STATE_HOST, self->pages);
	srand(1);
	for (int round = 0; round < 1000; round++) {
		size_t at = rand() % self->pages, n = 1 + rand() % (rand() % 4 ? 16 : self->pages);
		bool visible = expected[at] == GPUVM_STATE_HOST || expected[at] == GPUVM_STATE_SHARED;
		__u8 state = states[rand() % 8 ? rand() % 2 : rand() % 4];

		switch (rand() % 4) {
		case 0:
			n = rand() % 8 && at + n <= self->pages ? n : self->pages - (at = rand() % 2 ? 0 : at);
			ASSERT_EQ(set_state(a, at * page, n * page, state, NULL), 0);
			memset(expected + at, state, n);
			break;
		case 1:
			ASSERT_EQ(try_write(a->primary + at * page, a->alias[at * page]), visible ? 0 : -1)
			TH_LOG("round %d, write to page %zu", round, at);
			for (size_t i = at / chunk * chunk;
			     expected[at] == GPUVM_STATE_SHARED && i < (at / chunk + 1) * chunk; i++)
				if (i != at && expected[i] == GPUVM_STATE_SHARED)
					expected[i] = GPUVM_STATE_HOST;
			if (visible)
				expected[at] = GPUVM_STATE_HOST;
			break;
		default:
			ASSERT_EQ(try_read(a->primary + at * page), visible ? (unsigned char)a->alias[at * page] : -1)
			TH_LOG("round %d, read of page %zu", round, at);
		}
		for (size_t i = 0; i < self->pages; i++) {
			ASSERT_EQ(state_of(a, i * page) & GPUVM_STATE_MASK, expected[i])
			TH_LOG("round %d, page %zu", round, i);
		}
	}
	EXPECT_EQ(differs(a->alias, 0, self->block, 1), -1);
	free(expected);
}

/* Returns the KiB that /proc/self/smaps gives for the mapping that begins there, in lines with that name. */
static long in_smaps(const volatile void *begin, const char *name)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	unsigned long from, to;
	bool inside = false;
	char line[256];
	long sum = 0;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			inside = from == (uintptr_t)begin;
		else if (inside && !strncmp(line, name, strlen(name)))
			sum += atol(line + strlen(name));
	}
	if (f)
		fclose(f);
	return sum;
}

static bool has_huge_entries(void)
{
	struct utsname name;
	int major, minor;

	uname(&name);
	return sscanf(name.release, "%d.%d", &major, &minor) == 2 && (major > 6 || (major == 6 && minor >= 15));
}

/*
 * A block has one entry. A part is taken away alone, and the whole comes back whole only in a page table that is empty.
 */
TEST_F(huge, whole_blocks_have_huge_entries)
{
	struct array *a = &self->a;
	bool huge = !variant->chunk_shift && !variant->between;

	if (!has_huge_entries())
		SKIP(return, "huge entries need Linux 6.15");
	fill(a->primary, 0, array_length(a), 1);
	EXPECT_EQ(in_smaps(a->primary, "FilePmdMapped:"), huge ? array_length(a) / 1024 : 0);
	EXPECT_EQ(in_smaps(a->alias, "Rss:"), 0);
	EXPECT_EQ(differs(a->alias, 0, array_length(a), 1), -1);
	EXPECT_EQ(in_smaps(a->alias, "FilePmdMapped:"), variant->chunk_shift ? 0 : array_length(a) / 1024);
	ASSERT_EQ(set_state(a, self->block, self->block, GPUVM_STATE_SHARED, NULL), 0);
	EXPECT_EQ(in_smaps(a->primary, "FilePmdMapped:"), huge ? (array_length(a) - self->block) / 1024 : 0);
	EXPECT_EQ(differs(a->primary, self->block, self->block, 1), -1);
	EXPECT_EQ(in_smaps(a->primary, "FilePmdMapped:"), huge ? array_length(a) / 1024 : 0);
	a->primary[self->block] = a->alias[self->block];
	EXPECT_EQ(state_of(a, self->block + self->c.page), variant->chunk_shift == 0 || self->c.page < 65536
								   ? GPUVM_STATE_HOST | GPUVM_STATE_UPGRADED
								   : GPUVM_STATE_SHARED);
	EXPECT_EQ(in_smaps(a->primary, "FilePmdMapped:"), huge ? array_length(a) / 1024 : 0);
}

/* get_user_pages() takes pages out of huge entries, and they stay pinned when the block is gone. */
TEST_F(huge, pins)
{
	struct array *a = &self->a;
	struct iovec part = {.iov_base = (void *)(a->primary + self->block + 3 * self->c.page),
			     .iov_len = self->c.page};
	char *got = malloc(self->c.page);
	int ends[2];

	ASSERT_EQ(pipe(ends), 0);
	fill(a->primary, 0, array_length(a), 1);
	ASSERT_EQ(vmsplice(ends[1], &part, 1, 0), self->c.page);
	ASSERT_EQ(range_call(a, GPUVM_IOC_PUNCH, 0, array_length(a)), 0);
	EXPECT_EQ(a->primary[self->block + 3 * self->c.page], 0);
	ASSERT_EQ(read(ends[0], got, self->c.page), self->c.page);
	for (size_t i = 0; i < self->c.page; i++)
		ASSERT_EQ(got[i], pattern(self->block + 3 * self->c.page + i, 1));
	free(got);
}

TEST_HARNESS_MAIN
