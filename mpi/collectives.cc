// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Calls of all ranks of a communicator. What counts is given by rank: at the root or everywhere.
#include "call.h"

using namespace hetmpi;

namespace
{

// The ranks that an intercommunicator's call exchanges with are those of the other group.
struct place {
	explicit place(MPI_Comm comm, int root = MPI_PROC_NULL)
	{
		int rank = 0, between = 0;
		PMPI_Comm_rank(comm, &rank);
		PMPI_Comm_test_inter(comm, &between);
		between ? PMPI_Comm_remote_size(comm, &ranks) : PMPI_Comm_size(comm, &ranks);
		is_root = between ? root == MPI_ROOT : root == rank;
	}

	bool is_root = false;
	int ranks = 0;
};

message if_root(const place &p, message m)
{
	return p.is_root ? m : message{{}, m.u};
}

} // namespace

HET_MPI_CALL MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
	message m = place(comm, root).is_root ? sent(buffer, count, type) : received(buffer, count, type);
	return with(comm, {m}, [&] { return PMPI_Bcast(buffer, count, type, root, comm); });
}

HET_MPI_CALL MPI_Reduce(const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
	return with(comm, {sent(out, count, type), if_root(place(comm, root), received(in, count, type))},
		    [&] { return PMPI_Reduce(out, in, count, type, op, root, comm); });
}

HET_MPI_CALL MPI_Allreduce(const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	return with(comm, {sent(out, count, type), received(in, count, type)},
		    [&] { return PMPI_Allreduce(out, in, count, type, op, comm); });
}

HET_MPI_CALL MPI_Gather(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
			MPI_Datatype in_type, int root, MPI_Comm comm)
{
	const place p(comm, root);
	message to_root = p.is_root ? received(in, MPI_Aint(in_count) * p.ranks, in_type) : message{{}, use::written};
	return with(comm, {sent(out, out_count, out_type), to_root},
		    [&] { return PMPI_Gather(out, out_count, out_type, in, in_count, in_type, root, comm); });
}

HET_MPI_CALL MPI_Scatter(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
			 MPI_Datatype in_type, int root, MPI_Comm comm)
{
	const place p(comm, root);
	message of_root = p.is_root ? sent(out, MPI_Aint(out_count) * p.ranks, out_type) : message{{}, use::read};
	return with(comm, {of_root, received(in, in_count, in_type)},
		    [&] { return PMPI_Scatter(out, out_count, out_type, in, in_count, in_type, root, comm); });
}

HET_MPI_CALL MPI_Allgather(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
			   MPI_Datatype in_type, MPI_Comm comm)
{
	const place p(comm);
	return with(comm, {sent(out, out_count, out_type), received(in, MPI_Aint(in_count) * p.ranks, in_type)},
		    [&] { return PMPI_Allgather(out, out_count, out_type, in, in_count, in_type, comm); });
}

HET_MPI_CALL MPI_Alltoall(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
			  MPI_Datatype in_type, MPI_Comm comm)
{
	const place p(comm);
	return with(comm,
		    {sent(out, MPI_Aint(out_count) * p.ranks, out_type),
		     received(in, MPI_Aint(in_count) * p.ranks, in_type)},
		    [&] { return PMPI_Alltoall(out, out_count, out_type, in, in_count, in_type, comm); });
}
