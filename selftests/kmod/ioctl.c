// SPDX-License-Identifier: GPL-2.0
/* Tests the ioctl surface: sizes, reserved fields, features, errnos, ranges. */
#include "common/context.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/harness.h"
#include <gpuvm_test.h>

#define MIB (1UL << 20)

static const unsigned int after_hello[] = {
	GPUVM_IOC_REGION_CREATE, GPUVM_IOC_REGION_DESTROY, GPUVM_IOC_SET_STATE, GPUVM_IOC_WAKE,
	GPUVM_IOC_POPULATE,      GPUVM_IOC_PUNCH,          GPUVM_IOC_ACCESSED,
};
#define AFTER_HELLO (sizeof(after_hello) / sizeof(after_hello[0]))

/* Has room for any of the structures, and for the ends of later versions. */
union any {
	__u32 size;
	struct gpuvm_hello hello;
	struct gpuvm_region region;
	struct gpuvm_range_op op;
	char bytes[8192];
};

static size_t size_of(unsigned int number)
{
	switch (number) {
	case GPUVM_IOC_HELLO:
		return sizeof(struct gpuvm_hello);
	case GPUVM_IOC_REGION_CREATE:
	case GPUVM_IOC_REGION_DESTROY:
		return sizeof(struct gpuvm_region);
	default:
		return sizeof(struct gpuvm_range_op);
	}
}

/* The smallest that is taken: what the call's first version had. */
static size_t first_size_of(unsigned int number)
{
	size_t size = size_of(number);

	return size == sizeof(struct gpuvm_range_op) && number != GPUVM_IOC_ACCESSED
		       ? offsetof(struct gpuvm_range_op, accessed)
		       : size;
}

FIXTURE(fresh)
{
	int fd;
};

FIXTURE_SETUP(fresh)
{
	self->fd = -1;
	if (no_device())
		SKIP(return, "%s", no_device());
	self->fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(fresh)
{
	close(self->fd);
}

static int hello(int fd, __u64 features, struct gpuvm_hello *h)
{
	*h = (struct gpuvm_hello){.size = sizeof(*h), .features = features};
	return gpuvm_ioctl(fd, GPUVM_IOC_HELLO, h);
}

TEST_F(fresh, nothing_before_hello)
{
	union any arg;

	for (size_t i = 0; i < AFTER_HELLO; i++) {
		memset(&arg, 0, sizeof(arg));
		arg.size = size_of(after_hello[i]);
		EXPECT_EQ(gpuvm_ioctl(self->fd, after_hello[i], &arg), -EBADFD) TH_LOG("ioctl %zu", i + 1);
	}
	EXPECT_EQ(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, GPUVM_MMAP_PRIMARY), MAP_FAILED);
	EXPECT_EQ(mmap(NULL, 4096, PROT_READ, MAP_SHARED, self->fd, GPUVM_MMAP_STATE), MAP_FAILED);
	EXPECT_EQ(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, GPUVM_MMAP_RING), MAP_FAILED);
}

TEST_F(fresh, hello_tells)
{
	struct gpuvm_hello h;
	struct pollfd event;
	__u64 known;

	ASSERT_EQ(hello(self->fd, ALL_FEATURES, &h), 0);
	EXPECT_EQ(h.page_size, sysconf(_SC_PAGESIZE));
	EXPECT_EQ(h.features, h.offered);
	known = GPUVM_FEATURE_SHARED | GPUVM_FEATURE_HUGE | GPUVM_FEATURE_NODE | GPUVM_FEATURE_ACCESSED |
		GPUVM_FEATURE_TEST;
	EXPECT_EQ(h.offered & ~known, 0);
	EXPECT_EQ(!h.huge_size, !(h.features & GPUVM_FEATURE_HUGE));
	EXPECT_GT(h.ring_entries, 0);
	EXPECT_EQ(h.ring_entries & (h.ring_entries - 1), 0);
	EXPECT_GE(h.ring_bytes, sizeof(struct gpuvm_ring) + h.ring_entries * sizeof(struct gpuvm_touch));
	ASSERT_GE(h.event_fd, 0);
	EXPECT_EQ(fcntl(h.event_fd, F_GETFD), FD_CLOEXEC);
	event = (struct pollfd){.fd = h.event_fd, .events = POLLIN};
	EXPECT_EQ(poll(&event, 1, 0), 0);
	EXPECT_EQ(hello(self->fd, 0, &h), -EALREADY);
}

