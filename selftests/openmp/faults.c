/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* Anybody might make these mistakes, or print on the device: the argument says which. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int *nowhere = NULL, x = 0;

	if (!strcmp(what, "abort")) {
#pragma omp target map(tofrom : x)
		abort();
	} else if (!strcmp(what, "pointer")) {
#pragma omp target is_device_ptr(nowhere) map(tofrom : x)
		x = *nowhere;
	} else if (!strcmp(what, "memory")) {
		x = omp_target_alloc((size_t)1 << 50, 0) != NULL;
		printf("%s\n", x ? "there is" : "there is no such memory");
		return x;
	} else if (!strcmp(what, "print")) {
#pragma omp target firstprivate(x) /* nothing is copied behind it */
		printf("the device prints %d\n", x);
	} else {
#pragma omp target map(tofrom : x)
		x++;
	}
	printf("got on with %d\n", x);
	return 0;
}
