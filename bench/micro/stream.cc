// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/stream.h"

namespace bench
{
extern const kernel_text stream_kernels;
}

namespace micro
{

namespace
{

constexpr uint32_t mixed(uint32_t x)
{
	x = (x ^ (x >> 16)) * 0x7feb352d;
	x = (x ^ (x >> 15)) * 0x846ca68b;
	return x ^ (x >> 16);
}

template <order o> constexpr uint32_t in_order(uint32_t i)
{
	return o == order::sequential ? i : o == order::shifted ? i * 33 : mixed(i);
}

template <deed d, order o, typename M> void one_thread(M &m, arguments a, uint32_t t)
{
	const auto *from = static_cast<const uint32_t *>(a[0].buffer);
	auto *to = static_cast<uint32_t *>(a[1].buffer);
	const auto mask = uint32_t(a[3].integer), threads = uint32_t(a[4].integer), first = uint32_t(a[5].integer),
		   rounds = uint32_t(a[6].integer), salt = uint32_t(a[7].integer);
	uint32_t sum = 0;
	for (uint32_t k = 0; k < rounds; k++) {
		const uint32_t at = in_order<o>(t + (first + k) * threads) & mask;
		if constexpr (d == deed::read)
			sum += m.load(from + at);
		else if constexpr (d == deed::write)
			m.store(to + at, at ^ salt);
		else
			m.store(to + at, m.load(from + at) ^ salt);
	}
	static_cast<uint32_t *>(a[2].buffer)[t] = sum;
}

template <deed d, order o> void on_host(arguments a, size_t first, size_t end)
{
	plain m;
	for (size_t t = first; t < end; t++)
		one_thread<d, o>(m, a, uint32_t(t));
}

template <deed d, order o> void traced(arguments a, size_t item, tracer &to)
{
	one_thread<d, o>(to, a, uint32_t(item));
}

template <deed d, order o> constexpr kernel made(const char *name)
{
	return {{name, bench::stream_kernels, on_host<d, o>}, traced<d, o>};
}

const kernel kernels[3][3] = {
	{made<deed::read, order::sequential>("read_sequential"), made<deed::read, order::shifted>("read_shifted"),
	 made<deed::read, order::random>("read_random")},
	{made<deed::write, order::sequential>("write_sequential"), made<deed::write, order::shifted>("write_shifted"),
	 made<deed::write, order::random>("write_random")},
	{made<deed::both, order::sequential>("both_sequential"), made<deed::both, order::shifted>("both_shifted"),
	 made<deed::both, order::random>("both_random")},
};

template <uint32_t width, typename M> void vectors(M &m, arguments a, uint32_t t)
{
	const auto *from = static_cast<const uint32_t *>(a[0].buffer);
	const auto mask = uint32_t(a[2].integer), threads = uint32_t(a[3].integer), first = uint32_t(a[4].integer);
	uint32_t sum = 0;
	for (uint32_t k = 0; k < uint32_t(a[5].integer); k++) {
		const uint32_t *vector = from + size_t{(t + (first + k) * threads) & mask} * width;
		for (uint32_t i = 0; i < width; i++)
			sum += m.load(vector + i);
	}
	static_cast<uint32_t *>(a[1].buffer)[t] = sum;
}

template <uint32_t width> void vectors_host(arguments a, size_t first, size_t end)
{
	plain m;
	for (size_t t = first; t < end; t++)
		vectors<width>(m, a, uint32_t(t));
}

template <uint32_t width> void vectors_traced(arguments a, size_t item, tracer &to)
{
	vectors<width>(to, a, uint32_t(item));
}

const kernel of_vectors[] = {
	{{"read_1", bench::stream_kernels, vectors_host<1>}, vectors_traced<1>},
	{{"read_2", bench::stream_kernels, vectors_host<2>}, vectors_traced<2>},
	{{"read_3", bench::stream_kernels, vectors_host<3>}, vectors_traced<3>},
	{{"read_4", bench::stream_kernels, vectors_host<4>}, vectors_traced<4>},
};

template <uint32_t width, typename M> void copy(M &m, arguments a, uint32_t t)
{
	const auto *from = static_cast<const uint32_t *>(a[0].buffer);
	auto *to = static_cast<uint32_t *>(a[1].buffer);
	const auto mask = uint32_t(a[2].integer), threads = uint32_t(a[3].integer), first = uint32_t(a[4].integer);
	for (uint32_t k = 0; k < uint32_t(a[5].integer); k++) {
		const size_t at = size_t{(t + (first + k) * threads) & mask} * width;
		for (uint32_t i = 0; i < width; i++)
			m.store(to + at + i, m.load(from + at + i) ^ uint32_t(a[6].integer));
	}
}

template <uint32_t width> void copy_host(arguments a, size_t first, size_t end)
{
	plain m;
	for (size_t t = first; t < end; t++)
		copy<width>(m, a, uint32_t(t));
}

template <uint32_t width> void copy_traced(arguments a, size_t item, tracer &to)
{
	copy<width>(to, a, uint32_t(item));
}

const kernel of_copies[] = {
	{{"copy_1", bench::stream_kernels, copy_host<1>}, copy_traced<1>},
	{{"copy_2", bench::stream_kernels, copy_host<2>}, copy_traced<2>},
	{{"copy_3", bench::stream_kernels, copy_host<3>}, copy_traced<3>},
	{{"copy_4", bench::stream_kernels, copy_host<4>}, copy_traced<4>},
};

template <typename M> void fill(M &m, arguments a, uint32_t t)
{
	auto *words = static_cast<uint32_t *>(a[0].buffer);
	const auto n = uint32_t(a[1].integer), threads = uint32_t(a[2].integer);
	for (uint32_t i = t; i < n; i += threads)
		m.store(words + i, content_of(i));
}

void fill_host(arguments a, size_t first, size_t end)
{
	plain m;
	for (size_t t = first; t < end; t++)
		fill(m, a, uint32_t(t));
}

void fill_traced(arguments a, size_t item, tracer &to)
{
	fill(to, a, uint32_t(item));
}

} // namespace

const kernel fill_words = {{"fill_words", bench::stream_kernels, fill_host}, fill_traced};

const char *name_of(order o)
{
	return o == order::sequential ? "sequential" : o == order::shifted ? "shifted" : "random";
}

const char *name_of(deed d)
{
	return d == deed::read ? "read" : d == deed::write ? "write" : "both";
}

const kernel &vector_kernel(size_t which)
{
	return of_vectors[which];
}

const kernel &copy_kernel(size_t which)
{
	return of_copies[which];
}

const kernel &stream_kernel(deed d, order o)
{
	return kernels[size_t(d)][size_t(o)];
}

uint32_t element_at(order o, uint32_t i, uint32_t mask)
{
	const uint32_t at = o == order::sequential ? in_order<order::sequential>(i)
			    : o == order::shifted  ? in_order<order::shifted>(i)
						   : in_order<order::random>(i);
	return at & mask;
}

} // namespace micro
