// SPDX-License-Identifier: GPL-2.0
/*
 * ACCESSED tells what was read and written since it was asked the last time: no more, and no less, whoever touches and
 * whatever else is done to the pages meanwhile.
 */
#include "common/context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/harness.h"

#define MIB (1UL << 20)
#define BYTES (8 * MIB)
#define MOST 128 /* chunks */
#define NOTHING 0
#define READ GPUVM_ACCESSED_ANY
#define WRITTEN (GPUVM_ACCESSED_ANY | GPUVM_ACCESSED_WRITE)

FIXTURE(accessed)
{
	struct context c;
	struct array a;
	size_t chunk, chunks;
};

FIXTURE_VARIANT(accessed)
{
	unsigned int chunk_shift;
	bool huge;
};

FIXTURE_VARIANT_ADD(accessed, small_pages){
	.chunk_shift = 16,
};

FIXTURE_VARIANT_ADD(accessed, one_page_chunks){
	.chunk_shift = 12,
};

FIXTURE_VARIANT_ADD(accessed, huge_entries){
	.chunk_shift = 21,
	.huge = true,
};

FIXTURE_VARIANT_ADD(accessed, parts_of_huge_pages){
	.chunk_shift = 16,
	.huge = true,
};

FIXTURE_SETUP(accessed)
{
	struct gpuvm_region region = {
		.size = sizeof(region), .offset = 8 * MIB, .length = BYTES, .chunk_shift = variant->chunk_shift};

	self->c.fd = -1;
	if (no_device())
		SKIP(return, "%s", no_device());
	ASSERT_EQ(context_open(&self->c, ALL_FEATURES, 0), 0);
	if (!(self->c.hello.features & GPUVM_FEATURE_ACCESSED))
		SKIP(return, "no GPUVM_FEATURE_ACCESSED");
	if (variant->huge && !self->c.hello.huge_size)
		SKIP(return, "this kernel offers no huge pages to the module");
	region.flags = variant->huge ? GPUVM_REGION_HUGE : 0;
	ASSERT_EQ(array_create_with(&self->a, &self->c, region), 0);
	self->chunk = 1UL << variant->chunk_shift;
	self->chunks = BYTES / self->chunk < MOST ? BYTES / self->chunk : MOST;
	ASSERT_EQ(range_call(&self->a, GPUVM_IOC_POPULATE, 0, BYTES), 0);
}

FIXTURE_TEARDOWN(accessed)
{
	if (self->c.fd >= 0)
		context_close(&self->c);
}

static int ask_ranges(struct array *a, struct gpuvm_range *ranges, __u32 count, __u8 *answers, __u32 *done)
{
	struct gpuvm_range_op op = {
		.size = sizeof(op), .ranges = (uintptr_t)ranges, .count = count, .accessed = (uintptr_t)answers};
	int rc = gpuvm_ioctl(a->in->fd, GPUVM_IOC_ACCESSED, &op);

	if (done)
		*done = op.done;
	return rc;
}

/* Returns the answer, or a negative errno. */
static int ask(struct array *a, size_t offset, size_t length)
{
	struct gpuvm_range range = {a->region.offset + offset, length};
	__u8 answer = 0xff;
	int rc = ask_ranges(a, &range, 1, &answer, NULL);

	return rc ? rc : answer;
}

