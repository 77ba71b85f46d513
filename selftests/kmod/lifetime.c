// SPDX-License-Identifier: GPL-2.0
/*
 * The resolver ends, touchers end, and the process ends by exec and exit, each with touches pending. Nobody may hang.
 */
#include "common/context.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/harness.h"

#define MIB (1UL << 20)
#define TOUCHERS 8

FIXTURE(lifetime)
{
	struct context c;
	struct array a;
};

FIXTURE_SETUP(lifetime)
{
	self->c.fd = -1;
	if (no_device())
		SKIP(return, "%s", no_device());
	ASSERT_EQ(context_open(&self->c, ALL_FEATURES, 0), 0);
	ASSERT_EQ(array_create(&self->a, &self->c, 4 * MIB, MIB, 16), 0);
	ASSERT_EQ(set_state(&self->a, 0, MIB, GPUVM_STATE_DEVICE, NULL), 0);
}

FIXTURE_TEARDOWN(lifetime)
{
	if (self->c.fd >= 0)
		context_close(&self->c);
}

/* Starts some threads, one for each chunk, and waits until all their touches are posted. */
static bool touchers_wait(struct array *a, struct toucher *t)
{
	__u32 before = touches_posted(a->in);
	uint64_t until = now_ms() + SOON;

	for (int i = 0; i < TOUCHERS; i++)
		if (toucher_start(&t[i], a->primary + i * 65536UL, i % 2))
			return false;
	while (touches_posted(a->in) - before < TOUCHERS && now_ms() < until)
		sleep_ms(1);
	return touches_posted(a->in) - before == TOUCHERS;
}

TEST_F(lifetime, closed_event_ends_the_waiting)
{
	struct toucher t[TOUCHERS];

	ASSERT_TRUE(touchers_wait(&self->a, t));
	EXPECT_FALSE(toucher_ended(&t[0], LONG));
	ASSERT_EQ(close(self->c.hello.event_fd), 0);
	self->c.hello.event_fd = -1;
	for (int i = 0; i < TOUCHERS; i++) {
		ASSERT_TRUE(toucher_ended(&t[i], SOON));
		EXPECT_EQ(t[i].result, -1);
	}
	EXPECT_EQ(try_read(self->a.primary), -1);
	/* What needs no resolver goes on. */
	EXPECT_EQ(try_write(self->a.alias, 1), 0);
	ASSERT_EQ(set_state(&self->a, 0, MIB, GPUVM_STATE_HOST, NULL), 0);
	EXPECT_EQ(try_read(self->a.primary), 1);
}

TEST_F(lifetime, duplicates_of_the_event_keep_it)
{
	int copy = dup(self->c.hello.event_fd);
	struct toucher t[TOUCHERS];

	ASSERT_GE(copy, 0);
	close(self->c.hello.event_fd);
	self->c.hello.event_fd = -1;
	ASSERT_TRUE(touchers_wait(&self->a, t));
	EXPECT_FALSE(toucher_ended(&t[0], LONG));
	close(copy);
	for (int i = 0; i < TOUCHERS; i++) {
		ASSERT_TRUE(toucher_ended(&t[i], SOON));
	}
}

/* The mappings hold the context, not its descriptor. */
TEST_F(lifetime, closed_descriptor_leaves_the_mappings)
{
	struct gpuvm_touch touch;
	struct toucher t;

	fill(self->a.alias, 0, MIB, 1);
	ASSERT_EQ(set_state(&self->a, 0, MIB / 2, GPUVM_STATE_HOST, NULL), 0);
	ASSERT_EQ(close(self->c.fd), 0);
	EXPECT_EQ(differs(self->a.primary, 0, MIB / 2, 1), -1);
	ASSERT_EQ(toucher_start(&t, self->a.primary + MIB / 2, false), 0);
	ASSERT_TRUE(next_touch(&self->c, &touch, SOON));
	close(self->c.hello.event_fd);
	ASSERT_TRUE(toucher_ended(&t, SOON));
	EXPECT_EQ(t.result, -1);
	EXPECT_EQ(differs(self->a.primary, 0, MIB / 2, 1), -1);
	self->c.fd = -1;
}

