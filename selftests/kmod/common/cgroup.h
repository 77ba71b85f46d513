/* SPDX-License-Identifier: GPL-2.0 */
/* A memory cgroup: what its processes are charged with, the module's memory too. */
#ifndef GPUVM_SELFTEST_CGROUP_H
#define GPUVM_SELFTEST_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

/* Small files of /proc and /sys. */
bool read_text(const char *path, char *text, size_t size);
bool write_text(const char *path, const char *text);
/* The number that the file begins with, or -1. */
long read_number(const char *path);

/* False: none can be made here (no cgroup2 at /sys/fs/cgroup, or not root). @most: bytes, 0: no limit. */
bool cgroup_create(long most);
/* The calling process moves there, and its children to come. */
bool cgroup_enter(void);
/* Bytes that are charged, or -1. What was freed may be among them for a moment. */
long cgroup_usage(void);
/*
 * Of these what the kernel itself has, all of the module's memory among it. It is exact to a page two seconds later;
 * cgroup_usage() also counts what each processor keeps charged ahead, up to 256 KiB.
 */
long cgroup_kernel_usage(void);
/* Processes that are still there are moved out. */
void cgroup_remove(void);

/* A group of the freezer of version 1. False: none can be made here. */
bool freezer_create(void);
bool freezer_enter(int pid);
/* FROZEN or THAWED */
bool freezer_set(const char *state);
/* Also FREEZING, as long as not all are frozen; ends in a new line. */
bool freezer_state(char *state, size_t size);
/* When its processes have ended. */
void freezer_remove(void);

#endif
