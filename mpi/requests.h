// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Messages that are under way when the call that began them has returned.
#pragma once

#include "hold.h"
#include "owner.h"

#include <cstdint>

namespace hetmpi
{

// A message, and whose it is.
struct under_way {
	hold bytes;
	owner whose;
	told_by by = told_by::nothing;
	uint64_t number = 0; // of those that have begun
	int give(const MPI_Status &status) { return bytes.give(by, status); }
};

// The request's bytes are held until finished() or forgotten() is told of it. MPI may use one handle for several
// requests that are over already; each has its own call of finished().
void began(MPI_Request r, under_way &&message);
// So many have begun. MPI may give the handle of a request that is over to another thread's before finished() is
// called, so who completes a request asks for this number before.
uint64_t begun();
// Returns MPI_SUCCESS, or what the owner's error handler has returned from: the bytes are not where they belong.
int finished(MPI_Request r, uint64_t begun_before, const MPI_Status &status);
// It has not begun, or has failed: nothing has come.
void failed(MPI_Request r, uint64_t begun_before = UINT64_MAX);

// A persistent request has its bytes from each start to its completion, and one stand-in for all of them, or none.
struct persistent {
	message m;
	std::shared_ptr<stand_in> instead;
	owner whose;
};
void made(MPI_Request r, persistent p);
// Holds the bytes again. Returns what hold::take() says, after the owner's error handler; a request that is not
// persistent has none.
int start(MPI_Request r);
// MPI_Request_free(): the program will not hear of the request's completion, so that of a message that is under way is
// kept, and looked after whenever another one is over. It is false if MPI is to free the request now.
bool forgotten(MPI_Request r);
// MPI_Finalize() ends what is under way still: this comes before it, completes what was freed, and lets all else go.
void finish_all();

} // namespace hetmpi