static long faults_so_far(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

TEST_F(accessed, tells_reads_and_writes)
{
	size_t at = 1 * self->chunk, chunk = self->chunk;
	struct array *a = &self->a;

	EXPECT_EQ(ask(a, at, chunk), NOTHING);
	*(a->primary + at);
	EXPECT_EQ(ask(a, at, chunk), READ);
	EXPECT_EQ(ask(a, at, chunk), NOTHING);
	*(a->primary + at + chunk - 1);
	EXPECT_EQ(ask(a, at, chunk), READ);
	a->primary[at + chunk / 2] = 1;
	EXPECT_EQ(ask(a, at, chunk), WRITTEN);
	*(a->primary + at);
	a->primary[at] = 1;
	EXPECT_EQ(ask(a, at, chunk), WRITTEN);
	*(a->primary + at);
	EXPECT_EQ(ask(a, at, chunk), READ);
	/* Neighbours were not touched all the while, nor by the alias. */
	fill(a->alias, 0, 3 * chunk, 1);
	EXPECT_EQ(ask(a, 0, chunk), NOTHING);
	EXPECT_EQ(ask(a, 2 * chunk, chunk), NOTHING);
}

TEST_F(accessed, first_answer_takes_a_touch_for_a_write)
{
	struct array *a = &self->a;

	*a->primary;
	EXPECT_EQ(ask(a, 0, self->chunk), WRITTEN);
	*a->primary;
	EXPECT_EQ(ask(a, 0, self->chunk), READ);
}

TEST_F(accessed, changes_nothing_else)
{
	struct array *a = &self->a;
	__u64 upgrades, found;

	fill(a->primary, 0, BYTES, 1);
	EXPECT_EQ(ask(a, 0, BYTES), WRITTEN);
	EXPECT_EQ(differs(a->primary, 0, BYTES, 1), -1);
	EXPECT_EQ(state_of(a, 0), GPUVM_STATE_HOST);

	ASSERT_EQ(set_state(a, 0, BYTES, GPUVM_STATE_SHARED, NULL), 0);
	ask(a, 0, BYTES);
	upgrades = a->in->upgrades[a->region.id];
	EXPECT_EQ(differs(a->primary, 0, BYTES, 1), -1);
	EXPECT_EQ(ask(a, 0, BYTES), READ);
	EXPECT_EQ(a->in->upgrades[a->region.id], upgrades);
	EXPECT_EQ(state_of(a, 0), GPUVM_STATE_SHARED);
	a->primary[0] = 9;
	EXPECT_EQ(ask(a, 0, BYTES), WRITTEN);
	/* The flag of the write stays until the next SET_STATE. */
	EXPECT_EQ(state_of(a, 0), GPUVM_STATE_HOST | GPUVM_STATE_UPGRADED);
	EXPECT_EQ(a->primary[0], 9);
	ASSERT_EQ(set_state(a, 0, BYTES, GPUVM_STATE_SHARED, &found), 0);
	EXPECT_EQ(found, self->chunk / self->c.page);
	EXPECT_EQ(touches_posted(&self->c), 0);
}

/* A chunk costs a fault after it was asked about, and one more if it is read before it is written; no other does. */
TEST_F(accessed, costs_a_fault)
{
	struct array *a = &self->a;
	size_t chunk = self->chunk;
	long faults;

	/* Before 6.15 the core shows one page at a time where a huge page is not shown whole, and splits. */
	if (variant->huge)
		SKIP(return, "how many faults a huge page takes is up to the core");
	fill(a->primary, 0, BYTES, 1);
	faults = faults_so_far();
	EXPECT_EQ(ask(a, chunk, chunk), WRITTEN);
	fill(a->primary, 0, BYTES, 1);
	EXPECT_EQ(faults_so_far() - faults, 1);
	EXPECT_EQ(ask(a, chunk, chunk), WRITTEN);
	EXPECT_EQ(differs(a->primary, 0, BYTES, 1), -1);
	EXPECT_EQ(faults_so_far() - faults, 2);
	fill(a->primary, 0, BYTES, 1);
	EXPECT_EQ(faults_so_far() - faults, 3);
	/* What was not touched is not unmapped, so nothing is. */
	EXPECT_EQ(ask(a, chunk, chunk), WRITTEN);
	EXPECT_EQ(ask(a, chunk, chunk), NOTHING);
	a->primary[chunk] = 1;
	EXPECT_EQ(faults_so_far() - faults, 4);
}

TEST_F(accessed, many_ranges)
{
	struct gpuvm_range ranges[MOST + 1];
	struct array *a = &self->a;
	__u8 answers[MOST + 2];
	__u32 done;

	for (size_t i = 0; i < self->chunks; i++)
		ranges[i] = (struct gpuvm_range){a->region.offset + i * self->chunk, self->chunk};
	ASSERT_EQ(ask_ranges(a, ranges, self->chunks, answers, NULL), 0);
	for (int round = 0; round < 20; round++) {
		__u8 expected[MOST] = {0};

		for (size_t i = 0; i < self->chunks / 2; i++) {
			size_t at = rand() % self->chunks, byte = at * self->chunk + rand() % self->chunk;

			if (rand() % 2) {
				*(a->primary + byte);
				expected[at] |= READ;
			} else {
				a->primary[byte] = 1;
				expected[at] |= WRITTEN;
			}
		}
		memset(answers, 0xee, sizeof(answers));
		ASSERT_EQ(ask_ranges(a, ranges, self->chunks, answers, &done), 0);
		EXPECT_EQ(done, self->chunks);
		EXPECT_EQ(memcmp(answers, expected, self->chunks), 0);
		EXPECT_EQ(answers[self->chunks], 0xee);
	}
	/* A range of several chunks says what is true of one of them. */
	*(a->primary + 2 * self->chunk);
	ranges[0] = (struct gpuvm_range){a->region.offset, 4 * self->chunk};
	ASSERT_EQ(ask_ranges(a, ranges, 2, answers, NULL), 0);
	EXPECT_EQ(answers[0], READ);
	EXPECT_EQ(answers[1], NOTHING);
}

TEST_F(accessed, goes_by_whole_chunks)
{
	struct array *a = &self->a;

	if (self->chunk == self->c.page)
		SKIP(return, "a chunk has one page");
	ask(a, 0, self->chunk);
	*(a->primary + self->chunk - 1);
	EXPECT_EQ(ask(a, 0, self->c.page), READ);
	*(a->primary + self->chunk - 1);
	EXPECT_EQ(ask(a, 0, self->chunk), READ);
}

TEST_F(accessed, system_calls_count)
{
	struct array *a = &self->a;
	int ends[2];

	ASSERT_EQ(pipe(ends), 0);
	ask(a, 0, BYTES);
	ASSERT_EQ(write(ends[1], (void *)a->primary, 1), 1);
	EXPECT_EQ(ask(a, 0, self->chunk), READ);
	ASSERT_EQ(read(ends[0], (void *)a->primary, 1), 1);
	EXPECT_EQ(ask(a, 0, self->chunk), WRITTEN);
	close(ends[0]);
	close(ends[1]);
}

/* Who waits has not accessed anything yet. */
TEST_F(accessed, device_pages)
{
	struct array *a = &self->a;
	struct gpuvm_touch touch;
	struct toucher t;

	*a->primary;
	ask(a, 0, BYTES);
	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_DEVICE, NULL), 0);
	ASSERT_EQ(toucher_start(&t, a->primary, true), 0);
	ASSERT_TRUE(next_touch(&self->c, &touch, SOON));
	EXPECT_EQ(ask(a, 0, self->chunk), NOTHING);
	EXPECT_EQ(state_of(a, 0), GPUVM_STATE_DEVICE | GPUVM_STATE_POSTED);
	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_SHARED, NULL), 0);
	ASSERT_TRUE(toucher_ended(&t, SOON));
	/* A revoke does not make it forget. */
	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_DEVICE, NULL), 0);
	EXPECT_EQ(ask(a, 0, self->chunk), WRITTEN);
	EXPECT_EQ(ask(a, 0, self->chunk), NOTHING);
	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_FAILED, NULL), 0);
	EXPECT_EQ(try_read(a->primary), -1);
	EXPECT_EQ(ask(a, 0, self->chunk), NOTHING);
}

