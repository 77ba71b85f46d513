// SPDX-License-Identifier: GPL-2.0
/*
 * The lock rule says: once the SET_STATE that revokes has returned, no thread sees the page through the primary. The
 * fault handler is made slow between its look at the state and the insertion, where a revoke could slip in; and the
 * mutant without the lock must be caught, or the test is worth nothing. This needs a module built with GPUVM_TEST=1.
 */
#include "common/context.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "common/harness.h"
#include <gpuvm_test.h>

#define MIB (1UL << 20)
#define CHUNK 65536UL
#define READERS 4
#define RIGHT 1  /* the array holds this whenever the host may look */
#define WRONG 99 /* the alias has this while the data is on the device */

static int configure(int fd, __u32 flags, __u32 delay_us)
{
	struct gpuvm_test test = {.size = sizeof(test), .flags = flags, .delay_us = delay_us};

	return gpuvm_ioctl(fd, GPUVM_IOC_TEST, &test);
}

FIXTURE(stale)
{
	struct context c;
	struct array a;
};

FIXTURE_VARIANT(stale)
{
	unsigned int delay_us;
	bool huge;
};

FIXTURE_VARIANT_ADD(stale, no_delay){
	.delay_us = 0,
};

FIXTURE_VARIANT_ADD(stale, short_delay){
	.delay_us = 300,
};

FIXTURE_VARIANT_ADD(stale, long_delay){
	.delay_us = 2000,
};

FIXTURE_VARIANT_ADD(stale, huge_pages){
	.delay_us = 300,
	.huge = true,
};

FIXTURE_SETUP(stale)
{
	struct gpuvm_region region = {.size = sizeof(region), .length = 4 * MIB, .chunk_shift = 16};

	self->c.fd = -1;
	if (no_device())
		SKIP(return, "%s", no_device());
	ASSERT_EQ(context_open(&self->c, ALL_FEATURES, 0), 0);
	if (configure(self->c.fd, 0, 0) == -ENOTTY)
		SKIP(return, "the module was not built with GPUVM_TEST=1");
	if (variant->huge) {
		if (!self->c.hello.huge_size)
			SKIP(return, "this kernel offers no huge pages to the module");
		region.flags = GPUVM_REGION_HUGE;
		region.chunk_shift = 21;
	}
	ASSERT_EQ(array_create_with(&self->a, &self->c, region), 0);
	ASSERT_EQ(range_call(&self->a, GPUVM_IOC_POPULATE, 0, array_length(&self->a)), 0);
}

FIXTURE_TEARDOWN(stale)
{
	if (self->c.fd < 0)
		return;
	configure(self->c.fd, 0, 0);
	context_close(&self->c);
}

struct reader {
	struct array *a;
	bool writes;
	atomic_bool stop;
	atomic_uint looks, stale;
	pthread_t thread;
};

static void *look_on(void *argument)
{
	struct reader *r = argument;
	volatile char *byte = r->a->primary + 5000;

	while (!r->stop) {
		r->stale += *byte == WRONG;
		r->looks++;
	}
	return NULL;
}

/* Returns how often a reader saw what it must not, in so many milliseconds of revokes and resolves. */
static unsigned int stale_reads(struct array *a, int milliseconds)
{
	size_t chunk = 1UL << a->region.chunk_shift;
	uint64_t until = now_ms() + milliseconds;
	struct reader readers[READERS] = {};
	unsigned int stale = 0, looks = 0, revokes = 0;

	a->alias[5000] = RIGHT;
	for (int i = 0; i < READERS; i++) {
		readers[i].a = a;
		pthread_create(&readers[i].thread, NULL, look_on, &readers[i]);
	}
	for (; now_ms() < until; revokes++) {
		if (set_state(a, 0, chunk, GPUVM_STATE_DEVICE, NULL))
			return ~0U;
		a->alias[5000] = WRONG;
		usleep(revokes % 4 * 1000);
		a->alias[5000] = RIGHT;
		if (set_state(a, 0, chunk, revokes % 2 ? GPUVM_STATE_HOST : GPUVM_STATE_SHARED, NULL))
			return ~0U;
		usleep(revokes % 7 * 300);
	}
	for (int i = 0; i < READERS; i++) {
		readers[i].stop = true;
		pthread_join(readers[i].thread, NULL);
		stale += readers[i].stale;
		looks += readers[i].looks;
	}
	printf("# %u revokes, %u looks, %u of them stale\n", revokes, looks, stale);
	return looks ? stale : ~0U;
}

TEST_F(stale, no_read)
{
	ASSERT_EQ(configure(self->c.fd, 0, variant->delay_us), 0);
	EXPECT_EQ(stale_reads(&self->a, 1500), 0);
}

static void *write_on(void *argument)
{
	struct reader *r = argument;

	for (unsigned char value = 0; !r->stop; value++) {
		r->a->primary[5000] = (char)value;
		r->looks++;
	}
	return NULL;
}

