// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The kernels of the applications for CUDA devices, as they are in OpenCL C beside each application's host functions;
// app_kernels.h is made from it by scripts/ptx-header.sh.
typedef unsigned char uchar;
typedef unsigned int uint;

static __device__ uint global_id()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ uint global_id_y()
{
	return blockIdx.y * blockDim.y + threadIdx.y;
}

// --- matmul ------------------------------------------------------------------------

#define TILE 16

extern "C" __global__ void multiply(const float *a, const float *b, float *c, uint n)
{
	__shared__ float left[TILE][TILE], right[TILE][TILE];
	uint x = global_id(), y = global_id_y();
	uint i = threadIdx.x, j = threadIdx.y;
	float sum = 0;
	for (uint k = 0; k < n; k += TILE) {
		left[j][i] = a[y * n + k + i];
		right[j][i] = b[(k + j) * n + x];
		__syncthreads();
		for (uint t = 0; t < TILE; t++)
			sum += left[j][t] * right[t][i];
		__syncthreads();
	}
	c[y * n + x] = sum;
}

// --- nbody -------------------------------------------------------------------------

#define NEAR 64

extern "C" __global__ void move_bodies(const float4 *from, float4 *to, float4 *velocity, uint n, float softening, float dt)
{
	__shared__ float4 near[NEAR];
	uint i = global_id(), l = threadIdx.x;
	float4 here = from[i], v = velocity[i];
	float ax = 0, ay = 0, az = 0;
	for (uint first = 0; first < n; first += NEAR) {
		near[l] = from[first + l];
		__syncthreads();
		for (uint k = 0; k < NEAR; k++) {
			float dx = near[k].x - here.x, dy = near[k].y - here.y, dz = near[k].z - here.z;
			float r2 = dx * dx + dy * dy + dz * dz + softening;
			float pull = near[k].w / (r2 * sqrtf(r2));
			ax += dx * pull;
			ay += dy * pull;
			az += dz * pull;
		}
		__syncthreads();
	}
	v.x += ax * dt;
	v.y += ay * dt;
	v.z += az * dt;
	velocity[i] = v;
	here.x += v.x * dt;
	here.y += v.y * dt;
	here.z += v.z * dt;
	to[i] = here;
}

// --- stencil -----------------------------------------------------------------------

extern "C" __global__ void relax(const float *from, float *to, uint width, uint height, float rate)
{
	uint x = global_id(), y = global_id_y();
	if (x >= width || y >= height)
		return;
	size_t i = (size_t)y * width + x;
	float here = from[i];
	if (x > 0 && y > 0 && x + 1 < width && y + 1 < height)
		here += rate * (from[i - 1] + from[i + 1] + from[i - width] + from[i + width] - 4 * here);
	to[i] = here;
}

// --- black-scholes -----------------------------------------------------------------

static __device__ float normal(float x)
{
	float k = 1 / (1 + 0.2316419f * fabsf(x));
	float tail = expf(-0.5f * x * x) * 0.39894228f * k *
		     (0.31938153f +
		      k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
	return x > 0 ? 1 - tail : tail;
}

extern "C" __global__ void price(const float *stock, const float *strike, const float *years, float *call, float *put,
				 uint n, float rate, float volatility)
{
	uint i = global_id();
	if (i >= n)
		return;
	float s = stock[i], k = strike[i], t = years[i];
	float spread = volatility * sqrtf(t);
	float d1 = (logf(s / k) + (rate + 0.5f * volatility * volatility) * t) / spread;
	float d2 = d1 - spread;
	float later = k * expf(-rate * t);
	call[i] = s * normal(d1) - later * normal(d2);
	put[i] = later * normal(-d2) - s * normal(-d1);
}

// --- reduction ---------------------------------------------------------------------

#define SUM 256

static __device__ void sum_of_group(ulong mine, ulong *sums)
{
	__shared__ ulong part[SUM];
	uint l = threadIdx.x;
	part[l] = mine;
	for (uint step = SUM / 2; step > 0; step /= 2) {
		__syncthreads();
		if (l < step)
			part[l] += part[l + step];
	}
	if (l == 0)
		sums[blockIdx.x] = part[0];
}

extern "C" __global__ void sum(const uint *x, ulong *sums, uint n)
{
	ulong mine = 0;
	for (uint i = global_id(); i < n; i += gridDim.x * SUM)
		mine += x[i];
	sum_of_group(mine, sums);
}

extern "C" __global__ void sum_of_sums(const ulong *x, ulong *sums, uint n)
{
	ulong mine = 0;
	for (uint i = global_id(); i < n; i += gridDim.x * SUM)
		mine += x[i];
	sum_of_group(mine, sums);
}

// --- histogram ---------------------------------------------------------------------

#define BINS 256

extern "C" __global__ void count(const uchar *bytes, uint *bins, uint n)
{
	__shared__ uint mine[BINS];
	uint l = threadIdx.x;
	mine[l] = 0;
	__syncthreads();
	for (uint i = global_id(); i < n; i += gridDim.x * BINS)
		atomicAdd(&mine[bytes[i]], 1u);
	__syncthreads();
	atomicAdd(&bins[l], mine[l]);
}

// --- spmv --------------------------------------------------------------------------

extern "C" __global__ void multiply_rows(const uint *starts, const uint *columns, const float *values, const float *x, float *y,
					 uint rows)
{
	uint r = global_id();
	if (r >= rows)
		return;
	float sum = 0;
	for (uint i = starts[r]; i < starts[r + 1]; i++)
		sum += values[i] * x[columns[i]];
	y[r] = sum;
}

// --- mandelbrot --------------------------------------------------------------------

extern "C" __global__ void escape(uint *steps, uint width, uint height, float left, float top, float pixel, uint most)
{
	uint x = global_id(), y = global_id_y();
	if (x >= width || y >= height)
		return;
	float cr = left + pixel * x, ci = top + pixel * y;
	float zr = 0, zi = 0;
	uint s = 0;
	while (s < most && zr * zr + zi * zi <= 4) {
		float next = zr * zr - zi * zi + cr;
		zi = 2 * zr * zi + ci;
		zr = next;
		s++;
	}
	steps[(size_t)y * width + x] = s;
}
