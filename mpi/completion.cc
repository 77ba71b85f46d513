// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Starts and completions of requests. A completion makes the caller's handle null, unless the request is persistent, so
// the handles are looked at before.
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

void all_finished(const std::vector<MPI_Request> &requests)
{
	for (MPI_Request r : requests)
		finished(r);
}

// MPI_Waitall() may end with some requests done and others not, where one has failed: those that are null are over.
void finished_of(const std::vector<MPI_Request> &before, const MPI_Request *now)
{
	for (size_t i = 0; i < before.size(); i++) {
		if (before[i] != MPI_REQUEST_NULL && now[i] == MPI_REQUEST_NULL)
			finished(before[i]);
	}
}

void finished_at(const std::vector<MPI_Request> &before, int count, const int *indices)
{
	for (int i = 0; count != MPI_UNDEFINED && i < count; i++)
		finished(before[size_t(indices[i])]);
}

} // namespace

HET_MPI_CALL MPI_Start(MPI_Request *request)
{
	if (int err = start(*request))
		return report(MPI_COMM_WORLD, err);
	int err = PMPI_Start(request);
	if (err)
		finished(*request);
	return err;
}

HET_MPI_CALL MPI_Startall(int count, MPI_Request requests[])
{
	for (int i = 0; i < count; i++) {
		if (int err = start(requests[i])) {
			while (i--)
				finished(requests[i]);
			return report(MPI_COMM_WORLD, err);
		}
	}
	return PMPI_Startall(count, requests);
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
	int err = PMPI_Request_get_status(request, flag, status);
	if (!err && *flag)
		finished(request);
	return err;
}

HET_MPI_CALL MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	MPI_Request before = *request;
	int err = PMPI_Wait(request, status);
	finished(before);
	return err;
}

HET_MPI_CALL MPI_Waitall(int count, MPI_Request requests[], MPI_Status *statuses)
{
	std::vector<MPI_Request> before = copy_of(count, requests);
	int err = PMPI_Waitall(count, requests, statuses);
	if (err)
		finished_of(before, requests);
	else
		all_finished(before);
	return err;
}

HET_MPI_CALL MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
	std::vector<MPI_Request> before = copy_of(count, requests);
	int err = PMPI_Waitany(count, requests, index, status);
	if (!err && *index != MPI_UNDEFINED)
		finished(before[size_t(*index)]);
	return err;
}

HET_MPI_CALL MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status *statuses)
{
	std::vector<MPI_Request> before = copy_of(count, requests);
	int err = PMPI_Waitsome(count, requests, done, indices, statuses);
	if (!err)
		finished_at(before, *done, indices);
	return err;
}

HET_MPI_CALL MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	MPI_Request before = *request;
	int err = PMPI_Test(request, flag, status);
	if (err || *flag)
		finished(before);
	return err;
}

HET_MPI_CALL MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status *statuses)
{
	std::vector<MPI_Request> before = copy_of(count, requests);
	int err = PMPI_Testall(count, requests, flag, statuses);
	if (!err && *flag)
		all_finished(before);
	return err;
}

HET_MPI_CALL MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
	std::vector<MPI_Request> before = copy_of(count, requests);
	int err = PMPI_Testany(count, requests, index, flag, status);
	if (!err && *flag && *index != MPI_UNDEFINED)
		finished(before[size_t(*index)]);
	return err;
}

HET_MPI_CALL MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status *statuses)
{
	std::vector<MPI_Request> before = copy_of(count, requests);
	int err = PMPI_Testsome(count, requests, done, indices, statuses);
	if (!err)
		finished_at(before, *done, indices);
	return err;
}

HET_MPI_CALL MPI_Finalize()
{
	free_freed();
	int err = PMPI_Finalize();
	finished_all();
	return err;
}