TEST_F(fresh, features_are_granted_if_wanted)
{
	struct gpuvm_hello h;

	ASSERT_EQ(hello(self->fd, 1ULL << 62, &h), 0);
	EXPECT_EQ(h.features, 0);
	EXPECT_EQ(h.huge_size, 0);
	EXPECT_NE(h.offered, 0);
}

TEST_F(fresh, hello_refuses)
{
	struct gpuvm_hello h;

	h = (struct gpuvm_hello){.size = sizeof(h), .flags = 1};
	EXPECT_EQ(gpuvm_ioctl(self->fd, GPUVM_IOC_HELLO, &h), -EINVAL);
	h = (struct gpuvm_hello){.size = sizeof(h), .reserved = 1};
	EXPECT_EQ(gpuvm_ioctl(self->fd, GPUVM_IOC_HELLO, &h), -EINVAL);
	/* A region that was refused does not count. */
	EXPECT_EQ(hello(self->fd, 0, &h), 0);
}

TEST_F(fresh, hello_whose_answer_can_not_be_written_leaves_no_descriptor)
{
	int before = dup(0), after;
	struct gpuvm_hello *h = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(h, MAP_FAILED);
	close(before);
	h->size = sizeof(*h);
	ASSERT_EQ(mprotect(h, 4096, PROT_READ), 0);
	EXPECT_EQ(gpuvm_ioctl(self->fd, GPUVM_IOC_HELLO, h), -EFAULT);
	after = dup(0);
	EXPECT_EQ(after, before);
	close(after);
}

TEST_F(fresh, ring_is_not_boundless)
{
	struct gpuvm_hello h = {.size = sizeof(h), .ring_entries = ~0U};

	ASSERT_EQ(gpuvm_ioctl(self->fd, GPUVM_IOC_HELLO, &h), 0);
	EXPECT_LE(h.ring_entries, 1U << 20);
	EXPECT_EQ(h.ring_entries & (h.ring_entries - 1), 0);
}

TEST_F(fresh, ring_holds_what_was_asked)
{
	struct gpuvm_hello h = {.size = sizeof(h), .ring_entries = 100};
	struct gpuvm_ring *ring;

	ASSERT_EQ(gpuvm_ioctl(self->fd, GPUVM_IOC_HELLO, &h), 0);
	EXPECT_GE(h.ring_entries, 100);
	ring = mmap(NULL, h.ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, GPUVM_MMAP_RING);
	ASSERT_NE(ring, MAP_FAILED);
	EXPECT_EQ(ring->entries, h.ring_entries);
	EXPECT_LE(ring->first + ring->entries * sizeof(struct gpuvm_touch), h.ring_bytes);
	EXPECT_GE(ring->first, sizeof(*ring));
	EXPECT_EQ(ring->first % 8, 0);
	EXPECT_EQ(ring->head, 0);
	EXPECT_EQ(ring->tail, 0);
}

