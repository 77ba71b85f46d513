// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These kernels do linear algebra and simulation.

extern "C" __global__ void matmul(const float *a, const float *b, float *c, unsigned n)
{
	unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
	__shared__ float ta[16][16], tb[16][17];
	float s = 0;
	for (unsigned k = 0; k < n; k += 16) {
		ta[threadIdx.y][threadIdx.x] = y < n && k + threadIdx.x < n ? a[y * n + k + threadIdx.x] : 0;
		tb[threadIdx.y][threadIdx.x] = x < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + x] : 0;
		__syncthreads();
		for (unsigned i = 0; i < 16; i++)
			s += ta[threadIdx.y][i] * tb[i][threadIdx.x];
		__syncthreads();
	}
	if (x < n && y < n)
		c[y * n + x] = s;
}

extern "C" __global__ void sparse_rows(const unsigned *firsts, const unsigned *columns, const double *values,
				       const double *x, double *y, unsigned rows)
{
	unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
	if (r >= rows)
		return;
	double s = 0;
	for (unsigned i = firsts[r]; i < firsts[r + 1]; i++)
		s += values[i] * x[columns[i]];
	y[r] = s;
}

// Each row has a fixed number of entries, which lie in columns; a negative column is none.
extern "C" __global__ void sparse_columns(const int *columns, const float *values, const float *x, float *y,
					  unsigned rows, unsigned width)
{
	unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
	if (r >= rows)
		return;
	float s = 0;
	for (unsigned k = 0; k < width; k++)
		if (int c = columns[k * rows + r]; c >= 0)
			s += values[k * rows + r] * x[c];
	y[r] = s;
}

// Does forward substitution with ones on the diagonal, in one block.
extern "C" __global__ void solve_lower(const double *l, double *b, unsigned n)
{
	for (unsigned k = 0; k + 1 < n; k++) {
		__syncthreads();
		double x = b[k];
		for (unsigned r = k + 1 + threadIdx.x; r < n; r += blockDim.x)
			b[r] -= l[r * n + k] * x;
	}
}

// Does one step of Gaussian elimination.
extern "C" __global__ void eliminate(float *a, unsigned n, unsigned k)
{
	unsigned r = blockIdx.y + k + 1, c = blockIdx.x * blockDim.x + threadIdx.x;
	if (c <= k || c >= n)
		return;
	a[r * n + c] -= a[r * n + k] / a[k * n + k] * a[k * n + c];
}

extern "C" __global__ void forces(const float4 *bodies, float4 *out, unsigned n)
{
	__shared__ float4 some[32];
	unsigned i = blockIdx.x * 32 + threadIdx.x;
	float4 me = bodies[i];
	float x = 0, y = 0, z = 0;
	for (unsigned k = 0; k < n; k += 32) {
		some[threadIdx.x] = bodies[k + threadIdx.x];
		__syncthreads();
		for (unsigned j = 0; j < 32; j++) {
			float dx = some[j].x - me.x, dy = some[j].y - me.y, dz = some[j].z - me.z;
			float d = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = some[j].w * d * d * d;
			x += f * dx;
			y += f * dy;
			z += f * dz;
		}
		__syncthreads();
	}
	out[i] = float4{x, y, z, 0};
}

// Counts points inside a quarter of a circle, with a generator in each thread.
extern "C" __global__ void circle(unsigned *inside, unsigned tries)
{
	unsigned s = blockIdx.x * blockDim.x + threadIdx.x + 1, n = 0;
	for (unsigned i = 0; i < tries; i++) {
		s ^= s << 13;
		s ^= s >> 17;
		s ^= s << 5;
		unsigned x = s & 0xffff, y = s >> 16;
		n += x * x / 2 + y * y / 2 < 0x80000000u;
	}
	atomicAdd(inside, n);
}

extern "C" __global__ void mandelbrot(unsigned *out, int width, int height, int most)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	double a = 3.0 * x / width - 2, b = 2.0 * y / height - 1, u = 0, v = 0;
	unsigned n = 0;
	while (n < (unsigned)most && u * u + v * v <= 4) {
		double w = u * u - v * v + a;
		v = 2 * u * v + b;
		u = w;
		n++;
	}
	out[y * width + x] = n;
}
