// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This kernel of checkpoint.cc changes every word of what it is given.

kernel void change(global ulong *p)
{
	p[get_global_id(0)] += 1;
}
