// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// clock.cc launches this kernel. All threads compute, and the first of each group tells how many clocks of its unit and
// how many ns of the device's timer passed meanwhile, or 0 where the language has no way to read them.
#ifdef __NVPTX__
#define READ(what, to) __asm__ volatile("mov.u64 %0, %%" what ";" : "=l"(to) : : "memory")
// The timer ticks every 1 us or so, and is read when it ticks: a span has no part of a tick too many or too few. That
// an H100 said 1.94 GHz before is not explained by that, as it said 1.93 since as well (Documentation/het-bench.rst).
#define READ_BOTH(clock, ns)                                                                                           \
	{                                                                                                              \
		ulong earlier;                                                                                         \
		READ("globaltimer", earlier);                                                                          \
		do                                                                                                     \
			READ("globaltimer", ns);                                                                       \
		while (ns == earlier);                                                                                 \
		READ("clock64", clock);                                                                                \
	}
#else
#define READ_BOTH(clock, ns) clock = ns = 0;
#endif

kernel void busy_clock(global ulong *passed, global uint *ends, uint steps, uint a, uint b)
{
	uint t = get_global_id(0), first = get_local_id(0) == 0, x = t;
	ulong clock = 0, ns = 0, clock_after, ns_after;
	if (first)
		READ_BOTH(clock, ns)
	for (uint i = 0; i < steps; i++)
		x = x * a + b;
	ends[t] = x; // before the clocks are read again
	if (first) {
		READ_BOTH(clock_after, ns_after)
		passed[2 * get_group_id(0)] = clock_after - clock;
		passed[2 * get_group_id(0) + 1] = ns_after - ns;
	}
}
