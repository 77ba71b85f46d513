// SPDX-License-Identifier: GPL-2.0
/*
 * Families of processes do to each other's arrays what one process can do to another: read and write its memory, trace
 * it, take its descriptors, fork with its mappings, exec, kill. Meanwhile each changes its own regions, states and
 * mappings, moves their pages through pipes and a disk, and resolves, or does not. GPUVM_FUZZ_SECONDS says for how long
 * (default: 5), GPUVM_FUZZ_SEED where to begin, and GPUVM_SELFTEST_DISK names a block device that may be overwritten.
 * These tests only see that each process ends, and that no byte of another array shows up; the kernel's debugging
 * options find the rest.
 */
#include "common/context.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/harness.h"
#include "common/random.h"

#define MIB (1UL << 20)
#define FAMILY 3
#define THREADS 2
#define LENGTH (4 * MIB)
#define WHOLE (LENGTH + 2 * MIB) /* includes pages whose bytes nobody looks at */

/* The members of a family know this of each other. */
struct family {
	pid_t pids[FAMILY];
	char *primary[FAMILY], *alias[FAMILY]; /* addresses in the member's own space */
	int sockets[2];
	char seen[FAMILY][160]; /* tells what was foreign */
};

static struct family *family;
static int self, disk, pipes[2], received = -1;
static struct context context;
static struct array array;
/*
 * Pages that leave the array for a while go to @moved, and received descriptors show theirs at @shown. A place that the
 * kernel chose could be a hole that such a page has left, or the end of an array: others would take for the array's
 * what it shows.
 */
static char *moved, *shown;
static __thread sigjmp_buf recover;

static void on_fault(int number)
{
	siglongjmp(recover, 1);
}

/* Each member fills its arrays with bytes of its own number alone. */
static char mark(int member)
{
	return 'A' + member;
}

/* Ends the process if one of the bytes, which it has read at an address of a member's, is neither that one's nor 0. */
static void look(const char *bytes, ssize_t n, int member, const char *from)
{
	for (ssize_t i = 0; i < n; i++)
		if (bytes[i] && bytes[i] != mark(member)) {
			snprintf(family->seen[self], sizeof(family->seen[self]),
				 "member %d saw 0x%02x in member %d, at the primary's %+td and the alias's %+td", self,
				 (unsigned char)bytes[i], member, from + i - family->primary[member],
				 from + i - family->alias[member]);
			_exit(member == self ? 50 : 51);
		}
}

/* Returns the last page more often, as it is the one to tell whether something reaches too far. */
static size_t page_of(void)
{
	return (one_in(16) ? LENGTH / 4096 - 1 : below(LENGTH / 4096)) * 4096;
}

static char *own_page(void)
{
	return (char *)(one_in(3) ? array.alias : array.primary) + page_of();
}

static size_t some_length(const char *from)
{
	size_t most = LENGTH - (from - (char *)(from >= array.alias && from < array.alias + LENGTH ? array.alias
												   : array.primary));
	size_t length = 1 + below(one_in(4) ? 16 * 4096 : 4096);

	return length < most ? length : most;
}

static void touch(void)
{
	volatile char *at = own_page() + below(4096);
	char byte;

	if (sigsetjmp(recover, 1))
		return;
	if (one_in(2)) {
		*at = mark(self);
	} else {
		byte = *at;
		look(&byte, 1, self, (char *)at);
	}
}

static void states(void)
{
	size_t at = one_in(4) ? below(WHOLE / 4096) * 4096 : page_of();
	size_t length = (1 + below(one_in(4) ? 512 : 16)) * 4096;

	if (length > WHOLE - at)
		length = WHOLE - at;
	switch (below(8)) {
	case 0:
		range_call(&array, GPUVM_IOC_PUNCH, at, length);
		break;
	case 1:
		range_call(&array, GPUVM_IOC_POPULATE, at, length);
		break;
	case 2:
		range_call(&array, GPUVM_IOC_WAKE, at, length);
		break;
	default:
		set_state(&array, at, length, GPUVM_STATE_HOST + below(one_in(8) ? 4 : 3), NULL);
	}
}

