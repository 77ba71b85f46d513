// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Copies bytes on a device, 16 a thread, as wide as both sides are aligned.

template <class T> __device__ void copy_as(char *to, const char *from, unsigned long long begin, unsigned long long end)
{
#pragma unroll 1
	for (unsigned long long i = begin; i < end; i += sizeof(T))
		*(T *)(to + i) = *(const T *)(from + i);
}

extern "C" __global__ void copy(char *to, const char *from, unsigned long long nbytes)
{
	const unsigned long long begin = 16 * (1ull * blockIdx.x * blockDim.x + threadIdx.x);
	const unsigned long long end = begin + 16 < nbytes ? begin + 16 : nbytes;
	const unsigned long long odd = (unsigned long long)to | (unsigned long long)from | (end - begin);
	if (begin >= nbytes)
		return;
	if (!(odd & 15))
		copy_as<uint4>(to, from, begin, end);
	else if (!(odd & 3))
		copy_as<unsigned>(to, from, begin, end);
	else
		copy_as<char>(to, from, begin, end);
}
