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

// Calls MPI with the places of these messages, on which it works until it returns.
template <typename Call> int with(MPI_Comm comm, std::initializer_list<message> messages, Call call)
{
	hold holds[2];
	hold *h = holds;
	for (const message &m : messages) {
		if (int err = (h++)->take(m))
			return report(comm, err);
	}
	return call(holds);
}

// Calls MPI with the message's place. It begins a request.
template <typename Call> int begin(MPI_Comm comm, const message &m, MPI_Request *request, Call call)
{
	hold h;
	if (int err = h.take(m))
		return report(comm, err);
	int err = call(h.placed(m.buffer));
	if (!err && request)
		began(*request, std::move(h));
	return err;
}

// Calls MPI with the message's place. It makes a persistent request.
template <typename Call> int prepare(MPI_Comm comm, const message &m, MPI_Request *request, Call call)
{
	std::shared_ptr<stand_in> instead;
	if (!m.at.is_empty() && stand_in::is_needed() && !(instead = stand_in::make(m)))
		return report(comm, MPI_ERR_BUFFER);
	int err = call(instead ? instead->buffer() : m.buffer);
	if (!err && request)
		made(*request, {m, instead});
	return err;
}

} // namespace hetmpi
