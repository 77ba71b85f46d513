// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Where the bytes of a message lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mpi.h>

namespace hetmpi
{

struct bytes {
	uintptr_t begin = 0, end = 0;

	bool is_empty() const { return begin >= end; }
	size_t size() const { return end - begin; }
	void *ptr() const { return reinterpret_cast<void *>(begin); }
};

// Returns the bytes from the first to the last that @count elements of the type have, with what lies between: by their
// true extent. What is no message (an empty one, a wrong type or count, MPI_IN_PLACE) has none; MPI itself says what is
// wrong.
bytes bytes_of(const void *buffer, MPI_Aint count, MPI_Datatype type);

} // namespace hetmpi
