// SPDX-License-Identifier: GPL-2.0
/* Memory is charged and capped, and what belongs to one process is out of reach for all others. */
#include "common/cgroup.h"
#include "common/context.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/harness.h"

#define MIB (1UL << 20)
#define NOBODY 65534

FIXTURE(limits)
{
	struct context c;
	struct array a;
};

FIXTURE_SETUP(limits)
{
	self->c.fd = -1;
	if (no_device())
		SKIP(return, "%s", no_device());
	ASSERT_EQ(context_open(&self->c, ALL_FEATURES, 0), 0);
	ASSERT_EQ(array_create(&self->a, &self->c, 0, 64 * MIB, 16), 0);
}

FIXTURE_TEARDOWN(limits)
{
	if (self->c.fd >= 0)
		context_close(&self->c);
}

TEST_F(limits, cap_of_the_module)
{
	static const char path[] = "/sys/module/gpuvm/parameters/max_mb";
	struct array *a = &self->a;
	char before[64];

	if (!read_text(path, before, sizeof(before)) || !write_text(path, "8"))
		SKIP(return, "can't write %s: not root?", path);
	EXPECT_EQ(range_call(a, GPUVM_IOC_POPULATE, 0, 64 * MIB), -ENOMEM);
	EXPECT_EQ(range_call(a, GPUVM_IOC_POPULATE, 0, 4 * MIB), 0);
	EXPECT_EQ(try_write(a->primary, 1), 0);
	EXPECT_EQ(try_write(a->primary + 63 * MIB, 1), -1);
	EXPECT_EQ(try_write(a->alias + 62 * MIB, 1), -1);
	ASSERT_EQ(range_call(a, GPUVM_IOC_PUNCH, 0, 64 * MIB), 0);
	EXPECT_EQ(range_call(a, GPUVM_IOC_POPULATE, 60 * MIB, 4 * MIB), 0);
	EXPECT_EQ(try_write(a->primary + 63 * MIB, 1), 0);
	EXPECT_TRUE(write_text(path, before));
	EXPECT_EQ(range_call(a, GPUVM_IOC_POPULATE, 0, 64 * MIB), 0);
}

/* The child looks around. Its exit status is the number of the step that failed. */
static int with_little_memlock(bool counted)
{
	const struct rlimit limit = {MIB, MIB};
	struct context c = {.fd = open(DEVICE, O_RDWR | O_CLOEXEC), .page = sysconf(_SC_PAGESIZE)};
	struct array a;

	if (setrlimit(RLIMIT_MEMLOCK, &limit) || setgid(NOBODY) || setuid(NOBODY))
		return 1;
	if (context_hello(&c, ALL_FEATURES, 0) || array_create(&a, &c, 0, 4 * MIB, 16))
		return 2;
	if (range_call(&a, GPUVM_IOC_POPULATE, 0, 4 * MIB) != (counted ? -ENOMEM : 0))
		return 3;
	if (counted && range_call(&a, GPUVM_IOC_PUNCH, 0, 4 * MIB))
		return 4;
	if (range_call(&a, GPUVM_IOC_POPULATE, 0, MIB / 2))
		return 5;
	if (try_write(a.primary, 1))
		return 6;
	return 0;
}

TEST_F(limits, locked_memory)
{
	char counted[8];
	int status;
	pid_t child;

	if (!read_text("/sys/module/gpuvm/parameters/memlock", counted, sizeof(counted)))
		SKIP(return, "the module has no parameter memlock");
	if (getuid())
		SKIP(return, "not root: it has to be dropped for the test");
	child = fork();
	if (!child)
		_exit(with_little_memlock(counted[0] == 'Y'));
	status = wait_for(child);
	ASSERT_TRUE(status >= 0 && WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 0);
}

