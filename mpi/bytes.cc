// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "bytes.h"

#include "shapes.h"

#include <algorithm>

namespace hetmpi
{

namespace
{

// Elements of such a type lie one behind the other, with nothing between.
bool is_solid(MPI_Count size, MPI_Aint lower, MPI_Aint extent, MPI_Aint true_lower, MPI_Aint true_extent)
{
	return size == true_extent && size == extent && lower == true_lower;
}

bool add_elements(pieces &to, uintptr_t at, MPI_Aint count, MPI_Aint extent, MPI_Datatype type)
{
	const shape *one = shape_of(type);
	for (MPI_Aint i = 0; one && i < count; i++, at += uintptr_t(extent)) {
		for (const stretch &s : *one)
			to.push_back({at + uintptr_t(s.begin), at + uintptr_t(s.end)});
	}
	return one;
}

} // namespace

bool add_bytes(pieces &to, const void *buffer, MPI_Aint count, MPI_Datatype type)
{
	if (buffer == MPI_IN_PLACE || count <= 0 || type == MPI_DATATYPE_NULL)
		return true;
	MPI_Count size = 0;
	MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
	if (PMPI_Type_size_x(type, &size) || !size || PMPI_Type_get_extent(type, &lower, &extent) ||
	    PMPI_Type_get_true_extent(type, &true_lower, &true_extent))
		return true;
	const auto at = reinterpret_cast<uintptr_t>(buffer);
	if (!is_solid(size, lower, extent, true_lower, true_extent))
		return add_elements(to, at, count, extent, type);
	to.push_back({at + uintptr_t(lower), at + uintptr_t(lower + count * extent)});
	return true;
}

void put_in_order(pieces &p)
{
	auto is_before = [](bytes a, bytes b) { return a.begin < b.begin; };
	if (!std::is_sorted(p.begin(), p.end(), is_before))
		std::sort(p.begin(), p.end(), is_before);
	size_t kept = 0;
	for (size_t i = 1; i < p.size(); i++) {
		if (p[i].begin <= p[kept].end)
			p[kept].end = std::max(p[kept].end, p[i].end);
		else
			p[++kept] = p[i];
	}
	p.resize(std::min(p.size(), kept + 1));
}

} // namespace hetmpi
