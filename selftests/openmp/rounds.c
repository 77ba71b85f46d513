/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * Anybody might write this program: an array is mapped in each of several rounds, and the host touches a little of it,
 * in all ways that there are. It prints KTAP, and how much libhet has counted that came home.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { elements = 1 << 17, rounds = 6 };

static int wrong;

static void check(int good, const char *what)
{
	if (!good && !wrong++)
		printf("# %s is wrong\n", what);
}

static void add_there(int *a, int n, int more)
{
#pragma omp target teams distribute parallel for map(tofrom : a[:n]) num_teams(2)
	for (int i = 0; i < n; i += 64)
		a[i] += more;
}

static void fill(int *a, int n)
{
	for (int i = 0; i < n; i++)
		a[i] = i;
}

static int is_right(const int *a, int first, int count, int added)
{
	for (int i = first; i < first + count; i++) {
		if (a[i] != i + (i % 64 ? 0 : added))
			return 0;
	}
	return 1;
}

/* Returns what libhet has counted, which the program is not linked with. */
static unsigned long long came_home(void)
{
	enum { bytes_to_host = 65 }; /* of gpuvm.h */
	int (*stat)(int, void *) = (int (*)(int, void *))dlsym(RTLD_DEFAULT, "gpuvm_stat");
	unsigned long long n = 0;
	return stat && !stat(bytes_to_host, &n) ? n : 0;
}

static void touches_a_little(int *a)
{
	unsigned long long before = 0;
	fill(a, elements);
	for (int r = 1; r <= rounds; r++) {
		add_there(a, elements, 10);
		before = r == 1 ? came_home() : before; /* there is a library from the first region on */
		int first = elements / rounds * (r - 1);
		check(is_right(a, first, 2000, 10 * r), "what the host reads of a round");
	}
	printf("# %.2f arrays came home in %d rounds\n", (double)(came_home() - before) / (elements * sizeof(int)),
	       rounds);
	check(is_right(a, 0, elements, 10 * rounds), "all of it at the end");
}

static void writes_between(int *a)
{
	fill(a, elements);
	for (int r = 1; r <= rounds; r++) {
		add_there(a, elements, 1);
		a[3000 * r] = -r;
		a[7] += 100;
	}
	for (int i = 0; i < elements; i++) {
		int is_written = i && i % 3000 == 0 && i <= 3000 * rounds;
		int want = is_written ? -(i / 3000) + (i % 64 ? 0 : rounds - i / 3000)
				      : i + (i % 64 ? 0 : rounds) + (i == 7 ? 100 * rounds : 0);
		check(a[i] == want, "what host and device have written in turn");
	}
}

/* The region's bytes share pages with others, which stay the host's. */
static void has_edges(int *a)
{
	const int n = elements - 200;
	fill(a, elements);
	int *part = a + 100;
	for (int r = 1; r <= rounds; r++) {
#pragma omp target map(tofrom : part[:n])
		for (int i = 0; i < n; i += 64)
			part[i]++;
		a[99] += 1000;
		a[elements - 100] += 1000;
	}
	for (int i = 0; i < n; i++)
		check(part[i] == i + 100 + (i % 64 ? 0 : rounds), "an array in the middle of pages");
	check(a[99] == 99 + 1000 * rounds && a[elements - 100] == elements - 100 + 1000 * rounds, "its neighbours");
}

static void maps_parts_of_it(int *a)
{
	const int half = elements / 2;
	fill(a, elements);
	for (int r = 1; r <= rounds; r++)
		add_there(a, elements, 1);
	int *second = a + half;
	for (int r = 1; r <= rounds; r++) {
#pragma omp target map(tofrom : second[:half])
		for (int i = 0; i < half; i += 64)
			second[i]++;
	}
	check(is_right(a, 0, half, rounds), "the half that was not mapped");
	check(is_right(a, half, half, 2 * rounds), "the half that was mapped again");
}

static void system_calls_see_it(int *a)
{
	int back[1000];
	FILE *f = tmpfile();
	int file = f ? fileno(f) : -1;
	fill(a, elements);
	for (int r = 1; r <= rounds; r++)
		add_there(a, elements, 1);
	check(file >= 0 && pwrite(file, a + 32000, sizeof back, 0) == (long)sizeof back, "a call that reads it");
	check(pread(file, back, sizeof back, 0) == (long)sizeof back, "the file");
	for (int i = 0; i < 1000; i++)
		check(back[i] == 32000 + i + (i % 64 ? 0 : rounds), "what the call has read");
	if (f)
		fclose(f);
}

