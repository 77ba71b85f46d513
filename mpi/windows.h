// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The windows that the program has, and the messages of its one-sided calls.
#pragma once

#include "public_copy.h"
#include "requests.h"

#include <limits>

namespace hetmpi
{

constexpr int every_rank = std::numeric_limits<int>::min(); // is not MPI_PROC_NULL of any MPI

void made(MPI_Win w, std::unique_ptr<public_copy> copy);
void gone(MPI_Win w);
// The window's, or null if it is over other memory.
public_copy *copy_of(MPI_Win w);

// The message's bytes are MPI's until the operations at the rank are completed.
void keep(MPI_Win w, int rank, hold &&h);
// They are. What has come from the rank goes where the program wants it. Returns as hold::give().
int completed(MPI_Win w, int rank);

} // namespace hetmpi
