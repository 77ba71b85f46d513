// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A message as the program gives it to MPI.
#pragma once

#include "bytes.h"

namespace hetmpi
{

// This is what MPI does with a message: what is updated it reads, or leaves in part as it is.
enum class use : uint8_t { read, received, updated };

// Without bytes nothing is sent or received: MPI gets the buffer as it is.
struct message {
	use u = use::read;
	void *buffer = nullptr;
	pieces at = {};
	bool is_good = true; // else it has a type that is too large
	// It is elements of one type, of which fewer may be received: a status tells how many.
	MPI_Aint count = 0;
	MPI_Datatype type = MPI_DATATYPE_NULL;

	bool is_empty() const { return at.empty() && is_good; }
	bytes hull() const { return hull_of(at); }
};

inline message message_of(use u, const void *buffer, MPI_Aint count, MPI_Datatype type)
{
	message m = {.u = u, .buffer = const_cast<void *>(buffer), .count = count, .type = type};
	m.is_good = add_bytes(m.at, buffer, count, type);
	put_in_order(m.at);
	return m;
}

inline message sent(const void *buffer, MPI_Aint count, MPI_Datatype type)
{
	return message_of(use::read, buffer, count, type);
}

inline message received(void *buffer, MPI_Aint count, MPI_Datatype type)
{
	return message_of(use::received, buffer, count, type);
}

inline message updated(void *buffer, MPI_Aint count, MPI_Datatype type)
{
	return message_of(use::updated, buffer, count, type);
}

// Nothing goes to the process that is none, and nothing comes from it: the buffer stays as it is.
inline message unless_null(int peer, message m)
{
	if (peer == MPI_PROC_NULL)
		m.at.clear();
	return m;
}

} // namespace hetmpi
