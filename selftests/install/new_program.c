/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* The check compiles this program against the installed package, as C and as C++. */
#include <gpuvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(COND)                                                                 \
	do {                                                                        \
		if (!(COND)) {                                                      \
			fprintf(stderr, "line %d: %s is false\n", __LINE__, #COND); \
			return 1;                                                   \
		}                                                                   \
	} while (0)

int main(void)
{
	const size_t nbytes = 1 << 20;
	char *array = (char *)malloc(nbytes);
	char *buffer = (char *)malloc(nbytes);
	CHECK(array && buffer);
	memset(array, 'a', nbytes);

	CHECK(gpuvm_library_exists() == 1);
	CHECK(gpuvm_init(1, NULL, GPUVM_HOST) == 0);
	CHECK(gpuvm_link(array, nbytes, 0, buffer, GPUVM_ON_HOST) == 0);
	CHECK(gpuvm_kernel_begin(array, 0, GPUVM_READ_WRITE) == 0);
	CHECK(buffer[0] == 'a' && buffer[nbytes - 1] == 'a');
	memset(buffer, 'b', nbytes); /* stands for the kernel */
	CHECK(gpuvm_kernel_end(array, 0) == 0);
	CHECK(array[0] == 'b' && array[nbytes / 2] == 'b' && array[nbytes - 1] == 'b');
	CHECK(gpuvm_unlink(array, 0) == 0);
	free(array);
	free(buffer);
	puts("new program: ok");
	return 0;
}