/* One library is older by the last field of a later version, and another one is newer. */
TEST_F(fresh, sizes)
{
	union any arg;
	struct gpuvm_hello h;

	memset(&arg, 0, sizeof(arg));
	for (__u32 size = 0; size < sizeof(h); size += 4) {
		arg.size = size;
		EXPECT_EQ(gpuvm_ioctl(self->fd, GPUVM_IOC_HELLO, &arg), -EINVAL) TH_LOG("size %u", size);
	}
	arg.size = sizeof(h) + 8;
	arg.bytes[sizeof(h) + 7] = 1;
	EXPECT_EQ(gpuvm_ioctl(self->fd, GPUVM_IOC_HELLO, &arg), -E2BIG);
	arg.size = 1U << 31;
	EXPECT_EQ(gpuvm_ioctl(self->fd, GPUVM_IOC_HELLO, &arg), -E2BIG);
	arg.bytes[sizeof(h) + 7] = 0;
	arg.size = sizeof(h) + 8;
	EXPECT_EQ(gpuvm_ioctl(self->fd, GPUVM_IOC_HELLO, &arg), 0);

	for (size_t i = 0; i < AFTER_HELLO; i++) {
		size_t size = size_of(after_hello[i]);

		memset(&arg, 0, sizeof(arg));
		arg.size = first_size_of(after_hello[i]) - 1;
		EXPECT_EQ(gpuvm_ioctl(self->fd, after_hello[i], &arg), -EINVAL) TH_LOG("ioctl %zu", i + 1);
		arg.size = size + 16;
		arg.bytes[size] = 1;
		EXPECT_EQ(gpuvm_ioctl(self->fd, after_hello[i], &arg), -E2BIG) TH_LOG("ioctl %zu", i + 1);
	}
}

TEST_F(fresh, pointers)
{
	struct gpuvm_hello h;

	EXPECT_EQ(gpuvm_ioctl(self->fd, GPUVM_IOC_HELLO, NULL), -EFAULT);
	EXPECT_EQ(gpuvm_ioctl(self->fd, GPUVM_IOC_HELLO, (void *)0xffff800000000000UL), -EFAULT);
	ASSERT_EQ(hello(self->fd, 0, &h), 0);
	for (size_t i = 0; i < AFTER_HELLO; i++) {
		EXPECT_EQ(gpuvm_ioctl(self->fd, after_hello[i], (void *)8), -EFAULT) TH_LOG("ioctl %zu", i + 1);
	}
}

TEST_F(fresh, numbers)
{
	struct gpuvm_hello h;

	ASSERT_EQ(hello(self->fd, 0, &h), 0);
	EXPECT_EQ(gpuvm_ioctl(self->fd, _IO(GPUVM_IOC, 0x08), &h), -ENOTTY);
	EXPECT_EQ(gpuvm_ioctl(self->fd, _IO(GPUVM_IOC, 0x7f), &h), -ENOTTY);
	EXPECT_EQ(gpuvm_ioctl(self->fd, _IO(GPUVM_IOC, 0xff), &h), -ENOTTY);
	EXPECT_EQ(gpuvm_ioctl(self->fd, _IO('x', 0x01), &h), -ENOTTY);
	EXPECT_EQ(gpuvm_ioctl(self->fd, _IOW(GPUVM_IOC, 0x01, struct gpuvm_region), &h), -ENOTTY);
}

TEST_F(fresh, without_features)
{
	struct context c;
	struct array a;
	struct gpuvm_region region = {.size = sizeof(region), .length = 4 * MIB, .chunk_shift = 16};

	ASSERT_EQ(context_open(&c, 0, 0), 0);
	ASSERT_EQ(array_create(&a, &c, 0, MIB, 16), 0);
	EXPECT_EQ(set_state(&a, 0, MIB, GPUVM_STATE_SHARED, NULL), -EOPNOTSUPP);
	EXPECT_EQ(set_state(&a, 0, MIB, GPUVM_STATE_DEVICE, NULL), 0);
	region.offset = 64 * MIB;
	region.flags = GPUVM_REGION_HUGE;
	EXPECT_EQ(gpuvm_ioctl(c.fd, GPUVM_IOC_REGION_CREATE, &region), -EOPNOTSUPP);
	region.flags = GPUVM_REGION_NODE;
	EXPECT_EQ(gpuvm_ioctl(c.fd, GPUVM_IOC_REGION_CREATE, &region), -EOPNOTSUPP);
	context_close(&c);
}

FIXTURE(greeted)
{
	struct context c;
};

FIXTURE_SETUP(greeted)
{
	self->c.fd = -1;
	if (no_device())
		SKIP(return, "%s", no_device());
	ASSERT_EQ(context_open(&self->c, ALL_FEATURES, 0), 0);
}

FIXTURE_TEARDOWN(greeted)
{
	if (self->c.fd >= 0)
		context_close(&self->c);
}

