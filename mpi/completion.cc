// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Starts and completions of requests. A completion makes the caller's handle null, unless the request is persistent, so
// the handles are looked at before; and its status tells how much has come, also where the caller wants none.
#include "call.h"

#include <vector>

using namespace hetmpi;

namespace
{

std::vector<MPI_Request> copy_of(int count, const MPI_Request *requests)
{
	return count > 0 && requests ? std::vector<MPI_Request>(requests, requests + count)
				     : std::vector<MPI_Request>{};
}

class status_of_one
{
      public:
	explicit status_of_one(MPI_Status *callers) : used_(callers == MPI_STATUS_IGNORE ? &own_ : callers) {}
	MPI_Status *get() { return used_; }

	// Returns @err, or what has gone wrong since.
	int finished(MPI_Request r, int err)
	{
		if (err) {
			failed(r, begun_);
			return err;
		}
		return hetmpi::finished(r, begun_, *used_);
	}

      private:
	const uint64_t begun_ = begun();
	MPI_Status own_ = {};
	MPI_Status *used_;
};

class statuses_of
{
      public:
	statuses_of(int count, MPI_Status *callers)
	    : own_(callers == MPI_STATUSES_IGNORE && count > 0 ? size_t(count) : 0),
	      used_(callers == MPI_STATUSES_IGNORE ? own_.data() : callers)
	{
		// Where MPI sees no failure it sets none of them, and there may be one of ours.
		for (int i = 0; i < count; i++)
			used_[i].MPI_ERROR = MPI_SUCCESS;
	}
	MPI_Status *get() { return used_; }

	// The request has the i-th status, in which an error of ours stands then.
	void finished(MPI_Request r, int i)
	{
		if (int err = hetmpi::finished(r, begun_, used_[i]))
			used_[i].MPI_ERROR = error_ = err;
	}
	void failed(MPI_Request r) const { hetmpi::failed(r, begun_); }
	int error() const { return error_ ? MPI_ERR_IN_STATUS : MPI_SUCCESS; }

      private:
	const uint64_t begun_ = begun();
	std::vector<MPI_Status> own_;
	MPI_Status *used_;
	int error_ = MPI_SUCCESS;
};

// Ends the request that has the i-th status. What is pending when others have failed goes on.
void end_by_status(MPI_Request r, int i, statuses_of &s)
{
	const int err = s.get()[i].MPI_ERROR;
	if (err == MPI_SUCCESS)
		s.finished(r, i);
	else if (err != MPI_ERR_PENDING)
		s.failed(r);
}

// Returns the error of a call that should have completed all. Their statuses tell which have failed if it is that of
// the statuses; else those have failed that are there no more.
int end_of_all(int err, const std::vector<MPI_Request> &before, const MPI_Request *now, statuses_of &s)
{
	for (size_t i = 0; i < before.size(); i++) {
		if (!err)
			s.finished(before[i], int(i));
		else if (err == MPI_ERR_IN_STATUS)
			end_by_status(before[i], int(i), s);
		else if (now[i] == MPI_REQUEST_NULL)
			s.failed(before[i]);
	}
	return err ? err : s.error();
}

// Does the same for a call that has completed those with the indices.
int end_of_some(int err, const std::vector<MPI_Request> &before, int done, const int *indices, statuses_of &s)
{
	for (int i = 0; (!err || err == MPI_ERR_IN_STATUS) && done != MPI_UNDEFINED && i < done; i++) {
		if (err)
			end_by_status(before[size_t(indices[i])], i, s);
		else
			s.finished(before[size_t(indices[i])], i);
	}
	return err ? err : s.error();
}

} // namespace

HET_MPI_CALL MPI_Start(MPI_Request *request)
{
	if (int err = start(*request))
		return err;
	int err = PMPI_Start(request);
	if (err)
		failed(*request);
	return err;
}

HET_MPI_CALL MPI_Startall(int count, MPI_Request requests[])
{
	for (int i = 0; i < count; i++) {
		if (int err = start(requests[i])) {
			while (i--)
				failed(requests[i]);
			return err;
		}
	}
	const int err = PMPI_Startall(count, requests);
	for (int i = 0; err && i < count; i++)
		failed(requests[i]);
	return err;
}

HET_MPI_CALL MPI_Request_free(MPI_Request *request)
{
	if (!forgotten(*request))
		return PMPI_Request_free(request);
	*request = MPI_REQUEST_NULL;
	return MPI_SUCCESS;
}

// The program may look at the bytes of a request that is over, though it has to complete it still.
HET_MPI_CALL MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
	status_of_one s(status);
	int err = PMPI_Request_get_status(request, flag, s.get());
	return !err && *flag ? s.finished(request, err) : err;
}

HET_MPI_CALL MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	MPI_Request before = *request;
	status_of_one s(status);
	return s.finished(before, PMPI_Wait(request, s.get()));
}

HET_MPI_CALL MPI_Waitall(int count, MPI_Request requests[], MPI_Status *statuses)
{
	std::vector<MPI_Request> before = copy_of(count, requests);
	statuses_of s(count, statuses);
	return end_of_all(PMPI_Waitall(count, requests, s.get()), before, requests, s);
}

HET_MPI_CALL MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
	std::vector<MPI_Request> before = copy_of(count, requests);
	status_of_one s(status);
	*index = MPI_UNDEFINED;
	int err = PMPI_Waitany(count, requests, index, s.get());
	return *index == MPI_UNDEFINED ? err : s.finished(before[size_t(*index)], err);
}

HET_MPI_CALL MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status *statuses)
{
	std::vector<MPI_Request> before = copy_of(count, requests);
	statuses_of s(count, statuses);
	const int err = PMPI_Waitsome(count, requests, done, indices, s.get());
	return end_of_some(err, before, *done, indices, s);
}

HET_MPI_CALL MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	MPI_Request before = *request;
	status_of_one s(status);
	int err = PMPI_Test(request, flag, s.get());
	return err || *flag ? s.finished(before, err) : MPI_SUCCESS;
}

HET_MPI_CALL MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status *statuses)
{
	std::vector<MPI_Request> before = copy_of(count, requests);
	statuses_of s(count, statuses);
	const int err = PMPI_Testall(count, requests, flag, s.get());
	return err || *flag ? end_of_all(err, before, requests, s) : MPI_SUCCESS;
}

HET_MPI_CALL MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
	std::vector<MPI_Request> before = copy_of(count, requests);
	status_of_one s(status);
	*index = MPI_UNDEFINED;
	const int err = PMPI_Testany(count, requests, index, flag, s.get());
	return *index != MPI_UNDEFINED && (err || *flag) ? s.finished(before[size_t(*index)], err) : err;
}

HET_MPI_CALL MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status *statuses)
{
	std::vector<MPI_Request> before = copy_of(count, requests);
	statuses_of s(count, statuses);
	const int err = PMPI_Testsome(count, requests, done, indices, s.get());
	return end_of_some(err, before, *done, indices, s);
}

HET_MPI_CALL MPI_Finalize()
{
	finish_all();
	return PMPI_Finalize();
}
