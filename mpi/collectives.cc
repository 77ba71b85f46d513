// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Calls of all ranks of a communicator. What counts is given by rank: at the root or everywhere.
#include "call.h"
#include "ranks.h"

using namespace hetmpi;

namespace
{

// What a call in place gets is in the buffer of the result.
use result_of(const void *out)
{
	return out == MPI_IN_PLACE ? use::updated : use::received;
}

message result(const void *out, void *in, MPI_Aint count, MPI_Datatype type)
{
	return message_of(result_of(out), in, count, type);
}

MPI_Aint extent_of(MPI_Datatype type)
{
	MPI_Aint lower = 0, extent = 0;
	return PMPI_Type_get_extent(type, &lower, &extent) ? 0 : extent;
}

// What is of each rank begins in a place of its own, which is given in extents of the type.
template <typename Place> struct by_rank {
	int ranks;
	const int *counts;
	const Place *places;
	MPI_Datatype type;
	// If it is not null, each rank has its own type, and places are in bytes.
	const MPI_Datatype *types = nullptr;

	message of(use u, const void *buffer) const
	{
		message m = {.u = u, .buffer = const_cast<void *>(buffer)};
		const MPI_Aint unit = types || !ranks ? 1 : extent_of(type);
		for (int i = 0; i < ranks && buffer != MPI_IN_PLACE; i++) {
			const char *at = static_cast<const char *>(buffer) + MPI_Aint(places[i]) * unit;
			m.is_good = add_bytes(m.at, at, counts[i], types ? types[i] : type) && m.is_good;
		}
		put_in_order(m.at);
		return m;
	}
};

MPI_Aint sum_of(int ranks, const int *counts)
{
	MPI_Aint sum = 0;
	for (int i = 0; i < ranks; i++)
		sum += counts[i];
	return sum;
}

// Each rank gets the result's part that is its own, of @counts; in place all of them are in its buffer.
message part_of_result(const void *out, void *in, const int *counts, MPI_Datatype type, MPI_Comm comm)
{
	const MPI_Aint all = sum_of(own_ranks(comm), counts);
	return result(out, in, out == MPI_IN_PLACE ? all : counts[own_rank(comm)], type);
}

} // namespace

// A row is a call, the same without blocking, parameters, arguments, and the messages out and in. `all` are the ranks,
// and who is the root.
#define COLLECTIVE(Name, Iname, Root, Parameters, Arguments, Out, In)                          \
	HET_MPI_CALL MPI_##Name(HET_MPI_LIST Parameters, MPI_Comm comm)                        \
	{                                                                                      \
		[[maybe_unused]] const exchange all(comm, Root);                               \
		return with(comm, {Out, In}, [&](holds &h) {                                   \
			h[0].place(out);                                                       \
			h[1].place(in);                                                        \
			return PMPI_##Name(HET_MPI_LIST Arguments, comm);                      \
		});                                                                            \
	}                                                                                      \
	HET_MPI_CALL MPI_##Iname(HET_MPI_LIST Parameters, MPI_Comm comm, MPI_Request *request) \
	{                                                                                      \
		[[maybe_unused]] const exchange all(comm, Root);                               \
		return begin(comm, {Out, In}, request, [&](holds &h) {                         \
			h[0].place(out);                                                       \
			h[1].place(in);                                                        \
			return PMPI_##Iname(HET_MPI_LIST Arguments, comm, request);            \
		});                                                                            \
	}

#define NO_ROOT MPI_PROC_NULL

// What does not count for a rank may be anything there, and is not looked at.
#define IF(is, its_message) ((is) ? (its_message) : message{})

#define ONE_COUNT (const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type)
#define ONE_COUNT_NAMES (out, out_count, out_type, in, in_count, in_type)

COLLECTIVE(Allgather, Iallgather, NO_ROOT, ONE_COUNT, ONE_COUNT_NAMES, sent(out, out_count, out_type),
	   result(out, in, MPI_Aint(in_count) * all.ranks, in_type))