static int create(struct context *c, __u64 offset, __u64 length, unsigned int chunk_shift, __u32 *id)
{
	struct gpuvm_region region = {
		.size = sizeof(region), .offset = offset, .length = length, .chunk_shift = chunk_shift};
	int rc = gpuvm_ioctl(c->fd, GPUVM_IOC_REGION_CREATE, &region);

	if (id)
		*id = region.id;
	return rc;
}

static int destroy(struct context *c, __u64 offset)
{
	struct gpuvm_region region = {.size = sizeof(region), .offset = offset};

	return gpuvm_ioctl(c->fd, GPUVM_IOC_REGION_DESTROY, &region);
}

TEST_F(greeted, region_ranges)
{
	struct context *c = &self->c;

	EXPECT_EQ(create(c, 1, MIB, 16, NULL), -EINVAL);
	EXPECT_EQ(create(c, 0, MIB + 1, 16, NULL), -EINVAL);
	EXPECT_EQ(create(c, 0, 0, 16, NULL), -EINVAL);
	EXPECT_EQ(create(c, GPUVM_SPACE, MIB, 16, NULL), -EINVAL);
	EXPECT_EQ(create(c, GPUVM_SPACE - MIB, 2 * MIB, 16, NULL), -EINVAL);
	EXPECT_EQ(create(c, -(__u64)MIB, 2 * MIB, 16, NULL), -EINVAL);
	EXPECT_EQ(create(c, MIB, -(__u64)MIB, 16, NULL), -EINVAL);
	EXPECT_EQ(create(c, 0, 2 * GPUVM_REGION_BYTES_MAX, 16, NULL), -EINVAL);
	EXPECT_EQ(create(c, 0, MIB, 11, NULL), -EINVAL);
	EXPECT_EQ(create(c, 0, MIB, GPUVM_CHUNK_SHIFT_MAX + 1, NULL), -EINVAL);
	EXPECT_EQ(create(c, 0, MIB, ~0U, NULL), -EINVAL);

	EXPECT_EQ(create(c, 2 * MIB, MIB, 12, NULL), 0);
	EXPECT_EQ(create(c, 2 * MIB, MIB, 16, NULL), -EBUSY);
	EXPECT_EQ(create(c, 0, 2 * MIB + 4096, 16, NULL), -EBUSY);
	EXPECT_EQ(create(c, 3 * MIB - 4096, MIB, 16, NULL), -EBUSY);
	EXPECT_EQ(create(c, 2 * MIB + 4096, 4096, 16, NULL), -EBUSY);
	EXPECT_EQ(create(c, 0, 2 * MIB, GPUVM_CHUNK_SHIFT_MAX, NULL), 0);
	EXPECT_EQ(create(c, 3 * MIB, 4096, 16, NULL), 0);
	EXPECT_EQ(create(c, GPUVM_SPACE - MIB, MIB, 16, NULL), 0);

	EXPECT_EQ(destroy(c, MIB), -ENOENT);
	EXPECT_EQ(destroy(c, 64 * MIB), -ENOENT);
	EXPECT_EQ(destroy(c, 2 * MIB), 0);
	EXPECT_EQ(destroy(c, 2 * MIB), -ENOENT);
	EXPECT_EQ(create(c, 2 * MIB, MIB, 12, NULL), 0);
}

