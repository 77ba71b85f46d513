// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These kernels of raw_launch.h do nothing with so many values of 32 bits, or pointers.

kernel void nothing(void) {}
kernel void values1(uint a) {}
kernel void values4(uint a, uint b, uint c, uint d) {}
kernel void ranges1(global uint *a) {}
kernel void ranges4(global uint *a, global uint *b, global uint *c, global uint *d) {}
