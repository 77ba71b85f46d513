// SPDX-License-Identifier: GPL-2.0
/*
 * Tests touches: HOST maps around them, DEVICE posts them once and makes them wait, errors are delivered, and the ring
 * loses nothing.
 */
#include "common/context.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/harness.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
#define MIB (1UL << 20)

static long faults_so_far(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

FIXTURE(faults)
{
	struct context c;
	struct array a;
	size_t chunk;
};

FIXTURE_VARIANT(faults)
{
	unsigned int chunk_shift;
};

FIXTURE_VARIANT_ADD(faults, page){
	.chunk_shift = 12,
};

FIXTURE_VARIANT_ADD(faults, chunk64k){
	.chunk_shift = 16,
};

FIXTURE_VARIANT_ADD(faults, chunk2m){
	.chunk_shift = 21,
};

FIXTURE_SETUP(faults)
{
	self->c.fd = -1;
	self->chunk = 1UL << variant->chunk_shift;
	if (no_device())
		SKIP(return, "%s", no_device());
	ASSERT_EQ(context_open(&self->c, ALL_FEATURES, 0), 0);
	ASSERT_EQ(array_create(&self->a, &self->c, 4 * MIB, 4 * MIB, variant->chunk_shift), 0);
}

FIXTURE_TEARDOWN(faults)
{
	if (self->c.fd >= 0)
		context_close(&self->c);
}

TEST_F(faults, new_pages_are_zero_and_shared_with_the_alias)
{
	struct array *a = &self->a;

	for (size_t i = 0; i < array_length(a); i += 4096) {
		ASSERT_EQ(a->primary[i + 4095], 0);
	}
	fill(a->primary, 0, MIB, 1);
	EXPECT_EQ(differs(a->alias, 0, MIB, 1), -1);
	fill(a->alias, MIB, MIB, 2);
	EXPECT_EQ(differs(a->primary, MIB, MIB, 2), -1);
	EXPECT_EQ(touches_posted(&self->c), 0);
}

TEST_F(faults, one_touch_maps_the_chunk)
{
	struct array *a = &self->a;
	size_t offset = 2 * MIB;
	long before, pages;

	ASSERT_EQ(range_call(a, GPUVM_IOC_POPULATE, 0, array_length(a)), 0);
	try_read(a->primary); /* sets up the handler and the page tables */
	before = faults_so_far();
	for (size_t i = 0; i < self->chunk; i += 4096)
		a->primary[offset + i] = 1;
	EXPECT_EQ(faults_so_far() - before, 1);

	/* What lies at the next chunk's beginning was not mapped with this one. */
	if (offset + self->chunk < array_length(a)) {
		before = faults_so_far();
		a->primary[offset + self->chunk] = 1;
		EXPECT_EQ(faults_so_far() - before, 1);
	}
	before = faults_so_far();
	for (size_t i = 0; i < 2 * MIB; i += 4096)
		a->primary[i] = 1;
	pages = 2 * MIB / self->chunk;
	EXPECT_LE(faults_so_far() - before, pages);
}

TEST_F(faults, device_touch_waits_for_its_data)
{
	struct array *a = &self->a;
	size_t offset = 2 * MIB + 4096 + 123, begin = offset & ~(self->chunk - 1);
	struct gpuvm_touch touch;
	struct toucher t;

	ASSERT_EQ(set_state(a, 0, array_length(a), GPUVM_STATE_DEVICE, NULL), 0);
	ASSERT_EQ(toucher_start(&t, a->primary + offset, false), 0);
	ASSERT_TRUE(next_touch(&self->c, &touch, SOON));
	EXPECT_EQ(touch.offset, a->region.offset + (offset & ~4095UL));
	EXPECT_EQ(touch.address, (uintptr_t)a->primary + (offset & ~4095UL));
	EXPECT_EQ(touch.flags, 0);
	EXPECT_EQ(touch.tid, t.tid);
	EXPECT_EQ(touch.reserved, 0);
	EXPECT_FALSE(toucher_ended(&t, LONG));
	EXPECT_EQ(state_of(a, offset), GPUVM_STATE_DEVICE | GPUVM_STATE_POSTED);

	fill(a->alias, begin, self->chunk, 3);
	EXPECT_FALSE(toucher_ended(&t, 0));
	ASSERT_EQ(set_state(a, begin, self->chunk, GPUVM_STATE_HOST, NULL), 0);
	ASSERT_TRUE(toucher_ended(&t, SOON));
	EXPECT_EQ(t.result, (unsigned char)pattern(offset, 3));
	EXPECT_EQ(state_of(a, offset), GPUVM_STATE_HOST);
	EXPECT_EQ(differs(a->primary, begin, self->chunk, 3), -1);
	EXPECT_FALSE(next_touch(&self->c, &touch, 0));
}

TEST_F(faults, write_is_told_from_read)
{
	struct array *a = &self->a;
	struct gpuvm_touch touch;
	struct toucher t;

	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_DEVICE, NULL), 0);
	ASSERT_EQ(toucher_start(&t, a->primary, true), 0);
	ASSERT_TRUE(next_touch(&self->c, &touch, SOON));
	EXPECT_EQ(touch.flags, GPUVM_TOUCH_WRITE);
	fill(a->alias, 0, self->chunk, 4);
	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_HOST, NULL), 0);
	ASSERT_TRUE(toucher_ended(&t, SOON));
	EXPECT_EQ(a->alias[0], 1);
	EXPECT_EQ(differs(a->alias, 1, self->chunk - 1, 4), -1);
}