TEST_F(accessed, refuses)
{
	struct array *a = &self->a;
	struct gpuvm_range range = {a->region.offset, self->chunk}, two[2] = {range, range};
	struct gpuvm_range_op op = {.size = sizeof(op), .ranges = (uintptr_t)&range, .count = 1};
	__u8 *read_only = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), answers[2] = {0};
	int fd = self->c.fd;
	__u32 done;

	ASSERT_NE(read_only, MAP_FAILED);
	ask(a, 0, BYTES);
	*a->primary;
	EXPECT_EQ(ask_ranges(a, &range, 1, NULL, NULL), -EFAULT);
	EXPECT_EQ(ask_ranges(a, &range, 1, read_only, NULL), -EFAULT);
	EXPECT_EQ(ask_ranges(a, &range, 1, (void *)0xffff800000000000UL, NULL), -EFAULT);
	EXPECT_EQ(ask(a, 1, self->chunk), -EINVAL);
	EXPECT_EQ(ask(a, 0, 0), -EINVAL);
	EXPECT_EQ(ask(a, 0, self->chunk + 1), -EINVAL);
	EXPECT_EQ(ask(a, 0, BYTES + self->chunk), -ENOENT);
	EXPECT_EQ(ask(a, 64 * MIB, self->chunk), -ENOENT);
	EXPECT_EQ(ask(a, GPUVM_SPACE, self->chunk), -EINVAL);
	op.accessed = (uintptr_t)answers;
	op.state = GPUVM_STATE_HOST;
	EXPECT_EQ(gpuvm_ioctl(fd, GPUVM_IOC_ACCESSED, &op), -EINVAL);
	EXPECT_EQ(gpuvm_ioctl(fd, GPUVM_IOC_SET_STATE, &op), -EINVAL);
	op.state = 0;
	EXPECT_EQ(gpuvm_ioctl(fd, GPUVM_IOC_WAKE, &op), -EINVAL);
	EXPECT_EQ(gpuvm_ioctl(fd, GPUVM_IOC_PUNCH, &op), -EINVAL);
	op.count = GPUVM_RANGES_MAX + 1;
	EXPECT_EQ(gpuvm_ioctl(fd, GPUVM_IOC_ACCESSED, &op), -EINVAL);
	/* Who asks with the structure of before has no place for an answer. */
	op = (struct gpuvm_range_op){.size = 32, .ranges = (uintptr_t)&range, .count = 1};
	EXPECT_EQ(gpuvm_ioctl(fd, GPUVM_IOC_ACCESSED, &op), -EINVAL);
	/* None of these has taken the answer away. */
	EXPECT_EQ(ask(a, 0, self->chunk), READ);

	two[1].offset = 64 * MIB;
	*a->primary;
	EXPECT_EQ(ask_ranges(a, two, 2, answers, &done), -ENOENT);
	EXPECT_EQ(done, 1);
	EXPECT_EQ(answers[0], READ);
}

