// SPDX-License-Identifier: GPL-2.0
/*
 * Random arguments, mappings and touches from several threads of several processes, which are killed at random.
 * GPUVM_FUZZ_SECONDS says for how long (default: 5), GPUVM_FUZZ_SEED where to begin. The only thing that can be told
 * from here is that each process ends; the rest is for the kernel's debugging options to find.
 */
#include "common/context.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/harness.h"
#include "common/random.h"

#define MIB (1UL << 20)
#define SLOTS 8
#define SLOT_BYTES (4 * MIB)
#define THREADS 4
#define DESCRIPTORS 4

static char *arena; /* has slots for mappings, so that nothing else is hit */
static int descriptors[DESCRIPTORS];
static struct gpuvm_ring *ring;
static int pipes[2];

static __thread sigjmp_buf recover;

static void on_fault(int number)
{
	siglongjmp(recover, 1);
}

/* Programs break at these numbers. */
static uint64_t edge(void)
{
	static const uint64_t edges[] = {0,
					 1,
					 4095,
					 4096,
					 65536,
					 2 * MIB,
					 GPUVM_SPACE,
					 GPUVM_SPACE - 4096,
					 1ULL << 31,
					 1ULL << 32,
					 1ULL << 63,
					 ~0ULL,
					 -4096ULL,
					 GPUVM_REGION_BYTES_MAX,
					 GPUVM_MMAP_RING,
					 0xffff800000000000ULL};
	uint64_t value = edges[below(sizeof(edges) / sizeof(edges[0]))];

	return one_in(4) ? value + below(16) - 8 : value;
}

/* Returns a place in the few MiB in which all regions lie, so that they meet. */
static uint64_t place(void)
{
	return one_in(50) ? edge() : below(SLOTS * SLOT_BYTES / 4096) * 4096;
}

static uint64_t extent(void)
{
	static const uint64_t most[] = {1, 16, 512, 2048};

	return one_in(50) ? edge() : (1 + below(most[below(4)])) * 4096;
}

static int descriptor(void)
{
	return descriptors[below(DESCRIPTORS)];
}

static void *a_byte(void)
{
	return arena + below(SLOTS * SLOT_BYTES);
}

static void random_bytes(void)
{
	uint64_t words[32];

	for (int i = 0; i < 32; i++)
		words[i] = one_in(2) ? edge() : any();
	if (!one_in(4))
		words[0] = below(128) | any() << 32; /* a size that can be right */
	ioctl(descriptor(), one_in(8) ? any() : _IO(GPUVM_IOC, below(10)), one_in(10) ? (void *)edge() : words);
}

static void hello(void)
{
	struct gpuvm_hello h = {.size = sizeof(h), .features = one_in(3) ? any() : ALL_FEATURES, .event_fd = -1};

	h.ring_entries = one_in(4) ? edge() : below(64);
	if (!ioctl(descriptor(), GPUVM_IOC_HELLO, &h) && one_in(3))
		close(h.event_fd);
}

static void region(void)
{
	struct gpuvm_region r = {.size = sizeof(r), .offset = place()};
	bool create = !one_in(4);

	if (create) {
		r.length = extent();
		r.chunk_shift = one_in(50) ? edge() : 12 + below(10);
		r.flags = one_in(3) ? below(8) : 0;
		if (r.flags & GPUVM_REGION_HUGE)
			r.offset &= -2 * MIB;
	}
	ioctl(descriptor(), create ? GPUVM_IOC_REGION_CREATE : GPUVM_IOC_REGION_DESTROY, &r);
}

static void ranges(void)
{
	unsigned int number = one_in(4) ? GPUVM_IOC_ACCESSED : GPUVM_IOC_SET_STATE + below(4);
	__u8 answers[GPUVM_RANGES_MAX];
	struct gpuvm_range some[16];
	struct gpuvm_range_op op = {.size = sizeof(op), .ranges = (uintptr_t)some, .count = 1 + below(16)};

	for (int i = 0; i < 16; i++)
		some[i] = (struct gpuvm_range){place(), extent()};
	if (number == GPUVM_IOC_SET_STATE)
		op.state = one_in(20) ? below(256) : GPUVM_STATE_HOST + below(4);
	if (number == GPUVM_IOC_ACCESSED || one_in(30))
		op.accessed = one_in(20) ? edge() : one_in(20) ? (uintptr_t)a_byte() : (uintptr_t)answers;
	if (one_in(30))
		op.count = edge();
	if (one_in(30))
		op.ranges = one_in(2) ? edge() : (uintptr_t)a_byte();
	ioctl(descriptor(), number, &op);
}

static void mapping(void)
{
	static const uint64_t areas[] = {GPUVM_MMAP_PRIMARY, GPUVM_MMAP_PRIMARY,  GPUVM_MMAP_PRIMARY, GPUVM_MMAP_ALIAS,
					 GPUVM_MMAP_STATE,   GPUVM_MMAP_UPGRADES, GPUVM_MMAP_RING};
	uint64_t area = areas[below(7)], where = area <= GPUVM_MMAP_ALIAS ? place() : below(4) * 4096;
	int protection = one_in(4) ? PROT_READ : area == GPUVM_MMAP_STATE ? PROT_READ : PROT_READ | PROT_WRITE;
	char *slot = arena + below(SLOTS) * SLOT_BYTES;
	size_t length = (1 + below(SLOT_BYTES / 4096)) * 4096;

	mmap(slot, length, protection,
	     (one_in(20) ? MAP_PRIVATE : MAP_SHARED) | MAP_FIXED | (one_in(20) ? MAP_POPULATE : 0), descriptor(),
	     area + where);
}