/* The region goes and comes while others look at it. */
static void churn(void)
{
	struct gpuvm_region region = {.size = sizeof(region), .offset = 0};
	size_t at;

	if (!one_in(16))
		return;
	gpuvm_ioctl(context.fd, GPUVM_IOC_REGION_DESTROY, &region);
	region.length = WHOLE;
	region.chunk_shift = one_in(2) ? 21 : 16;
	region.flags = one_in(2) ? GPUVM_REGION_HUGE : 0;
	gpuvm_ioctl(context.fd, GPUVM_IOC_REGION_CREATE, &region);
	at = one_in(2) ? 0 : page_of();
	mmap((char *)array.primary + at, WHOLE - at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, context.fd,
	     GPUVM_MMAP_PRIMARY + at);
}

/* The resolver serves, forgets, or writes nonsense into the ring. */
static void resolve(void)
{
	struct gpuvm_touch seen;

	while (next_touch(&context, &seen, 1)) {
		if (one_in(50))
			((volatile __u32 *)context.ring)[below(40)] = any();
		if (!one_in(4) && seen.offset < WHOLE)
			set_state(&array, seen.offset & -4096UL, 4096,
				  one_in(8) ? GPUVM_STATE_FAILED : GPUVM_STATE_HOST + below(2), NULL);
	}
}

static void advise(void)
{
	static const int advice[] = {MADV_DONTNEED,
				     MADV_HUGEPAGE,
				     MADV_NOHUGEPAGE,
				     MADV_WILLNEED,
				     MADV_FREE,
				     MADV_PAGEOUT,
				     MADV_COLD,
				     MADV_REMOVE,
				     MADV_DOFORK,
				     MADV_DONTFORK,
				     MADV_MERGEABLE,
				     MADV_DODUMP,
				     MADV_RANDOM,
				     MADV_POPULATE_READ,
				     MADV_POPULATE_WRITE,
				     25 /* COLLAPSE */,
				     102 /* GUARD_INSTALL */,
				     103 /* GUARD_REMOVE */};
	char *page = own_page();
	size_t length = (some_length(page) + 4095) & ~4095UL;

	switch (below(4)) {
	case 0:
		mprotect(page, length, one_in(2) ? PROT_READ : PROT_READ | PROT_WRITE);
		break;
	case 1:
		if (one_in(2))
			mlock(page, length);
		else
			munlock(page, length);
		break;
	default:
		madvise(page, length, advice[below(sizeof(advice) / sizeof(advice[0]))]);
	}
}

/* The page goes there and back, so that the array keeps its place for others. */
static void move(void)
{
	char *page = own_page(), *elsewhere;

	if (!one_in(8))
		return;
	elsewhere = mremap(page, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, moved);
	if (elsewhere != MAP_FAILED)
		mremap(elsewhere, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, page);
}

static void through_pipe(void)
{
	char *page = own_page();
	struct iovec part = {.iov_base = page, .iov_len = some_length(page)};

	switch (below(3)) {
	case 0:
		(void)!vmsplice(pipes[1], &part, 1, SPLICE_F_NONBLOCK | (one_in(2) ? SPLICE_F_GIFT : 0));
		break;
	case 1:
		(void)!write(pipes[1], page, part.iov_len);
		break;
	default:
		(void)!read(pipes[0], page, part.iov_len);
	}
}

static void through_disk(void)
{
	size_t unseen = LENGTH + below((WHOLE - LENGTH) / 4096) * 4096;

	if (disk < 0)
		return;
	/* What comes back may be another member's. */
	if (one_in(2))
		(void)!pwrite(disk, own_page(), 4096, below(64) * 4096);
	else
		(void)!pread(disk, (char *)(one_in(3) ? array.alias : array.primary) + unseen, 4096, below(64) * 4096);
}