/* Counts writes after a revoke to SHARED that no upgrade tells of. */
static unsigned int unnoticed_writes(struct array *a, int milliseconds)
{
	const volatile __u64 *upgrades = a->in->upgrades + a->region.id;
	size_t chunk = 1UL << a->region.chunk_shift;
	uint64_t until = now_ms() + milliseconds;
	struct reader writers[READERS] = {};
	unsigned int unnoticed = 0, revokes = 0;

	for (int i = 0; i < READERS; i++) {
		writers[i].a = a;
		pthread_create(&writers[i].thread, NULL, write_on, &writers[i]);
	}
	for (; now_ms() < until; revokes++) {
		__u64 before = __atomic_load_n(upgrades, __ATOMIC_ACQUIRE);
		char first, second;

		if (set_state(a, 0, chunk, GPUVM_STATE_SHARED, NULL))
			return ~0U;
		first = a->alias[5000];
		usleep(revokes % 4 * 1000);
		second = a->alias[5000];
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		unnoticed += first != second && __atomic_load_n(upgrades, __ATOMIC_ACQUIRE) == before;
	}
	for (int i = 0; i < READERS; i++) {
		writers[i].stop = true;
		pthread_join(writers[i].thread, NULL);
	}
	printf("# %u revokes, %u writes unnoticed\n", revokes, unnoticed);
	return unnoticed;
}

TEST_F(stale, no_unnoticed_write)
{
	ASSERT_EQ(configure(self->c.fd, 0, variant->delay_us), 0);
	EXPECT_EQ(unnoticed_writes(&self->a, 1000), 0);
}

static int ask(struct array *a, size_t length)
{
	struct gpuvm_range range = {a->region.offset, length};
	__u8 answer = 0;
	struct gpuvm_range_op op = {
		.size = sizeof(op), .ranges = (uintptr_t)&range, .count = 1, .accessed = (uintptr_t)&answer};
	int rc = gpuvm_ioctl(a->in->fd, GPUVM_IOC_ACCESSED, &op);

	return rc ? rc : answer;
}

/* Counts writes between two questions that the second answer does not tell of. */
static unsigned int unanswered_writes(struct array *a, int milliseconds)
{
	size_t chunk = 1UL << a->region.chunk_shift;
	uint64_t until = now_ms() + milliseconds;
	struct reader writers[READERS] = {};
	unsigned int unanswered = 0, questions = 0;

	for (int i = 0; i < READERS; i++) {
		writers[i].a = a;
		pthread_create(&writers[i].thread, NULL, write_on, &writers[i]);
	}
	for (; now_ms() < until; questions++) {
		char first, second;

		if (ask(a, chunk) < 0)
			return ~0U;
		first = a->alias[5000];
		usleep(questions % 4 * 1000);
		second = a->alias[5000];
		unanswered += first != second && !(ask(a, chunk) & GPUVM_ACCESSED_WRITE);
	}
	for (int i = 0; i < READERS; i++) {
		writers[i].stop = true;
		pthread_join(writers[i].thread, NULL);
	}
	printf("# %u times asked, %u writes not told of\n", questions, unanswered);
	return unanswered;
}

TEST_F(stale, no_unanswered_write)
{
	if (!(self->c.hello.features & GPUVM_FEATURE_ACCESSED))
		SKIP(return, "no GPUVM_FEATURE_ACCESSED");
	ASSERT_EQ(configure(self->c.fd, 0, variant->delay_us), 0);
	EXPECT_EQ(unanswered_writes(&self->a, 1000), 0);
}

FIXTURE(mutant)
{
	struct context c;
	struct array a;
};

FIXTURE_SETUP(mutant)
{
	self->c.fd = -1;
	if (no_device())
		SKIP(return, "%s", no_device());
	ASSERT_EQ(context_open(&self->c, ALL_FEATURES, 0), 0);
	if (configure(self->c.fd, GPUVM_TEST_NO_LOCK, 2000) == -ENOTTY)
		SKIP(return, "the module was not built with GPUVM_TEST=1");
	ASSERT_EQ(array_create(&self->a, &self->c, 0, 4 * MIB, 16), 0);
	ASSERT_EQ(range_call(&self->a, GPUVM_IOC_POPULATE, 0, 4 * MIB), 0);
}

FIXTURE_TEARDOWN(mutant)
{
	if (self->c.fd < 0)
		return;
	configure(self->c.fd, 0, 0);
	context_close(&self->c);
}

TEST_F(mutant, is_caught)
{
	unsigned int stale = 0;

	for (int i = 0; i < 10 && !stale; i++)
		stale = stale_reads(&self->a, 1000);
	EXPECT_GT(stale, 0);
	EXPECT_NE(stale, ~0U);
}

TEST_F(mutant, is_caught_by_questions)
{
	unsigned int unanswered = 0;

	if (!(self->c.hello.features & GPUVM_FEATURE_ACCESSED))
		SKIP(return, "no GPUVM_FEATURE_ACCESSED");
	for (int i = 0; i < 10 && !unanswered; i++)
		unanswered = unanswered_writes(&self->a, 1000);
	EXPECT_GT(unanswered, 0);
	EXPECT_NE(unanswered, ~0U);
}

TEST_HARNESS_MAIN