TEST_F(greeted, region_refuses)
{
	const struct gpuvm_region good = {.size = sizeof(good), .length = MIB, .chunk_shift = 16};
	struct gpuvm_region r;

	r = good;
	r.reserved = 1;
	EXPECT_EQ(gpuvm_ioctl(self->c.fd, GPUVM_IOC_REGION_CREATE, &r), -EINVAL);
	r = good;
	r.flags = 1U << 31;
	EXPECT_EQ(gpuvm_ioctl(self->c.fd, GPUVM_IOC_REGION_CREATE, &r), -EINVAL);
	r = good;
	r.node = 1;
	EXPECT_EQ(gpuvm_ioctl(self->c.fd, GPUVM_IOC_REGION_CREATE, &r), -EINVAL);
	if (self->c.hello.features & GPUVM_FEATURE_NODE) {
		r = good;
		r.flags = GPUVM_REGION_NODE;
		r.node = 1U << 30;
		EXPECT_EQ(gpuvm_ioctl(self->c.fd, GPUVM_IOC_REGION_CREATE, &r), -EINVAL);
	}
	if (self->c.hello.features & GPUVM_FEATURE_HUGE) {
		r = good;
		r.flags = GPUVM_REGION_HUGE;
		r.offset = 4096;
		EXPECT_EQ(gpuvm_ioctl(self->c.fd, GPUVM_IOC_REGION_CREATE, &r), -EINVAL);
	}
	r = good;
	EXPECT_EQ(gpuvm_ioctl(self->c.fd, GPUVM_IOC_REGION_CREATE, &r), 0);
	r = good; /* DESTROY wants the rest to be zero */
	EXPECT_EQ(gpuvm_ioctl(self->c.fd, GPUVM_IOC_REGION_DESTROY, &r), -EINVAL);
	EXPECT_EQ(destroy(&self->c, 0), 0);
}

TEST_F(greeted, ids_are_the_smallest_free)
{
	__u32 id;

	for (__u32 i = 0; i < 8; i++) {
		ASSERT_EQ(create(&self->c, i * MIB, MIB, 16, &id), 0);
		EXPECT_EQ(id, i);
	}
	EXPECT_EQ(destroy(&self->c, 5 * MIB), 0);
	EXPECT_EQ(destroy(&self->c, 2 * MIB), 0);
	ASSERT_EQ(create(&self->c, 32 * MIB, MIB, 16, &id), 0);
	EXPECT_EQ(id, 2);
	ASSERT_EQ(create(&self->c, 33 * MIB, MIB, 16, &id), 0);
	EXPECT_EQ(id, 5);
}

TEST_F(greeted, many_regions)
{
	const unsigned int n = 20000;
	struct array first;
	char *last;
	__u32 id;

	ASSERT_EQ(array_create(&first, &self->c, 0, 65536, 16), 0);
	for (__u64 i = 1; i < n; i++) {
		ASSERT_EQ(create(&self->c, i * 65536, 65536, 16, &id), 0);
	}
	EXPECT_EQ(id, n - 1);
	last = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, self->c.fd,
		    GPUVM_MMAP_PRIMARY + (n - 1) * 65536UL);
	ASSERT_NE(last, MAP_FAILED);
	*last = 5;
	first.primary[0] = 3;
	EXPECT_EQ(first.alias[0], 3);
	EXPECT_EQ(*last, 5);
	for (__u64 i = 0; i < n; i += 2) {
		ASSERT_EQ(destroy(&self->c, i * 65536), 0);
	}
}

FIXTURE(ranges)
{
	struct context c;
	struct array a, b;
};

FIXTURE_SETUP(ranges)
{
	self->c.fd = -1;
	if (no_device())
		SKIP(return, "%s", no_device());
	ASSERT_EQ(context_open(&self->c, ALL_FEATURES, 0), 0);
	ASSERT_EQ(array_create(&self->a, &self->c, MIB, MIB, 16), 0);
	ASSERT_EQ(array_create(&self->b, &self->c, 2 * MIB, MIB, 16), 0);
}

FIXTURE_TEARDOWN(ranges)
{
	if (self->c.fd >= 0)
		context_close(&self->c);
}

static int op(struct context *c, unsigned int number, __u32 state, struct gpuvm_range *ranges, __u32 count, __u32 *done)
{
	struct gpuvm_range_op op = {
		.size = sizeof(op), .state = state, .ranges = (uintptr_t)ranges, .count = count, .done = 0};
	int rc = gpuvm_ioctl(c->fd, number, &op);

	if (done)
		*done = op.done;
	return rc;
}

