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

message if_root(const place &p, const message &m)
{
	return p.is_root ? m : nothing(m);
}

} // namespace

HET_MPI_CALL MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
	message m = place(comm, root).is_root ? sent(buffer, count, type) : received(buffer, count, type);
	return with(comm, {m}, [&](hold *h) { return PMPI_Bcast(h->placed(buffer), count, type, root, comm); });
}

HET_MPI_CALL MPI_Reduce(const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
	return with(
		comm, {sent(out, count, type), if_root(place(comm, root), received(in, count, type))},
		[&](hold *h) { return PMPI_Reduce(h[0].placed(out), h[1].placed(in), count, type, op, root, comm); });
}

HET_MPI_CALL MPI_Allreduce(const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	return with(comm, {sent(out, count, type), received(in, count, type)},
		    [&](hold *h) { return PMPI_Allreduce(h[0].placed(out), h[1].placed(in), count, type, op, comm); });
}

HET_MPI_CALL MPI_Gather(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
			MPI_Datatype in_type, int root, MPI_Comm comm)
{
	const place p(comm, root);
	message to_root = if_root(p, received(in, MPI_Aint(in_count) * p.ranks, in_type));
	return with(comm, {sent(out, out_count, out_type), to_root}, [&](hold *h) {
		return PMPI_Gather(h[0].placed(out), out_count, out_type, h[1].placed(in), in_count, in_type, root,
				   comm);
	});
}

HET_MPI_CALL MPI_Scatter(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
			 MPI_Datatype in_type, int root, MPI_Comm comm)
{
	const place p(comm, root);
	message of_root = if_root(p, sent(out, MPI_Aint(out_count) * p.ranks, out_type));
	return with(comm, {of_root, received(in, in_count, in_type)}, [&](hold *h) {
		return PMPI_Scatter(h[0].placed(out), out_count, out_type, h[1].placed(in), in_count, in_type, root,
				    comm);
	});
}

HET_MPI_CALL MPI_Allgather(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
			   MPI_Datatype in_type, MPI_Comm comm)
{
	const place p(comm);
	return with(comm, {sent(out, out_count, out_type), received(in, MPI_Aint(in_count) * p.ranks, in_type)},
		    [&](hold *h) {
			    return PMPI_Allgather(h[0].placed(out), out_count, out_type, h[1].placed(in), in_count,
						  in_type, comm);
		    });
}

HET_MPI_CALL MPI_Alltoall(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
			  MPI_Datatype in_type, MPI_Comm comm)
{
	const place p(comm);
	return with(comm,
		    {sent(out, MPI_Aint(out_count) * p.ranks, out_type),
		     received(in, MPI_Aint(in_count) * p.ranks, in_type)},
		    [&](hold *h) {
			    return PMPI_Alltoall(h[0].placed(out), out_count, out_type, h[1].placed(in), in_count,
						 in_type, comm);
		    });
}
