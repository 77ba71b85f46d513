// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/texture.h"

namespace bench
{
extern const kernel_text texture_kernels;
}

namespace micro
{

namespace
{

template <typename M> void walk(M &m, arguments a)
{
	const auto *words = static_cast<const uint32_t *>(a[0].buffer);
	auto at = uint32_t(a[2].integer);
	const uint64_t steps = uint64_t(uint32_t(a[3].integer)) + uint32_t(a[4].integer);
	for (uint64_t i = 0; i < steps; i++)
		at = m.texture(words + at);
	*static_cast<uint32_t *>(a[1].buffer) = at;
}

void walk_host(arguments a, size_t, size_t)
{
	plain m;
	walk(m, a);
}

void walk_traced(arguments a, size_t, tracer &to)
{
	walk(to, a);
}

template <order o, typename M> void one_thread(M &m, arguments a, uint32_t t)
{
	const auto *from = static_cast<const uint32_t *>(a[0].buffer);
	const auto mask = uint32_t(a[2].integer), threads = uint32_t(a[3].integer), first = uint32_t(a[4].integer);
	uint32_t sum = 0;
	for (uint32_t k = 0; k < uint32_t(a[5].integer); k++)
		sum += m.load(from + element_at(o, t + (first + k) * threads, mask));
	static_cast<uint32_t *>(a[1].buffer)[t] = sum;
}

template <order o> void read_host(arguments a, size_t first, size_t end)
{
	plain m;
	for (size_t t = first; t < end; t++)
		one_thread<o>(m, a, uint32_t(t));
}

template <order o> void read_traced(arguments a, size_t item, tracer &to)
{
	one_thread<o>(to, a, uint32_t(item));
}

template <order o> constexpr kernel made(const char *name)
{
	return {{name, bench::texture_kernels, read_host<o>}, read_traced<o>};
}

const kernel kernels[] = {made<order::sequential>("texture_sequential"), made<order::shifted>("texture_shifted"),
			  made<order::random>("texture_random")};

} // namespace

const kernel chase_texture = {{"chase_texture", bench::texture_kernels, walk_host}, walk_traced};

const kernel &texture_kernel(order o)
{
	return kernels[size_t(o)];
}

} // namespace micro