TEST_F(faults, hundred_threads_one_post)
{
	struct array *a = &self->a;
	struct gpuvm_touch touch;
	struct toucher t[100];

	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_DEVICE, NULL), 0);
	for (int i = 0; i < 100; i++) {
		ASSERT_EQ(toucher_start(&t[i], a->primary + i * 41 % self->chunk, i % 2), 0);
	}
	ASSERT_TRUE(next_touch(&self->c, &touch, SOON));
	sleep_ms(3 * LONG); /* lets all of them begin to wait */
	EXPECT_EQ(touches_posted(&self->c), 1);
	fill(a->alias, 0, self->chunk, 0);
	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_HOST, NULL), 0);
	for (int i = 0; i < 100; i++) {
		ASSERT_TRUE(toucher_ended(&t[i], SOON));
		EXPECT_NE(t[i].result, -1);
	}
	EXPECT_EQ(touches_posted(&self->c), 1);
}

TEST_F(faults, each_chunk_is_posted)
{
	struct array *a = &self->a;
	struct gpuvm_touch touch;
	struct toucher t[2];

	ASSERT_EQ(set_state(a, 0, array_length(a), GPUVM_STATE_DEVICE, NULL), 0);
	ASSERT_EQ(toucher_start(&t[0], a->primary, false), 0);
	ASSERT_TRUE(next_touch(&self->c, &touch, SOON));
	EXPECT_EQ(touch.offset, a->region.offset);
	ASSERT_EQ(toucher_start(&t[1], a->primary + self->chunk, false), 0);
	ASSERT_TRUE(next_touch(&self->c, &touch, SOON));
	EXPECT_EQ(touch.offset, a->region.offset + self->chunk);
	/* The second touch is answered first. */
	ASSERT_EQ(set_state(a, self->chunk, self->chunk, GPUVM_STATE_HOST, NULL), 0);
	EXPECT_TRUE(toucher_ended(&t[1], SOON));
	EXPECT_FALSE(toucher_ended(&t[0], LONG));
	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_HOST, NULL), 0);
	EXPECT_TRUE(toucher_ended(&t[0], SOON));
}

TEST_F(faults, wake_posts_again)
{
	struct array *a = &self->a;
	struct gpuvm_touch touch;
	struct toucher t;

	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_DEVICE, NULL), 0);
	ASSERT_EQ(toucher_start(&t, a->primary, false), 0);
	ASSERT_TRUE(next_touch(&self->c, &touch, SOON));
	ASSERT_EQ(range_call(a, GPUVM_IOC_WAKE, 0, self->chunk), 0);
	ASSERT_TRUE(next_touch(&self->c, &touch, SOON));
	/* A SET_STATE that leaves the data where it is makes them post again, too. */
	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_DEVICE, NULL), 0);
	ASSERT_TRUE(next_touch(&self->c, &touch, SOON));
	EXPECT_FALSE(toucher_ended(&t, LONG));
	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_HOST, NULL), 0);
	EXPECT_TRUE(toucher_ended(&t, SOON));
}

