// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "apps/common/product.h"

#include <algorithm>

namespace bench
{

namespace
{

constexpr size_t tile = product_tile;

// Columns of a from @first on, and rows, b, of which both have @depth.
struct factors {
	const float *a, *b;
	size_t n, first, depth;
};

void multiply_group(const het_group *g, const factors &f, float *c, bool fresh)
{
	const size_t x = g->first[0], y = g->first[1];
	float sums[tile][tile] = {};
	for (size_t j = 0; j < tile && !fresh; j++)
		std::copy_n(c + (y + j) * f.n + x, tile, sums[j]);
	for (size_t k = 0; k < f.depth; k++)
		for (size_t j = 0; j < tile; j++)
			for (size_t i = 0; i < tile; i++)
				sums[j][i] += f.a[(y + j) * f.n + f.first + k] * f.b[k * f.n + x + i];
	for (size_t j = 0; j < tile; j++)
		std::copy_n(sums[j], tile, c + (y + j) * f.n + x);
}

} // namespace

het::work product_items(size_t columns, size_t rows)
{
	return het::work(columns, rows).groups_of(tile, tile);
}

void multiply_on_host(const het_group *g, void *const *args)
{
	const size_t n = value_of<uint32_t>(args, 3);
	multiply_group(g, {array_of<const float>(args, 0), array_of<const float>(args, 1), n, 0, n},
		       array_of<float>(args, 2), true);
}

void multiply_part_on_host(const het_group *g, void *const *args)
{
	const size_t n = value_of<uint32_t>(args, 3), first = value_of<uint32_t>(args, 4),
		     depth = value_of<uint32_t>(args, 5);
	multiply_group(g, {array_of<const float>(args, 0), array_of<const float>(args, 1), n, first, depth},
		       array_of<float>(args, 2), value_of<uint32_t>(args, 6));
}

} // namespace bench
