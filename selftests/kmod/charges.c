// SPDX-License-Identifier: GPL-2.0
/*
 * What a user may lock is one limit for all of the user's contexts, whoever holds their descriptors and whoever touches
 * their memory; tables and rings count like pages, and pinned pages count until they are let go.
 */
#include "common/cgroup.h"
#include "common/context.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/harness.h"

#define MIB (1UL << 20)

/*
 * Opens the device with root's rights, and goes on as an ordinary user with a small limit. Returns false if a step
 * failed.
 */
static bool become_user(struct context *c, uid_t uid, size_t limit)
{
	const struct rlimit most = {limit, limit};

	*c = (struct context){.fd = open(DEVICE, O_RDWR | O_CLOEXEC), .page = sysconf(_SC_PAGESIZE)};
	return c->fd >= 0 && !setrlimit(RLIMIT_MEMLOCK, &most) && !setgroups(0, NULL) && !setgid(uid) && !setuid(uid);
}

/* The fixture is empty: whatever the harness gives a test would be in the way of its children. */
FIXTURE(charges){};

FIXTURE_SETUP(charges)
{
	char counted[8];

	if (no_device())
		SKIP(return, "%s", no_device());
	if (getuid())
		SKIP(return, "not root: it has to be dropped for the test");
	if (!read_text("/sys/module/gpuvm/parameters/memlock", counted, sizeof(counted)) || counted[0] != 'Y')
		SKIP(return, "the module does not count locked memory");
}

FIXTURE_TEARDOWN(charges) {}

static int status_of(pid_t child)
{
	int status = wait_for(child);

	return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool send_descriptor(int socket, int fd)
{
	char byte = 0, room[CMSG_SPACE(sizeof(fd))] = "";
	struct iovec data = {&byte, 1};
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&message);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(socket, &message, 0) == 1;
}

static int receive_descriptor(int socket)
{
	char byte, room[CMSG_SPACE(sizeof(int))];
	struct iovec data = {&byte, 1};
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)};
	int fd = -1;

	if (recvmsg(socket, &message, 0) == 1 && CMSG_FIRSTHDR(&message))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	return fd;
}

/* Takes a MiB at a time, passes the descriptor on and ends. Its exit status is how many MiB it got. */
static void take_and_pass_on(int socket, uid_t uid, size_t limit)
{
	struct context c;
	struct array a;
	int got = 0;

	if (!become_user(&c, uid, limit))
		_exit(100);
	if (!context_hello(&c, ALL_FEATURES, 16) && !array_create(&a, &c, 0, 16 * MIB, 16))
		while (got < 16 && !range_call(&a, GPUVM_IOC_POPULATE, got * MIB, MIB))
			got++;
	_exit(send_descriptor(socket, c.fd) ? got : 101);
}

TEST_F(charges, descriptors_that_outlive_their_process)
{
	enum { CHILDREN = 6, UID = 60001 };
	int ends[2], fds[CHILDREN], sum = 0, got;

	ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();

		if (!child)
			take_and_pass_on(ends[1], UID, 4 * MIB);
		fds[i] = receive_descriptor(ends[0]);
		EXPECT_GE(fds[i], 0);
		got = status_of(child);
		ASSERT_GE(got, 0);
		ASSERT_LT(got, 100);
		sum += got;
	}
	EXPECT_GE(sum, 2);
	EXPECT_LE(sum, 4);
	for (int i = 0; i < CHILDREN; i++)
		close(fds[i]);
	/* All of the limit is free again. */
	if (!fork())
		take_and_pass_on(ends[1], UID, 4 * MIB);
	close(receive_descriptor(ends[0]));
	EXPECT_GT(wait(&got), 0);
	EXPECT_GE(WEXITSTATUS(got), 2);
}

/* Takes most of the limit, and becomes a program that wants as much. */
static void take_and_exec(uid_t uid)
{
	struct context c;
	struct array a;

	if (!become_user(&c, uid, 4 * MIB) || context_hello(&c, ALL_FEATURES, 16) ||
	    array_create(&a, &c, 0, 4 * MIB, 16) || range_call(&a, GPUVM_IOC_POPULATE, 0, 3 * MIB))
		_exit(1);
	if (fcntl(c.fd, F_SETFD, 0))
		_exit(2);
	execl("/proc/self/exe", "charges", "--take-again", NULL);
	_exit(3);
}

#define NO_RIGHT 77