TEST_F(ranges, bounds)
{
	static const unsigned int numbers[] = {GPUVM_IOC_WAKE, GPUVM_IOC_POPULATE, GPUVM_IOC_PUNCH,
					       GPUVM_IOC_SET_STATE};
	struct context *c = &self->c;

	for (size_t i = 0; i < 4; i++) {
		__u32 state = numbers[i] == GPUVM_IOC_SET_STATE ? GPUVM_STATE_DEVICE : 0;
		struct {
			struct gpuvm_range range;
			int rc;
		} cases[] = {
			{{MIB, MIB}, 0},
			{{MIB + 4096, 4096}, 0},
			{{MIB + 1, 4096}, -EINVAL},
			{{MIB, 4097}, -EINVAL},
			{{MIB, 0}, -EINVAL},
			{{0, MIB}, -ENOENT},
			{{0, 2 * MIB}, -ENOENT},
			{{MIB, 2 * MIB}, -ENOENT},
			{{3 * MIB, MIB}, -ENOENT},
			{{GPUVM_SPACE, 4096}, -EINVAL},
			{{MIB, GPUVM_SPACE}, -EINVAL},
			{{MIB, -4096ULL}, -EINVAL},
			{{-4096ULL, 8192}, -EINVAL},
		};
		for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
			__u32 done = 77;

			EXPECT_EQ(op(c, numbers[i], state, &cases[j].range, 1, &done), cases[j].rc)
			TH_LOG("ioctl %#x, range %zu", numbers[i], j);
			EXPECT_EQ(done, !cases[j].rc);
		}
		EXPECT_EQ(op(c, numbers[i], state, NULL, 1, NULL), -EFAULT);
		EXPECT_EQ(op(c, numbers[i], state, &cases[0].range, GPUVM_RANGES_MAX + 1, NULL), -EINVAL);
		if (numbers[i] != GPUVM_IOC_SET_STATE) {
			EXPECT_EQ(op(c, numbers[i], GPUVM_STATE_HOST, &cases[0].range, 1, NULL), -EINVAL);
		}
	}
}

TEST_F(ranges, states)
{
	struct gpuvm_range all = {MIB, MIB};

	EXPECT_EQ(op(&self->c, GPUVM_IOC_SET_STATE, GPUVM_STATE_NONE, &all, 1, NULL), -EINVAL);
	EXPECT_EQ(op(&self->c, GPUVM_IOC_SET_STATE, GPUVM_STATE_FAILED + 1, &all, 1, NULL), -EINVAL);
	EXPECT_EQ(op(&self->c, GPUVM_IOC_SET_STATE, GPUVM_STATE_HOST | GPUVM_STATE_UPGRADED, &all, 1, NULL), -EINVAL);
	EXPECT_EQ(op(&self->c, GPUVM_IOC_SET_STATE, GPUVM_STATE_DEVICE | GPUVM_STATE_POSTED, &all, 1, NULL), -EINVAL);
	EXPECT_EQ(op(&self->c, GPUVM_IOC_SET_STATE, ~0U, &all, 1, NULL), -EINVAL);
	for (__u32 state = GPUVM_STATE_HOST; state <= GPUVM_STATE_FAILED; state++) {
		EXPECT_EQ(op(&self->c, GPUVM_IOC_SET_STATE, state, &all, 1, NULL), 0);
		EXPECT_EQ(state_of(&self->a, 0), state);
		EXPECT_EQ(state_of(&self->a, MIB - 4096), state);
		EXPECT_EQ(state_of(&self->b, 0), GPUVM_STATE_HOST);
	}
}

