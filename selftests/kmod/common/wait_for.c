// SPDX-License-Identifier: GPL-2.0
/*
 * This waits for a child's end. No limit counts the guest's time, of which most may be the host's doing: a child is
 * given up if it stands still. One that works for ever ends with the guest.
 */
#include "context.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_MS 1000
#define LOOKS 60 /* so many looks in a row must see no change */

/* Holds what threads have done up to now; it is equal if they did nothing in between. */
struct work {
	unsigned long ticks, switches;
	bool runnable;
};

static FILE *open_of(int pid, const char *tid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%s/%s", pid, tid, name);
	return fopen(path, "re");
}

/* Returns the state's letter and the processor time, or 0 if the thread has ended. */
static char state_of_thread(int pid, const char *tid, unsigned long *ticks)
{
	FILE *file = open_of(pid, tid, "stat");
	unsigned long user = 0, system = 0;
	char text[512] = "", state = 0, *rest;

	if (!file)
		return 0;
	/* The program's name, which alone may have blanks, stands in parentheses. */
	rest = fgets(text, sizeof(text), file) ? strrchr(text, ')') : NULL;
	fclose(file);
	if (rest)
		sscanf(rest, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &state, &user, &system);
	*ticks += user + system;
	return state;
}

static unsigned long switches_of(int pid, const char *tid)
{
	FILE *file = open_of(pid, tid, "status");
	unsigned long sum = 0, n;
	char line[256];

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "voluntary_ctxt_switches: %lu", &n) == 1 ||
		    sscanf(line, "nonvoluntary_ctxt_switches: %lu", &n) == 1)
			sum += n;
	fclose(file);
	return sum;
}

static void add(struct work *w, int pid, const char *tid)
{
	w->runnable |= state_of_thread(pid, tid, &w->ticks) == 'R';
	w->switches += switches_of(pid, tid);
}

static void for_threads(int pid, void (*look)(struct work *w, int pid, const char *tid), struct work *w)
{
	char path[32];
	struct dirent *entry;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	threads = opendir(path);
	while (threads && (entry = readdir(threads)))
		if (entry->d_name[0] != '.')
			look(w, pid, entry->d_name);
	if (threads)
		closedir(threads);
}

static bool main_thread_lives(int pid)
{
	unsigned long ticks = 0;
	char tid[16];

	snprintf(tid, sizeof(tid), "%d", pid);
	return state_of_thread(pid, tid, &ticks) != 'Z';
}

static struct work work_of(int pid, bool main_thread)
{
	struct work w = {};
	char tid[16];

	snprintf(tid, sizeof(tid), "%d", pid);
	if (main_thread && main_thread_lives(pid))
		add(&w, pid, tid);
	else
		for_threads(pid, add, &w);
	return w;
}

static bool nothing_done(const struct work *before, const struct work *now)
{
	return !now->runnable && before->ticks == now->ticks && before->switches == now->switches;
}

static void print(int pid, const char *tid, const char *name, const char *lines)
{
	FILE *file = open_of(pid, tid, name);
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, lines, strlen(lines)))
			printf("#   %s %s: %s", tid, name, line);
	if (file)
		fclose(file);
}

/* Prints where the child is, for whoever reads the log. */
static void print_thread(struct work *w, int pid, const char *tid)
{
	print(pid, tid, "status", "State:");
	print(pid, tid, "status", "TracerPid:");
	print(pid, tid, "syscall", "");
	print(pid, tid, "stack", "");
}

static int give_up(int pid)
{
	printf("# process %d stands still\n", pid);
	for_threads(pid, print_thread, NULL);
	kill(pid, SIGKILL);
	return -ETIMEDOUT;
}

static int wait_for_work(int pid, bool main_thread)
{
	uint64_t next = now_ms() + LOOK_MS;
	struct work before = {}, now;
	int status, looks = 0;

	for (; waitpid(pid, &status, WNOHANG) != pid; sleep_ms(2)) {
		if (now_ms() < next)
			continue;
		now = work_of(pid, main_thread);
		looks = nothing_done(&before, &now) ? looks + 1 : 0;
		if (looks == LOOKS)
			return give_up(pid);
		before = now;
		next = now_ms() + LOOK_MS;
	}
	return status;
}

int wait_for(int pid)
{
	return wait_for_work(pid, false);
}

int wait_for_main_thread(int pid)
{
	return wait_for_work(pid, true);
}
