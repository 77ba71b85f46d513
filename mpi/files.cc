// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reads and writes of MPI's files. A read that meets the end of the file is shorter, as its status says.
#include "call.h"

#include <map>
#include <mutex>

using namespace hetmpi;

// A row is a call, the same without blocking, parameters before the buffer, and arguments.
#define READ(Name, Iname, Parameters, Arguments)                                                                      \
	HET_MPI_CALL MPI_File_##Name(HET_MPI_LIST Parameters, void *buffer, int count, MPI_Datatype type,             \
				     MPI_Status *status)                                                              \
	{                                                                                                             \
		return with_status(                                                                                   \
			file, received(buffer, count, type), status, told_by::file, [&](holds &h, MPI_Status *s) {    \
				return PMPI_File_##Name(HET_MPI_LIST Arguments, h[0].placed(buffer), count, type, s); \
			});                                                                                           \
	}                                                                                                             \
	HET_MPI_CALL MPI_File_##Iname(HET_MPI_LIST Parameters, void *buffer, int count, MPI_Datatype type,            \
				      MPI_Request *request)                                                           \
	{                                                                                                             \
		return begin(                                                                                         \
			file, {received(buffer, count, type)}, request,                                               \
			[&](holds &h) {                                                                               \
				return PMPI_File_##Iname(HET_MPI_LIST Arguments, h[0].placed(buffer), count, type,    \
							 request);                                                    \
			},                                                                                            \
			told_by::file);                                                                               \
	}

#define WRITE(Name, Iname, Parameters, Arguments)                                                                     \
	HET_MPI_CALL MPI_File_##Name(HET_MPI_LIST Parameters, const void *buffer, int count, MPI_Datatype type,       \
				     MPI_Status *status)                                                              \
	{                                                                                                             \
		return with_status(                                                                                   \
			file, sent(buffer, count, type), status, told_by::file, [&](holds &h, MPI_Status *s) {        \
				return PMPI_File_##Name(HET_MPI_LIST Arguments, h[0].placed(buffer), count, type, s); \
			});                                                                                           \
	}                                                                                                             \
	HET_MPI_CALL MPI_File_##Iname(HET_MPI_LIST Parameters, const void *buffer, int count, MPI_Datatype type,      \
				      MPI_Request *request)                                                           \
	{                                                                                                             \
		return begin(file, {sent(buffer, count, type)}, request, [&](holds &h) {                              \
			return PMPI_File_##Iname(HET_MPI_LIST Arguments, h[0].placed(buffer), count, type, request);  \
		});                                                                                                   \
	}

#define HERE (MPI_File file), (file)
#define AT (MPI_File file, MPI_Offset offset), (file, offset)
#define EXPANDED(Row, Name, Iname, ...) Row(Name, Iname, __VA_ARGS__)

EXPANDED(READ, read, iread, HERE)
EXPANDED(READ, read_all, iread_all, HERE)
EXPANDED(READ, read_shared, iread_shared, HERE)
EXPANDED(READ, read_at, iread_at, AT)
EXPANDED(READ, read_at_all, iread_at_all, AT)
EXPANDED(WRITE, write, iwrite, HERE)
EXPANDED(WRITE, write_all, iwrite_all, HERE)
EXPANDED(WRITE, write_shared, iwrite_shared, HERE)
EXPANDED(WRITE, write_at, iwrite_at, AT)
EXPANDED(WRITE, write_at_all, iwrite_at_all, AT)

HET_MPI_CALL MPI_File_read_ordered(MPI_File file, void *buffer, int count, MPI_Datatype type, MPI_Status *status)
{
	return with_status(file, received(buffer, count, type), status, told_by::file, [&](holds &h, MPI_Status *s) {
		return PMPI_File_read_ordered(file, h[0].placed(buffer), count, type, s);
	});
}

HET_MPI_CALL MPI_File_write_ordered(MPI_File file, const void *buffer, int count, MPI_Datatype type, MPI_Status *status)
{
	return with_status(file, sent(buffer, count, type), status, told_by::file, [&](holds &h, MPI_Status *s) {
		return PMPI_File_write_ordered(file, h[0].placed(buffer), count, type, s);
	});
}

namespace
{

// A file has at most one collective operation between its begin and its end.
struct split_operations {
	std::mutex lock;
	std::map<MPI_File, under_way> all;
};

split_operations &split()
{
	static auto *s = new split_operations;
	return *s;
}

template <typename Call> int begin_split(MPI_File file, const message &m, Call call)
{
	hold h;
	if (int err = h.take(m))
		return owner(file).report(err);
	if (int err = call(h.placed(m.buffer)))
		return err;
	std::lock_guard guard(split().lock);
	split().all.insert_or_assign(file, under_way{std::move(h), file, told_by::file});
	return MPI_SUCCESS;
}

template <typename Call> int end_split(MPI_File file, const void *buffer, MPI_Status *status, Call call)
{
	MPI_Status own = {};
	MPI_Status *const used = status == MPI_STATUS_IGNORE ? &own : status;
	under_way u;
	{
		std::lock_guard guard(split().lock);
		auto found = split().all.find(file);
		if (found != split().all.end()) {
			u = std::move(found->second);
			split().all.erase(found);
		}
	}
	int err = call(u.bytes.placed(buffer), used);
	return err ? err : u.whose.report(u.give(*used));
}

} // namespace

#define SPLIT(Name, Message, Const, Parameters, Arguments)                                                      \
	HET_MPI_CALL MPI_File_##Name##_begin(HET_MPI_LIST Parameters, Const void *buffer, int count,            \
					     MPI_Datatype type)                                                 \
	{                                                                                                       \
		return begin_split(file, Message(buffer, count, type), [&](void *at) {                          \
			return PMPI_File_##Name##_begin(HET_MPI_LIST Arguments, at, count, type);               \
		});                                                                                             \
	}                                                                                                       \
	HET_MPI_CALL MPI_File_##Name##_end(MPI_File file, Const void *buffer, MPI_Status *status)               \
	{                                                                                                       \
		return end_split(file, buffer, status,                                                          \
				 [&](void *at, MPI_Status *s) { return PMPI_File_##Name##_end(file, at, s); }); \
	}
#define EXPANDED_SPLIT(Name, Message, Const, ...) SPLIT(Name, Message, Const, __VA_ARGS__)

EXPANDED_SPLIT(read_all, received, , HERE)
EXPANDED_SPLIT(read_at_all, received, , AT)
EXPANDED_SPLIT(read_ordered, received, , HERE)
EXPANDED_SPLIT(write_all, sent, const, HERE)
EXPANDED_SPLIT(write_at_all, sent, const, AT)
EXPANDED_SPLIT(write_ordered, sent, const, HERE)