COLLECTIVE(Alltoall, Ialltoall, NO_ROOT, ONE_COUNT, ONE_COUNT_NAMES,
	   sent(out, MPI_Aint(out_count) * all.ranks, out_type),
	   result(out, in, MPI_Aint(in_count) * all.ranks, in_type))

#define FROM_ROOT \
	(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type, int root)
#define FROM_ROOT_NAMES (out, out_count, out_type, in, in_count, in_type, root)

COLLECTIVE(Gather, Igather, root, FROM_ROOT, FROM_ROOT_NAMES, IF(all.is_leaf, sent(out, out_count, out_type)),
	   IF(all.is_root, result(out, in, MPI_Aint(in_count) * all.ranks, in_type)))
COLLECTIVE(Scatter, Iscatter, root, FROM_ROOT, FROM_ROOT_NAMES,
	   IF(all.is_root, sent(out, MPI_Aint(out_count) * all.ranks, out_type)),
	   IF(all.is_leaf, received(in, in_count, in_type)))

COLLECTIVE(Gatherv, Igatherv, root,
	   (const void *out, int out_count, MPI_Datatype out_type, void *in, const int in_counts[], const int places[],
	    MPI_Datatype in_type, int root),
	   (out, out_count, out_type, in, in_counts, places, in_type, root),
	   IF(all.is_leaf, sent(out, out_count, out_type)),
	   (by_rank<int>{all.ranks_if_root(), in_counts, places, in_type}.of(result_of(out), in)))
COLLECTIVE(Scatterv, Iscatterv, root,
	   (const void *out, const int out_counts[], const int places[], MPI_Datatype out_type, void *in, int in_count,
	    MPI_Datatype in_type, int root),
	   (out, out_counts, places, out_type, in, in_count, in_type, root),
	   (by_rank<int>{all.ranks_if_root(), out_counts, places, out_type}.of(use::read, out)),
	   IF(all.is_leaf, received(in, in_count, in_type)))
COLLECTIVE(Allgatherv, Iallgatherv, NO_ROOT,
	   (const void *out, int out_count, MPI_Datatype out_type, void *in, const int in_counts[], const int places[],
	    MPI_Datatype in_type),
	   (out, out_count, out_type, in, in_counts, places, in_type), sent(out, out_count, out_type),
	   (by_rank<int>{all.ranks, in_counts, places, in_type}.of(result_of(out), in)))

#define COUNTS_BY_RANK(Place)                                                                                \
	(const void *out, const int out_counts[], const Place out_places[], MPI_Datatype out_type, void *in, \
	 const int in_counts[], const Place in_places[], MPI_Datatype in_type)
#define COUNTS_BY_RANK_NAMES (out, out_counts, out_places, out_type, in, in_counts, in_places, in_type)
#define TYPES_BY_RANK(Place)                                                                                          \
	(const void *out, const int out_counts[], const Place out_places[], const MPI_Datatype out_types[], void *in, \
	 const int in_counts[], const Place in_places[], const MPI_Datatype in_types[])
#define TYPES_BY_RANK_NAMES (out, out_counts, out_places, out_types, in, in_counts, in_places, in_types)

COLLECTIVE(Alltoallv, Ialltoallv, NO_ROOT, COUNTS_BY_RANK(int), COUNTS_BY_RANK_NAMES,
	   (by_rank<int>{all.ranks, out_counts, out_places, out_type}.of(use::read, out)),
	   (by_rank<int>{all.ranks, in_counts, in_places, in_type}.of(result_of(out), in)))
COLLECTIVE(Alltoallw, Ialltoallw, NO_ROOT, TYPES_BY_RANK(int), TYPES_BY_RANK_NAMES,
	   (by_rank<int>{all.ranks, out_counts, out_places, MPI_BYTE, out_types}.of(use::read, out)),
	   (by_rank<int>{all.ranks, in_counts, in_places, MPI_BYTE, in_types}.of(result_of(out), in)))

#define REDUCED (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op)
#define REDUCED_NAMES (out, in, count, type, op)

