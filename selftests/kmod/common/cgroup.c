// SPDX-License-Identifier: GPL-2.0
#include "cgroup.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOP "/sys/fs/cgroup"
#define GROUP TOP "/gpuvm-selftest"
#define FREEZER_TOP "/tmp/gpuvm-selftest-freezer"
#define FREEZER FREEZER_TOP "/group"

bool read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return written;
}

long read_number(const char *path)
{
	char text[64];

	return read_text(path, text, sizeof(text)) ? atol(text) : -1;
}

bool cgroup_create(long most)
{
	char bytes[32] = "max";

	if (most)
		snprintf(bytes, sizeof(bytes), "%ld", most);
	write_text(TOP "/cgroup.subtree_control", "+memory");
	if (!mkdir(GROUP, 0755) && write_text(GROUP "/memory.max", bytes))
		return true;
	rmdir(GROUP);
	return false;
}

bool cgroup_enter(void)
{
	return write_text(GROUP "/cgroup.procs", "0");
}

long cgroup_usage(void)
{
	return read_number(GROUP "/memory.current");
}

long cgroup_kernel_usage(void)
{
	FILE *file = fopen(GROUP "/memory.stat", "re");
	char line[128];
	long bytes = -1;

	while (file && bytes < 0 && fgets(line, sizeof(line), file))
		sscanf(line, "kernel %ld", &bytes);
	if (file)
		fclose(file);
	return bytes;
}

void cgroup_remove(void)
{
	char pid[64];

	for (int i = 0; i < 100 && read_text(GROUP "/cgroup.procs", pid, sizeof(pid)); i++) {
		pid[strcspn(pid, "\n")] = '\0';
		write_text(TOP "/cgroup.procs", pid);
	}
	rmdir(GROUP);
}

bool freezer_create(void)
{
	mkdir(FREEZER_TOP, 0700);
	if (!mount("freezer", FREEZER_TOP, "cgroup", 0, "freezer") && !mkdir(FREEZER, 0755))
		return true;
	freezer_remove();
	return false;
}

bool freezer_enter(int pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	return write_text(FREEZER "/cgroup.procs", text);
}

bool freezer_set(const char *state)
{
	return write_text(FREEZER "/freezer.state", state);
}

bool freezer_state(char *state, size_t size)
{
	return read_text(FREEZER "/freezer.state", state, size);
}

void freezer_remove(void)
{
	rmdir(FREEZER);
	umount(FREEZER_TOP);
	rmdir(FREEZER_TOP);
}
