// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Points of a grid look at their neighbours here.

extern "C" __global__ void heat_1d(const float *in, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = i == 0 || i == n - 1 ? in[i] : in[i] + 0.25f * (in[i - 1] - 2 * in[i] + in[i + 1]);
}

// A tile lies with its border in shared memory.
extern "C" __global__ void smooth_2d(const float *in, float *out, int width, int height)
{
	__shared__ float tile[10][18];
	int x0 = blockIdx.x * 16 - 1, y0 = blockIdx.y * 8 - 1;
	for (int i = threadIdx.y * 16 + threadIdx.x; i < 180; i += 128) {
		int x = min(max(x0 + i % 18, 0), width - 1), y = min(max(y0 + i / 18, 0), height - 1);
		tile[i / 18][i % 18] = in[y * width + x];
	}
	__syncthreads();
	int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y;
	float s = 0;
	for (int dy = 0; dy < 3; dy++)
		for (int dx = 0; dx < 3; dx++)
			s += tile[threadIdx.y + dy][threadIdx.x + dx] * (dx == 1 ? 2 : 1) * (dy == 1 ? 2 : 1);
	if (x < width && y < height)
		out[y * width + x] = s * 0.0625f;
}

extern "C" __global__ void heat_3d(const double *in, double *out, int n)
{
	int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y, at = (z * n + y) * n + x;
	if (x >= n)
		return;
	double s = -6 * in[at];
	s += x > 0 ? in[at - 1] : in[at];
	s += x < n - 1 ? in[at + 1] : in[at];
	s += y > 0 ? in[at - n] : in[at];
	s += y < n - 1 ? in[at + n] : in[at];
	s += z > 0 ? in[at - n * n] : in[at];
	s += z < n - 1 ? in[at + n * n] : in[at];
	out[at] = in[at] + 0.125 * s;
}

extern "C" __global__ void life(const unsigned char *in, unsigned char *out, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, alive = 0;
	if (x >= width || y >= height)
		return;
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++)
			if (dx || dy)
				alive += in[(y + dy + height) % height * width + (x + dx + width) % width];
	out[y * width + x] = alive == 3 || (alive == 2 && in[y * width + x]);
}

extern "C" __global__ void edges(const short *in, int *out, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
	if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
		return;
	const short *p = in + y * width + x;
	int gx = p[1 - width] + 2 * p[1] + p[1 + width] - p[-1 - width] - 2 * p[-1] - p[-1 + width];
	int gy = p[width - 1] + 2 * p[width] + p[width + 1] - p[-width - 1] - 2 * p[-width] - p[-width + 1];
	out[y * width + x] = abs(gx) + abs(gy);
}

// Does three steps in registers and shared memory: trapezoids that shrink.
extern "C" __global__ void wave(const float *in, float *out, int n)
{
	__shared__ float line[2][64];
	int t = threadIdx.x, i = blockIdx.x * 58 + t - 3;
	line[0][t] = i >= 0 && i < n ? in[i] : 0;
	__syncthreads();
	for (int s = 0; s < 3; s++) {
		if (t > s && t < 63 - s)
			line[~s & 1][t] = line[s & 1][t] + 0.5f * (line[s & 1][t + 1] - line[s & 1][t - 1]);
		__syncthreads();
	}
	if (t >= 3 && t < 61 && i < n)
		out[i] = line[1][t];
}

// Finds the largest change of a step, over the whole grid.
extern "C" __global__ void residual(const float *a, const float *b, int *largest, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float d = i < n ? fabsf(a[i] - b[i]) : 0;
	for (int k = 16; k; k /= 2)
		d = fmaxf(d, __shfl_xor_sync(~0u, d, k));
	if (threadIdx.x % 32 == 0)
		atomicMax(largest, __float_as_int(d));
}
