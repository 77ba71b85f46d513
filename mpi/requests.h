// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Messages that are under way when the call that began them has returned.
#pragma once

#include "hold.h"

namespace hetmpi
{

// The request's bytes are held until finished() or forgotten() is told of it. MPI may use one handle for several
// requests that are over already; each has its own call of finished().
void began(MPI_Request r, hold &&h);
void finished(MPI_Request r);

// A persistent request has its bytes from each start to its completion.
struct persistent {
	bytes at;
	use u;
};
void made(MPI_Request r, persistent p);
// Holds the bytes again. Returns what hold::take() says; a request that is not persistent has none.
int start(MPI_Request r);
// MPI_Request_free(): nobody will hear of the request's completion, so a message that is under way keeps its bytes
// until MPI_Finalize().
void forgotten(MPI_Request r);
void finished_all();

} // namespace hetmpi
