// SPDX-License-Identifier: GPL-2.0
#include "context.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Unbuffered lines get out even if the kernel dies of the next call. */
static void __attribute__((constructor)) unbuffer(void)
{
	setlinebuf(stdout);
}

const char *no_device(void)
{
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC);

	if (fd >= 0) {
		close(fd);
		return NULL;
	}
	return errno == EACCES ? "no right to open " DEVICE " (group gpuvm)"
			       : "there is no " DEVICE ": insmod gpuvm.ko";
}

int gpuvm_ioctl(int fd, unsigned int number, void *argument)
{
	int rc;

	do
		rc = ioctl(fd, number, argument);
	while (rc < 0 && errno == EINTR);
	return rc < 0 ? -errno : rc;
}

static void *map(int fd, __u64 offset, size_t length, int protection)
{
	void *p = mmap(NULL, length, protection, MAP_SHARED, fd, offset);

	return p == MAP_FAILED ? NULL : p;
}

/* Maps at a multiple of the alignment, where huge pages fit. */
static void *map_aligned(int fd, __u64 offset, size_t length, size_t alignment)
{
	char *room, *begin;

	room = mmap(NULL, length + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED)
		return NULL;
	begin = (char *)(((uintptr_t)room + alignment - 1) & -alignment);
	munmap(room, begin - room);
	munmap(begin + length, room + alignment - begin);
	begin = mmap(begin, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, offset);
	return begin == MAP_FAILED ? NULL : begin;
}

int context_open(struct context *c, __u64 features, __u32 ring_entries)
{
	int rc;

	*c = (struct context){.fd = open(DEVICE, O_RDWR | O_CLOEXEC), .page = sysconf(_SC_PAGESIZE)};
	if (c->fd < 0)
		return -errno;
	rc = context_hello(c, features, ring_entries);
	if (rc)
		context_close(c);
	return rc;
}

int context_hello(struct context *c, __u64 features, __u32 ring_entries)
{
	int rc;

	c->hello = (struct gpuvm_hello){
		.size = sizeof(c->hello), .features = features, .ring_entries = ring_entries, .event_fd = -1};
	rc = gpuvm_ioctl(c->fd, GPUVM_IOC_HELLO, &c->hello);
	if (rc < 0)
		return rc;
	c->states = map(c->fd, GPUVM_MMAP_STATE, STATES_MAPPED, PROT_READ);
	c->upgrades = map(c->fd, GPUVM_MMAP_UPGRADES, c->page, PROT_READ);
	c->ring = map(c->fd, GPUVM_MMAP_RING, c->hello.ring_bytes, PROT_READ | PROT_WRITE);
	return c->states && c->upgrades && c->ring ? 0 : -errno;
}

void context_close(struct context *c)
{
	if (c->states)
		munmap((void *)c->states, STATES_MAPPED);
	if (c->upgrades)
		munmap((void *)c->upgrades, c->page);
	if (c->ring)
		munmap(c->ring, c->hello.ring_bytes);
	if (c->hello.event_fd >= 0)
		close(c->hello.event_fd);
	close(c->fd);
	c->fd = -1;
}

int array_create_with(struct array *a, struct context *c, struct gpuvm_region region)
{
	size_t alignment = region.flags & GPUVM_REGION_HUGE ? c->hello.huge_size : c->page;
	int rc;

	*a = (struct array){.in = c, .region = region};
	rc = gpuvm_ioctl(c->fd, GPUVM_IOC_REGION_CREATE, &a->region);
	if (rc < 0)
		return rc;
	a->primary = map_aligned(c->fd, GPUVM_MMAP_PRIMARY + region.offset, region.length, alignment);
	a->alias = map_aligned(c->fd, GPUVM_MMAP_ALIAS + region.offset, region.length, alignment);
	if (a->primary && a->alias)
		return 0;
	rc = -errno;
	array_destroy(a);
	return rc;
}

int array_create(struct array *a, struct context *c, __u64 offset, size_t length, unsigned int chunk_shift)
{
	struct gpuvm_region region = {
		.size = sizeof(region), .offset = offset, .length = length, .chunk_shift = chunk_shift};

	return array_create_with(a, c, region);
}

int array_destroy(struct array *a)
{
	struct gpuvm_region region = {.size = sizeof(region), .offset = a->region.offset};
	int rc = gpuvm_ioctl(a->in->fd, GPUVM_IOC_REGION_DESTROY, &region);

	if (a->primary)
		munmap((void *)a->primary, a->region.length);
	if (a->alias)
		munmap((void *)a->alias, a->region.length);
	return rc;
}

static int one_range(struct array *a, unsigned int number, size_t offset, size_t length, __u32 state, __u64 *upgraded)
{
	struct gpuvm_range range = {.offset = a->region.offset + offset, .length = length};
	struct gpuvm_range_op op = {.size = sizeof(op), .state = state, .ranges = (uintptr_t)&range, .count = 1};
	int rc = gpuvm_ioctl(a->in->fd, number, &op);

	if (upgraded)
		*upgraded = op.upgraded;
	return rc;
}