/* A chunk has one post for two waiting threads. The one that the answer left out posts again. */
TEST_F(faults, part_of_a_chunk_is_served)
{
	struct array *a = &self->a;
	struct gpuvm_touch touch;
	struct toucher t[2];

	if (self->chunk < 4 * 4096)
		SKIP(return, "the chunk has no parts");
	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_DEVICE, NULL), 0);
	ASSERT_EQ(toucher_start(&t[0], a->primary, false), 0);
	ASSERT_TRUE(next_touch(&self->c, &touch, SOON));
	ASSERT_EQ(toucher_start(&t[1], a->primary + 3 * 4096, false), 0);
	EXPECT_FALSE(next_touch(&self->c, &touch, LONG));

	ASSERT_EQ(set_state(a, 0, 2 * 4096, GPUVM_STATE_HOST, NULL), 0);
	ASSERT_TRUE(toucher_ended(&t[0], SOON));
	ASSERT_TRUE(next_touch(&self->c, &touch, SOON));
	EXPECT_EQ(touch.offset, a->region.offset + 3 * 4096);
	EXPECT_FALSE(toucher_ended(&t[1], LONG));
	ASSERT_EQ(set_state(a, 2 * 4096, self->chunk - 2 * 4096, GPUVM_STATE_HOST, NULL), 0);
	EXPECT_TRUE(toucher_ended(&t[1], SOON));
}

TEST_F(faults, failed_data_gives_sigbus)
{
	struct array *a = &self->a;
	struct gpuvm_touch touch;
	struct toucher t;

	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_DEVICE, NULL), 0);
	ASSERT_EQ(toucher_start(&t, a->primary, false), 0);
	ASSERT_TRUE(next_touch(&self->c, &touch, SOON));
	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_FAILED, NULL), 0);
	ASSERT_TRUE(toucher_ended(&t, SOON));
	EXPECT_EQ(t.result, -1);
	EXPECT_EQ(try_write(a->primary, 1), -1);
	EXPECT_EQ(try_write(a->primary + self->chunk, 1), 0);
	EXPECT_EQ(try_write(a->alias, 1), 0);
	/* The array can recover. */
	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_HOST, NULL), 0);
	EXPECT_EQ(try_read(a->primary), 1);
}

TEST_F(faults, no_region_gives_sigbus)
{
	volatile char *hole;

	hole = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, self->c.fd, GPUVM_MMAP_PRIMARY + 64 * MIB);
	ASSERT_NE(hole, MAP_FAILED);
	EXPECT_EQ(try_read(hole), -1);
	EXPECT_EQ(try_write(hole + MIB - 1, 1), -1);
	hole = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, self->c.fd, GPUVM_MMAP_ALIAS + 64 * MIB);
	ASSERT_NE(hole, MAP_FAILED);
	EXPECT_EQ(try_write(hole, 1), -1);
}

TEST_F(faults, destroyed_region_gives_sigbus)
{
	struct gpuvm_region region = {.size = sizeof(region), .offset = self->a.region.offset};
	struct array *a = &self->a;
	struct gpuvm_touch touch;
	struct toucher t;

	a->primary[self->chunk] = 1;
	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_DEVICE, NULL), 0);
	ASSERT_EQ(toucher_start(&t, a->primary, false), 0);
	ASSERT_TRUE(next_touch(&self->c, &touch, SOON));
	ASSERT_EQ(gpuvm_ioctl(self->c.fd, GPUVM_IOC_REGION_DESTROY, &region), 0);
	ASSERT_TRUE(toucher_ended(&t, SOON));
	EXPECT_EQ(t.result, -1);
	EXPECT_EQ(try_read(a->primary + self->chunk), -1);
	EXPECT_EQ(try_read(a->alias + self->chunk), -1);
	EXPECT_EQ(state_of(a, 0), GPUVM_STATE_NONE);
}

