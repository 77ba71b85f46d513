// SPDX-License-Identifier: GPL-2.0
/* System calls, and other processes, touch data that is on the device: such touches are served like any other. */
#include "common/cgroup.h"
#include "common/context.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/harness.h"

#define MIB (1UL << 20)
#define BYTES (4 * 65536UL) /* four chunks */

FIXTURE(system_calls)
{
	struct context c;
	struct array a;
	struct resolver r;
	char *plain; /* ordinary memory of the same size, aligned for O_DIRECT */
};

FIXTURE_VARIANT(system_calls)
{
	__u32 state; /* the resolver sets it */
};

FIXTURE_VARIANT_ADD(system_calls, host){
	.state = GPUVM_STATE_HOST,
};

FIXTURE_VARIANT_ADD(system_calls, shared){
	.state = GPUVM_STATE_SHARED,
};

FIXTURE_SETUP(system_calls)
{
	self->c.fd = -1;
	if (no_device())
		SKIP(return, "%s", no_device());
	ASSERT_EQ(context_open(&self->c, ALL_FEATURES, 0), 0);
	ASSERT_EQ(array_create(&self->a, &self->c, 4 * MIB, MIB, 16), 0);
	ASSERT_EQ(resolver_start(&self->r, &self->a, variant->state), 0);
	ASSERT_EQ(posix_memalign((void **)&self->plain, 4096, BYTES), 0);
	ASSERT_EQ(set_state(&self->a, 0, MIB, GPUVM_STATE_DEVICE, NULL), 0);
}

FIXTURE_TEARDOWN(system_calls)
{
	if (self->c.fd < 0)
		return;
	EXPECT_EQ(resolver_stop(&self->r), 0);
	context_close(&self->c);
}

/* Gives the device other data again, with another pattern. */
static int leave(struct array *a, struct resolver *r, unsigned int round)
{
	r->round = round;
	r->served = 0;
	return set_state(a, 0, array_length(a), GPUVM_STATE_DEVICE, NULL);
}

static int scratch_file(int flags)
{
	char name[] = "/tmp/gpuvm-selftest-XXXXXX";
	int fd = mkostemp(name, flags);

	unlink(name);
	return fd;
}

TEST_F(system_calls, write_to_a_file)
{
	int fd = scratch_file(0);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(write(fd, (void *)self->a.primary, BYTES), BYTES);
	EXPECT_EQ(self->r.served, 4);
	EXPECT_TRUE(self->r.last_flags & GPUVM_TOUCH_KERNEL);
	EXPECT_FALSE(self->r.last_flags & GPUVM_TOUCH_WRITE);
	ASSERT_EQ(pread(fd, self->plain, BYTES, 0), BYTES);
	EXPECT_EQ(differs(self->plain, 0, BYTES, 0), -1);
	close(fd);
}

TEST_F(system_calls, read_from_a_file)
{
	int fd = scratch_file(0);

	ASSERT_GE(fd, 0);
	fill(self->plain, 0, BYTES, 7);
	ASSERT_EQ(write(fd, self->plain, BYTES), BYTES);
	/* The place lies neither at a page's beginning nor at its end. */
	ASSERT_EQ(pread(fd, (void *)(self->a.primary + 100), BYTES - 200, 100), BYTES - 200);
	EXPECT_EQ(self->r.served, 4);
	EXPECT_TRUE(self->r.last_flags & GPUVM_TOUCH_KERNEL);
	EXPECT_TRUE(self->r.last_flags & GPUVM_TOUCH_WRITE);
	EXPECT_EQ(differs(self->a.primary, 0, 100, 0), -1);
	EXPECT_EQ(differs(self->a.primary, 100, BYTES - 200, 7), -1);
	EXPECT_EQ(differs(self->a.alias, BYTES - 100, 100, 0), -1);
	for (size_t i = 0; i < BYTES; i += 65536) {
		EXPECT_EQ(state_of(&self->a, i) & GPUVM_STATE_MASK, GPUVM_STATE_HOST);
	}
	close(fd);
}

