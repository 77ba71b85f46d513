// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/patterns.h"

#include <algorithm>
#include <bit>

namespace bench
{
extern const kernel_text patterns_kernels;
}

namespace micro
{

namespace
{

const uint32_t *words(arguments a, size_t i)
{
	return static_cast<const uint32_t *>(a[i].buffer);
}

uint32_t *result(arguments a, size_t i)
{
	return static_cast<uint32_t *>(a[i].buffer);
}

uint32_t number(arguments a, size_t i)
{
	return uint32_t(a[i].integer);
}

template <bool reads_spread, typename M> void copy(M &m, arguments a, uint32_t t)
{
	const uint32_t mask = number(a, 2), shift = number(a, 3), threads = number(a, 4), first = number(a, 5),
		       rounds = number(a, 6), salt = number(a, 7);
	for (uint32_t k = 0; k < rounds; k++) {
		const uint32_t i = (t + (first + k) * threads) & mask, other = spread(i, mask, shift);
		const uint32_t source = reads_spread ? other : i, target = reads_spread ? i : other;
		m.store(result(a, 1) + target, m.load(words(a, 0) + source) ^ salt);
	}
}

template <typename M> void gather(M &m, arguments a, uint32_t t)
{
	copy<true>(m, a, t);
}

template <typename M> void scatter(M &m, arguments a, uint32_t t)
{
	copy<false>(m, a, t);
}

template <typename M> void strided(M &m, arguments a, uint32_t t)
{
	const uint32_t mask = number(a, 2), step = number(a, 3), threads = number(a, 4), first = number(a, 5);
	uint32_t sum = 0;
	for (uint32_t k = 0; k < number(a, 6); k++)
		sum += m.load(words(a, 0) + (((t + (first + k) * threads) * step) & mask));
	result(a, 1)[t] = sum;
}

template <typename M> void link(M &m, arguments a, uint32_t t)
{
	const uint32_t n = number(a, 1), threads = number(a, 2), group = number(a, 3), shift = number(a, 4);
	for (uint32_t i = t; i < n; i += threads)
		m.store(result(a, 0) + i, spread(i / group, n / group - 1, shift) * group);
}

template <typename M> void coherent(M &m, arguments a, uint32_t t)
{
	const uint32_t mask = number(a, 2), group = number(a, 3), offset = offset_of(t, group, number(a, 4));
	uint32_t start = start_of(t, group, mask);
	for (uint32_t i = 0; i < number(a, 5); i++)
		start = m.load(words(a, 0) + start + offset);
	result(a, 1)[t] = start;
}

template <typename M> void read_at_places(M &m, arguments a, uint32_t t, uint32_t group)
{
	const uint32_t mask = number(a, 3), length = number(a, 4), threads = number(a, 5), first = number(a, 6);
	uint32_t sum = 0;
	for (uint32_t k = 0; k < number(a, 7); k++) {
		const uint32_t at = m.load(words(a, 1) + ((t + (first + k) * threads) / group & mask));
		for (uint32_t i = 0; i < length; i++)
			sum += m.load(words(a, 0) + at + i);
	}
	result(a, 2)[t] = sum;
}

template <typename M> void apex(M &m, arguments a, uint32_t t)
{
	read_at_places(m, a, t, 1);
}

template <typename M> void located(M &m, arguments a, uint32_t t)
{
	read_at_places(m, a, t, number(a, 8));
}

// A work-item's function becomes those of the host and of planted devices.
#define ON_BOTH(function)                                            \
	void function##_host(arguments a, size_t first, size_t end)  \
	{                                                            \
		plain m;                                             \
		for (size_t t = first; t < end; t++)                 \
			function(m, a, uint32_t(t));                 \
	}                                                            \
	void function##_traced(arguments a, size_t item, tracer &to) \
	{                                                            \
		function(to, a, uint32_t(item));                     \
	}

ON_BOTH(gather)
ON_BOTH(scatter)
ON_BOTH(strided)
ON_BOTH(link)
ON_BOTH(coherent)
ON_BOTH(apex)
ON_BOTH(located)

} // namespace

const kernel gather_kernel = {{"gather", bench::patterns_kernels, gather_host}, gather_traced};
const kernel scatter_kernel = {{"scatter", bench::patterns_kernels, scatter_host}, scatter_traced};
const kernel strided_kernel = {{"strided", bench::patterns_kernels, strided_host}, strided_traced};
const kernel link_groups = {{"link_groups", bench::patterns_kernels, link_host}, link_traced};
const kernel coherent_kernel = {{"coherent", bench::patterns_kernels, coherent_host}, coherent_traced};
const kernel apex_kernel = {{"apex", bench::patterns_kernels, apex_host}, apex_traced};
const kernel located_kernel = {{"located", bench::patterns_kernels, located_host}, located_traced};

uint32_t shift_of(uint32_t mask)
{
	return std::max(1u, unsigned(std::bit_width(mask)) / 2);
}

uint32_t start_of(uint32_t t, uint32_t group, uint32_t mask)
{
	return (t ^ (t & (group - 1))) & mask;
}

uint32_t offset_of(uint32_t t, uint32_t group, uint32_t together)
{
	return (t ^ (t & (together - 1))) & (group - 1);
}

} // namespace micro
