// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// clock.cc launches this kernel. All threads compute, and the first of each group tells how many clocks of its unit and
// how many ns of the device's timer passed meanwhile, or 0 where the language has no way to read them.
#ifdef __NVPTX__
#define READ(what, to) __asm__ volatile("mov.u64 %0, %%" what ";" : "=l"(to) : : "memory")
#else
#define READ(what, to) to = 0
#endif

kernel void busy_clock(global ulong *passed, global uint *ends, uint steps, uint a, uint b)
{
	uint t = get_global_id(0), x = t;
	ulong clock, ns, clock_after, ns_after;
	READ("clock64", clock);
	READ("globaltimer", ns);
	for (uint i = 0; i < steps; i++)
		x = x * a + b;
	ends[t] = x; // before the clocks are read again
	READ("clock64", clock_after);
	READ("globaltimer", ns_after);
	if (get_local_id(0) == 0) {
		passed[2 * get_group_id(0)] = clock_after - clock;
		passed[2 * get_group_id(0) + 1] = ns_after - ns;
	}
}
