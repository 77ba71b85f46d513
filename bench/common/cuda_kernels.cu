// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The kernels of the benchmarks for CUDA devices; cuda_kernels.h is made from it by scripts/ptx-header.sh.
static __device__ size_t index()
{
	return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void stamp(int *a, int at, int value)
{
	if (index() == 0)
		a[at] = value;
}

// One word in each page.
extern "C" __global__ void mark_pages(int *a, int first)
{
	size_t page = index();
	a[page * 1024] = first + (int)page;
}

// Reads and writes one word in each page.
extern "C" __global__ void add_to_pages(int *a, int pages, int value)
{
	size_t page = index();
	if (page < (size_t)pages)
		a[page * 1024] += value;
}

extern "C" __global__ void matvec(const float *A, const float *x, const float *b, float *y, int n)
{
	size_t i = index();
	if (i >= (size_t)n)
		return;
	float sum = 0;
	for (int j = 0; j < n; ++j)
		sum += A[i * n + j] * x[j];
	y[i] = sum + b[i];
}

// A block of 64 threads takes a row together.
extern "C" __global__ void matvec_tuned(const float *A, const float *x, const float *b, float *y, int n)
{
	__shared__ float sums[64];
	size_t i = blockIdx.x;
	int l = threadIdx.x;
	float sum = 0;
	for (int j = l; j < n; j += 64)
		sum += A[i * n + j] * x[j];
	sums[l] = sum;
	for (int half = 32; half > 0; half /= 2) {
		__syncthreads();
		if (l < half)
			sums[l] += sums[l + half];
	}
	if (l == 0)
		y[i] = sums[0] + b[i];
}

extern "C" __global__ void unpack(const unsigned char *bytes, float *floats, int n)
{
	int i = (int)index();
	if (i < n)
		floats[i] = bytes[i];
}

static __device__ float flow(float there, float here, float edge)
{
	float d = there - here;
	float r = d / edge;
	return d / (1 + r * r);
}

extern "C" __global__ void diffuse(const float *from, float *to, int width, int height, float edge, float rate)
{
	int i = (int)index();
	int row = width * 3;
	int y = i / row;
	int x = i % row;
	if (y >= height)
		return;
	float here = from[i];
	float sum = 0;
	if (x >= 3)
		sum += flow(from[i - 3], here, edge);
	if (x + 3 < row)
		sum += flow(from[i + 3], here, edge);
	if (y > 0)
		sum += flow(from[i - row], here, edge);
	if (y + 1 < height)
		sum += flow(from[i + row], here, edge);
	to[i] = here + rate * sum;
}

extern "C" __global__ void pack(const float *floats, unsigned char *bytes, int n)
{
	int i = (int)index();
	if (i < n)
		bytes[i] = (unsigned char)fminf(fmaxf(floats[i] + 0.5f, 0.0f), 255.0f);
}
