// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "below.h"

#include <dlfcn.h>
#include <utility>

namespace mpi_test::below
{

std::function<void(MPI_Request)> after_wait;
std::function<void(MPI_Win)> after_win_free;
std::function<int()> startall, reduce_scatter;
std::function<int(int, MPI_Request *, MPI_Status *)> waitall;

namespace
{

template <typename F> F *mpis_own(F *, const char *name)
{
	return reinterpret_cast<F *>(dlsym(RTLD_NEXT, name));
}

} // namespace

} // namespace mpi_test::below

using namespace mpi_test::below;

#define BELOW(Name, ...) extern "C" __attribute__((visibility("default"))) int PMPI_##Name(__VA_ARGS__)
#define MPIS_OWN(Name) mpis_own(PMPI_##Name, "PMPI_" #Name)

BELOW(Wait, MPI_Request *request, MPI_Status *status)
{
	const MPI_Request before = *request;
	const int err = MPIS_OWN(Wait)(request, status);
	if (after_wait)
		std::exchange(after_wait, nullptr)(before);
	return err;
}

BELOW(Waitall, int count, MPI_Request requests[], MPI_Status *statuses)
{
	return waitall ? waitall(count, requests, statuses) : MPIS_OWN(Waitall)(count, requests, statuses);
}

BELOW(Win_free, MPI_Win *win)
{
	const MPI_Win before = *win;
	const int err = MPIS_OWN(Win_free)(win);
	if (after_win_free)
		std::exchange(after_win_free, nullptr)(before);
	return err;
}

BELOW(Startall, int count, MPI_Request requests[])
{
	return startall ? startall() : MPIS_OWN(Startall)(count, requests);
}

BELOW(Reduce_scatter, const void *out, void *in, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	return reduce_scatter ? reduce_scatter() : MPIS_OWN(Reduce_scatter)(out, in, counts, type, op, comm);
}
