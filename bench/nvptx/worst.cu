// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// suites.py runs this program: it has kernels of the kinds that instruments slow down most, and libraries' sorts and
// scans.
#include <cub/cub.cuh>

#include <cstdio>
#include <vector>

constexpr unsigned n = 1 << 22, bins = 4096;

__global__ void histogram(const unsigned *in, unsigned *counts)
{
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&counts[in[i] % bins], 1);
}

__global__ void one_counter(const unsigned *in, unsigned *counts)
{
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		if (in[i] & 1)
			atomicAdd(counts, in[i] & 7);
}

__global__ void insert(const unsigned *keys, unsigned *table, unsigned mask)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, key = keys[i] | 1;
	for (unsigned at = key * 0x9e3779b1u;; at++) {
		unsigned was = atomicCAS(&table[at & mask], 0u, key);
		if (!was || was == key)
			return;
	}
}

__global__ void look_up(const unsigned *keys, const unsigned *table, unsigned *out, unsigned mask)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, key = keys[i] | 1, steps = 0;
	for (unsigned at = key * 0x9e3779b1u; table[at & mask] && table[at & mask] != key; at++)
		steps++;
	out[i] = steps;
}

__global__ void bitonic_step(unsigned *data, unsigned j, unsigned k)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
	if (other <= i)
		return;
	unsigned a = data[i], b = data[other];
	if ((a > b) == !(i & k)) {
		data[i] = b;
		data[other] = a;
	}
}

__global__ void rank_sort(const unsigned *in, unsigned *out, unsigned count)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, mine = in[i], rank = 0;
	for (unsigned j = 0; j < count; j++)
		rank += in[j] < mine || (in[j] == mine && j < i);
	out[rank] = mine;
}

__global__ void spmv(const unsigned *rows, const unsigned *columns, const float *values, const float *x, float *y)
{
	unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;
	for (unsigned i = rows[row]; i < rows[row + 1]; i++)
		sum += values[i] * x[columns[i]];
	y[row] = sum;
}

__global__ void nbody(const float4 *bodies, float4 *forces, unsigned count)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	float4 mine = bodies[i], sum = {};
	for (unsigned j = 0; j < count; j++) {
		float4 b = bodies[j];
		float x = b.x - mine.x, y = b.y - mine.y, z = b.z - mine.z;
		float r = rsqrtf(x * x + y * y + z * z + 1e-3f), f = b.w * r * r * r;
		sum.x += x * f;
		sum.y += y * f;
		sum.z += z * f;
	}
	forces[i] = sum;
}

constexpr unsigned tile = 16;

__global__ void multiply(const float *a, const float *b, float *c, unsigned side)
{
	__shared__ float as[tile][tile], bs[tile][tile];
	unsigned x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
	float sum = 0;
	for (unsigned k = 0; k < side; k += tile) {
		as[threadIdx.y][threadIdx.x] = a[y * side + k + threadIdx.x];
		bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * side + x];
		__syncthreads();
		for (unsigned i = 0; i < tile; i++)
			sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
		__syncthreads();
	}
	c[y * side + x] = sum;
}

__global__ void multiply_plain(const float *a, const float *b, float *c, unsigned side)
{
	unsigned x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
	float sum = 0;
	for (unsigned k = 0; k < side; k++)
		sum += a[y * side + k] * b[k * side + x];
	c[y * side + x] = sum;
}

__global__ void transpose(const float *in, float *out, unsigned side)
{
	unsigned x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
	out[x * side + y] = in[y * side + x];
}

__global__ void stencil(const float *in, float *out, unsigned side)
{
	unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
	if (x && y && x < side - 1 && y < side - 1)
		out[y * side + x] = 0.2f * (in[y * side + x] + in[y * side + x - 1] + in[y * side + x + 1] +
					    in[(y - 1) * side + x] + in[(y + 1) * side + x]);
}

__global__ void chase(const unsigned *next, unsigned *out, unsigned steps)
{
	unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
	for (unsigned s = 0; s < steps; s++)
		at = next[at];
	out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

__global__ void bisect(const unsigned *sorted, const unsigned *keys, unsigned *out, unsigned count)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, low = 0, high = count;
	while (low < high) {
		unsigned middle = (low + high) / 2;
		if (sorted[middle] < keys[i])
			low = middle + 1;
		else
			high = middle;
	}
	out[i] = low;
}

