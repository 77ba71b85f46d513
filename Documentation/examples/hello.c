/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* This is the smallest program. Its device is host memory, so that it needs none: the kernel is a C function. */
#include <gpuvm.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1000000

static void square(float *x) /* the kernel */
{
	for (int i = 0; i < N; i++)
		x[i] *= x[i];
}

int main(void)
{
	float *x = malloc(N * sizeof(float));      /* an ordinary array */
	float *buffer = malloc(N * sizeof(float)); /* its place on the device */

	for (int i = 0; i < N; i++)
		x[i] = (float)i;
	if (gpuvm_init(1, NULL, GPUVM_HOST) || gpuvm_link(x, N * sizeof(float), 0, buffer, GPUVM_ON_HOST))
		return 1; /* the reason is on stderr */

	if (gpuvm_kernel_begin(x, 0, GPUVM_READ_WRITE)) /* brings x to the device */
		return 1;
	square(gpuvm_xlate(x, 0)); /* works on the buffer */
	if (gpuvm_kernel_end(x, 0))
		return 1;

	printf("%g %g %g\n", x[2], x[3], x[N - 1]); /* what is touched comes back by itself */
	int wrong = x[3] != 9;
	gpuvm_unlink(x, 0);
	free(x);
	free(buffer);
	return wrong;
}
