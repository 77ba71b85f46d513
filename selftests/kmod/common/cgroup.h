/* SPDX-License-Identifier: GPL-2.0 */
/* A memory cgroup tells what its processes are charged with, which includes the module's memory. */
#ifndef GPUVM_SELFTEST_CGROUP_H
#define GPUVM_SELFTEST_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

/* These read and write small files of /proc and /sys. */
bool read_text(const char *path, char *text, size_t size);
bool write_text(const char *path, const char *text);
/* Returns the number that the file begins with, or -1. */
long read_number(const char *path);

/*
 * Returns false if none can be made here (no cgroup2 at /sys/fs/cgroup, or not root). The limit is @most bytes, or none
 * if it is 0.
 */
bool cgroup_create(long most);
/* Moves the calling process there, and its children to come. */
bool cgroup_enter(void);
/* Returns the bytes that are charged, or -1. What was freed may be among them for a moment. */
long cgroup_usage(void);
/*
 * Returns which of these the kernel itself has, all of the module's memory among them. It is exact to a page two
 * seconds later; cgroup_usage() also counts what each processor keeps charged ahead, up to 256 KiB.
 */
long cgroup_kernel_usage(void);
/* Removes the group, and moves out the processes that are still there. */
void cgroup_remove(void);

/* Makes a group of the freezer of version 1. Returns false if none can be made here. */
bool freezer_create(void);
bool freezer_enter(int pid);
/* @state is FROZEN or THAWED. */
bool freezer_set(const char *state);
/* The state is also FREEZING as long as not all are frozen. It ends in a new line. */
bool freezer_state(char *state, size_t size);
/* Removes the group when its processes have ended. */
void freezer_remove(void);

#endif