static void remote_memory(void)
{
	static __thread char bytes[8192];
	int other = below(FAMILY);
	size_t at = page_of(), length = 1 + below(sizeof(bytes));
	struct iovec here = {.iov_base = bytes, .iov_len = length < LENGTH - at ? length : LENGTH - at};
	struct iovec there = {.iov_base = (one_in(3) ? family->alias : family->primary)[other] + at,
			      .iov_len = here.iov_len};
	ssize_t n;

	if (one_in(3)) {
		memset(bytes, mark(other), here.iov_len);
		process_vm_writev(family->pids[other], &here, 1, &there, 1, 0);
		return;
	}
	n = process_vm_readv(family->pids[other], &here, 1, &there, 1, 0);
	look(bytes, n, other, there.iov_base);
}

/* The other's threads stand still meanwhile, perhaps in the middle of a touch. */
static void trace(void)
{
	pid_t other = family->pids[below(FAMILY)];
	int status;

	if (!one_in(8) || other == getpid() || ptrace(PTRACE_SEIZE, other, 0, 0))
		return;
	/* A process that is let go before it stands still stays ours, and two such could stop each other for ever. */
	if (!ptrace(PTRACE_INTERRUPT, other, 0, 0) && waitpid(other, &status, __WALL) == other)
		ptrace(PTRACE_PEEKDATA, other, family->primary[0] + page_of(), 0);
	ptrace(PTRACE_DETACH, other, 0, 0);
}

static void pass_descriptor(void)
{
	char space[CMSG_SPACE(sizeof(int))] = {};
	struct iovec byte = {.iov_base = space, .iov_len = 1};
	struct msghdr message = {
		.msg_iov = &byte, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof(space)};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	struct gpuvm_range_op op = {.size = sizeof(op)};

	if (one_in(2)) {
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int));
		*(int *)CMSG_DATA(header) = one_in(2) ? context.fd : context.hello.event_fd;
		sendmsg(family->sockets[0], &message, MSG_DONTWAIT);
	} else if (recvmsg(family->sockets[1], &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) == 1 &&
		   (header = CMSG_FIRSTHDR(&message)) && header->cmsg_type == SCM_RIGHTS) {
		close(__atomic_exchange_n(&received, *(int *)CMSG_DATA(header), __ATOMIC_RELAXED));
		gpuvm_ioctl(received, GPUVM_IOC_SET_STATE, &op);
		mmap(shown, 4096, PROT_READ, MAP_SHARED | MAP_FIXED, received, below(6) << 46);
	}
}