int set_state(struct array *a, size_t offset, size_t length, __u32 state, __u64 *upgraded)
{
	return one_range(a, GPUVM_IOC_SET_STATE, offset, length, state, upgraded);
}

int range_call(struct array *a, unsigned int number, size_t offset, size_t length)
{
	return one_range(a, number, offset, length, 0, NULL);
}

__u8 state_of(const struct array *a, size_t offset)
{
	return a->in->states[(a->region.offset + offset) / a->in->page];
}

__u32 touches_posted(const struct context *c)
{
	return __atomic_load_n(&c->ring->head, __ATOMIC_ACQUIRE);
}

static bool take(struct context *c, struct gpuvm_touch *touch)
{
	struct gpuvm_ring *ring = c->ring;
	struct gpuvm_touch *entries = (void *)((char *)ring + ring->first);
	__u32 tail = ring->tail;

	if (touches_posted(c) == tail)
		return false;
	*touch = entries[tail & (ring->entries - 1)];
	__atomic_store_n(&ring->tail, tail + 1, __ATOMIC_RELEASE);
	return true;
}

bool next_touch(struct context *c, struct gpuvm_touch *touch, int milliseconds)
{
	uint64_t until = now_ms() + milliseconds;
	struct pollfd event = {.fd = c->hello.event_fd, .events = POLLIN};

	while (!take(c, touch)) {
		int left = (int)(until - now_ms());

		if (left <= 0)
			return false;
		poll(&event, 1, left);
	}
	return true;
}

void fill(volatile char *to, size_t offset, size_t length, unsigned int round)
{
	for (size_t i = 0; i < length; i++)
		to[offset + i] = pattern(offset + i, round);
}

ssize_t differs(const volatile char *bytes, size_t offset, size_t length, unsigned int round)
{
	for (size_t i = offset; i < offset + length; i++)
		if (bytes[i] != pattern(i, round))
			return i;
	return -1;
}

static int serve(struct resolver *r, const struct gpuvm_touch *touch)
{
	struct array *a = r->array;
	size_t chunk = 1UL << a->region.chunk_shift;
	size_t begin = (touch->offset - a->region.offset) & ~(chunk - 1);
	size_t length = array_length(a) - begin < chunk ? array_length(a) - begin : chunk;

	r->last_flags = touch->flags;
	fill(a->alias, begin, length, r->round);
	r->served++;
	return set_state(a, begin, length, r->state, NULL);
}

static void *resolve(void *argument)
{
	struct resolver *r = argument;
	struct gpuvm_touch touch;
	intptr_t rc = 0;

	while (!r->stop && !rc)
		if (next_touch(r->array->in, &touch, 10))
			rc = serve(r, &touch);
	return (void *)rc;
}

int resolver_start(struct resolver *r, struct array *a, __u32 state)
{
	*r = (struct resolver){.array = a, .state = state};
	return -pthread_create(&r->thread, NULL, resolve, r);
}

int resolver_stop(struct resolver *r)
{
	void *rc;

	r->stop = true;
	pthread_join(r->thread, &rc);
	return (intptr_t)rc;
}

static __thread sigjmp_buf *volatile recover;

static void on_bus_error(int signal_number)
{
	if (recover)
		siglongjmp(*recover, 1);
	signal(SIGBUS, SIG_DFL);
}

static void catch_bus_errors(void)
{
	struct sigaction action = {.sa_handler = on_bus_error, .sa_flags = SA_NODEFER};

	sigaction(SIGBUS, &action, NULL);
}

static pthread_once_t caught = PTHREAD_ONCE_INIT;

int try_read(const volatile char *byte)
{
	sigjmp_buf here;
	int value = -1;

	pthread_once(&caught, catch_bus_errors);
	if (!sigsetjmp(here, 1)) {
		recover = &here;
		value = (unsigned char)*byte;
	}
	recover = NULL;
	return value;
}

int try_write(volatile char *byte, char value)
{
	sigjmp_buf here;
	volatile int rc = -1;

	pthread_once(&caught, catch_bus_errors);
	if (!sigsetjmp(here, 1)) {
		recover = &here;
		*byte = value;
		rc = 0;
	}
	recover = NULL;
	return rc;
}

static void *touch_it(void *argument)
{
	struct toucher *t = argument;

	t->tid = (int)syscall(SYS_gettid);
	t->result = t->write ? try_write(t->byte, 1) : try_read(t->byte);
	return NULL;
}

int toucher_start(struct toucher *t, volatile char *byte, bool write)
{
	*t = (struct toucher){.byte = byte, .write = write};
	return -pthread_create(&t->thread, NULL, touch_it, t);
}

bool toucher_ended(struct toucher *t, int milliseconds)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += milliseconds / 1000;
	until.tv_nsec += milliseconds % 1000 * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000L;
	}
	return !pthread_timedjoin_np(t->thread, NULL, &until);
}

void sleep_ms(int milliseconds)
{
	usleep(milliseconds * 1000);
}