static void __attribute__((constructor)) take_again(int argc, char **argv)
{
	struct context c;
	struct array a;

	if (argc != 2 || strcmp(argv[1], "--take-again"))
		return;
	if (no_device())
		_exit(NO_RIGHT);
	if (context_open(&c, ALL_FEATURES, 16) || array_create(&a, &c, 0, 4 * MIB, 16))
		_exit(4);
	_exit(range_call(&a, GPUVM_IOC_POPULATE, 0, 3 * MIB) == -ENOMEM ? 0 : 5);
}

TEST_F(charges, descriptors_that_survive_exec)
{
	pid_t child = fork();
	int status;

	if (!child)
		take_and_exec(60007);
	status = status_of(child);
	if (status == NO_RIGHT)
		SKIP(return, "ordinary users may not open " DEVICE);
	EXPECT_EQ(status, 0);
}

/* Makes an array of HOST pages that nobody has touched; its address goes to the parent. */
static void offer_an_array(int socket, uid_t uid, size_t limit)
{
	struct context c;
	struct array a;
	char byte;

	if (!become_user(&c, uid, limit) || context_hello(&c, ALL_FEATURES, 16) ||
	    array_create(&a, &c, 0, 64 * MIB, 16))
		_exit(1);
	if (write(socket, &a.primary, sizeof(a.primary)) != sizeof(a.primary))
		_exit(2);
	_exit(read(socket, &byte, 1) != 1);
}

/* Reads another process's array with the rights of root, and returns how much of it there was. */
static ssize_t read_all_of(pid_t other, void *address)
{
	char *buffer = mmap(NULL, 64 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct iovec here = {buffer, 64 * MIB}, there = {address, 64 * MIB};
	ssize_t n = process_vm_readv(other, &here, 1, &there, 1, 0);

	munmap(buffer, 64 * MIB);
	return n;
}

TEST_F(charges, touches_by_others_count_for_the_owner)
{
	void *address = NULL;
	pid_t child;
	int ends[2];

	ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	child = fork();
	if (!child)
		offer_an_array(ends[1], 60002, 2 * MIB);
	close(ends[1]);
	ASSERT_EQ(read(ends[0], &address, sizeof(address)), sizeof(address));
	EXPECT_LE(read_all_of(child, address), 2 * (ssize_t)MIB);
	EXPECT_EQ(write(ends[0], "x", 1), 1);
	EXPECT_EQ(status_of(child), 0);
	close(ends[0]);
}

TEST_F(charges, touches_by_others_count_for_the_owners_group)
{
	void *address = NULL;
	pid_t child;
	long before;
	int ends[2];

	if (!cgroup_create(0))
		SKIP(return, "no memory cgroup can be made below /sys/fs/cgroup");
	ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	child = fork();
	if (!child) {
		if (!cgroup_enter())
			_exit(3);
		offer_an_array(ends[1], 60003, 128 * MIB);
	}
	close(ends[1]);
	EXPECT_EQ(read(ends[0], &address, sizeof(address)), sizeof(address));
	before = cgroup_usage();
	EXPECT_EQ(read_all_of(child, address), 64 * (ssize_t)MIB);
	EXPECT_GT(cgroup_usage() - before, 60 * (long)MIB);
	EXPECT_EQ(write(ends[0], "x", 1), 1);
	EXPECT_EQ(status_of(child), 0);
	close(ends[0]);
	cgroup_remove();
}

/* Creates the least region there is every 16 MiB of the space: each has a page of the table of states for itself. */
static int create_strewn(struct context *c, unsigned int first, int most)
{
	int n = 0;

	for (; n < most; n++) {
		struct gpuvm_region region = {.size = sizeof(region),
					      .offset = (first + n) * 16 * MIB,
					      .length = c->page,
					      .chunk_shift = 16};

		if (gpuvm_ioctl(c->fd, GPUVM_IOC_REGION_CREATE, &region))
			break;
	}
	return n;
}

static int destroy_strewn(struct context *c, unsigned int first, int count)
{
	for (int n = 0; n < count; n++) {
		struct gpuvm_region region = {.size = sizeof(region), .offset = (first + n) * 16 * MIB};

		if (gpuvm_ioctl(c->fd, GPUVM_IOC_REGION_DESTROY, &region))
			return -1;
	}
	return 0;
}

/* The exit status is the number of the step that failed. */
static void use_tables(void)
{
	struct gpuvm_hello hello = {.size = sizeof(hello), .ring_entries = 65536};
	struct gpuvm_region large = {.size = sizeof(large), .length = 512 * MIB, .chunk_shift = 16};
	struct context c;
	int n;

	if (!become_user(&c, 60004, MIB))
		_exit(1);
	/* The ring would have two MiB. The caller may try a smaller one after that. */
	if (gpuvm_ioctl(c.fd, GPUVM_IOC_HELLO, &hello) != -ENOMEM)
		_exit(2);
	if (context_hello(&c, ALL_FEATURES, 16))
		_exit(3);
	/* The slots would have one MiB. */
	if (gpuvm_ioctl(c.fd, GPUVM_IOC_REGION_CREATE, &large) != -ENOMEM)
		_exit(4);
	n = create_strewn(&c, 0, 1000);
	if (n < 100 || n > (int)(MIB / c.page))
		_exit(5);
	/* Regions may move somewhere else as often as one likes. */
	for (int round = 0; round < 4; round++)
		if (destroy_strewn(&c, round * 1000, n) || create_strewn(&c, (round + 1) * 1000, n) != n)
			_exit(6);
	_exit(0);
}

TEST_F(charges, tables_count)
{
	pid_t child = fork();

	if (!child)
		use_tables();
	EXPECT_EQ(status_of(child), 0);
}

TEST_F(charges, states_can_be_read_where_nothing_is)
{
	struct context c;
	struct array a;

	ASSERT_EQ(context_open(&c, ALL_FEATURES, 0), 0);
	for (int round = 0; round < 3; round++) {
		EXPECT_EQ(c.states[100 * MIB / c.page], GPUVM_STATE_NONE);
		EXPECT_EQ(c.upgrades[0], 0);
		ASSERT_EQ(array_create(&a, &c, 100 * MIB, MIB, 16), 0);
		EXPECT_EQ(state_of(&a, 0), GPUVM_STATE_HOST);
		EXPECT_EQ(state_of(&a, MIB - 1), GPUVM_STATE_HOST);
		ASSERT_EQ(set_state(&a, 0, MIB, GPUVM_STATE_SHARED, NULL), 0);
		EXPECT_EQ(try_write(a.primary, 1), 0);
		EXPECT_NE(c.upgrades[0], 0);
		EXPECT_EQ(array_destroy(&a), 0);
	}
	context_close(&c);
}

/* Puts the array's beginning into a pipe, and returns its end, or -1. */
static int pin(const struct array *a, size_t length)
{
	struct iovec part = {(void *)a->alias, length};
	int ends[2];

	if (pipe(ends) || fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) < 0 ||
	    vmsplice(ends[1], &part, 1, 0) != (ssize_t)length)
		return -1;
	close(ends[1]);
	return ends[0];
}