TEST_F(lifetime, unmapped_under_the_waiting)
{
	struct toucher t[TOUCHERS];

	ASSERT_TRUE(touchers_wait(&self->a, t));
	/*
	 * The pages don't vanish under our feet: ordinary memory takes the place, and the touches find that by
	 * themselves.
	 */
	ASSERT_NE(mmap((void *)self->a.primary, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		       -1, 0),
		  MAP_FAILED);
	for (int i = 0; i < TOUCHERS; i++) {
		ASSERT_TRUE(toucher_ended(&t[i], SOON));
		EXPECT_EQ(t[i].result, 0);
	}
}

/* Nobody can resolve any more, though the event is open. */
static void leave_touchers_behind(void)
{
	struct toucher t[TOUCHERS];
	struct context c;
	struct array a;

	if (context_open(&c, ALL_FEATURES, 0) || array_create(&a, &c, 4 * MIB, MIB, 16) ||
	    set_state(&a, 0, MIB, GPUVM_STATE_DEVICE, NULL) || !touchers_wait(&a, t))
		_exit(1);
	signal(SIGSEGV, SIG_DFL);
	close(c.fd);
	munmap((void *)a.alias, MIB);
	munmap((void *)a.primary, MIB);
	for (;;)
		pause();
}

TEST_F(lifetime, unmapped_and_closed_under_the_waiting)
{
	pid_t child = fork();

	if (!child)
		leave_touchers_behind();
	EXPECT_EQ(wait_for(child), SIGSEGV);
}

/*
 * A process that has a context and touches pending does this before it ends in some way. It tells through the pipe that
 * it is ready.
 */
enum ending {
	IS_KILLED,
	EXITS,
	RETURNS,
	EXECS,
	DUMPS_CORE,
	STOPS_FIRST,
	TOUCHES_IN_A_CALL,
};

static void *write_the_array(void *argument)
{
	struct array *a = argument;
	int ends[2];

	if (!pipe(ends) && write(ends[1], (void *)a->primary, 4096) < 0)
		return NULL;
	return NULL;
}

static void end_with_touches(enum ending ending, int ready)
{
	const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
	struct toucher t[TOUCHERS];
	struct context c;
	pthread_t thread;
	struct array a;

	setsid();
	if (context_open(&c, ALL_FEATURES, 0) || array_create(&a, &c, 4 * MIB, MIB, 16))
		_exit(101);
	fill(a.alias, 0, MIB, 0);
	if (set_state(&a, 0, MIB, GPUVM_STATE_DEVICE, NULL))
		_exit(102);
	if (ending == TOUCHES_IN_A_CALL) {
		__u32 before = touches_posted(&c);

		pthread_create(&thread, NULL, write_the_array, &a);
		while (touches_posted(&c) == before)
			sleep_ms(1);
	} else if (!touchers_wait(&a, t)) {
		_exit(103);
	}
	if (write(ready, "x", 1) != 1)
		_exit(104);
	switch (ending) {
	case EXITS:
		_exit(0);
	case RETURNS:
		exit(0);
	case EXECS:
		execl("/proc/self/exe", "lifetime", "--just-exit", NULL);
		_exit(105);
	case DUMPS_CORE:
		setrlimit(RLIMIT_CORE, &unlimited);
		if (chdir("/tmp"))
			_exit(106);
		signal(SIGABRT, SIG_DFL);
		raise(SIGABRT);
		_exit(107);
	case IS_KILLED:
	case STOPS_FIRST:
	case TOUCHES_IN_A_CALL:
		for (;;)
			pause();
	}
}

/* Returns the exit status as of waitpid(), or a negative errno. */
static int status_of_ending(enum ending ending)
{
	int ends[2], status;
	pid_t child;
	char ready;

	if (pipe(ends))
		return -errno;
	child = fork();
	if (!child) {
		close(ends[0]);
		end_with_touches(ending, ends[1]);
	}
	close(ends[1]);
	if (read(ends[0], &ready, 1) == 1) {
		if (ending == STOPS_FIRST) {
			kill(child, SIGSTOP);
			sleep_ms(LONG);
			kill(child, SIGCONT);
			sleep_ms(LONG);
		}
		if (ending == IS_KILLED || ending == STOPS_FIRST || ending == TOUCHES_IN_A_CALL)
			kill(child, SIGKILL);
	}
	close(ends[0]);
	status = wait_for(child);
	unlink("/tmp/core");
	return status;
}

