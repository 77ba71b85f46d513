// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Anybody might write this OpenMP program: its arrays live on each device for a while, travel there and back, in parts
// and by calls, and it says how that went.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { elements = 300000 };

static void check(int good, const char *what, int device)
{
	if (good)
		return;
	printf("device %d: %s is wrong\n", device, what);
	exit(1);
}

static int all_are(const int *p, int first, int count, int offset)
{
	for (int i = first; i < first + count; i++) {
		if (p[i] != i + offset)
			return 0;
	}
	return 1;
}

static void fill(int *p, int offset)
{
	for (int i = 0; i < elements; i++)
		p[i] = i + offset;
}

// What is updated travels, and nothing else does.
static void map_an_array(int *a, int device)
{
	fill(a, 1);
#pragma omp target enter data map(to : a [0:elements]) device(device)
	check(omp_target_is_present(a, device), "presence", device);
	fill(a, 2);
#pragma omp target update from(a [1000:5000]) device(device)
	check(all_are(a, 0, 1000, 2) && all_are(a, 1000, 5000, 1) && all_are(a, 6000, elements - 6000, 2),
	      "update from", device);
	fill(a, 3);
#pragma omp target update to(a [200000:100000]) device(device)
	fill(a, 4);
#pragma omp target exit data map(from : a [0:elements]) device(device)
	check(all_are(a, 0, 200000, 1) && all_are(a, 200000, 100000, 3), "exit data", device);
	check(!omp_target_is_present(a, device), "absence", device);
}

static void map_a_block(int *a, int *b, int device)
{
	fill(a, 5);
	fill(b, 6);
#pragma omp target data map(tofrom : a [0:elements]) map(to : b [0:elements]) device(device)
	{
		fill(a, 7);
		fill(b, 8);
	}
	check(all_are(a, 0, elements, 5), "a mapped block's copy", device);
	check(all_are(b, 0, elements, 8), "what is not to come back", device);
}

static void use_device_memory(int *a, int *b, int device)
{
	const size_t size = elements * sizeof(*a), half = size / 2;
	const int host = omp_get_initial_device();
	char *first = omp_target_alloc(size, device), *second = omp_target_alloc(size, device);
	check(first && second, "omp_target_alloc", device);
	fill(a, 9);
	memset(b, 0, size);
	check(!omp_target_memcpy(first, a, size, 0, 0, device, host), "a copy to the device", device);
	check(!omp_target_memcpy(second, first, half, 0, half, device, device), "a copy on the device", device);
	check(!omp_target_memcpy(second, first, half, half, 0, device, device), "a copy on the device", device);
	check(!omp_target_memcpy(b, second, size, 0, 0, host, device), "a copy from the device", device);
	for (int i = 0; i < elements; i++)
		check(b[i] == a[(i + elements / 2) % elements], "what was copied", device);
	omp_target_free(first, device);
	omp_target_free(second, device);
}

int main(void)
{
	int *a = malloc(elements * sizeof(*a)), *b = malloc(elements * sizeof(*b));
	int devices = omp_get_num_devices();
	for (int d = 0; d < devices; d++) {
		map_an_array(a, d);
		map_a_block(a, b, d);
		use_device_memory(a, b, d);
		printf("device %d: all transfers are right\n", d);
	}
	printf("%d devices\n", devices);
	free(a);
	free(b);
	return 0;
}