static void exceed_the_group(void)
{
	struct context c;
	struct array a;
	long before;

	if (!cgroup_enter())
		_exit(1);
	if (context_open(&c, ALL_FEATURES, 0) || array_create(&a, &c, 0, 256 * MIB, 16))
		_exit(2);
	before = cgroup_usage();
	if (range_call(&a, GPUVM_IOC_POPULATE, 0, 16 * MIB))
		_exit(3);
	if (cgroup_usage() - before < (long)(15 * MIB))
		_exit(4);
	if (range_call(&a, GPUVM_IOC_PUNCH, 0, 16 * MIB))
		_exit(5);
	if (cgroup_usage() - before > (long)(4 * MIB))
		_exit(6);
	/* This is too much: there must be an error, or the OOM killer ends the process. */
	if (range_call(&a, GPUVM_IOC_POPULATE, 0, 256 * MIB) != -ENOMEM)
		_exit(7);
	_exit(0);
}

TEST_F(limits, memory_cgroup)
{
	int status;
	pid_t child;

	if (!cgroup_create(64 * MIB))
		SKIP(return, "no memory cgroup can be made below /sys/fs/cgroup");
	child = fork();
	if (!child)
		exceed_the_group();
	status = wait_for(child);
	EXPECT_TRUE(status == 0 || status == SIGKILL) TH_LOG("status %#x", status);
	sleep_ms(100);
	EXPECT_LT(cgroup_usage(), 8 * MIB);
	cgroup_remove();
}

/* A child has the descriptor, but no right to anything. */
static int with_the_parents_context(struct context *c, struct array *a)
{
	struct gpuvm_range range = {0, 4096};
	struct gpuvm_range_op op = {
		.size = sizeof(op), .state = GPUVM_STATE_HOST, .ranges = (uintptr_t)&range, .count = 1};
	struct gpuvm_region region = {.size = sizeof(region), .offset = 512 * MIB, .length = MIB, .chunk_shift = 16};
	static const __u64 places[] = {GPUVM_MMAP_PRIMARY, GPUVM_MMAP_ALIAS, GPUVM_MMAP_STATE, GPUVM_MMAP_UPGRADES,
				       GPUVM_MMAP_RING};

	if (gpuvm_ioctl(c->fd, GPUVM_IOC_SET_STATE, &op) != -EPERM)
		return 1;
	op.state = 0;
	if (gpuvm_ioctl(c->fd, GPUVM_IOC_WAKE, &op) != -EPERM || gpuvm_ioctl(c->fd, GPUVM_IOC_PUNCH, &op) != -EPERM)
		return 2;
	if (gpuvm_ioctl(c->fd, GPUVM_IOC_REGION_CREATE, &region) != -EPERM || array_destroy(a) != -EPERM)
		return 3;
	for (int i = 0; i < 5; i++)
		if (mmap(NULL, 4096, PROT_READ, MAP_SHARED, c->fd, places[i]) != MAP_FAILED || errno != EPERM)
			return 4 + i;
	return 0;
}

TEST_F(limits, other_processes_have_no_right)
{
	pid_t child;
	int status;

	fill(self->a.primary, 0, MIB, 1);
	child = fork();
	if (!child)
		_exit(with_the_parents_context(&self->c, &self->a));
	status = wait_for(child);
	ASSERT_TRUE(status >= 0 && WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 0);
	EXPECT_EQ(differs(self->a.primary, 0, MIB, 1), -1);
}

static int own_context_at_the_same_place(void)
{
	struct context c;
	struct array a;

	if (context_open(&c, ALL_FEATURES, 0) || array_create(&a, &c, 0, MIB, 16))
		return 1;
	for (size_t i = 0; i < MIB; i += 8)
		if (*(volatile long *)(a.primary + i))
			return 2;
	fill(a.primary, 0, MIB, 2);
	if (set_state(&a, 0, MIB, GPUVM_STATE_FAILED, NULL))
		return 3;
	return 0;
}

TEST_F(limits, contexts_know_nothing_of_each_other)
{
	struct context second;
	struct array b;
	pid_t child;

	fill(self->a.primary, 0, MIB, 1);
	child = fork();
	if (!child)
		_exit(own_context_at_the_same_place());
	EXPECT_EQ(wait_for(child), 0);
	/* Two contexts of one process don't share anything, either. */
	ASSERT_EQ(context_open(&second, ALL_FEATURES, 0), 0);
	ASSERT_EQ(array_create(&b, &second, 0, MIB, 16), 0);
	fill(b.primary, 0, MIB, 3);
	EXPECT_EQ(differs(self->a.primary, 0, MIB, 1), -1);
	EXPECT_EQ(state_of(&self->a, 0), GPUVM_STATE_HOST);
	context_close(&second);
	EXPECT_EQ(differs(b.primary, 0, MIB, 3), -1);
	EXPECT_EQ(differs(self->a.primary, 0, MIB, 1), -1);
}

