/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * Anybody might write this program. Its target regions run on each device in turn and prove there what they promise; it
 * prints KTAP.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { few = 1000 };

#pragma omp declare target
static int table[few];
static int calls;

static int twice(int x)
{
	return 2 * x;
}

static int depth_of(int n)
{
	volatile int here[64]; /* on the soft stack */
	here[n % 64] = n;
	return n ? 1 + depth_of(n - 1) : here[0];
}
#pragma omp end declare target

static int wrong;

static void check(int good, const char *what)
{
	if (!good && !wrong++)
		printf("# %s is wrong\n", what);
}

static void runs_there(int device)
{
	int on_host = 1, number = -1;
#pragma omp target map(from : on_host, number) device(device)
	{
		on_host = omp_is_initial_device();
		number = omp_get_device_num();
	}
	check(!on_host, "where the region ran");
	check(number == device, "the number of the device");
}

static void maps_sections(int device)
{
	int a[few], b[few], c[few];
	for (int i = 0; i < few; i++) {
		a[i] = i;
		b[i] = c[i] = -1;
	}
#pragma omp target map(to : a) map(from : b) map(tofrom : c [10:20]) device(device)
	for (int i = 0; i < few; i++) {
		b[i] = twice(a[i]);
		if (i >= 10 && i < 30)
			c[i] += a[i];
		a[i] = 0;
	}
	for (int i = 0; i < few; i++) {
		check(a[i] == i, "what was only sent");
		check(b[i] == 2 * i, "what was only brought");
		check(c[i] == (i >= 10 && i < 30 ? i - 1 : -1), "a section");
	}
}

static void updates_what_stays(int device)
{
	int *a = malloc(few * sizeof(*a));
	for (int i = 0; i < few; i++)
		a[i] = i;
#pragma omp target enter data map(to : a[:few]) device(device)
	for (int i = 0; i < few; i++)
		a[i] = -i;
#pragma omp target update to(a[:100]) device(device)
#pragma omp target map(alloc : a[:few]) device(device)
	for (int i = 0; i < few; i++)
		a[i] += 1000;
#pragma omp target update from(a [50:100]) device(device)
	for (int i = 0; i < few; i++)
		check(a[i] == (i < 50 || i >= 150 ? -i : i < 100 ? 1000 - i : 1000 + i), "an update");
#pragma omp target exit data map(from : a[:few]) device(device)
	for (int i = 0; i < few; i++)
		check(a[i] == (i < 100 ? 1000 - i : 1000 + i), "what an exit brings");
	free(a);
}

static void reduces(int device)
{
	long sum = 0, product = 1, largest = 0;
	double real = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum, real) reduction(max : largest) \
	map(tofrom : sum, real, largest) num_teams(3) device(device)
	for (int i = 0; i < few; i++) {
		sum += i;
		real += 0.5;
		largest = i * 7 % few > largest ? i * 7 % few : largest;
	}
#pragma omp target parallel for simd reduction(* : product) map(tofrom : product) device(device)
	for (int i = 1; i <= 10; i++)
		product *= i;
	check(sum == few * (few - 1) / 2 && real == few / 2 && largest == few - 1, "a reduction over teams");
	check(product == 3628800, "a reduction over lanes");
}

static void has_asked_geometry(int device)
{
	int teams = 0, threads = 0, starts[8] = {0};
#pragma omp target teams num_teams(3) thread_limit(5) map(tofrom : teams, threads, starts) device(device)
	{
#pragma omp parallel num_threads(5)
		{
#pragma omp atomic
			starts[omp_get_team_num()]++;
			if (!omp_get_team_num() && !omp_get_thread_num()) {
				teams = omp_get_num_teams();
				threads = omp_get_num_threads();
			}
		}
	}
	check(teams == 3 && threads == 5, "the number of teams or threads");
	for (int i = 0; i < 8; i++)
		check(starts[i] == (i < 3 ? 5 : 0), "who ran");
}