TEST_F(accessed, must_be_granted)
{
	struct gpuvm_range range = {0, MIB};
	__u8 answer;
	struct gpuvm_range_op op = {
		.size = sizeof(op), .ranges = (uintptr_t)&range, .count = 1, .accessed = (uintptr_t)&answer};
	struct context other;
	struct array a;

	ASSERT_EQ(context_open(&other, ALL_FEATURES & ~GPUVM_FEATURE_ACCESSED, 0), 0);
	ASSERT_EQ(array_create(&a, &other, 0, MIB, variant->chunk_shift), 0);
	EXPECT_EQ(gpuvm_ioctl(other.fd, GPUVM_IOC_ACCESSED, &op), -EOPNOTSUPP);
	/* The structure of before does for what there was before. */
	op = (struct gpuvm_range_op){.size = 32, .ranges = (uintptr_t)&range, .count = 1, .state = GPUVM_STATE_HOST};
	EXPECT_EQ(gpuvm_ioctl(other.fd, GPUVM_IOC_SET_STATE, &op), 0);
	a.primary[0] = 1;
	context_close(&other);
}

/* All mappings of an array count, also such as were moved or split, and a child's copy is no way around it. */
TEST_F(accessed, other_mappings)
{
	struct array *a = &self->a;
	volatile char *second = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, self->c.fd,
				     a->region.offset + GPUVM_MMAP_PRIMARY);
	pid_t child;

	ASSERT_NE(second, MAP_FAILED);
	ask(a, 0, BYTES);
	*second;
	EXPECT_EQ(ask(a, 0, self->chunk), READ);
	ASSERT_EQ(mprotect((void *)second, 4096, PROT_READ), 0);
	*second;
	*a->primary;
	second = mremap((void *)second, BYTES / 2, BYTES / 2, MREMAP_MAYMOVE | MREMAP_FIXED,
			mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	if (second == MAP_FAILED)
		second = a->primary; /* kernels before 6.17 move one mapping at a time */
	EXPECT_EQ(ask(a, 0, self->chunk), READ);
	*second;
	EXPECT_EQ(ask(a, 0, self->chunk), READ);

	/* 7.2 gives no child a copy. */
	if (madvise((void *)a->primary, BYTES, MADV_DOFORK))
		TH_LOG("no child gets this mapping");
	*a->primary;
	child = fork();
	if (!child)
		_exit(ask(a, 0, self->chunk) == -EPERM ? 0 : 1);
	EXPECT_EQ(wait_for(child), 0);
	EXPECT_EQ(ask(a, 0, self->chunk), READ);
	EXPECT_EQ(ask(a, 0, self->chunk), NOTHING);
}