static void other_memory_calls(void)
{
	static const int advice[] = {MADV_DONTNEED, MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_WILLNEED,
				     MADV_FREE,     MADV_PAGEOUT,  MADV_REMOVE,     MADV_DOFORK};
	void *page = (void *)((uintptr_t)a_byte() & ~4095UL);
	size_t length = (1 + below(64)) * 4096;

	if ((char *)page + length > arena + SLOTS * SLOT_BYTES)
		return;
	switch (below(5)) {
	case 0:
		mprotect(page, length, one_in(2) ? PROT_READ : PROT_READ | PROT_WRITE);
		break;
	case 1:
		madvise(page, length, advice[below(8)]);
		break;
	case 2:
		mmap(page, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		break;
	case 3:
		if (one_in(2))
			mlock(page, length);
		else
			munlock(page, length);
		break;
	case 4:
		mremap(page, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, arena + below(SLOTS) * SLOT_BYTES);
		break;
	}
}

static void touch(void)
{
	volatile char *byte = a_byte();

	if (sigsetjmp(recover, 1))
		return;
	if (one_in(2))
		*byte;
	else
		*byte = 1;
}

static void system_call(void)
{
	char *byte = a_byte();
	size_t left = arena + SLOTS * SLOT_BYTES - byte, length = 1 + below(20000);

	if (length > left)
		length = left;
	if (one_in(2))
		(void)!write(pipes[1], byte, length);
	else
		(void)!read(pipes[0], byte, length);
}

/* Does as a resolver now and then, and writes nonsense into the ring. */
static void consume(void)
{
	struct pollfd event = {.fd = descriptor(), .events = POLLIN};

	poll(&event, 1, 0);
	if (one_in(100)) {
		((__u32 *)ring)[below(40)] = any();
		return;
	}
	__atomic_store_n(&ring->tail, __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
	ranges();
}

static void descriptors_change(void)
{
	int *fd = &descriptors[below(DESCRIPTORS)];

	if (!one_in(20))
		return;
	close(*fd);
	*fd = one_in(2) ? dup(descriptor()) : open(DEVICE, O_RDWR | O_CLOEXEC);
}

static void child(void)
{
	pid_t pid;

	if (!one_in(50))
		return;
	pid = fork();
	if (!pid) {
		struct gpuvm_range_op op = {.size = sizeof(op)};

		ioctl(descriptor(), GPUVM_IOC_SET_STATE, &op);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void (*const actions[])(void) = {
	random_bytes, random_bytes,
	hello,        region,
	region,       region,
	ranges,       ranges,
	ranges,       mapping,
	mapping,      touch,
	touch,        touch,
	system_call,  consume,
	consume,      other_memory_calls,
	system_call,  child,
	consume,      descriptors_change,
};

static void *act(void *seed)
{
	seed_random((uintptr_t)seed);
	for (;;)
		actions[below(sizeof(actions) / sizeof(actions[0]))]();
	return NULL;
}

static void set_up(void)
{
	const struct rlimit few = {256, 256};
	struct context c;
	struct array a;

	setrlimit(RLIMIT_NOFILE, &few);
	arena = mmap(NULL, SLOTS * SLOT_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (arena == MAP_FAILED || pipe2(pipes, O_NONBLOCK))
		_exit(1);
	if (context_open(&c, ALL_FEATURES, 0) || array_create(&a, &c, 0, 2 * SLOT_BYTES, 16))
		_exit(2);
	ring = c.ring;
	descriptors[0] = c.fd;
	descriptors[1] = c.hello.event_fd;
	descriptors[2] = open(DEVICE, O_RDWR | O_CLOEXEC);
	descriptors[3] = dup(c.fd);
	mmap(arena, 2 * SLOT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, c.fd, GPUVM_MMAP_PRIMARY);
	for (int i = 0; i < 2; i++) {
		struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_NODEFER};

		sigaction(i ? SIGBUS : SIGSEGV, &action, NULL);
	}
}

/* Acts for some time; what it waits for then ends with the process. */
static void act_for(unsigned int milliseconds, uint64_t seed)
{
	pthread_t thread;

	set_up();
	for (uint64_t i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, act, (void *)(seed * 0x9e3779b97f4a7c15ULL + i * 0x100000001b3ULL));
	sleep_ms(milliseconds);
	if (seed % 2)
		_exit(0);
	kill(getpid(), SIGKILL);
}

FIXTURE(fuzz){};

FIXTURE_SETUP(fuzz)
{
	if (no_device())
		SKIP(return, "%s", no_device());
}

FIXTURE_TEARDOWN(fuzz) {}

TEST_F_TIMEOUT(fuzz, random_calls, 100000)
{
	uint64_t until = now_ms() + 1000 * setting("GPUVM_FUZZ_SECONDS", 5);
	long seed = setting("GPUVM_FUZZ_SEED", time(NULL)), processes = 0;

	TH_LOG("GPUVM_FUZZ_SEED=%ld", seed);
	for (; now_ms() < until; processes++, seed++) {
		pid_t pid = fork();
		int status;

		if (!pid)
			act_for(50 + seed % 7 * 50, seed);
		status = wait_for_main_thread(pid);
		ASSERT_NE(status, -ETIMEDOUT) TH_LOG("the process with GPUVM_FUZZ_SEED=%ld does not end", seed);
		/* A process may break by its own doing, but it must have begun. */
		ASSERT_FALSE(WIFEXITED(status) && WEXITSTATUS(status)) TH_LOG("set-up: step %d", WEXITSTATUS(status));
	}
	TH_LOG("%ld processes", processes);
}

TEST_HARNESS_MAIN
