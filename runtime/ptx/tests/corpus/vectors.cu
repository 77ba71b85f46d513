// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Accesses are wide and narrow, to structures of arrays and arrays of structures.

extern "C" __global__ void copy_16(const float4 *in, float4 *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[n - 1 - i] = in[i];
}

extern "C" __global__ void scale_pairs(const double2 *__restrict__ in, double2 *__restrict__ out, double by)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	double2 v = in[i];
	out[i] = double2{v.y * by, v.x};
}

// Reads the bytes of a picture, four at a time.
extern "C" __global__ void grey(const uchar4 *in, unsigned char *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	uchar4 p = in[i];
	out[i] = (unsigned char)((p.x * 77 + p.y * 150 + p.z * 29) >> 8);
}

extern "C" __global__ void widen(const short4 *in, int4 *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	short4 v = in[i];
	out[i] = int4{v.x, v.y * 2, v.z * 3, v.w * 4};
}

extern "C" __global__ void wide_sums(const longlong2 *in, long long *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = in[i].x * 3 + in[i].y;
}

struct particle {
	float x, y, z, mass;
	int kind;
};

// Reads only one field of each structure: lines are used in part.
extern "C" __global__ void kinds(const particle *p, int *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = p[i].kind * 2 + (p[i].mass > 1);
}

extern "C" __global__ void gather(const float *in, const unsigned *where, float *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = in[where[i]];
}

extern "C" __global__ void scatter(const ushort2 *in, const unsigned *where, ushort2 *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[where[i]] = in[i];
}

// Strides grow: one line, two, many.
extern "C" __global__ void strides(const unsigned char *in, unsigned *out, unsigned stride, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
	for (unsigned k = 1; k <= 4; k++)
		s = s * 31 + in[i * stride * k % n];
	out[i] = s;
}

extern "C" __global__ void mix_words(unsigned long long *v)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned long long x = v[i] + 0x9e3779b97f4a7c15ull;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	v[i] = x ^ x >> 31;
}