static void shares_in_a_team(int device)
{
	int single = 0, ordered = 1, sections[2] = {0, 0}, tasks = 0;
#pragma omp target parallel num_threads(4) map(tofrom : single, ordered, sections, tasks) device(device)
	{
		int seen = 0;
#pragma omp single
		single++;
#pragma omp sections
		{
#pragma omp section
			sections[0]++;
#pragma omp section
			sections[1]++;
		}
#pragma omp for schedule(dynamic, 3) ordered
		for (int i = 0; i < 40; i++) {
#pragma omp ordered
			seen = i;
		}
#pragma omp barrier
#pragma omp critical
		ordered = ordered && seen < 40;
#pragma omp single
		for (int i = 0; i < 6; i++) {
#pragma omp task
			{
#pragma omp atomic
				tasks++;
			}
		}
	}
	check(single == 1 && sections[0] == 1 && sections[1] == 1 && ordered && tasks == 6, "sharing in a team");
}

static void keeps_declared_variables(int device)
{
	for (int i = 0; i < few; i++)
		table[i] = i;
	calls = 5;
#pragma omp target update to(table, calls) device(device)
#pragma omp target device(device)
	{
		for (int i = 0; i < few; i++)
			table[i] *= 3;
		calls++;
	}
	memset(table, 0, sizeof table);
#pragma omp target update from(table, calls) device(device)
	for (int i = 0; i < few; i++)
		check(table[i] == 3 * i, "a declared table");
	check(calls == 6, "a declared variable");
}

static void does_not_wait(int device)
{
	int a = 1, b = 2, c = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp target nowait map(tofrom : a) depend(out : a) device(device)
		a += 10;
#pragma omp target nowait map(tofrom : b) depend(out : b) device(device)
		b += 20;
#pragma omp target nowait map(to : a, b) map(from : c) depend(in : a, b) depend(out : c) device(device)
		c = a + b;
#pragma omp taskwait
	}
	check(a == 11 && b == 22 && c == 33, "a region that is not waited for");
}

static void has_stacks_and_heap(int device)
{
	int depths[3] = {0, 0, 0}, made = 0;
#pragma omp target teams distribute parallel for num_teams(3) map(tofrom : depths) device(device)
	for (int i = 0; i < 3; i++)
		depths[i] = depth_of(10 * (i + 1));
#pragma omp target map(tofrom : made) device(device)
	{
		int *p = malloc(100 * sizeof(*p));
		for (int i = 0; i < 100; i++)
			p[i] = i;
		for (int i = 0; i < 100; i++)
			made += p[i];
		free(p);
	}
	check(depths[0] == 10 && depths[1] == 20 && depths[2] == 30, "a stack");
	check(made == 4950, "the heap");
}

static void has_memory_by_calls(int device)
{
	const int host = omp_get_initial_device();
	int a[100], *there = omp_target_alloc(sizeof a, device), *more = omp_target_alloc(sizeof a, device);
	for (int i = 0; i < 100; i++)
		a[i] = i;
	check(there && more, "omp_target_alloc");
	check(!omp_target_memcpy(there, a, sizeof a, 0, 0, device, host), "a copy to the device");
#pragma omp target is_device_ptr(there) device(device)
	for (int i = 0; i < 100; i++)
		there[i] += 7;
	check(!omp_target_memcpy(more, there, sizeof a, 0, 0, device, device), "a copy on the device");
	check(!omp_target_memcpy(a, more, sizeof a, 0, 0, host, device), "a copy from the device");
	for (int i = 0; i < 100; i++)
		check(a[i] == i + 7, "memory by calls");
	omp_target_free(there, device);
	omp_target_free(more, device);
}

enum { blocks = 70, small_block = 600, largest_block = 5000 }; /* bytes */

struct small_block {
	unsigned char *there, here[largest_block];
	size_t nbytes;
};

static unsigned draw(unsigned *state)
{
	return *state = *state * 1103515245 + 12345, *state >> 16;
}

static size_t draw_size(unsigned *state)
{
	return 1 + draw(state) % (draw(state) % 4 ? small_block : largest_block);
}

static int is_as_expected(const struct small_block *b, int device)
{
	unsigned char now[largest_block];
	return !omp_target_memcpy(now, b->there, b->nbytes, 0, 0, omp_get_initial_device(), device) &&
	       !memcmp(now, b->here, b->nbytes);
}

/* The host writes some of a block's bytes there, the device the others, one block is copied to another; or it is
 * freed. */