TEST_F(system_calls, vectors_and_sockets)
{
	char *primary = (char *)self->a.primary;
	struct iovec parts[] = {{primary + 65536, 10}, {primary, 5000}, {primary + 3 * 65536, 1}};
	int ends[2];

	ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	ASSERT_EQ(writev(ends[0], parts, 3), 5011);
	EXPECT_EQ(self->r.served, 3);
	ASSERT_EQ(read(ends[1], self->plain, BYTES), 5011);
	for (int i = 0; i < 10; i++) {
		EXPECT_EQ(self->plain[i], pattern(65536 + i, 0));
	}
	EXPECT_EQ(differs(self->plain + 10, 0, 5000, 0), -1);
	EXPECT_EQ(self->plain[5010], pattern(3 * 65536, 0));

	ASSERT_EQ(leave(&self->a, &self->r, 1), 0);
	fill(self->plain, 0, 5011, 5);
	ASSERT_EQ(send(ends[1], self->plain, 5011, 0), 5011);
	ASSERT_EQ(readv(ends[0], parts, 3), 5011);
	EXPECT_EQ(self->a.primary[65536], pattern(0, 5));
	EXPECT_EQ(self->a.primary[3 * 65536], pattern(5010, 5));
	EXPECT_EQ(self->a.primary[3 * 65536 + 1], pattern(3 * 65536 + 1, 1));
	close(ends[0]);
	close(ends[1]);
}

TEST_F(system_calls, vmsplice_to_a_pipe)
{
	struct iovec part = {(void *)self->a.primary, 65536};
	int ends[2];

	ASSERT_EQ(pipe(ends), 0);
	ASSERT_GE(fcntl(ends[0], F_SETPIPE_SZ, 1 << 20), 1 << 20);
	ASSERT_EQ(vmsplice(ends[1], &part, 1, 0), 65536);
	ASSERT_EQ(read(ends[0], self->plain, BYTES), 65536);
	EXPECT_EQ(differs(self->plain, 0, 65536, 0), -1);
	EXPECT_EQ(self->r.served, 1);
	close(ends[0]);
	close(ends[1]);
}

/* Opens a place for O_DIRECT: a block device that may be overwritten, or a file if its filesystem can. */
static int direct_target(void)
{
	const char *disk = getenv("GPUVM_SELFTEST_DISK");

	return disk ? open(disk, O_RDWR | O_DIRECT | O_EXCL) : scratch_file(O_DIRECT);
}

TEST_F(system_calls, direct_io)
{
	int fd = direct_target();

	if (fd < 0)
		SKIP(return, "no O_DIRECT in /tmp; GPUVM_SELFTEST_DISK= can name a block device to overwrite");
	ASSERT_EQ(pwrite(fd, (void *)self->a.primary, BYTES, 0), BYTES);
	EXPECT_EQ(self->r.served, 4);
	EXPECT_TRUE(self->r.last_flags & GPUVM_TOUCH_KERNEL);
	ASSERT_EQ(pread(fd, self->plain, BYTES, 0), BYTES);
	EXPECT_EQ(differs(self->plain, 0, BYTES, 0), -1);

	ASSERT_EQ(leave(&self->a, &self->r, 1), 0);
	fill(self->plain, 0, BYTES, 9);
	ASSERT_EQ(pwrite(fd, self->plain, BYTES, 0), BYTES);
	ASSERT_EQ(pread(fd, (void *)(self->a.primary + 4096), BYTES - 4096, 4096), BYTES - 4096);
	EXPECT_EQ(differs(self->a.primary, 4096, BYTES - 4096, 9), -1);
	EXPECT_EQ(differs(self->a.alias, 4096, BYTES - 4096, 9), -1);
	EXPECT_EQ(differs(self->a.primary, 0, 4096, 1), -1);

	/* The alias must do as well, since drivers use that. */
	fill(self->a.alias, 0, BYTES, 3);
	ASSERT_EQ(pwrite(fd, (void *)self->a.alias, BYTES, 0), BYTES);
	ASSERT_EQ(pread(fd, self->plain, BYTES, 0), BYTES);
	EXPECT_EQ(differs(self->plain, 0, BYTES, 3), -1);
	close(fd);
}

/* Another process does this with our memory. Its exit status is the number of the step that failed. */
static int remote_reader(pid_t other, const volatile char *primary)
{
	char *buffer = malloc(BYTES);
	struct iovec here = {buffer, BYTES}, there = {(void *)primary, BYTES};
	int round;

	if (process_vm_readv(other, &here, 1, &there, 1, 0) != BYTES)
		return 1;
	if (differs(buffer, 0, BYTES, 0) != -1)
		return 2;
	for (round = 0; round < 8; round++)
		buffer[round] = 42;
	here.iov_len = there.iov_len = 8;
	if (process_vm_writev(other, &here, 1, &there, 1, 0) != 8)
		return 3;
	return 0;
}

