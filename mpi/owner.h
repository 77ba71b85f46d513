// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Whose error handler hears of an error that is ours.
#pragma once

#include <mpi.h>

namespace hetmpi
{

struct owner {
	owner() = default;
	owner(MPI_Comm c) : comm(c) {}
	owner(MPI_File f) : comm(MPI_COMM_NULL), file(f) {}
	owner(MPI_Win w) : comm(MPI_COMM_NULL), win(w) {}

	// Returns the error, unless the handler ends the program.
	int report(int err) const
	{
		if (err == MPI_SUCCESS)
			return err;
		if (file != MPI_FILE_NULL)
			PMPI_File_call_errhandler(file, err);
		else if (win != MPI_WIN_NULL)
			PMPI_Win_call_errhandler(win, err);
		else
			PMPI_Comm_call_errhandler(comm, err);
		return err;
	}

	MPI_Comm comm = MPI_COMM_WORLD;
	MPI_File file = MPI_FILE_NULL;
	MPI_Win win = MPI_WIN_NULL;
};

} // namespace hetmpi
