// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The test's own functions stand below libhet-mpi's, before MPI's. So a case can do in the middle of a call what
// otherwise another thread does there once in a million, or let MPI fail.
#pragma once

#include <functional>
#include <mpi.h>

namespace mpi_test::below
{

// Each is called once, and forgotten before: when MPI has completed a request, or has freed a window, and libhet-mpi
// does not know of it yet. The argument is the handle as it was.
extern std::function<void(MPI_Request)> after_wait;
extern std::function<void(MPI_Win)> after_win_free;
// These are called in place of MPI's own function as long as they are set.
extern std::function<int()> startall, reduce_scatter;
extern std::function<int(int count, MPI_Request *requests, MPI_Status *statuses)> waitall;

} // namespace mpi_test::below
