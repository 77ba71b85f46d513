// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// chase.cc launches this kernel. In PTX no argument lies in constant memory, so that the ring is in a variable, which
// is weak, as nobody may foresee then that it stays what it was at first.
#ifdef BUILT_BY_OPENCL
#define IN_CONSTANT constant
#define RING ring
#else
__attribute__((weak)) constant uint constant_table[16384] = {0};
#define IN_CONSTANT global
#define RING constant_table
#endif

kernel void chase_constant(IN_CONSTANT const uint *ring, global uint *out, uint start, uint warm, uint steps)
{
	uint at = start;
	for (uint i = 0; i < warm; i++)
		at = RING[at];
	for (uint i = 0; i < steps; i++)
		at = RING[at];
	out[0] = at;
}