TEST_F(ranges, arrays_of_ranges)
{
	struct gpuvm_range many[GPUVM_RANGES_MAX];
	struct gpuvm_range some[3] = {{MIB, 4096}, {2 * MIB + 8192, 4096}, {MIB + 65536, 8192}};
	__u32 done;

	EXPECT_EQ(op(&self->c, GPUVM_IOC_SET_STATE, GPUVM_STATE_DEVICE, some, 3, &done), 0);
	EXPECT_EQ(done, 3);
	EXPECT_EQ(state_of(&self->a, 0), GPUVM_STATE_DEVICE);
	EXPECT_EQ(state_of(&self->a, 4096), GPUVM_STATE_HOST);
	EXPECT_EQ(state_of(&self->b, 8192), GPUVM_STATE_DEVICE);
	EXPECT_EQ(state_of(&self->a, 65536 + 4096), GPUVM_STATE_DEVICE);

	/* The ranges before the bad one are done. */
	some[1].offset = 32 * MIB;
	EXPECT_EQ(op(&self->c, GPUVM_IOC_SET_STATE, GPUVM_STATE_FAILED, some, 3, &done), -ENOENT);
	EXPECT_EQ(done, 1);
	EXPECT_EQ(state_of(&self->a, 0), GPUVM_STATE_FAILED);
	EXPECT_EQ(state_of(&self->a, 65536), GPUVM_STATE_DEVICE);

	for (size_t i = 0; i < GPUVM_RANGES_MAX; i++)
		many[i] = (struct gpuvm_range){MIB + i % 256 * 4096, 4096};
	EXPECT_EQ(op(&self->c, GPUVM_IOC_SET_STATE, GPUVM_STATE_HOST, many, GPUVM_RANGES_MAX, &done), 0);
	EXPECT_EQ(done, GPUVM_RANGES_MAX);
	EXPECT_EQ(op(&self->c, GPUVM_IOC_SET_STATE, GPUVM_STATE_HOST, many, 0, &done), 0);
	EXPECT_EQ(done, 0);
}

TEST_F(ranges, populate_is_repeatable)
{
	EXPECT_EQ(range_call(&self->a, GPUVM_IOC_POPULATE, 0, MIB), 0);
	self->a.alias[5] = 7;
	EXPECT_EQ(range_call(&self->a, GPUVM_IOC_POPULATE, 0, MIB), 0);
	EXPECT_EQ(self->a.primary[5], 7);
	EXPECT_EQ(range_call(&self->a, GPUVM_IOC_PUNCH, 0, MIB), 0);
	EXPECT_EQ(self->a.primary[5], 0);
	EXPECT_EQ(self->a.alias[5], 0);
}

TEST_F(greeted, mappings)
{
	struct context *c = &self->c;
	const int rw = PROT_READ | PROT_WRITE;
	void *states;

	EXPECT_EQ(mmap(NULL, 4096, rw, MAP_SHARED, c->fd, GPUVM_MMAP_STATE), MAP_FAILED);
	EXPECT_EQ(mmap(NULL, 4096, rw, MAP_SHARED, c->fd, GPUVM_MMAP_UPGRADES), MAP_FAILED);
	EXPECT_EQ(mmap(NULL, 4096, rw, MAP_PRIVATE, c->fd, GPUVM_MMAP_PRIMARY), MAP_FAILED);
	EXPECT_EQ(mmap(NULL, 4096, rw, MAP_PRIVATE, c->fd, GPUVM_MMAP_ALIAS), MAP_FAILED);
	EXPECT_EQ(mmap(NULL, 4096, rw, MAP_SHARED, c->fd, 5ULL << 46), MAP_FAILED);
	EXPECT_EQ(errno, ENODEV);
	EXPECT_EQ(mmap(NULL, 8192, rw, MAP_SHARED, c->fd, GPUVM_MMAP_ALIAS - 4096), MAP_FAILED);
	EXPECT_EQ(mmap(NULL, 2 * c->hello.ring_bytes, rw, MAP_SHARED, c->fd, GPUVM_MMAP_RING), MAP_FAILED);

	states = mmap(NULL, 4096, PROT_READ, MAP_SHARED, c->fd, GPUVM_MMAP_STATE);
	ASSERT_NE(states, MAP_FAILED);
	EXPECT_EQ(mprotect(states, 4096, rw), -1);
	EXPECT_EQ(mprotect((void *)c->upgrades, 4096, rw), -1);
}

TEST_F(greeted, no_other_file_operations)
{
	char byte = 0;

	EXPECT_EQ(read(self->c.fd, &byte, 1), -1);
	EXPECT_EQ(write(self->c.fd, &byte, 1), -1);
	EXPECT_NE(ftruncate(self->c.fd, 4096), 0);
	EXPECT_EQ(write(self->c.hello.event_fd, &byte, 1), -1);
}

TEST_HARNESS_MAIN