/* The child has a copy of some mappings, and looks at them or becomes another program with the descriptors. */
static void child(void)
{
	static char *const nothing[] = {"fuzz_processes", "--nothing", NULL};
	pid_t pid;

	if (!one_in(32))
		return;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm(2);
		signal(SIGSEGV, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		fcntl(context.fd, F_SETFD, 0);
		if (one_in(2))
			execv("/proc/self/exe", nothing);
		for (int i = 0; i < 16; i++)
			(void)!write(pipes[1], own_page(), 100);
		*(volatile char *)own_page() = mark(self);
		_exit(0);
	}
	if (pid > 0) {
		if (one_in(2))
			kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

static void (*const actions[])(void) = {
	touch,  touch,        touch,        states,        states, churn, resolve, resolve,
	advise, through_pipe, through_disk, remote_memory, move,   trace, child,   pass_descriptor,
};

static void *act(void *seed)
{
	seed_random((uintptr_t)seed);
	for (;;)
		actions[below(sizeof(actions) / sizeof(actions[0]))]();
	return NULL;
}

/* Somebody has to let the others go on now and then. */
static void *serve(void *seed)
{
	seed_random((uintptr_t)seed);
	for (;;) {
		resolve();
		set_state(&array, 0, WHOLE, GPUVM_STATE_HOST, NULL);
		sleep_ms(20);
	}
	return NULL;
}

static int set_up(int member)
{
	const struct rlimit few = {128, 128};
	const char *name = getenv("GPUVM_SELFTEST_DISK");
	struct gpuvm_region region = {.size = sizeof(region), .length = WHOLE, .chunk_shift = member % 2 ? 16 : 21};

	self = member;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_NOFILE, &few);
	disk = name ? open(name, O_RDWR | O_DIRECT | O_CLOEXEC) : -1;
	if (pipe2(pipes, O_NONBLOCK | O_CLOEXEC) || context_open(&context, ALL_FEATURES, below(64)))
		return 1;
	if (context.hello.huge_size && member % 2 == 0)
		region.flags = GPUVM_REGION_HUGE;
	if (array_create_with(&array, &context, region))
		return 2;
	moved = mmap(NULL, 2 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (moved == MAP_FAILED)
		return 3;
	shown = moved + 4096;
	memset((void *)array.alias, mark(self), LENGTH);
	for (int i = 0; i < 2; i++) {
		struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_NODEFER};

		sigaction(i ? SIGBUS : SIGSEGV, &action, NULL);
	}
	family->primary[self] = (char *)array.primary;
	family->alias[self] = (char *)array.alias;
	__atomic_store_n(&family->pids[self], getpid(), __ATOMIC_RELEASE);
	return 0;
}

static void live(int member, unsigned int milliseconds, uint64_t seed)
{
	pthread_t thread;
	int failed;

	seed_random(seed);
	failed = set_up(member);
	if (failed)
		_exit(failed);
	for (uint64_t i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, act, (void *)(seed * 1000 + i));
	if (!one_in(4))
		pthread_create(&thread, NULL, serve, (void *)seed);
	sleep_ms(milliseconds);
	if (seed % 3 == 0)
		_exit(0);
	if (seed % 3 == 1)
		kill(family->pids[below(FAMILY)] ?: getpid(), SIGKILL);
	kill(getpid(), SIGKILL);
}

FIXTURE(fuzz_processes){};

FIXTURE_SETUP(fuzz_processes)
{
	if (no_device())
		SKIP(return, "%s", no_device());
	family = mmap(NULL, sizeof(*family), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(family, MAP_FAILED);
}

FIXTURE_TEARDOWN(fuzz_processes) {}

TEST_F_TIMEOUT(fuzz_processes, families, 100000)
{
	uint64_t until = now_ms() + 1000 * setting("GPUVM_FUZZ_SECONDS", 5);
	long seed = setting("GPUVM_FUZZ_SEED", time(NULL)), families = 0;

	TH_LOG("GPUVM_FUZZ_SEED=%ld", seed);
	for (; now_ms() < until; families++, seed++) {
		pid_t pids[FAMILY];

		memset(family, 0, sizeof(*family));
		ASSERT_EQ(socketpair(AF_UNIX, SOCK_DGRAM, 0, family->sockets), 0);
		for (int i = 0; i < FAMILY; i++) {
			pids[i] = fork();
			if (!pids[i])
				live(i, 200 + seed % 7 * 100, seed * FAMILY + i);
		}
		for (int i = 0; i < FAMILY; i++) {
			int status = wait_for_main_thread(pids[i]);

			ASSERT_NE(status, -ETIMEDOUT)
			TH_LOG("a process of the family with GPUVM_FUZZ_SEED=%ld does not end", seed);
			ASSERT_FALSE(WIFEXITED(status) && WEXITSTATUS(status))
			TH_LOG("GPUVM_FUZZ_SEED=%ld: status %d (1 to 3: set-up; 50, 51: foreign bytes) %s", seed,
			       WEXITSTATUS(status), family->seen[i]);
		}
		close(family->sockets[0]);
		close(family->sockets[1]);
	}
	TH_LOG("%ld families", families);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--nothing"))
		return 0;
	return test_harness_run(argc, argv);
}