TEST_F(system_calls, process_vm_readv_and_writev)
{
	pid_t self_pid = getpid(), child = fork();
	int status;

	if (!child)
		_exit(remote_reader(self_pid, self->a.primary));
	status = wait_for(child);
	ASSERT_GE(status, 0);
	ASSERT_TRUE(WIFEXITED(status));
	ASSERT_EQ(WEXITSTATUS(status), 0);
	EXPECT_EQ(self->r.served, 4);
	EXPECT_TRUE(self->r.last_flags & GPUVM_TOUCH_REMOTE);
	EXPECT_EQ(self->a.primary[7], 42);
	EXPECT_EQ(differs(self->a.primary, 8, BYTES - 8, 0), -1);
}

/* Debuggers come this way. The core lets no fault wait here, so it is served or refused, but never wrong. */
TEST_F(system_calls, proc_self_mem)
{
	int fd = open("/proc/self/mem", O_RDWR);
	char bytes[8] = "1234567";
	ssize_t n;

	ASSERT_GE(fd, 0);
	n = pread(fd, self->plain, 65536, (uintptr_t)self->a.primary);
	EXPECT_TRUE(n == -1 || n == 65536);
	if (n > 0) {
		EXPECT_EQ(differs(self->plain, 0, n, 0), -1);
	}
	n = pwrite(fd, bytes, 8, (uintptr_t)self->a.primary + 65536);
	EXPECT_TRUE(n == -1 || n == 8);

	ASSERT_EQ(set_state(&self->a, 0, 65536, GPUVM_STATE_HOST, NULL), 0);
	fill(self->a.alias, 0, 65536, 1);
	ASSERT_EQ(pread(fd, self->plain, 65536, (uintptr_t)self->a.primary), 65536);
	EXPECT_EQ(differs(self->plain, 0, 65536, 1), -1);
	ASSERT_EQ(pwrite(fd, bytes, 8, (uintptr_t)self->a.primary + 16), 8);
	EXPECT_EQ(memcmp((void *)(self->a.alias + 16), bytes, 8), 0);
	close(fd);
}

static long futex(volatile void *word, int operation, unsigned int value)
{
	struct timespec timeout = {.tv_nsec = 20 * 1000 * 1000};

	return syscall(SYS_futex, word, operation, value, &timeout, NULL, 0);
}

TEST_F(system_calls, private_futex)
{
	volatile unsigned int *word = (volatile unsigned int *)(self->a.primary + 64);
	unsigned int expected;

	for (int i = 0; i < 4; i++)
		((char *)&expected)[i] = pattern(64 + i, 0);
	EXPECT_EQ(futex(word, FUTEX_WAIT_PRIVATE, expected + 1), -1);
	EXPECT_EQ(errno, EAGAIN);
	EXPECT_EQ(self->r.served, 1);
	ASSERT_EQ(leave(&self->a, &self->r, 0), 0);
	EXPECT_EQ(futex(word, FUTEX_WAIT_PRIVATE, expected), -1);
	EXPECT_EQ(errno, ETIMEDOUT);
	EXPECT_EQ(futex(word, FUTEX_WAKE_PRIVATE, 1), 0);
}

TEST_F(system_calls, several_at_once)
{
	struct toucher t[16];
	int fd = scratch_file(0);

	ASSERT_GE(fd, 0);
	for (int round = 0; round < 10; round++) {
		ASSERT_EQ(leave(&self->a, &self->r, round), 0);
		for (int i = 0; i < 16; i++) {
			ASSERT_EQ(toucher_start(&t[i], self->a.primary + i * 4 * 4096, false), 0);
		}
		ASSERT_EQ(pwrite(fd, (void *)self->a.primary, BYTES, 0), BYTES);
		for (int i = 0; i < 16; i++) {
			ASSERT_TRUE(toucher_ended(&t[i], SOON));
		}
		EXPECT_EQ(self->r.served, 4);
		ASSERT_EQ(pread(fd, self->plain, BYTES, 0), BYTES);
		EXPECT_EQ(differs(self->plain, 0, BYTES, round), -1);
	}
	close(fd);
}

FIXTURE(no_resolver)
{
	struct context c;
	struct array a;
};

FIXTURE_SETUP(no_resolver)
{
	self->c.fd = -1;
	if (no_device())
		SKIP(return, "%s", no_device());
	ASSERT_EQ(context_open(&self->c, ALL_FEATURES, 0), 0);
	ASSERT_EQ(array_create(&self->a, &self->c, 4 * MIB, MIB, 16), 0);
}

FIXTURE_TEARDOWN(no_resolver)
{
	if (self->c.fd >= 0)
		context_close(&self->c);
}

