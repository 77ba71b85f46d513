// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Sends and receives.
#include "call.h"

using namespace hetmpi;

#define SEND(Name)                                                                                                   \
	HET_MPI_CALL MPI_##Name(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)    \
	{                                                                                                            \
		return with(comm, {unless_null(to, sent(buffer, count, type))},                                      \
			    [&](holds &h) { return PMPI_##Name(h[0].placed(buffer), count, type, to, tag, comm); }); \
	}
SEND(Send)
SEND(Ssend)
SEND(Rsend)
SEND(Bsend)

#define BEGIN_SEND(Name)                                                                                          \
	HET_MPI_CALL MPI_##Name(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
				MPI_Request *request)                                                             \
	{                                                                                                         \
		return begin(comm, {unless_null(to, sent(buffer, count, type))}, request, [&](holds &h) {         \
			return PMPI_##Name(h[0].placed(buffer), count, type, to, tag, comm, request);             \
		});                                                                                               \
	}
BEGIN_SEND(Isend)
BEGIN_SEND(Issend)
BEGIN_SEND(Irsend)
BEGIN_SEND(Ibsend)

#define SEND_INIT(Name)                                                                                           \
	HET_MPI_CALL MPI_##Name(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
				MPI_Request *request)                                                             \
	{                                                                                                         \
		return prepare(comm, unless_null(to, sent(buffer, count, type)), request,                         \
			       [&](void *at) { return PMPI_##Name(at, count, type, to, tag, comm, request); });   \
	}
SEND_INIT(Send_init)
SEND_INIT(Ssend_init)
SEND_INIT(Rsend_init)
SEND_INIT(Bsend_init)

HET_MPI_CALL MPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
	return with_status(comm, unless_null(from, received(buffer, count, type)), status, told_by::receive,
			   [&](holds &h, MPI_Status *s) {
				   return PMPI_Recv(h[0].placed(buffer), count, type, from, tag, comm, s);
			   });
}

HET_MPI_CALL MPI_Mrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *which, MPI_Status *status)
{
	return with_status(
		MPI_COMM_WORLD, received(buffer, count, type), status, told_by::receive,
		[&](holds &h, MPI_Status *s) { return PMPI_Mrecv(h[0].placed(buffer), count, type, which, s); });
}

HET_MPI_CALL MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
		       MPI_Request *request)
{
	return begin(
		comm, {unless_null(from, received(buffer, count, type))}, request,
		[&](holds &h) { return PMPI_Irecv(h[0].placed(buffer), count, type, from, tag, comm, request); },
		told_by::receive);
}

HET_MPI_CALL MPI_Imrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *which, MPI_Request *request)
{
	return begin(
		MPI_COMM_WORLD, {received(buffer, count, type)}, request,
		[&](holds &h) { return PMPI_Imrecv(h[0].placed(buffer), count, type, which, request); },
		told_by::receive);
}

HET_MPI_CALL MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in,
			  int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status)
{
	const message going = unless_null(to, sent(out, out_count, out_type));
	hold h;
	if (int err = h.take(going))
		return owner(comm).report(err);
	return with_status(comm, unless_null(from, received(in, in_count, in_type)), status, told_by::receive,
			   [&](holds &coming, MPI_Status *s) {
				   return PMPI_Sendrecv(h.placed(out), out_count, out_type, to, out_tag,
							coming[0].placed(in), in_count, in_type, from, in_tag, comm, s);
			   });
}

HET_MPI_CALL MPI_Sendrecv_replace(void *buffer, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
				  MPI_Comm comm, MPI_Status *status)
{
	return with_status(comm, updated(buffer, count, type), status, told_by::receive, [&](holds &h, MPI_Status *s) {
		return PMPI_Sendrecv_replace(h[0].placed(buffer), count, type, to, out_tag, from, in_tag, comm, s);
	});
}

HET_MPI_CALL MPI_Recv_init(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
			   MPI_Request *request)
{
	return prepare(comm, unless_null(from, received(buffer, count, type)), request,
		       [&](void *at) { return PMPI_Recv_init(at, count, type, from, tag, comm, request); });
}
