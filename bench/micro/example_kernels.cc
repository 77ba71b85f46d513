// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// On the host all stages of an example do the same: what memory they bring closer is of no use there.
#include "micro/example_kernels.h"

#include <cmath>

namespace bench
{
extern const kernel_text examples_kernels;
}

namespace micro
{

namespace
{

const uint32_t *words(arguments a, size_t i)
{
	return static_cast<const uint32_t *>(a[i].buffer);
}

// The host runs the items of one launch in one thread, so no addition is lost.
template <typename M> void add_each(M &m, arguments a, uint32_t t)
{
	auto *sum = static_cast<uint32_t *>(a[1].buffer);
	m.store(sum, *sum + m.load(words(a, 0) + t));
}

// Threads from the first of a launch on have all words between them; how many there are is not known here.
void add_all_host(arguments a, size_t first, size_t)
{
	if (first > 0)
		return;
	uint32_t all = 0;
	for (uint32_t i = 0; i < uint32_t(a[2].integer); i++)
		all += words(a, 0)[i];
	*static_cast<uint32_t *>(a[1].buffer) += all;
}

void add_all_traced(arguments a, size_t item, tracer &)
{
	add_all_host(a, item, item + 1);
}

template <typename M> void turn_each(M &m, arguments a, uint32_t i)
{
	const auto n = uint32_t(a[2].integer);
	m.store(static_cast<uint32_t *>(a[1].buffer) + i % n * n + i / n, m.load(words(a, 0) + i));
}

// Thread t of 256 has four words of a column of its tile.
template <typename M> void turn_tile(M &m, arguments a, uint32_t item)
{
	const auto n = uint32_t(a[2].integer);
	const uint32_t t = item % 256, tile = item / 256, left = tile % (n / 32) * 32, top = tile / (n / 32) * 32;
	for (uint32_t k = 0; k < 32; k += 8) {
		const uint32_t x = left + t % 32, y = top + t / 32 + k;
		m.store(static_cast<uint32_t *>(a[1].buffer) + x * n + y, m.load(words(a, 0) + y * n + x));
	}
}

void multiply_one(arguments a, uint32_t x, uint32_t y)
{
	const auto n = uint32_t(a[3].integer);
	const auto *left = static_cast<const float *>(a[0].buffer), *right = static_cast<const float *>(a[1].buffer);
	float sum = 0;
	for (uint32_t k = 0; k < n; k++)
		sum = std::fma(left[y * n + k], right[k * n + x], sum);
	static_cast<float *>(a[2].buffer)[y * n + x] = sum;
}

template <typename M> void multiply_each(M &, arguments a, uint32_t i)
{
	const auto n = uint32_t(a[3].integer);
	multiply_one(a, i % n, i / n);
}

template <typename M> void multiply_tile(M &, arguments a, uint32_t item)
{
	const auto n = uint32_t(a[3].integer);
	const uint32_t t = item % 256, tile = item / 256;
	multiply_one(a, tile % (n / 16) * 16 + t % 16, tile / (n / 16) * 16 + t / 16);
}

template <typename M> void multiply_block(M &, arguments a, uint32_t item)
{
	const auto n = uint32_t(a[3].integer);
	const uint32_t t = item % 256, tile = item / 256, left = tile % (n / 128) * 128, top = tile / (n / 128) * 128;
	for (uint32_t i = 0; i < 64; i++)
		multiply_one(a, left + t % 16 * 8 + i % 8, top + t / 16 * 8 + i / 8);
}

template <void (*on_plain)(plain &, arguments, uint32_t)> void on_host(arguments a, size_t first, size_t end)
{
	plain m;
	for (size_t t = first; t < end; t++)
		on_plain(m, a, uint32_t(t));
}

template <void (*on_tracer)(tracer &, arguments, uint32_t)> void traced(arguments a, size_t item, tracer &to)
{
	on_tracer(to, a, uint32_t(item));
}

} // namespace

#define KERNEL(name, function) \
	const kernel name = {{#name, bench::examples_kernels, on_host<function<plain>>}, traced<function<tracer>>}

KERNEL(reduce_each, add_each);
const kernel reduce_rows = {{"reduce_rows", bench::examples_kernels, add_all_host}, add_all_traced};
const kernel reduce_groups = {{"reduce_groups", bench::examples_kernels, add_all_host}, add_all_traced};
KERNEL(transpose_each, turn_each);
KERNEL(transpose_tiles, turn_tile);
KERNEL(product_each, multiply_each);
KERNEL(product_tiles, multiply_tile);
KERNEL(product_blocks, multiply_block);
KERNEL(product_ahead, multiply_block);

} // namespace micro