TEST_F(faults, pages_of_a_new_region_at_the_same_place_are_zero)
{
	struct array *a = &self->a, again;

	fill(a->primary, 0, MIB, 1);
	ASSERT_EQ(array_destroy(a), 0);
	ASSERT_EQ(array_create(&again, &self->c, 4 * MIB, MIB, 16), 0);
	for (size_t i = 0; i < MIB; i += 8) {
		ASSERT_EQ(*(volatile long *)(again.primary + i), 0);
	}
}

TEST_F(faults, states_inside_a_chunk)
{
	struct array *a = &self->a;
	struct gpuvm_touch touch;
	struct toucher t;

	if (self->chunk == 4096)
		SKIP(return, "a chunk is one page");
	ASSERT_EQ(set_state(a, 4096, 4096, GPUVM_STATE_DEVICE, NULL), 0);
	ASSERT_EQ(set_state(a, 8192, 4096, GPUVM_STATE_FAILED, NULL), 0);
	EXPECT_EQ(try_write(a->primary, 1), 0);
	EXPECT_EQ(try_write(a->primary + 12288, 1), 0);
	EXPECT_EQ(try_write(a->primary + 8192, 1), -1);
	EXPECT_EQ(touches_posted(&self->c), 0);
	ASSERT_EQ(toucher_start(&t, a->primary + 4096, true), 0);
	ASSERT_TRUE(next_touch(&self->c, &touch, SOON));
	EXPECT_EQ(touch.offset, a->region.offset + 4096);
	ASSERT_EQ(set_state(a, 4096, 4096, GPUVM_STATE_HOST, NULL), 0);
	ASSERT_TRUE(toucher_ended(&t, SOON));
	EXPECT_EQ(try_write(a->primary + 8192, 1), -1);
}

TEST_F(faults, punched_pages_are_zero)
{
	struct array *a = &self->a;

	fill(a->primary, 0, 2 * MIB, 1);
	ASSERT_EQ(range_call(a, GPUVM_IOC_PUNCH, 4096, MIB), 0);
	EXPECT_EQ(differs(a->primary, 0, 4096, 1), -1);
	for (size_t i = 4096; i < MIB + 4096; i += 8) {
		ASSERT_EQ(*(volatile long *)(a->primary + i), 0);
	}
	EXPECT_EQ(differs(a->primary, MIB + 4096, MIB - 4096, 1), -1);
	EXPECT_EQ(differs(a->alias, MIB + 4096, MIB - 4096, 1), -1);
	EXPECT_EQ(state_of(a, 4096), GPUVM_STATE_HOST);
}

TEST_F(faults, mappings_come_and_go)
{
	struct array *a = &self->a;
	volatile char *second;

	fill(a->primary, 0, MIB, 1);
	second = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, self->c.fd, GPUVM_MMAP_PRIMARY + a->region.offset);
	ASSERT_NE(second, MAP_FAILED);
	EXPECT_EQ(differs(second, 0, MIB, 1), -1);
	/* A hole in the first one splits it, and a revoke still reaches its pieces and the second. */
	ASSERT_EQ(munmap((void *)(a->primary + 8192), 4096), 0);
	ASSERT_EQ(set_state(a, 0, MIB, GPUVM_STATE_FAILED, NULL), 0);
	EXPECT_EQ(try_read(a->primary), -1);
	EXPECT_EQ(try_read(a->primary + 12288), -1);
	EXPECT_EQ(try_read(second + 8192), -1);
	ASSERT_EQ(set_state(a, 0, MIB, GPUVM_STATE_HOST, NULL), 0);
	EXPECT_EQ(differs(second, 0, MIB, 1), -1);
	EXPECT_EQ(differs(a->primary, 12288, MIB - 12288, 1), -1);
	/* The mapping has moved: offsets count, not addresses. */
	second = mremap((void *)second, MIB, MIB, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)(a->primary + 2 * MIB));
	ASSERT_NE(second, MAP_FAILED);
	EXPECT_EQ(differs(second, 0, MIB, 1), -1);
	EXPECT_EQ(mremap((void *)second, MIB, 2 * MIB, MREMAP_MAYMOVE), MAP_FAILED); /* since it has VM_DONTEXPAND */
}