static void pin_pages(bool closes)
{
	uint64_t until = now_ms() + SOON;
	int rc, held, device = open(DEVICE, O_RDWR | O_CLOEXEC);
	struct context c;
	struct array a;

	if (!become_user(&c, closes ? 60005 : 60006, MIB) || context_hello(&c, ALL_FEATURES, 16) ||
	    array_create(&a, &c, 0, MIB, 16) || range_call(&a, GPUVM_IOC_POPULATE, 0, MIB / 2))
		_exit(1);
	held = pin(&a, MIB / 2);
	if (held < 0)
		_exit(2);
	if (closes) {
		array_destroy(&a);
		context_close(&c);
		c = (struct context){.fd = device, .page = c.page};
		if (context_hello(&c, ALL_FEATURES, 16) || array_create(&a, &c, 0, MIB, 16))
			_exit(3);
	} else if (range_call(&a, GPUVM_IOC_PUNCH, 0, MIB)) {
		_exit(4);
	}
	if (range_call(&a, GPUVM_IOC_POPULATE, 0, 3 * MIB / 4) != -ENOMEM)
		_exit(5);
	close(held);
	/* The end of another context is found out after a while. */
	do
		rc = range_call(&a, GPUVM_IOC_POPULATE, 0, 3 * MIB / 4);
	while (rc && closes && now_ms() < until && (sleep_ms(10), true));
	_exit(rc ? 6 : 0);
}

TEST_F(charges, pinned_pages_count_until_they_are_let_go)
{
	for (int closes = 0; closes < 2; closes++) {
		pid_t child = fork();

		if (!child)
			pin_pages(closes);
		EXPECT_EQ(status_of(child), 0);
	}
}

TEST_HARNESS_MAIN
