// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Sends and receives.
#include "call.h"

using namespace hetmpi;

namespace
{

// Nobody sends to, or receives from, the process that is none.
message unless_null(int peer, message m)
{
	return peer == MPI_PROC_NULL ? message{{}, m.u} : m;
}

} // namespace

#define SEND(Name)                                                                                                \
	HET_MPI_CALL MPI_##Name(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) \
	{                                                                                                         \
		return with(comm, {unless_null(to, sent(buffer, count, type))},                                   \
			    [&] { return PMPI_##Name(buffer, count, type, to, tag, comm); });                     \
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
			     [&] { return PMPI_##Name(buffer, count, type, to, tag, comm, request); });           \
	}
BEGIN_SEND(Isend)
BEGIN_SEND(Issend)
BEGIN_SEND(Irsend)
BEGIN_SEND(Ibsend)

HET_MPI_CALL MPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
	return with(comm, {unless_null(from, received(buffer, count, type))},
		    [&] { return PMPI_Recv(buffer, count, type, from, tag, comm, status); });
}

HET_MPI_CALL MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
		       MPI_Request *request)
{
	return begin(comm, unless_null(from, received(buffer, count, type)), request,
		     [&] { return PMPI_Irecv(buffer, count, type, from, tag, comm, request); });
}

HET_MPI_CALL MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in,
			  int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status)
{
	return with(
		comm,
		{unless_null(to, sent(out, out_count, out_type)), unless_null(from, received(in, in_count, in_type))},
		[&] {
			return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag,
					     comm, status);
		});
}

HET_MPI_CALL MPI_Sendrecv_replace(void *buffer, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
				  MPI_Comm comm, MPI_Status *status)
{
	return with(comm, {received(buffer, count, type)}, [&] {
		return PMPI_Sendrecv_replace(buffer, count, type, to, out_tag, from, in_tag, comm, status);
	});
}

HET_MPI_CALL MPI_Send_init(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
			   MPI_Request *request)
{
	int err = PMPI_Send_init(buffer, count, type, to, tag, comm, request);
	if (!err)
		made(*request, {unless_null(to, sent(buffer, count, type)).at, use::read});
	return err;
}

HET_MPI_CALL MPI_Recv_init(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
			   MPI_Request *request)
{
	int err = PMPI_Recv_init(buffer, count, type, from, tag, comm, request);
	if (!err)
		made(*request, {unless_null(from, received(buffer, count, type)).at, use::written});
	return err;
}