/* A block that begins anew where one was that is watched is another one. */
static void is_freed_and_comes_again(int *a)
{
	(void)a;
	for (int r = 0; r < rounds; r++) {
		int *b = malloc(elements * sizeof(*b));
		fill(b, elements);
		add_there(b, elements, 3);
		if (r % 2)
			check(is_right(b, 0, 1000, 3), "the begin of a new block");
		free(b);
	}
}

static int *map_here(void *place, size_t n)
{
	const int fixed = place ? MAP_FIXED_NOREPLACE : 0;
	int *p = mmap(place, n * sizeof(*p), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
	check(p != MAP_FAILED, "a mapping");
	return p;
}

/* A larger array lies where one was that was watched. */
static void comes_where_another_was(int *a)
{
	int *b = map_here(NULL, elements);
	unsigned long long before;
	(void)a;
	fill(b, elements / 2);
	for (int r = 0; r < rounds; r++)
		add_there(b, elements / 2, 1);
	munmap(b, elements * sizeof(*b));
	b = map_here(b, elements);
	fill(b, elements);
	before = came_home();
	for (int r = 1; r <= rounds; r++) {
		add_there(b, elements, 10);
		check(is_right(b, 5000 * r, 2000, 10 * r), "what the host reads of the second one");
	}
	printf("# %.2f arrays came home where another was\n",
	       (double)(came_home() - before) / (elements * sizeof(int)));
	check(is_right(b, 0, elements, 10 * rounds), "all of the second one");
	munmap(b, elements * sizeof(*b));
}

static int in_data[elements];

static void can_not_be_watched(int *a)
{
	int *shared = mmap(NULL, elements * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int *all[] = {in_data, shared};
	(void)a;
	for (int k = 0; k < 2; k++) {
		fill(all[k], elements);
		for (int r = 1; r <= rounds; r++)
			add_there(all[k], elements, 1);
		check(is_right(all[k], 0, elements, rounds), "memory that can't be watched");
	}
	munmap(shared, elements * sizeof(int));
}

/* A region of another device takes what one has left there. */
static void goes_to_another_device(int *a)
{
	fill(a, elements);
	for (int r = 1; r <= rounds; r++) {
#pragma omp target map(tofrom : a[:elements]) device(r % omp_get_num_devices())
		for (int i = 0; i < elements; i += 64)
			a[i]++;
	}
	check(is_right(a, 0, elements, rounds), "what devices have added in turn");
}

/*
 * Unless it is said how often an array is copied first, that depends on the time that copies take, and an array that is
 * large enough is watched in the end.
 */
static void is_watched_when_that_pays(int *a)
{
	enum { mib = 4, most_rounds = 1000 };
	const int n = (mib << 20) / sizeof(int);
	const size_t nbytes = (size_t)n * sizeof(int);
	int (*is_linked)(const void *, size_t) = (int (*)(const void *, size_t))dlsym(RTLD_DEFAULT, "gpuvm_is_linked");
	const int is_by_cost = is_linked && !getenv("HET_OPENMP_LAZY");
	int *b = map_here(NULL, n), r = 0, more = rounds;
	(void)a;
	while (more) {
#pragma omp target map(tofrom : b[:n])
		b[n / 2]++;
		check(b[n / 2] == ++r, "what the host reads");
		more -= !is_by_cost || is_linked(b, nbytes) || r > most_rounds;
	}
	check(!is_by_cost || is_linked(b, nbytes), "an array that was copied a thousand times");
	check(b[0] == 0 && b[n - 1] == 0, "what is beside it");
	munmap(b, nbytes);
}

static const struct {
	const char *name;
	void (*run)(int *a);
} cases[] = {
	{"touches a little", touches_a_little},
	{"writes between", writes_between},
	{"has edges", has_edges},
	{"maps parts of it", maps_parts_of_it},
	{"system calls see it", system_calls_see_it},
	{"is freed and comes again", is_freed_and_comes_again},
	{"comes where another was", comes_where_another_was},
	{"can not be watched", can_not_be_watched},
	{"goes to another device", goes_to_another_device},
	{"is watched when that pays", is_watched_when_that_pays},
};

int main(int argc, char **argv)
{
	const int all = sizeof cases / sizeof cases[0], ncases = argc > 1 ? atoi(argv[1]) : all; /* the first ones */
	int failed = 0;
	if (!omp_get_num_devices()) {
		printf("Bail out! there is no device\n");
		return 1;
	}
	printf("TAP version 14\n1..%d\n", ncases);
	for (int i = 0; i < ncases; i++) {
		int *a = malloc(elements * sizeof(*a));
		wrong = 0;
		cases[i].run(a);
		printf("%s %d %s\n", wrong ? "not ok" : "ok", i + 1, cases[i].name);
		failed |= wrong;
		free(a);
	}
	return failed != 0;
}
