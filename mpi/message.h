// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A message as the program gives it to MPI.
#pragma once

#include "bytes.h"

#include <het.h>

namespace hetmpi
{

// This is what MPI does with a message. A receive may be shorter than its buffer, and a type may have gaps: then bytes
// stay as they are, so that they come home, too.
enum class use : uint32_t { read = HET_READ_ONLY, written = HET_READ_WRITE };

// Without bytes nothing is sent or received: MPI gets the buffer as it is.
struct message {
	bytes at;
	use u = use::read;
	void *buffer = nullptr;
	MPI_Aint count = 0;
	MPI_Datatype type = MPI_DATATYPE_NULL;
};

inline message sent(const void *buffer, MPI_Aint count, MPI_Datatype type)
{
	return {bytes_of(buffer, count, type), use::read, const_cast<void *>(buffer), count, type};
}

inline message received(void *buffer, MPI_Aint count, MPI_Datatype type)
{
	return {bytes_of(buffer, count, type), use::written, buffer, count, type};
}

inline message nothing(const message &m)
{
	return {{}, m.u, m.buffer, 0, m.type};
}

} // namespace hetmpi
