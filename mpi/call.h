// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the calls that stand in for MPI's have in common. MPI's profiling interface has each function under a second
// name, PMPI_..., so the first name can be ours.
//
// Calls that are alike are rows of a table: what a function is named, its parameters, and which of them are messages.
// From a row a macro makes the function, and that which does not block.
#pragma once

#include "requests.h"

#include <initializer_list>

#define HET_MPI_CALL extern "C" __attribute__((visibility("default"))) int
// Takes a list out of its brackets.
#define HET_MPI_LIST(...) __VA_ARGS__

namespace hetmpi
{

// Holds of the messages of one call.
struct holds {
	hold of[2];
	size_t count = 0;

	int take(std::initializer_list<message> messages)
	{
		for (const message &m : messages) {
			if (int err = of[count++].take(m))
				return err;
		}
		return MPI_SUCCESS;
	}
	hold &operator[](size_t i) { return of[i]; }
};

// Calls MPI with the places of these messages, on which it works until it returns.
template <typename Call>
int with(owner whose, std::initializer_list<message> messages, Call call, told_by by = told_by::nothing,
	 const MPI_Status &status = {})
{
	holds h;
	if (int err = h.take(messages))
		return whose.report(err);
	if (int err = call(h))
		return err;
	int err = MPI_SUCCESS;
	for (size_t i = 0; i < h.count; i++) {
		if (int e = h[i].give(by, status))
			err = e;
	}
	return whose.report(err);
}

// Does the same where a status tells how much has come, which the caller may not want.
template <typename Call> int with_status(owner whose, const message &m, MPI_Status *status, told_by by, Call call)
{
	MPI_Status own = {};
	MPI_Status *const used = status == MPI_STATUS_IGNORE ? &own : status;
	return with(
		whose, {m}, [&](holds &h) { return call(h, used); }, by, *used);
}

// Calls MPI with the messages' places. It begins a request.
template <typename Call>
int begin(owner whose, std::initializer_list<message> messages, MPI_Request *request, Call call,
	  told_by by = told_by::nothing)
{
	holds h;
	if (int err = h.take(messages))
		return whose.report(err);
	int err = call(h);
	for (size_t i = 0; i < h.count && !err && request; i++)
		began(*request, {std::move(h[i]), whose, by});
	return err;
}

// Calls MPI with the message's place. It makes a persistent request.
template <typename Call> int prepare(owner whose, const message &m, MPI_Request *request, Call call)
{
	std::shared_ptr<stand_in> instead;
	if (!m.is_good || (!m.is_empty() && stand_in::may_be_needed() && !(instead = stand_in::make(m))))
		return whose.report(MPI_ERR_BUFFER);
	int err = call(instead ? instead->buffer() : m.buffer);
	if (!err && request)
		made(*request, {m, instead, whose});
	return err;
}

} // namespace hetmpi
