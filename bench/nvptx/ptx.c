/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * Runs kernels of a PTX text (BENCH_PTX) by way of the driver. In texts that het-ptx has rewritten each thread is a
 * warp.
 */
#include "problem.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char variant_name[] = "ptx";

#define LANES 32
#define STACK_BYTES 4096ull

typedef uint64_t device_address;

/* The driver's functions are looked up in this order. */
static struct {
	int (*init)(unsigned flags);
	int (*device)(int *device, int number);
	int (*retain)(void **context, int device);
	int (*set_current)(void *context);
	int (*load)(void **module, const void *text);
	int (*function)(void **function, void *module, const char *name);
	int (*allocate)(device_address *address, size_t bytes);
	int (*to_device)(device_address to, const void *from, size_t bytes);
	int (*to_host)(void *to, device_address from, size_t bytes);
	int (*clear)(device_address address, unsigned char value, size_t bytes);
	int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
		      unsigned shared, void *stream, void **parameters, void **extra);
	int (*synchronise)(void);
	int (*error_name)(int error, const char **name);
} cuda;

static const char *const names[] = {
	"cuInit",          "cuDeviceGet",      "cuDevicePrimaryCtxRetain",
	"cuCtxSetCurrent", "cuModuleLoadData", "cuModuleGetFunction",
	"cuMemAlloc_v2",   "cuMemcpyHtoD_v2",  "cuMemcpyDtoH_v2",
	"cuMemsetD8_v2",   "cuLaunchKernel",   "cuCtxSynchronize",
	"cuGetErrorName",
};

static int check(int error, const char *what)
{
	const char *name = "?";

	if (!error)
		return 0;
	cuda.error_name(error, &name);
	fprintf(stderr, "ptx: %s: %s\n", what, name);
	return -1;
}

#define CALL(function, ...) check(cuda.function(__VA_ARGS__), #function)

static int open_driver(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW), *context = NULL;
	void *symbols[sizeof(names) / sizeof(names[0])];
	int device = 0;

	_Static_assert(sizeof(symbols) == sizeof(cuda), "one name for each function");
	if (!library) {
		fprintf(stderr, "ptx: %s\n", dlerror());
		return -1;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		symbols[i] = dlsym(library, names[i]);
		if (!symbols[i]) {
			fprintf(stderr, "ptx: %s\n", dlerror());
			return -1;
		}
	}
	memcpy(&cuda, symbols, sizeof(cuda));
	return CALL(init, 0) || CALL(device, &device, 0) || CALL(retain, &context, device) || CALL(set_current, context)
		       ? -1
		       : 0;
}

static char *read_text(const char *path)
{
	FILE *file = path ? fopen(path, "r") : NULL;
	char *text = NULL;
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0) {
		fprintf(stderr, "ptx: BENCH_PTX names no text\n");
	} else {
		rewind(file);
		text = calloc((size_t)size + 1, 1);
		if (text && fread(text, 1, (size_t)size, file) != (size_t)size)
			*text = '\0';
	}
	if (file)
		fclose(file);
	return text;
}

struct kernel {
	void *function;
	int warps, stacks; /* what het-ptx has done to it */
};

static int find_kernel(struct kernel *k, const char *name, const struct problem *p)
{
	char *text = read_text(getenv("BENCH_PTX")), simd[32];
	void *module = NULL;
	int status = -1;

	if (!text)
		return -1;
	k->warps = strstr(text, "het_simd_masks") != NULL;
	k->stacks = strstr(text, "het_stack_slots") != NULL;
	snprintf(simd, sizeof(simd), "%s_simd", name);
	if (!CALL(load, &module, text)) {
		/* Some programs need no other kernel for lanes that are threads. */
		if (p->simd && !cuda.function(&k->function, module, simd))
			status = 0;
		else
			status = CALL(function, &k->function, module, name);
	}
	free(text);
	return status;
}

static int run(struct problem *p, const char *name, size_t of_a, size_t of_out)
{
	struct kernel k = {0};
	device_address a = 0, b = 0, out = 0, stacks = 0, stack_bytes = STACK_BYTES;
	void *parameters[] = {&a, &b, &out, &p->n, &stacks, &stack_bytes};
	size_t n = (size_t)p->n, all_stacks = (size_t)p->teams * (size_t)p->threads * STACK_BYTES;

	if (open_driver() || find_kernel(&k, name, p))
		return -1;
	if (CALL(allocate, &a, of_a * 4) || CALL(allocate, &b, n * 4) || CALL(allocate, &out, of_out * 4) ||
	    CALL(to_device, a, p->a, of_a * 4) || CALL(to_device, b, p->b, n * 4) ||
	    (k.stacks && CALL(allocate, &stacks, all_stacks)))
		return -1;
	unsigned lanes = k.warps || p->simd ? LANES : 1;

	for (int r = 0; r < p->repeats; r++) {
		if (CALL(clear, out, 0, of_out * 4) || CALL(synchronise))
			return -1;
		double begin = now();

		if (CALL(launch, k.function, (unsigned)p->teams, 1, 1, (unsigned)p->threads * lanes, 1, 1, 0, NULL,
			 parameters, NULL) ||
		    CALL(synchronise))
			return -1;
		p->seconds[r] = now() - begin;
	}
	return CALL(to_host, p->out, out, of_out * 4);
}

int run_matvec(struct problem *p)
{
	return run(p, "matvec", (size_t)p->n * (size_t)p->n, (size_t)p->n);
}

int run_newton(struct problem *p)
{
	return run(p, "newton", (size_t)p->n, (size_t)p->n);
}

int run_dot(struct problem *p)
{
	return run(p, "dot", (size_t)p->n, 1);
}

int run_vadd(struct problem *p)
{
	return run(p, "vadd", (size_t)p->n, (size_t)p->n);
}
