// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Compares a buffer with its twin, 16 bytes a thread; both begin at a multiple of that. Units of 256 bytes
// (dev/twin.h).

extern "C" __global__ void compare(const char *now, const char *before, unsigned long long nbytes, char *changed)
{
	unsigned long long at = 16 * (1ull * blockIdx.x * blockDim.x + threadIdx.x);
	bool differs = false;
	if (at + 16 <= nbytes) {
		ulonglong2 a = *(const ulonglong2 *)(now + at), b = *(const ulonglong2 *)(before + at);
		differs = a.x != b.x || a.y != b.y;
	} else {
#pragma unroll 1
		for (unsigned long long i = at; i < nbytes; i++)
			differs |= now[i] != before[i];
	}
	if (differs)
		changed[at / 256] = 1;
}
