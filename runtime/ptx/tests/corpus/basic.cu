// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Plain kernels use arithmetic, shared memory, warp functions and atomics here.

extern "C" __global__ void vector_add(const float *a, const float *b, float *c, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		c[i] = a[i] + b[i];
}

extern "C" __global__ void saxpy4(float a, const float4 *x, float4 *y, unsigned n)
{
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float4 u = x[i], v = y[i];
		v.x += a * u.x;
		v.y += a * u.y;
		v.z += a * u.z;
		v.w += a * u.w;
		y[i] = v;
	}
}

// Each block makes one partial sum, by shuffles.
extern "C" __global__ void sum(const float *in, float *out, unsigned n)
{
	__shared__ float partial[32];
	float s = 0;
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		s += in[i];
	for (int d = 16; d; d /= 2)
		s += __shfl_xor_sync(~0u, s, d);
	if (threadIdx.x % 32 == 0)
		partial[threadIdx.x / 32] = s;
	__syncthreads();
	if (threadIdx.x == 0) {
		for (unsigned w = 1; w < blockDim.x / 32; w++)
			s += partial[w];
		out[blockIdx.x] = s;
	}
}

// The scan is inclusive, and has one block.
extern "C" __global__ void scan(const int *in, int *out, unsigned n)
{
	extern __shared__ int line[];
	unsigned t = threadIdx.x;
	line[t] = t < n ? in[t] : 0;
	__syncthreads();
	for (unsigned d = 1; d < blockDim.x; d *= 2) {
		int before = t >= d ? line[t - d] : 0;
		__syncthreads();
		line[t] += before;
		__syncthreads();
	}
	if (t < n)
		out[t] = line[t];
}

extern "C" __global__ void histogram(const unsigned char *in, unsigned *bins, unsigned n)
{
	__shared__ unsigned mine[256];
	for (unsigned b = threadIdx.x; b < 256; b += blockDim.x)
		mine[b] = 0;
	__syncthreads();
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&mine[in[i]], 1u);
	__syncthreads();
	for (unsigned b = threadIdx.x; b < 256; b += blockDim.x)
		if (mine[b])
			atomicAdd(&bins[b], mine[b]);
}

extern "C" __global__ void transpose(const double *in, double *out, unsigned rows, unsigned columns)
{
	__shared__ double tile[16][17];
	unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
	if (x < columns && y < rows)
		tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
	__syncthreads();
	x = blockIdx.y * 16 + threadIdx.x;
	y = blockIdx.x * 16 + threadIdx.y;
	if (x < rows && y < columns)
		out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

// The stencil has five points.
extern "C" __global__ void stencil(const float *in, float *out, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	float s = in[y * width + x];
	if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
		s = 0.5f * s + 0.125f * (in[y * width + x - 1] + in[y * width + x + 1] + in[(y - 1) * width + x] +
					 in[(y + 1) * width + x]);
	out[y * width + x] = s;
}

extern "C" __global__ void newton_sqrt(const double *in, double *out, unsigned n, int steps)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	double a = in[i], x = a > 1 ? a : 1;
	for (int s = 0; s < steps; s++)
		x = 0.5 * (x + a / x);
	out[i] = x;
}

extern "C" __global__ void matvec(const float *m, const float *v, float *out, unsigned rows, unsigned columns)
{
	unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
	if (row >= rows)
		return;
	float s = 0;
	for (unsigned c = lane; c < columns; c += 32)
		s += m[(size_t)row * columns + c] * v[c];
	for (int d = 16; d; d /= 2)
		s += __shfl_down_sync(~0u, s, d);
	if (lane == 0)
		out[row] = s;
}
