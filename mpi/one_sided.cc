// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// One-sided calls. A window over the program's memory has a public copy (public_copy.h), which meets the program's
// where MPI synchronises the two: at fences, at the begin and end of an exposure, where a rank locks and unlocks its
// own part, and at MPI_Win_sync().
#include "call.h"
#include "windows.h"

#include <algorithm>

using namespace hetmpi;

namespace
{

// Calls MPI and keeps the holds until the operations at the rank are completed. Where they are kept is found before, as
// MPI uses other memory in their place from the call on.
template <typename Call> int begin_with(MPI_Win win, int rank, std::initializer_list<hold *> holds, Call call)
{
	window *its = nullptr;
	if (std::any_of(holds.begin(), holds.end(), [](hold *h) { return !h->is_empty(); })) {
		if (int err = window::find(win, &its))
			return err;
	}
	const int err = call();
	for (hold *h : holds) {
		if (its && !err)
			its->keep(rank, std::move(*h));
	}
	return err;
}

template <typename Call> int begin_at(MPI_Win win, int rank, std::initializer_list<message> messages, Call call)
{
	holds h;
	if (int err = h.take(messages))
		return owner(win).report(err);
	return begin_with(win, rank, {&h[0], &h[1]}, [&] { return call(h); });
}

public_copy *copy_of(MPI_Win win)
{
	window *w = window::of(win);
	return w ? w->copy() : nullptr;
}

int show(MPI_Win win)
{
	public_copy *c = copy_of(win);
	return c ? owner(win).report(c->show()) : MPI_SUCCESS;
}

int take(MPI_Win win)
{
	public_copy *c = copy_of(win);
	return c ? owner(win).report(c->take()) : MPI_SUCCESS;
}

bool is_own(MPI_Win win, int rank)
{
	MPI_Group group = MPI_GROUP_NULL;
	int own = MPI_UNDEFINED;
	PMPI_Win_get_group(win, &group);
	PMPI_Group_rank(group, &own);
	PMPI_Group_free(&group);
	return own == rank;
}

// Calls f() after what has succeeded.
template <typename F> int then(int err, F f)
{
	return err ? err : f();
}

int complete(MPI_Win win, int rank)
{
	window *w = window::of(win);
	return w ? owner(win).report(w->completed(rank)) : MPI_SUCCESS;
}

} // namespace

HET_MPI_CALL MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
	std::unique_ptr<public_copy> copy;
	if (base && size > 0 && stand_in::may_be_needed() && !(copy = public_copy::of(base, size_t(size))))
		return owner(comm).report(MPI_ERR_BUFFER);
	int err = PMPI_Win_create(copy ? copy->at() : base, size, unit, info, comm, win);
	return err || !copy ? err : window::made(*win, std::move(copy));
}

HET_MPI_CALL MPI_Win_free(MPI_Win *win)
{
	std::unique_ptr<window> its(window::of(*win));
	if (int err = PMPI_Win_free(win)) {
		its.release(); // the window is there still
		return err;
	}
	if (!its)
		return MPI_SUCCESS;
	int err = its->completed(every_rank);
	if (public_copy *c = its->copy()) {
		if (int e = c->take())
			err = e;
	}
	return owner(MPI_COMM_WORLD).report(err); // the window's handler is gone with it
}

HET_MPI_CALL MPI_Win_get_attr(MPI_Win win, int key, void *value, int *flag)
{
	static int separate = MPI_WIN_SEPARATE;
	int err = PMPI_Win_get_attr(win, key, value, flag);
	public_copy *c = err || !*flag ? nullptr : copy_of(win);
	if (c && key == MPI_WIN_BASE)
		*static_cast<void **>(value) = c->base();
	if (c && key == MPI_WIN_MODEL)
		*static_cast<void **>(value) = &separate;
	return err;
}

// That no calls come before it, or none behind it, is said of those that fences complete: others may have locked the
// window before, or lock it behind.
HET_MPI_CALL MPI_Win_fence(int assertion, MPI_Win win)
{
	if (!(assertion & MPI_MODE_NOSTORE)) {
		if (int err = show(win))
			return err;
	}
	return then(PMPI_Win_fence(assertion, win),
		    [&] { return then(complete(win, every_rank), [&] { return take(win); }); });
}

HET_MPI_CALL MPI_Win_post(MPI_Group group, int assertion, MPI_Win win)
{
	if (!(assertion & MPI_MODE_NOSTORE)) {
		if (int err = show(win))
			return err;
	}
	return PMPI_Win_post(group, assertion, win);
}

HET_MPI_CALL MPI_Win_wait(MPI_Win win)
{
	return then(PMPI_Win_wait(win), [&] { return take(win); });
}

HET_MPI_CALL MPI_Win_test(MPI_Win win, int *flag)
{
	return then(PMPI_Win_test(win, flag), [&] { return *flag ? take(win) : MPI_SUCCESS; });
}

HET_MPI_CALL MPI_Win_complete(MPI_Win win)
{
	return then(PMPI_Win_complete(win), [&] { return complete(win, every_rank); });
}

HET_MPI_CALL MPI_Win_lock(int type, int rank, int assertion, MPI_Win win)
{
	return then(PMPI_Win_lock(type, rank, assertion, win),
		    [&] { return is_own(win, rank) ? take(win) : MPI_SUCCESS; });
}

HET_MPI_CALL MPI_Win_lock_all(int assertion, MPI_Win win)
{
	return then(PMPI_Win_lock_all(assertion, win), [&] { return take(win); });
}

HET_MPI_CALL MPI_Win_unlock(int rank, MPI_Win win)
{
	const bool own = is_own(win, rank);
	if (int err = own ? show(win) : MPI_SUCCESS)
		return err;
	return then(PMPI_Win_unlock(rank, win), [&] {
		int err = complete(win, rank);
		return own ? then(err, [&] { return take(win); }) : err;
	});
}

