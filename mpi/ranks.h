// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Who takes part in a call of all ranks of a communicator.
#pragma once

#include <mpi.h>

namespace hetmpi
{

int own_rank(MPI_Comm comm);
int own_ranks(MPI_Comm comm);

struct exchange {
	// Without a root (MPI_PROC_NULL) all ranks are leaves.
	exchange(MPI_Comm comm, int root);

	// It exchanges with so many: in an intercommunicator with those of the other group.
	int ranks = 0;
	bool is_root = false;
	// It sends to the root, or gets from it, as the root itself does inside of one group.
	bool is_leaf = true;

	int ranks_if_root() const { return is_root ? ranks : 0; }
};

// So many neighbours a rank has in the communicator's topology.
struct neighbours {
	explicit neighbours(MPI_Comm comm);

	int in = 0, out = 0;
};

} // namespace hetmpi