__global__ void fill(unsigned *out, unsigned mask)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = i * 2654435761u;
	x ^= x >> 15;
	x *= 0x85ebca6b;
	out[i] = (x ^ x >> 13) & mask;
}

__global__ void iota(unsigned *out, unsigned each)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = i * each;
}

template <class F> void with_scratch(F f)
{
	size_t bytes = 0;
	void *scratch = nullptr;
	f(scratch, bytes);
	cudaMalloc(&scratch, bytes);
	f(scratch, bytes);
	cudaFree(scratch);
}

int main()
{
	unsigned *in, *out, *keys, *more;
	float *values;
	cudaMalloc(&in, 4 * n + 4096);
	cudaMalloc(&out, 4 * n + 4096);
	cudaMalloc(&keys, 4 * n + 4096);
	cudaMalloc(&more, 4 * n + 4096);
	cudaMalloc(&values, 4 * n + 4096);
	cudaMemset(values, 0, 4 * n);
	fill<<<n / 256, 256>>>(in, ~0u);
	fill<<<n / 256, 256>>>(keys, n - 1);
	for (unsigned blocks : {528u, 8192u}) {
		cudaMemset(out, 0, 4 * n);
		histogram<<<blocks, 256>>>(in, out);
		one_counter<<<blocks, 256>>>(in, out);
	}
	cudaMemset(out, 0, 4 * n);
	insert<<<n / 512, 256>>>(in, out, n - 1);
	look_up<<<n / 512, 256>>>(in, out, more, n - 1);
	bitonic_step<<<n / 256, 256>>>(in, 1 << 9, 1 << 12);
	rank_sort<<<64, 256>>>(in, out, 64 * 256);
	iota<<<n / 256, 256>>>(more, 16);
	spmv<<<n / 16 / 256, 256>>>(more, keys, values, reinterpret_cast<float *>(in), reinterpret_cast<float *>(out));
	for (unsigned blocks : {64u, 528u})
		nbody<<<blocks, 256>>>(reinterpret_cast<float4 *>(values), reinterpret_cast<float4 *>(out),
				       blocks * 256);
	for (unsigned side : {512u, 2048u}) {
		dim3 grid(side / tile, side / tile), block(tile, tile);
		multiply<<<grid, block>>>(values, values, reinterpret_cast<float *>(out), side);
		multiply_plain<<<grid, block>>>(values, values, reinterpret_cast<float *>(out), side);
		transpose<<<grid, block>>>(values, reinterpret_cast<float *>(out), side);
		stencil<<<dim3(side / 256, side), 256>>>(values, reinterpret_cast<float *>(out), side);
	}
	for (unsigned blocks : {32u, 2048u}) {
		chase<<<blocks, 128>>>(keys, out, 512);
		iota<<<n / 256, 256>>>(more, 1024);
		bisect<<<blocks, 128>>>(more, in, out, n / 4);
	}
	fill<<<n / 256, 256>>>(in, ~0u);
	with_scratch([&](void *s, size_t &b) { cub::DeviceRadixSort::SortKeys(s, b, in, out, n); });
	with_scratch([&](void *s, size_t &b) { cub::DeviceRadixSort::SortPairs(s, b, in, out, keys, more, n / 4); });
	with_scratch([&](void *s, size_t &b) { cub::DeviceRadixSort::SortKeys(s, b, in, out, 3000); });
	with_scratch([&](void *s, size_t &b) { cub::DeviceScan::InclusiveSum(s, b, in, out, n); });
	with_scratch([&](void *s, size_t &b) { cub::DeviceReduce::Sum(s, b, in, out, n); });
	with_scratch([&](void *s, size_t &b) { cub::DeviceSelect::Unique(s, b, in, out, more, n); });
	with_scratch([&](void *s, size_t &b) {
		cub::DeviceHistogram::HistogramEven(s, b, in, reinterpret_cast<int *>(more), 257, 0u, ~0u, n);
	});
	with_scratch([&](void *s, size_t &b) {
		cub::DeviceMergeSort::SortKeys(s, b, in, n / 4,
					       [] __device__(unsigned a, unsigned c) { return a < c; });
	});
	cudaError_t err = cudaDeviceSynchronize();
	printf("%s\n", cudaGetErrorString(err));
	return err != cudaSuccess;
}
