// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/rect.h"

namespace het::rt
{

namespace
{

// Adds: *sum += n * each. It is false if that does not fit.
bool add(size_t *sum, size_t n, size_t each)
{
	size_t product;
	return !__builtin_mul_overflow(n, each, &product) && !__builtin_add_overflow(*sum, product, sum);
}

} // namespace

bool rect::place(uintptr_t base, const size_t (&origin)[3], const size_t (&region)[3], size_t row, size_t plane)
{
	bytes = region[0];
	rows = region[1];
	planes = region[2];
	row_pitch = row ? row : bytes;
	size_t shortest = 0, extent = 0;
	if (!bytes || !rows || !planes || row_pitch < bytes || !add(&shortest, rows, row_pitch))
		return false;
	slice_pitch = plane ? plane : shortest;
	begin = base;
	bool fits = slice_pitch >= shortest && add(&begin, 1, origin[0]) && add(&begin, origin[1], row_pitch) &&
		    add(&begin, origin[2], slice_pitch) && add(&extent, planes, slice_pitch);
	return fits && extent <= UINTPTR_MAX - begin;
}

// Each step leaves behind the row that ends first.
bool rect::overlaps(const rect &other) const
{
	if (!hull().overlaps(other.hull()))
		return false;
	for (size_t i = 0, k = 0; i < count() && k < other.count();) {
		range mine = row(i), its = other.row(k);
		if (mine.overlaps(its))
			return true;
		mine.end < its.end ? i++ : k++;
	}
	return false;
}

} // namespace het::rt
