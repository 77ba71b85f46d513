// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Which bytes an element of a type has.
#pragma once

#include <mpi.h>
#include <vector>

namespace hetmpi
{

// These bytes lie between two distances from where the element is placed.
struct stretch {
	MPI_Aint begin, end;
};

// Stretches in order, which do not touch each other.
using shape = std::vector<stretch>;

// Returns the shape of a type with gaps, which lives as long as the type does, or null for one that is too large, or
// that is none. It is found by letting MPI unpack an element.
const shape *shape_of(MPI_Datatype type);

} // namespace hetmpi