HET_MPI_CALL MPI_Win_unlock_all(MPI_Win win)
{
	if (int err = show(win))
		return err;
	return then(PMPI_Win_unlock_all(win), [&] { return complete(win, every_rank); });
}

HET_MPI_CALL MPI_Win_sync(MPI_Win win)
{
	if (int err = show(win))
		return err;
	return then(PMPI_Win_sync(win), [&] { return take(win); });
}

// All complete operations at their origin.
#define FLUSH(Name, Rank, Parameters, Arguments)                                                           \
	HET_MPI_CALL MPI_Win_##Name(HET_MPI_LIST Parameters)                                               \
	{                                                                                                  \
		return then(PMPI_Win_##Name(HET_MPI_LIST Arguments), [&] { return complete(win, Rank); }); \
	}
FLUSH(flush, rank, (int rank, MPI_Win win), (rank, win))
FLUSH(flush_local, rank, (int rank, MPI_Win win), (rank, win))
FLUSH(flush_all, every_rank, (MPI_Win win), (win))
FLUSH(flush_local_all, every_rank, (MPI_Win win), (win))

// A row is a call and what it has in common with the one that gives a request: parameters and arguments behind the
// messages, which are out and in.
#define OPERATION(Name, Rname, Parameters, Arguments, Out, In)                                              \
	HET_MPI_CALL MPI_##Name(HET_MPI_LIST Parameters, MPI_Win win)                                       \
	{                                                                                                   \
		return begin_at(win, rank, {unless_null(rank, Out), unless_null(rank, In)}, [&](holds &h) { \
			h[0].place(out);                                                                    \
			h[1].place(in);                                                                     \
			return PMPI_##Name(HET_MPI_LIST Arguments, win);                                    \
		});                                                                                         \
	}                                                                                                   \
	HET_MPI_CALL MPI_##Rname(HET_MPI_LIST Parameters, MPI_Win win, MPI_Request *request)                \
	{                                                                                                   \
		return begin(win, {unless_null(rank, Out), unless_null(rank, In)}, request, [&](holds &h) { \
			h[0].place(out);                                                                    \
			h[1].place(in);                                                                     \
			return PMPI_##Rname(HET_MPI_LIST Arguments, win, request);                          \
		});                                                                                         \
	}

#define AT_TARGET int rank, MPI_Aint place, int count, MPI_Datatype type

OPERATION(Get_accumulate, Rget_accumulate,
	  (const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type,
	   AT_TARGET, MPI_Op op),
	  (out, out_count, out_type, in, in_count, in_type, rank, place, count, type, op),
	  op == MPI_NO_OP ? message{} : sent(out, out_count, out_type), received(in, in_count, in_type))

// Of these there is one message.
#define OPERATION_OF_ONE(Name, Rname, Parameters, Arguments, Message)                        \
	HET_MPI_CALL MPI_##Name(HET_MPI_LIST Parameters, MPI_Win win)                        \
	{                                                                                    \
		return begin_at(win, rank, {unless_null(rank, Message)}, [&](holds &h) {     \
			h[0].place(origin);                                                  \
			return PMPI_##Name(HET_MPI_LIST Arguments, win);                     \
		});                                                                          \
	}                                                                                    \
	HET_MPI_CALL MPI_##Rname(HET_MPI_LIST Parameters, MPI_Win win, MPI_Request *request) \
	{                                                                                    \
		return begin(win, {unless_null(rank, Message)}, request, [&](holds &h) {     \
			h[0].place(origin);                                                  \
			return PMPI_##Rname(HET_MPI_LIST Arguments, win, request);           \
		});                                                                          \
	}

OPERATION_OF_ONE(Put, Rput, (const void *origin, int origin_count, MPI_Datatype origin_type, AT_TARGET),
		 (origin, origin_count, origin_type, rank, place, count, type), sent(origin, origin_count, origin_type))
OPERATION_OF_ONE(Get, Rget, (void *origin, int origin_count, MPI_Datatype origin_type, AT_TARGET),
		 (origin, origin_count, origin_type, rank, place, count, type),
		 received(origin, origin_count, origin_type))
OPERATION_OF_ONE(Accumulate, Raccumulate,
		 (const void *origin, int origin_count, MPI_Datatype origin_type, AT_TARGET, MPI_Op op),
		 (origin, origin_count, origin_type, rank, place, count, type, op),
		 sent(origin, origin_count, origin_type))

HET_MPI_CALL MPI_Fetch_and_op(const void *out, void *in, MPI_Datatype type, int rank, MPI_Aint place, MPI_Op op,
			      MPI_Win win)
{
	return begin_at(win, rank,
			{unless_null(rank, op == MPI_NO_OP ? message{} : sent(out, 1, type)),
			 unless_null(rank, received(in, 1, type))},
			[&](holds &h) {
				return PMPI_Fetch_and_op(h[0].placed(out), h[1].placed(in), type, rank, place, op, win);
			});
}

HET_MPI_CALL MPI_Compare_and_swap(const void *out, const void *compared, void *in, MPI_Datatype type, int rank,
				  MPI_Aint place, MPI_Win win)
{
	hold h[3];
	const message messages[3] = {sent(out, 1, type), sent(compared, 1, type), received(in, 1, type)};
	for (int i = 0; i < 3; i++) {
		if (int err = h[i].take(unless_null(rank, messages[i])))
			return owner(win).report(err);
	}
	return begin_with(win, rank, {&h[0], &h[1], &h[2]}, [&] {
		return PMPI_Compare_and_swap(h[0].placed(out), h[1].placed(compared), h[2].placed(in), type, rank,
					     place, win);
	});
}