static int changes_a_block(struct small_block *b, const struct small_block *other, unsigned *state, int device)
{
	const int host = omp_get_initial_device();
	const size_t most_there = b->nbytes < small_block ? b->nbytes : small_block;
	const size_t first = draw(state) % most_there / 4 * 4, some = b->nbytes - first;
	unsigned char *there = b->there;
	int err = 0;
	switch (draw(state) % 4) {
	case 0:
		for (size_t i = first; i < b->nbytes; i++)
			b->here[i] = (unsigned char)draw(state);
		err = omp_target_memcpy(there, b->here, some, first, first, device, host);
#pragma omp target is_device_ptr(there) device(device) firstprivate(first)
		for (size_t i = 0; i < first; i++)
			there[i]++;
		for (size_t i = 0; i < first; i++)
			b->here[i]++;
		break;
	case 1:
		if (b == other || b->nbytes > other->nbytes)
			break;
		err = omp_target_memcpy(there, other->there, b->nbytes, 0, 0, device, device);
		memcpy(b->here, other->here, b->nbytes);
		break;
	case 2:
		return is_as_expected(b, device);
	default:
		omp_target_free(there, device);
		b->nbytes = draw_size(state);
		b->there = omp_target_alloc(b->nbytes, device);
		err = omp_target_memcpy(b->there, b->here, b->nbytes, 0, 0, device, host);
	}
	return !err;
}

/* Several threads have many small blocks each, and some that are larger. */
static void has_small_blocks(int device)
{
	int good = 1;
#pragma omp parallel num_threads(3) reduction(&& : good)
	{
		struct small_block *all = calloc(blocks, sizeof *all);
		unsigned state = 1 + (unsigned)omp_get_thread_num();
		for (int i = 0; i < blocks; i++) {
			all[i].nbytes = draw_size(&state);
			all[i].there = omp_target_alloc(all[i].nbytes, device);
			good = good && !omp_target_memcpy(all[i].there, all[i].here, all[i].nbytes, 0, 0, device,
							  omp_get_initial_device());
		}
		for (int i = 0; i < blocks && good; i++)
			good = changes_a_block(&all[draw(&state) % blocks], &all[draw(&state) % blocks], &state,
					       device);
		for (int i = 0; i < blocks; i++) {
			good = good && is_as_expected(&all[i], device);
			omp_target_free(all[i].there, device);
		}
		free(all);
	}
	check(good, "what was written to small blocks");
}

/* What is written beside a region that runs is there when it is read. */
static void writes_beside_a_region(int device)
{
	enum { rounds = 5, turns = 20000 };
	const int host = omp_get_initial_device();
	int *there = omp_target_alloc(sizeof *there, device), sum = 0, good = 1;
	for (int r = 0; r < rounds; r++) {
		int now = -1;
#pragma omp target map(tofrom : sum) device(device) nowait
		for (volatile int i = 0; i < turns; i++)
			sum++;
		good = good && !omp_target_memcpy(there, &r, sizeof r, 0, 0, device, host) &&
		       !omp_target_memcpy(&now, there, sizeof now, 0, 0, host, device) && now == r;
#pragma omp taskwait
	}
	check(good && sum == rounds * turns, "what was written beside a region");
	omp_target_free(there, device);
}

static const struct {
	const char *name;
	void (*run)(int device);
} cases[] = {
	{"runs there", runs_there},
	{"maps sections", maps_sections},
	{"updates what stays", updates_what_stays},
	{"reduces", reduces},
	{"has asked geometry", has_asked_geometry},
	{"shares in a team", shares_in_a_team},
	{"keeps declared variables", keeps_declared_variables},
	{"does not wait", does_not_wait},
	{"has stacks and heap", has_stacks_and_heap},
	{"has memory by calls", has_memory_by_calls},
	{"has small blocks", has_small_blocks},
	{"writes beside a region", writes_beside_a_region},
};

int main(void)
{
	const int ncases = sizeof cases / sizeof cases[0], ndevices = omp_get_num_devices();
	int failed = 0;
	if (!omp_get_num_devices()) {
		printf("Bail out! there is no device\n");
		return 1;
	}
	printf("TAP version 14\n1..%d\n", ncases * ndevices);
	for (int i = 0; i < ncases * ndevices; i++) {
		wrong = 0;
		cases[i % ncases].run(i / ncases);
		printf("%s %d device %d: %s\n", wrong ? "not ok" : "ok", i + 1, i / ncases, cases[i % ncases].name);
		failed |= wrong;
	}
	return failed != 0;
}
