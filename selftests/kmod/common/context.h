/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tests of /dev/gpuvm share this: a context with its tables, an array in it, a resolver, and touches that may fail.
 * Functions return 0 or a negative errno, unless they say otherwise.
 */
#ifndef GPUVM_SELFTEST_CONTEXT_H
#define GPUVM_SELFTEST_CONTEXT_H

#include <linux/gpuvm.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define DEVICE "/dev/gpuvm"
#define ALL_FEATURES (~0ULL)
#define STATES_MAPPED (1UL << 20) /* the states of so many pages are mapped: offsets up to 4 GiB */

struct context {
	int fd;
	size_t page;
	struct gpuvm_hello hello;
	const volatile __u8 *states;
	const volatile __u64 *upgrades;
	struct gpuvm_ring *ring;
};

/* An array is some pages of the space, mapped twice. */
struct array {
	struct context *in;
	struct gpuvm_region region;
	volatile char *primary;
	volatile char *alias;
};

/* Returns why /dev/gpuvm can't be used here, or NULL; for SKIP(). */
const char *no_device(void);

int context_open(struct context *c, __u64 features, __u32 ring_entries);
/* Does the second half of context_open(), for a context whose `fd` and `page` are set. */
int context_hello(struct context *c, __u64 features, __u32 ring_entries);
void context_close(struct context *c);

/* Creates a region at the offset, and both mappings; the state is HOST and there are no pages. */
int array_create(struct array *a, struct context *c, __u64 offset, size_t length, unsigned int chunk_shift);
int array_create_with(struct array *a, struct context *c, struct gpuvm_region region);
int array_destroy(struct array *a);
static inline size_t array_length(const struct array *a)
{
	return a->region.length;
}

int gpuvm_ioctl(int fd, unsigned int number, void *argument);
/*
 * These take one range of the array. SET_STATE tells how many upgrades it found through *upgraded if that is not NULL.
 */
int set_state(struct array *a, size_t offset, size_t length, __u32 state, __u64 *upgraded);
int range_call(struct array *a, unsigned int number, size_t offset, size_t length);
__u8 state_of(const struct array *a, size_t offset);

/* Waits up to so many milliseconds for the next touch; returns false if there is none. */
bool next_touch(struct context *c, struct gpuvm_touch *touch, int milliseconds);
__u32 touches_posted(const struct context *c);

/* Returns what byte `offset` of a fetched page holds, in round `round`. */
static inline char pattern(size_t offset, unsigned int round)
{
	return (char)(offset / 64 * 7 + offset / 4096 * 31 + round * 101 + 1);
}
void fill(volatile char *to, size_t offset, size_t length, unsigned int round);
/* Returns the first place that is not as filled, or -1. */
ssize_t differs(const volatile char *bytes, size_t offset, size_t length, unsigned int round);

/* The resolver is a thread that fetches the chunk of each touch into the alias and sets it to `state`. */
struct resolver {
	struct array *array;
	__u32 state;
	atomic_uint round;
	atomic_uint served;
	atomic_uint last_flags;
	atomic_bool stop;
	pthread_t thread;
};
int resolver_start(struct resolver *r, struct array *a, __u32 state);
int resolver_stop(struct resolver *r); /* returns the first error that it met */

/* These touch where SIGBUS may come. try_read() returns the byte or -1, and try_write() 0 or -1. */
int try_read(const volatile char *byte);
int try_write(volatile char *byte, char value);

/* The toucher is a thread that touches and waits. */
struct toucher {
	volatile char *byte;
	bool write;
	atomic_int tid;
	int result; /* that of try_read() or try_write() */
	pthread_t thread;
};
int toucher_start(struct toucher *t, volatile char *byte, bool write);
/* Waits for the toucher's end; returns false if it still runs after so many milliseconds. */
bool toucher_ended(struct toucher *t, int milliseconds);

static inline uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}
void sleep_ms(int milliseconds);

/*
 * Like waitpid(), but gives up a child whose threads all stand still. Returns the status, or -ETIMEDOUT after having
 * killed it.
 */
int wait_for(int pid);
/* Gives up also a child whose main thread alone stands still: that waits for no other thread. */
int wait_for_main_thread(int pid);

#endif
