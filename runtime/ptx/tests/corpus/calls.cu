// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Calls go through tables and pointers, are recursive, take structures, and read blocks' numbers in functions.

typedef float (*real_fn)(float, float);

extern "C" __device__ __noinline__ float op_add(float a, float b)
{
	return a + b;
}

extern "C" __device__ __noinline__ float op_sub(float a, float b)
{
	return a - b;
}

extern "C" __device__ __noinline__ float op_mul(float a, float b)
{
	return a * b;
}

extern "C" __device__ __noinline__ float op_least(float a, float b)
{
	return a < b ? a : b;
}

__device__ real_fn operations[4] = {op_add, op_sub, op_mul, op_least};

// Every lane may call another function.
extern "C" __global__ void calculate(const unsigned char *codes, const float *a, const float *b, float *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = operations[codes[i] & 3](a[i], b[i]);
}

// The stack machine runs one program on a number of each thread's.
extern "C" __global__ void interpret(const int *program, const int *in, int *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int stack[8], top = 0;
	for (int pc = 0;; pc++) {
		int op = program[pc];
		switch (op) {
		case 0:
			out[i] = stack[top - 1];
			return;
		case 1:
			stack[top++] = in[i];
			break;
		case 2:
			stack[top++] = program[++pc];
			break;
		case 3:
			top--;
			stack[top - 1] += stack[top];
			break;
		case 4:
			top--;
			stack[top - 1] *= stack[top];
			break;
		case 5:
			top--;
			if (stack[top] > 0)
				pc = program[pc + 1];
			else
				pc++;
			break;
		case 6:
			stack[top] = stack[top - 1];
			top++;
			break;
		default:
			stack[top - 1] = -stack[top - 1];
		}
	}
}

extern "C" __device__ __noinline__ unsigned greatest_divisor(unsigned a, unsigned b)
{
	return b ? greatest_divisor(b, a % b) : a;
}

extern "C" __global__ void divisors(const unsigned *a, const unsigned *b, unsigned *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = greatest_divisor(a[i], b[i]);
}

extern "C" __device__ int is_odd(unsigned n);

extern "C" __device__ __noinline__ int is_even(unsigned n)
{
	return n == 0 ? 1 : is_odd(n - 1);
}

extern "C" __device__ __noinline__ int is_odd(unsigned n)
{
	return n == 0 ? 0 : is_even(n - 1);
}

extern "C" __global__ void parity(const unsigned char *in, unsigned char *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = (unsigned char)is_even(in[i]);
}

struct vec {
	double x, y, z;
};

extern "C" __device__ __noinline__ vec cross(vec a, vec b)
{
	return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

extern "C" __global__ void cross_products(const vec *a, const vec *b, vec *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = cross(a[i], cross(a[i], b[i]));
}

extern "C" __device__ __noinline__ unsigned my_block()
{
	return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

// Functions ask where a block believes to be.
extern "C" __global__ void places(unsigned *out)
{
	unsigned threads = blockDim.x * blockDim.y, t = threadIdx.y * blockDim.x + threadIdx.x;
	out[my_block() * threads + t] = gridDim.z * 1000000 + gridDim.y * 10000 + my_block() * 100 + t;
}

// A called function fills an array through a generic pointer: local, shared or global.
extern "C" __device__ __noinline__ void fill(int *p, int n, int v)
{
	for (int i = 0; i < n; i++)
		p[i] = v * i;
}

extern "C" __global__ void pointers(int *out)
{
	__shared__ int s[32][4];
	int l[4], t = threadIdx.x;
	int *to = t % 3 == 0 ? l : t % 3 == 1 ? s[t] : out + 4 * t;
	fill(to, 4, t + 1);
	for (int i = 0; i < 4; i++)
		out[4 * t + i] = to[i];
}