struct other {
	struct array *a;
	size_t from, length;
	atomic_bool stop;
	pthread_t thread;
	int result;
};

static void *write_on(void *argument)
{
	struct other *o = argument;
	volatile unsigned int *word = (volatile unsigned int *)(o->a->primary + o->from);

	while (!o->stop)
		++*word;
	return NULL;
}

static void *read_on(void *argument)
{
	struct other *o = argument;

	while (!o->stop)
		for (size_t i = 0; i < o->length; i += 4096)
			*(o->a->primary + o->from + i);
	return NULL;
}

static void *revoke_on(void *argument)
{
	struct other *o = argument;

	for (unsigned int round = 0; !o->stop && !o->result; round++)
		o->result =
			set_state(o->a, o->from, o->length, round % 2 ? GPUVM_STATE_SHARED : GPUVM_STATE_HOST, NULL);
	return NULL;
}

static void *ask_on(void *argument)
{
	struct other *o = argument;

	while (!o->stop && o->result >= 0)
		o->result = ask(o->a, o->from, o->length);
	return NULL;
}

/*
 * One thread writes a chunk, another one revokes it, others touch and ask about its neighbour. Each write between two
 * questions is told by the second answer.
 */
TEST_F(accessed, no_write_goes_unnoticed)
{
	struct array *a = &self->a;
	struct other others[] = {{.a = a},
				 {.a = a, .length = self->chunk},
				 {.a = a, .from = self->chunk, .length = self->chunk},
				 {.a = a, .from = self->chunk, .length = self->chunk}};
	void *(*const bodies[])(void *) = {write_on, revoke_on, read_on, ask_on};
	volatile unsigned int *word = (volatile unsigned int *)a->alias;
	unsigned int changed = 0;
	uint64_t until;

	for (int i = 0; i < 4; i++)
		ASSERT_EQ(pthread_create(&others[i].thread, NULL, bodies[i], &others[i]), 0);
	for (until = now_ms() + 700; now_ms() < until;) {
		unsigned int first, second;
		int answer;

		ASSERT_GE(ask(a, 0, self->chunk), 0);
		first = *word;
		for (volatile int i = 0; i < 500; i++)
			;
		second = *word;
		answer = ask(a, 0, self->chunk);
		if (first != second) {
			changed++;
			ASSERT_EQ(answer, WRITTEN);
		}
	}
	for (int i = 0; i < 4; i++) {
		others[i].stop = true;
		pthread_join(others[i].thread, NULL);
		EXPECT_GE(others[i].result, 0);
	}
	TH_LOG("%u of the writes fell between", changed);
}

/* Regions that go while they are asked about are gone, and nothing else. */
TEST_F(accessed, region_goes_meanwhile)
{
	struct other asker = {.a = &self->a, .length = BYTES};
	struct gpuvm_region region = self->a.region;

	ASSERT_EQ(pthread_create(&asker.thread, NULL, ask_on, &asker), 0);
	for (int i = 0; i < 50; i++) {
		struct gpuvm_region gone = {.size = sizeof(gone), .offset = region.offset};

		try_read(self->a.primary);
		sleep_ms(1);
		ASSERT_EQ(gpuvm_ioctl(self->c.fd, GPUVM_IOC_REGION_DESTROY, &gone), 0);
		pthread_join(asker.thread, NULL);
		EXPECT_EQ(asker.result, -ENOENT);
		ASSERT_EQ(gpuvm_ioctl(self->c.fd, GPUVM_IOC_REGION_CREATE, &region), 0);
		asker.result = 0;
		ASSERT_EQ(pthread_create(&asker.thread, NULL, ask_on, &asker), 0);
	}
	asker.stop = true;
	pthread_join(asker.thread, NULL);
}

TEST_HARNESS_MAIN