TEST_F(faults, advice_does_no_harm)
{
	struct array *a = &self->a;

	fill(a->primary, 0, MIB, 1);
	madvise((void *)a->primary, MIB, MADV_DONTNEED);
	madvise((void *)a->alias, MIB, MADV_DONTNEED);
	madvise((void *)a->primary, MIB, MADV_HUGEPAGE);
	madvise((void *)a->primary, MIB, MADV_FREE);
	madvise((void *)a->primary, MIB, MADV_PAGEOUT);
	madvise((void *)a->primary, MIB, MADV_COLLAPSE);
	EXPECT_EQ(differs(a->primary, 0, MIB, 1), -1);
	EXPECT_EQ(differs(a->alias, 0, MIB, 1), -1);
}

TEST_F(faults, populated_by_a_touch_of_mlock_or_map_populate)
{
	struct array *a = &self->a;
	struct resolver r;
	volatile char *p;

	ASSERT_EQ(set_state(a, 0, array_length(a), GPUVM_STATE_DEVICE, NULL), 0);
	ASSERT_EQ(resolver_start(&r, a, GPUVM_STATE_HOST), 0);
	p = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, self->c.fd,
		 GPUVM_MMAP_PRIMARY + a->region.offset);
	ASSERT_NE(p, MAP_FAILED);
	EXPECT_EQ(differs(p, 0, MIB, 0), -1);
	mlock((void *)(a->primary + 2 * MIB), MIB); /* may be refused */
	EXPECT_EQ(differs(a->primary, 2 * MIB, MIB, 0), -1);
	EXPECT_EQ(resolver_stop(&r), 0);
}

static int node_of(volatile char *byte)
{
	void *page = (void *)((uintptr_t)byte & ~4095UL);
	int node = -1;

	return syscall(SYS_move_pages, 0, 1UL, &page, NULL, &node, 0) ? -errno : node;
}

TEST_F(faults, pages_come_from_the_wanted_node)
{
	struct gpuvm_region region = {.size = sizeof(region), .length = 2 * MIB, .chunk_shift = variant->chunk_shift};

	if (!(self->c.hello.features & GPUVM_FEATURE_NODE) || access("/sys/devices/system/node/node1", F_OK))
		SKIP(return, "there is one NUMA node");
	for (__u32 flags = 0; flags <= GPUVM_REGION_HUGE; flags += GPUVM_REGION_HUGE) {
		for (__u32 node = 0; node < 2; node++) {
			struct array a;

			region.offset += 64 * MIB;
			region.flags = GPUVM_REGION_NODE | flags;
			region.node = node;
			ASSERT_EQ(array_create_with(&a, &self->c, region), 0);
			for (size_t i = 0; i < 2 * MIB; i += 4096) {
				a.alias[i] = 1;
				ASSERT_EQ(node_of(a.alias + i), node) TH_LOG("page %zu, flags %u", i / 4096, flags);
			}
			ASSERT_EQ(array_destroy(&a), 0);
		}
	}
}

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
	signals++;
}

TEST_F(faults, signals_are_handled_while_waiting)
{
	struct sigaction action = {.sa_handler = count_signal};
	struct array *a = &self->a;
	struct gpuvm_touch touch;
	struct toucher t;

	sigaction(SIGUSR1, &action, NULL);
	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_DEVICE, NULL), 0);
	ASSERT_EQ(toucher_start(&t, a->primary, false), 0);
	ASSERT_TRUE(next_touch(&self->c, &touch, SOON));
	for (int i = 0; i < 10; i++) {
		uint64_t until = now_ms() + SOON;
		int before = signals;

		ASSERT_EQ(syscall(SYS_tgkill, getpid(), t.tid, SIGUSR1), 0);
		while (signals == before && now_ms() < until)
			sleep_ms(1);
		ASSERT_EQ(signals, before + 1);
	}
	EXPECT_FALSE(toucher_ended(&t, LONG));
	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_HOST, NULL), 0);
	EXPECT_TRUE(toucher_ended(&t, SOON));
	EXPECT_NE(t.result, -1);
}