COLLECTIVE(Reduce, Ireduce, root, (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, int root),
	   (out, in, count, type, op, root), IF(all.is_leaf, sent(out, count, type)),
	   IF(all.is_root, result(out, in, count, type)))
COLLECTIVE(Allreduce, Iallreduce, NO_ROOT, REDUCED, REDUCED_NAMES, sent(out, count, type), result(out, in, count, type))
COLLECTIVE(Scan, Iscan, NO_ROOT, REDUCED, REDUCED_NAMES, sent(out, count, type), result(out, in, count, type))
// The first rank gets nothing.
COLLECTIVE(Exscan, Iexscan, NO_ROOT, REDUCED, REDUCED_NAMES, sent(out, count, type), updated(in, count, type))
COLLECTIVE(Reduce_scatter, Ireduce_scatter, NO_ROOT,
	   (const void *out, void *in, const int counts[], MPI_Datatype type, MPI_Op op), (out, in, counts, type, op),
	   sent(out, sum_of(own_ranks(comm), counts), type), part_of_result(out, in, counts, type, comm))
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, NO_ROOT, REDUCED, REDUCED_NAMES,
	   sent(out, MPI_Aint(count) * own_ranks(comm), type),
	   result(out, in, out == MPI_IN_PLACE ? MPI_Aint(count) * own_ranks(comm) : count, type))

// Of neighbours that are no process nothing comes.
COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, NO_ROOT, ONE_COUNT, ONE_COUNT_NAMES, sent(out, out_count, out_type),
	   updated(in, MPI_Aint(in_count) * neighbours(comm).in, in_type))
COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, NO_ROOT, ONE_COUNT, ONE_COUNT_NAMES,
	   sent(out, MPI_Aint(out_count) * neighbours(comm).out, out_type),
	   updated(in, MPI_Aint(in_count) * neighbours(comm).in, in_type))
COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, NO_ROOT,
	   (const void *out, int out_count, MPI_Datatype out_type, void *in, const int in_counts[], const int places[],
	    MPI_Datatype in_type),
	   (out, out_count, out_type, in, in_counts, places, in_type), sent(out, out_count, out_type),
	   (by_rank<int>{neighbours(comm).in, in_counts, places, in_type}.of(use::updated, in)))
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, NO_ROOT, COUNTS_BY_RANK(int), COUNTS_BY_RANK_NAMES,
	   (by_rank<int>{neighbours(comm).out, out_counts, out_places, out_type}.of(use::read, out)),
	   (by_rank<int>{neighbours(comm).in, in_counts, in_places, in_type}.of(use::updated, in)))
COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, NO_ROOT, TYPES_BY_RANK(MPI_Aint), TYPES_BY_RANK_NAMES,
	   (by_rank<MPI_Aint>{neighbours(comm).out, out_counts, out_places, MPI_BYTE, out_types}.of(use::read, out)),
	   (by_rank<MPI_Aint>{neighbours(comm).in, in_counts, in_places, MPI_BYTE, in_types}.of(use::updated, in)))

namespace
{

message broadcast(const exchange &all, void *buffer, int count, MPI_Datatype type)
{
	return all.is_root ? sent(buffer, count, type) : IF(all.is_leaf, received(buffer, count, type));
}

} // namespace

HET_MPI_CALL MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
	return with(comm, {broadcast(exchange(comm, root), buffer, count, type)},
		    [&](holds &h) { return PMPI_Bcast(h[0].placed(buffer), count, type, root, comm); });
}

HET_MPI_CALL MPI_Ibcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
	return begin(comm, {broadcast(exchange(comm, root), buffer, count, type)}, request,
		     [&](holds &h) { return PMPI_Ibcast(h[0].placed(buffer), count, type, root, comm, request); });
}

HET_MPI_CALL MPI_Reduce_local(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op)
{
	return with(MPI_COMM_WORLD, {sent(in, count, type), updated(inout, count, type)},
		    [&](holds &h) { return PMPI_Reduce_local(h[0].placed(in), h[1].placed(inout), count, type, op); });
}
