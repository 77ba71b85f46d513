// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "bytes.h"

#include <algorithm>

namespace hetmpi
{

bytes bytes_of(const void *buffer, MPI_Aint count, MPI_Datatype type)
{
	if (buffer == MPI_IN_PLACE || count <= 0 || type == MPI_DATATYPE_NULL)
		return {};
	int size = 0;
	MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
	if (PMPI_Type_size(type, &size) || !size || PMPI_Type_get_extent(type, &lower, &extent) ||
	    PMPI_Type_get_true_extent(type, &true_lower, &true_extent))
		return {};
	// A type may be resized so that elements follow each other downwards.
	MPI_Aint last = (count - 1) * extent;
	auto at = reinterpret_cast<uintptr_t>(buffer);
	return {at + uintptr_t(true_lower + std::min<MPI_Aint>(0, last)),
		at + uintptr_t(true_lower + true_extent + std::max<MPI_Aint>(0, last))};
}

} // namespace hetmpi