FIXTURE(endings){};

FIXTURE_VARIANT(endings)
{
	enum ending ending;
	int status;
};

#define ENDING(name, its_ending, its_status)               \
	FIXTURE_VARIANT_ADD(endings, name)                 \
	{                                                  \
		.ending = its_ending, .status = its_status \
	}

ENDING(killed, IS_KILLED, SIGKILL);
ENDING(killed_in_a_system_call, TOUCHES_IN_A_CALL, SIGKILL);
ENDING(stopped_and_killed, STOPS_FIRST, SIGKILL);
ENDING(exit, EXITS, 0);
ENDING(exit_with_handlers, RETURNS, 0);
ENDING(exec, EXECS, 0);
ENDING(core_dump, DUMPS_CORE, SIGABRT);

FIXTURE_SETUP(endings)
{
	if (no_device())
		SKIP(return, "%s", no_device());
}

FIXTURE_TEARDOWN(endings) {}

TEST_F(endings, end)
{
	int status = status_of_ending(variant->ending);

	ASSERT_GE(status, 0) TH_LOG("it did not end");
	EXPECT_EQ(status & 0x7f, variant->status & 0x7f);
	if (WIFEXITED(status)) {
		EXPECT_EQ(WEXITSTATUS(status), 0);
	}
}

/* vfork() and some debuggers make a process of the same memory: the descriptor works there, and its end is no end. */
static int other_process(void *argument)
{
	struct array *a = argument;

	return set_state(a, 0, MIB, GPUVM_STATE_HOST, NULL) ? 1 : 0;
}

TEST_F(lifetime, process_of_the_same_memory)
{
	char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int pid, status;

	ASSERT_NE(stack, MAP_FAILED);
	pid = clone(other_process, stack + 65536, CLONE_VM | SIGCHLD, &self->a);
	ASSERT_GT(pid, 0);
	status = wait_for(pid);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(try_write(self->a.primary, 3), 0);
	EXPECT_EQ(self->a.alias[0], 3);
}

/* A child has the descriptors, but not the memory: it must not keep the parent's touchers waiting, nor serve them. */
TEST_F(lifetime, child_that_outlives_the_parent)
{
	int ends[2], status;
	pid_t parent;
	char byte;

	ASSERT_EQ(pipe(ends), 0);
	parent = fork();
	if (!parent) {
		struct toucher t[TOUCHERS];
		struct context c;
		struct array a;

		if (context_open(&c, ALL_FEATURES, 0) || array_create(&a, &c, 0, MIB, 16) ||
		    set_state(&a, 0, MIB, GPUVM_STATE_DEVICE, NULL) || !touchers_wait(&a, t))
			_exit(1);
		if (!fork()) {
			sleep_ms(5 * LONG);
			_exit(write(ends[1], "x", 1) != 1);
		}
		_exit(0);
	}
	close(ends[1]);
	status = wait_for(parent);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(read(ends[0], &byte, 1), 1);
}

TEST_F(lifetime, threads_come_and_go)
{
	struct resolver r;

	ASSERT_EQ(resolver_start(&r, &self->a, GPUVM_STATE_HOST), 0);
	for (int round = 0; round < 100; round++) {
		struct toucher t[TOUCHERS];

		ASSERT_EQ(set_state(&self->a, 0, MIB, GPUVM_STATE_DEVICE, NULL), 0);
		for (int i = 0; i < TOUCHERS; i++) {
			ASSERT_EQ(toucher_start(&t[i], self->a.primary + i * 65536UL, i % 2), 0);
		}
		for (int i = 0; i < TOUCHERS; i++) {
			ASSERT_TRUE(toucher_ended(&t[i], SOON));
			ASSERT_NE(t[i].result, -1);
		}
	}
	EXPECT_EQ(resolver_stop(&r), 0);
}

/* An EXECS ending becomes this program, which has no test and just ends. */
static void __attribute__((constructor)) just_exit(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--just-exit"))
		_exit(0);
}

TEST_HARNESS_MAIN