TEST_F(no_resolver, failed_data_gives_efault)
{
	char byte = 0;
	int ends[2];

	ASSERT_EQ(pipe(ends), 0);
	ASSERT_EQ(set_state(&self->a, 0, MIB, GPUVM_STATE_FAILED, NULL), 0);
	EXPECT_EQ(write(ends[1], (void *)self->a.primary, 1), -1);
	EXPECT_EQ(errno, EFAULT);
	ASSERT_EQ(write(ends[1], &byte, 1), 1);
	EXPECT_EQ(read(ends[0], (void *)self->a.primary, 1), -1);
	EXPECT_EQ(errno, EFAULT);
}

TEST_F(no_resolver, closed_event_gives_efault)
{
	int ends[2];

	ASSERT_EQ(pipe(ends), 0);
	ASSERT_EQ(set_state(&self->a, 0, MIB, GPUVM_STATE_DEVICE, NULL), 0);
	close(self->c.hello.event_fd);
	self->c.hello.event_fd = -1;
	EXPECT_EQ(write(ends[1], (void *)self->a.primary, 1), -1);
	EXPECT_EQ(errno, EFAULT);
}

struct call {
	struct array *a;
	int fd;
	ssize_t result;
};

static void *write_a_page(void *argument)
{
	struct call *call = argument;

	call->result = write(call->fd, (void *)call->a->primary, 4096);
	return NULL;
}

static void ignore(int number) {}

/* A thread in a system call waits killably: another signal does not end the call half-way. */
TEST_F(no_resolver, signal_during_a_system_call)
{
	struct sigaction action = {.sa_handler = ignore};
	struct call call = {.a = &self->a};
	struct gpuvm_touch touch;
	pthread_t thread;
	int ends[2];

	sigaction(SIGUSR1, &action, NULL);
	ASSERT_EQ(pipe(ends), 0);
	ASSERT_EQ(set_state(&self->a, 0, MIB, GPUVM_STATE_DEVICE, NULL), 0);
	call.fd = ends[1];
	ASSERT_EQ(pthread_create(&thread, NULL, write_a_page, &call), 0);
	ASSERT_TRUE(next_touch(&self->c, &touch, SOON));
	pthread_kill(thread, SIGUSR1);
	sleep_ms(50);
	fill(self->a.alias, 0, 65536, 0);
	ASSERT_EQ(set_state(&self->a, 0, MIB, GPUVM_STATE_HOST, NULL), 0);
	pthread_join(thread, NULL);
	EXPECT_EQ(call.result, 4096);
}

/* Waits in a system call for data that nobody brings, and returns the number of the step that failed. */
static int wait_in_a_call(int ready)
{
	struct gpuvm_touch touch;
	struct context c;
	pthread_t thread;
	struct array a;
	struct call call = {.a = &a};
	int ends[2];

	if (pipe(ends) || context_open(&c, ALL_FEATURES, 0) || array_create(&a, &c, 0, MIB, 16) ||
	    set_state(&a, 0, MIB, GPUVM_STATE_DEVICE, NULL))
		return 1;
	call.fd = ends[1];
	if (pthread_create(&thread, NULL, write_a_page, &call) || !next_touch(&c, &touch, SOON))
		return 2;
	if (write(ready, "x", 1) != 1)
		return 3;
	/* Once it is thawed, it is served. */
	while (read(ready, ends, 1) != 1)
		;
	fill(a.alias, 0, 65536, 0);
	if (set_state(&a, 0, MIB, GPUVM_STATE_HOST, NULL) || pthread_join(thread, NULL))
		return 4;
	return call.result != 4096;
}

/* Version 1 of the groups' freezer stops threads as a suspend of the machine does. */
TEST(freezer)
{
	static const char *const frozen = "FROZEN\n";
	uint64_t until = now_ms() + SOON;
	char state[32] = "", byte;
	int ends[2], status;
	pid_t child;

	if (no_device())
		SKIP(return, "%s", no_device());
	if (!freezer_create())
		SKIP(return, "no freezer of cgroup version 1 can be mounted");
	ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	child = fork();
	if (!child)
		_exit(wait_in_a_call(ends[1]));
	EXPECT_EQ(read(ends[0], &byte, 1), 1);
	sleep_ms(LONG); /* lets it fall asleep */
	EXPECT_TRUE(freezer_enter(child));
	while (strcmp(state, frozen) && now_ms() < until) {
		EXPECT_TRUE(freezer_set("FROZEN"));
		sleep_ms(10);
		freezer_state(state, sizeof(state));
	}
	EXPECT_STREQ(state, frozen);
	EXPECT_TRUE(freezer_set("THAWED"));
	EXPECT_EQ(write(ends[0], "x", 1), 1);
	status = wait_for(child);
	EXPECT_EQ(status, 0);
	freezer_remove();
}

TEST_HARNESS_MAIN
