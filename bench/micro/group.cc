// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/group.h"

namespace bench
{
extern const kernel_text group_kernels;
}

namespace micro
{

namespace
{

template <typename M> void one_of_banks(M &m, arguments a, uint32_t t)
{
	const auto *numbers = static_cast<const uint32_t *>(a[0].buffer);
	uint32_t at = t * uint32_t(a[2].integer) % bank_words;
	for (uint32_t i = 0; i < uint32_t(a[3].integer); i++) {
		m.local(at * uint32_t(sizeof(uint32_t)));
		at = numbers[at];
	}
	static_cast<uint32_t *>(a[1].buffer)[t] = at;
}

void banks_host(arguments a, size_t first, size_t end)
{
	plain m;
	for (size_t t = first; t < end; t++)
		one_of_banks(m, a, uint32_t(t));
}

void banks_traced(arguments a, size_t item, tracer &to)
{
	one_of_banks(to, a, uint32_t(item));
}

uint32_t way_of(arguments a, uint32_t t)
{
	return t / uint32_t(a[1].integer) & 1;
}

void ways_host(arguments a, size_t first, size_t end)
{
	for (size_t t = first; t < end; t++)
		static_cast<uint32_t *>(a[0].buffer)[t] =
			end_of_way(uint32_t(t), uint32_t(a[1].integer), uint32_t(a[2].integer));
}

void ways_traced(arguments a, size_t item, tracer &to)
{
	to.work(way_of(a, uint32_t(item)), uint32_t(a[2].integer));
	ways_host(a, item, item + 1);
}

template <typename M> void one_of_adders(M &m, arguments a, uint32_t t)
{
	uint32_t *mine = static_cast<uint32_t *>(a[0].buffer) + t / uint32_t(a[1].integer) * 32;
	for (uint32_t i = 0; i < uint32_t(a[2].integer); i++)
		m.store(mine, *mine + 1);
}

void add_host(arguments a, size_t first, size_t end)
{
	plain m;
	for (size_t t = first; t < end; t++)
		one_of_adders(m, a, uint32_t(t));
}

void add_traced(arguments a, size_t item, tracer &to)
{
	one_of_adders(to, a, uint32_t(item));
}

} // namespace

const kernel banks_kernel = {{"banks", bench::group_kernels, banks_host}, banks_traced};
const kernel ways_kernel = {{"ways", bench::group_kernels, ways_host}, ways_traced};
const kernel add_kernel = {{"add_global", bench::group_kernels, add_host}, add_traced};

uint32_t end_of_way(uint32_t t, uint32_t width, uint32_t steps)
{
	uint32_t x = t;
	for (uint32_t i = 0; i < steps; i++)
		x = t / width & 1 ? ((x << 5 | x >> 27) ^ 0x85ebca6b) + 0x7ed55d16 : (x ^ x >> 7) + 0x9e3779b9;
	return x;
}

} // namespace micro