TEST_F(faults, event_polls_while_there_are_touches)
{
	struct pollfd event = {.fd = self->c.hello.event_fd, .events = POLLIN};
	struct array *a = &self->a;
	struct gpuvm_touch touch;
	struct toucher t;

	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_DEVICE, NULL), 0);
	EXPECT_EQ(poll(&event, 1, 0), 0);
	ASSERT_EQ(toucher_start(&t, a->primary, false), 0);
	EXPECT_EQ(poll(&event, 1, SOON), 1);
	EXPECT_EQ(event.revents & (POLLIN | POLLERR | POLLHUP), POLLIN);
	EXPECT_EQ(poll(&event, 1, SOON), 1);
	ASSERT_TRUE(next_touch(&self->c, &touch, 0));
	EXPECT_EQ(poll(&event, 1, 0), 0);
	ASSERT_EQ(set_state(a, 0, self->chunk, GPUVM_STATE_HOST, NULL), 0);
	EXPECT_TRUE(toucher_ended(&t, SOON));
}

TEST_F(faults, sequential_sweep)
{
	struct array *a = &self->a;
	struct resolver r;

	ASSERT_EQ(resolver_start(&r, a, GPUVM_STATE_HOST), 0);
	for (int round = 0; round < 3; round++) {
		r.round = round;
		ASSERT_EQ(set_state(a, 0, array_length(a), GPUVM_STATE_DEVICE, NULL), 0);
		EXPECT_EQ(differs(a->primary, 0, array_length(a), round), -1);
	}
	EXPECT_EQ(r.served, 3 * array_length(a) / self->chunk);
	EXPECT_EQ(resolver_stop(&r), 0);
}

FIXTURE(full_ring)
{
	struct context c;
	struct array a;
};

FIXTURE_SETUP(full_ring)
{
	self->c.fd = -1;
	if (no_device())
		SKIP(return, "%s", no_device());
	ASSERT_EQ(context_open(&self->c, ALL_FEATURES, 1), 0);
	ASSERT_EQ(array_create(&self->a, &self->c, 0, 8 * MIB, 12), 0);
}

FIXTURE_TEARDOWN(full_ring)
{
	if (self->c.fd >= 0)
		context_close(&self->c);
}

TEST_F(full_ring, loses_nothing)
{
	unsigned int n = self->c.ring->entries + 20;
	struct array *a = &self->a;
	struct toucher *t;
	struct resolver r;

	if (n > 300)
		SKIP(return, "the smallest ring holds %u touches", self->c.ring->entries);
	t = calloc(n, sizeof(*t));
	ASSERT_NE(t, NULL);
	ASSERT_EQ(set_state(a, 0, array_length(a), GPUVM_STATE_DEVICE, NULL), 0);
	for (unsigned int i = 0; i < n; i++) {
		ASSERT_EQ(toucher_start(&t[i], a->primary + i * 4096UL, false), 0);
	}
	for (uint64_t until = now_ms() + SOON; !self->c.ring->overflows && now_ms() < until;)
		sleep_ms(1);
	EXPECT_GT(self->c.ring->overflows, 0);
	EXPECT_EQ(touches_posted(&self->c), self->c.ring->entries);
	ASSERT_EQ(resolver_start(&r, a, GPUVM_STATE_HOST), 0);
	for (unsigned int i = 0; i < n; i++) {
		ASSERT_TRUE(toucher_ended(&t[i], SOON));
		EXPECT_EQ(t[i].result, (unsigned char)pattern(i * 4096UL, 0));
	}
	EXPECT_EQ(resolver_stop(&r), 0);
}

/* User space writes the consumer's index: whatever it says, the kernel must come to no harm. */
TEST_F(full_ring, nonsense_in_the_ring)
{
	struct gpuvm_ring *ring = self->c.ring;
	struct array *a = &self->a;
	struct toucher t[8];

	ASSERT_EQ(set_state(a, 0, array_length(a), GPUVM_STATE_DEVICE, NULL), 0);
	ring->tail = ring->head + 12345;
	ring->entries = 1U << 31;
	ring->first = ~0U;
	for (int i = 0; i < 8; i++) {
		ASSERT_EQ(toucher_start(&t[i], a->primary + i * 4096, false), 0);
	}
	sleep_ms(LONG);
	ring->head = ring->tail = 77;
	sleep_ms(LONG);
	ASSERT_EQ(set_state(a, 0, array_length(a), GPUVM_STATE_HOST, NULL), 0);
	for (int i = 0; i < 8; i++) {
		EXPECT_TRUE(toucher_ended(&t[i], SOON));
	}
}

TEST_HARNESS_MAIN
