// SPDX-License-Identifier: GPL-2.0
/* Tests SHARED: reads are free, and the first write makes the chunk HOST and is counted, with no word to user space. */
#include "common/context.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include "common/harness.h"

#define MIB (1UL << 20)
#define CHUNK 65536UL

FIXTURE(shared)
{
	struct context c;
	struct array a;
};

FIXTURE_SETUP(shared)
{
	self->c.fd = -1;
	if (no_device())
		SKIP(return, "%s", no_device());
	ASSERT_EQ(context_open(&self->c, ALL_FEATURES, 0), 0);
	if (!(self->c.hello.features & GPUVM_FEATURE_SHARED))
		SKIP(return, "no GPUVM_FEATURE_SHARED");
	ASSERT_EQ(array_create(&self->a, &self->c, 4 * MIB, MIB, 16), 0);
	fill(self->a.primary, 0, MIB, 0);
	ASSERT_EQ(set_state(&self->a, 0, MIB, GPUVM_STATE_SHARED, NULL), 0);
}

FIXTURE_TEARDOWN(shared)
{
	if (self->c.fd >= 0)
		context_close(&self->c);
}

static __u64 upgrades(const struct array *a)
{
	return __atomic_load_n((__u64 *)a->in->upgrades + a->region.id, __ATOMIC_ACQUIRE);
}

