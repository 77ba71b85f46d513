// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the calls that stand in for MPI's have in common. MPI's profiling interface has each function under a second
// name, PMPI_..., so the first name can be ours.
#pragma once

#include "requests.h"

#include <initializer_list>

#define HET_MPI_CALL extern "C" __attribute__((visibility("default"))) int

namespace hetmpi
{

// What a communicator's error handler makes of an error that is ours.
inline int report(MPI_Comm comm, int err)
{
	PMPI_Comm_call_errhandler(comm, err);
	return err;
}

struct message {
	bytes at;
	use u;
};

inline message sent(const void *buffer, MPI_Aint count, MPI_Datatype type)
{
	return {bytes_of(buffer, count, type), use::read};
}

inline message received(void *buffer, MPI_Aint count, MPI_Datatype type)
{
	return {bytes_of(buffer, count, type), use::written};
}

// Calls MPI, which works on these messages and is done with them when it returns.
template <typename Call> int with(MPI_Comm comm, std::initializer_list<message> messages, Call call)
{
	hold holds[3];
	hold *h = holds;
	for (const message &m : messages) {
		if (int err = (h++)->take(m.at, m.u))
			return report(comm, err);
	}
	return call();
}

// Calls MPI, which begins a request.
template <typename Call> int begin(MPI_Comm comm, message m, MPI_Request *request, Call call)
{
	hold h;
	if (int err = h.take(m.at, m.u))
		return report(comm, err);
	int err = call();
	if (!err && request)
		began(*request, std::move(h));
	return err;
}

} // namespace hetmpi