/* The mappings are not inherited, since the library gives a child copies. */
TEST_F(limits, child_has_no_mappings)
{
	const volatile char *places[] = {self->a.primary, self->a.alias, (volatile char *)self->c.states,
					 (volatile char *)self->c.ring};

	fill(self->a.primary, 0, MIB, 1);
	for (int i = 0; i < 4; i++) {
		pid_t child = fork();

		if (!child) {
			signal(SIGSEGV, SIG_DFL);
			signal(SIGBUS, SIG_DFL);
			_exit(*places[i] & 1);
		}
		EXPECT_EQ(wait_for(child) & 0x7f, SIGSEGV);
	}
	EXPECT_EQ(differs(self->a.primary, 0, MIB, 1), -1);
}

/* Lets the parent go on, and waits for it. */
static bool meet(int socket)
{
	char byte = 0;

	return write(socket, &byte, 1) == 1 && read(socket, &byte, 1) == 1;
}

/* Returns the number of the step that failed. */
static int with_inherited_mappings(struct array *a, int parent)
{
	/* What was mapped at the fork may be seen until it is revoked, but nothing new may be. */
	if (try_read(a->primary + 2 * MIB) != -1 || try_read(a->alias + 2 * MIB) != -1)
		return 1;
	if (!meet(parent))
		return 2;
	if (try_read(a->primary) != -1 || try_write(a->primary, 1) != -1)
		return 3;
	if (!meet(parent))
		return 4;
	if (try_read(a->primary) != -1 || try_write(a->primary, 1) != -1)
		return 5;
	return munmap((void *)a->primary, MIB) ? 6 : 0;
}

/* A process that asks for it has the mappings in a child: revokes reach that, and no touch there is served. */
TEST_F(limits, child_has_mappings_on_request)
{
	struct array *a = &self->a;
	int ends[2];
	pid_t child;

	ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	fill(a->primary, 0, MIB, 1);
	if (madvise((void *)a->primary, array_length(a), MADV_DOFORK)) {
		ASSERT_EQ(errno, EINVAL);
		SKIP(return, "this kernel gives no child such mappings");
	}
	ASSERT_EQ(madvise((void *)a->alias, array_length(a), MADV_DOFORK), 0);
	child = fork();
	if (!child)
		_exit(with_inherited_mappings(a, ends[1]));
	close(ends[1]);
	EXPECT_EQ(read(ends[0], ends + 1, 1), 1);
	ASSERT_EQ(set_state(a, 0, MIB, GPUVM_STATE_DEVICE, NULL), 0);
	EXPECT_TRUE(meet(ends[0]));
	ASSERT_EQ(set_state(a, 0, MIB, GPUVM_STATE_HOST, NULL), 0);
	EXPECT_EQ(write(ends[0], "x", 1), 1);
	EXPECT_EQ(wait_for(child), 0);
	EXPECT_EQ(differs(a->primary, 0, MIB, 1), -1);
	close(ends[0]);
}

static void *fork_on(void *stop)
{
	while (!*(atomic_bool *)stop) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		if (child > 0)
			waitpid(child, NULL, 0);
	}
	return NULL;
}

/* The process forks while touches are served. */
TEST_F(limits, forks_meanwhile)
{
	atomic_bool stop = false;
	struct resolver r;
	pthread_t forker;

	ASSERT_EQ(resolver_start(&r, &self->a, GPUVM_STATE_HOST), 0);
	ASSERT_EQ(pthread_create(&forker, NULL, fork_on, &stop), 0);
	for (int round = 0; round < 10; round++) {
		r.round = round;
		ASSERT_EQ(set_state(&self->a, 0, MIB, GPUVM_STATE_DEVICE, NULL), 0);
		EXPECT_EQ(differs(self->a.primary, 0, MIB, round), -1);
	}
	stop = true;
	pthread_join(forker, NULL);
	EXPECT_EQ(resolver_stop(&r), 0);
}

TEST_HARNESS_MAIN