static long faults_so_far(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

TEST_F(shared, reads_are_free)
{
	struct array *a = &self->a;
	__u64 before = upgrades(a), found;
	long faults;

	faults = faults_so_far();
	for (size_t i = 0; i < CHUNK; i += 4096) {
		ASSERT_EQ(a->primary[i], pattern(i, 0));
	}
	EXPECT_EQ(faults_so_far() - faults, 1);
	EXPECT_EQ(differs(a->primary, 0, MIB, 0), -1);
	EXPECT_EQ(upgrades(a), before);
	EXPECT_EQ(state_of(a, 0), GPUVM_STATE_SHARED);
	ASSERT_EQ(set_state(a, 0, MIB, GPUVM_STATE_DEVICE, &found), 0);
	EXPECT_EQ(found, 0);
}

TEST_F(shared, first_write_upgrades_its_chunk)
{
	struct array *a = &self->a;
	__u64 before = upgrades(a), after, found;
	long faults;

	ASSERT_EQ(a->primary[3 * CHUNK], pattern(3 * CHUNK, 0));
	a->primary[3 * CHUNK + 5000] = 9;
	after = upgrades(a);
	EXPECT_GT(after, before);
	for (size_t i = 0; i < MIB; i += 4096) {
		ASSERT_EQ(state_of(a, i),
			  i / CHUNK == 3 ? GPUVM_STATE_HOST | GPUVM_STATE_UPGRADED : GPUVM_STATE_SHARED);
	}
	faults = faults_so_far();
	for (size_t i = 3 * CHUNK; i < 4 * CHUNK; i += 4096)
		a->primary[i] = 9;
	EXPECT_EQ(faults_so_far() - faults, 0);
	EXPECT_EQ(upgrades(a), after);
	EXPECT_EQ(touches_posted(&self->c), 0);

	/* The flag goes with the next SET_STATE, which tells of it. */
	ASSERT_EQ(set_state(a, 0, MIB, GPUVM_STATE_SHARED, &found), 0);
	EXPECT_EQ(found, CHUNK / 4096);
	EXPECT_EQ(state_of(a, 3 * CHUNK), GPUVM_STATE_SHARED);
	ASSERT_EQ(set_state(a, 0, MIB, GPUVM_STATE_SHARED, &found), 0);
	EXPECT_EQ(found, 0);
}

TEST_F(shared, write_without_a_read_before)
{
	struct array *a = &self->a;
	__u64 before = upgrades(a);

	a->primary[0] = 9;
	EXPECT_NE(upgrades(a), before);
	EXPECT_EQ(state_of(a, 0), GPUVM_STATE_HOST | GPUVM_STATE_UPGRADED);
	EXPECT_EQ(a->alias[0], 9);
	EXPECT_EQ(differs(a->primary, 1, MIB - 1, 0), -1);
}

/* Dirty pages that were writable must not stay so, nor become so again by mprotect(). */
TEST_F(shared, no_write_goes_unnoticed)
{
	struct array *a = &self->a;
	__u64 found;

	for (int round = 0; round < 3; round++) {
		ASSERT_EQ(set_state(a, 0, MIB, GPUVM_STATE_HOST, NULL), 0);
		fill(a->primary, 0, MIB, round);
		ASSERT_EQ(set_state(a, 0, MIB, GPUVM_STATE_SHARED, NULL), 0);
		ASSERT_EQ(differs(a->primary, 0, MIB, round), -1);
		if (round) {
			ASSERT_EQ(mprotect((void *)a->primary, MIB, PROT_READ), 0);
		}
		if (round > 1) {
			ASSERT_EQ(differs(a->primary, 0, MIB, round), -1);
		}
		ASSERT_EQ(mprotect((void *)a->primary, MIB, PROT_READ | PROT_WRITE), 0);
		for (size_t i = 0; i < MIB; i += CHUNK)
			a->primary[i + 4096] = 9;
		ASSERT_EQ(set_state(a, 0, MIB, GPUVM_STATE_SHARED, &found), 0);
		EXPECT_EQ(found, MIB / 4096);
	}
}

TEST_F(shared, alias_writes_are_no_touches)
{
	struct array *a = &self->a;
	__u64 before = upgrades(a);

	fill(a->alias, 0, MIB, 5);
	EXPECT_EQ(differs(a->primary, 0, MIB, 5), -1);
	EXPECT_EQ(upgrades(a), before);
	EXPECT_EQ(state_of(a, 0), GPUVM_STATE_SHARED);
}

TEST_F(shared, read_only_mapping_does_not_upgrade)
{
	volatile char *p =
		mmap(NULL, MIB, PROT_READ, MAP_SHARED, self->c.fd, GPUVM_MMAP_PRIMARY + self->a.region.offset);
	__u64 before = upgrades(&self->a);

	ASSERT_NE(p, MAP_FAILED);
	EXPECT_EQ(differs(p, 0, MIB, 0), -1);
	ASSERT_EQ(set_state(&self->a, 0, CHUNK, GPUVM_STATE_HOST, NULL), 0);
	EXPECT_EQ(differs(p, 0, MIB, 0), -1);
	EXPECT_EQ(upgrades(&self->a), before);
}

struct writer {
	struct array *a;
	atomic_bool stop;
	unsigned int written;
};

static void *write_on(void *argument)
{
	struct writer *w = argument;

	while (!w->stop)
		w->a->primary[8] = (char)++w->written;
	return NULL;
}

/* What is in the alias after a revoke stays there until the next upgrade is seen. */
TEST_F(shared, revoke_against_writers)
{
	struct writer w = {.a = &self->a};
	struct array *a = &self->a;
	unsigned int caught = 0;
	uint64_t until;
	pthread_t thread;

	ASSERT_EQ(pthread_create(&thread, NULL, write_on, &w), 0);
	for (until = now_ms() + 1500; now_ms() < until;) {
		__u64 before = upgrades(a), after;
		char first, second;

		ASSERT_EQ(set_state(a, 0, CHUNK, GPUVM_STATE_SHARED, NULL), 0);
		first = a->alias[8];
		for (volatile int i = 0; i < 500; i++)
			;
		second = a->alias[8];
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		after = upgrades(a);
		if (first != second) {
			caught++;
			ASSERT_NE(before, after);
		}
	}
	w.stop = true;
	pthread_join(thread, NULL);
	TH_LOG("%u of the writes fell between", caught);
}

TEST_F(shared, device_to_shared_for_a_write)
{
	struct array *a = &self->a;
	__u64 before = upgrades(a);
	struct gpuvm_touch touch;
	struct toucher t;

	ASSERT_EQ(set_state(a, 0, CHUNK, GPUVM_STATE_DEVICE, NULL), 0);
	ASSERT_EQ(toucher_start(&t, a->primary, true), 0);
	ASSERT_TRUE(next_touch(&self->c, &touch, SOON));
	fill(a->alias, 0, CHUNK, 4);
	ASSERT_EQ(set_state(a, 0, CHUNK, GPUVM_STATE_SHARED, NULL), 0);
	ASSERT_TRUE(toucher_ended(&t, SOON));
	EXPECT_NE(upgrades(a), before);
	EXPECT_EQ(state_of(a, 0), GPUVM_STATE_HOST | GPUVM_STATE_UPGRADED);
	EXPECT_EQ(a->alias[0], 1);
	EXPECT_EQ(differs(a->alias, 1, CHUNK - 1, 4), -1);
}

TEST_F(shared, parts_of_a_chunk)
{
	struct array *a = &self->a;

	/* Only the pages of the same state are upgraded. */
	ASSERT_EQ(set_state(a, 4096, 4096, GPUVM_STATE_FAILED, NULL), 0);
	a->primary[0] = 9;
	EXPECT_EQ(state_of(a, 0), GPUVM_STATE_HOST | GPUVM_STATE_UPGRADED);
	EXPECT_EQ(state_of(a, 4096), GPUVM_STATE_FAILED);
	EXPECT_EQ(state_of(a, 8192), GPUVM_STATE_HOST | GPUVM_STATE_UPGRADED);
}

TEST_HARNESS_MAIN
