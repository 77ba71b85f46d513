// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Sends and receives.
#include "call.h"

using namespace hetmpi;

namespace
{

// Nobody sends to, or receives from, the process that is none.
message unless_null(int peer, const message &m)
{
	return peer == MPI_PROC_NULL ? nothing(m) : m;
}

} // namespace

#define SEND(Name)                                                                                                \
	HET_MPI_CALL MPI_##Name(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) \
	{                                                                                                         \
		return with(comm, {unless_null(to, sent(buffer, count, type))},                                   \
			    [&](hold *h) { return PMPI_##Name(h->placed(buffer), count, type, to, tag, comm); }); \
	}
SEND(Send)
SEND(Ssend)
SEND(Rsend)
SEND(Bsend)

#define BEGIN_SEND(Name)                                                                                          \
	HET_MPI_CALL MPI_##Name(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
				MPI_Request *request)                                                             \
	{                                                                                                         \
		return begin(comm, unless_null(to, sent(buffer, count, type)), request,                           \
			     [&](void *at) { return PMPI_##Name(at, count, type, to, tag, comm, request); });     \
	}
BEGIN_SEND(Isend)
BEGIN_SEND(Issend)
BEGIN_SEND(Irsend)
BEGIN_SEND(Ibsend)

HET_MPI_CALL MPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
	return with(comm, {unless_null(from, received(buffer, count, type))},
		    [&](hold *h) { return PMPI_Recv(h->placed(buffer), count, type, from, tag, comm, status); });
}

HET_MPI_CALL MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
		       MPI_Request *request)
{
	return begin(comm, unless_null(from, received(buffer, count, type)), request,
		     [&](void *at) { return PMPI_Irecv(at, count, type, from, tag, comm, request); });
}

HET_MPI_CALL MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in,
			  int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status)
{
	return with(
		comm,
		{unless_null(to, sent(out, out_count, out_type)), unless_null(from, received(in, in_count, in_type))},
		[&](hold *h) {
			return PMPI_Sendrecv(h[0].placed(out), out_count, out_type, to, out_tag, h[1].placed(in),
					     in_count, in_type, from, in_tag, comm, status);
		});
}

HET_MPI_CALL MPI_Sendrecv_replace(void *buffer, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
				  MPI_Comm comm, MPI_Status *status)
{
	return with(comm, {received(buffer, count, type)}, [&](hold *h) {
		return PMPI_Sendrecv_replace(h->placed(buffer), count, type, to, out_tag, from, in_tag, comm, status);
	});
}

HET_MPI_CALL MPI_Send_init(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
			   MPI_Request *request)
{
	return prepare(comm, unless_null(to, sent(buffer, count, type)), request,
		       [&](void *at) { return PMPI_Send_init(at, count, type, to, tag, comm, request); });
}

HET_MPI_CALL MPI_Recv_init(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
			   MPI_Request *request)
{
	return prepare(comm, unless_null(from, received(buffer, count, type)), request,
		       [&](void *at) { return PMPI_Recv_init(at, count, type, from, tag, comm, request); });
}
