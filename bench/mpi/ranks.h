// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Ranks of a benchmark compute with one device each, and rank 0 tells of all.
#pragma once

#include "apps/common/app.h"

#include <cstdio>
#include <gpuvm.h>
#include <mpi.h>

namespace bench
{

// MPI lasts as long as this does.
class ranks
{
      public:
	ranks(int *argc, char ***argv)
	{
		int provided = 0;
		MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
		MPI_Comm_rank(MPI_COMM_WORLD, &me);
		MPI_Comm_size(MPI_COMM_WORLD, &count);
	}
	~ranks() { MPI_Finalize(); }
	ranks(const ranks &) = delete;
	ranks &operator=(const ranks &) = delete;

	// Returns whether all ranks say so.
	static bool all(bool is)
	{
		int mine = is, both = 0;
		MPI_Allreduce(&mine, &both, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
		return both;
	}
	static double sum(double of_mine) { return together(of_mine, MPI_SUM); }
	static double most(double of_mine) { return together(of_mine, MPI_MAX); }

	// Says so if the result is wrong. Returns the exit status of all ranks.
	int end(bool is_right) const
	{
		if (!is_right && !me)
			printf("WRONG\n");
		return !is_right;
	}

	int me = 0, count = 1;

      private:
	static double together(double of_mine, MPI_Op how)
	{
		double of_all = 0;
		MPI_Allreduce(&of_mine, &of_all, 1, MPI_DOUBLE, how, MPI_COMM_WORLD);
		return of_all;
	}
};

// These bytes have gone between the host and devices.
struct moved_bytes {
	unsigned long long to_host = 0, to_device = 0;

	static moved_bytes so_far()
	{
		moved_bytes m;
		gpuvm_stat(GPUVM_STAT_BYTES_TO_HOST, &m.to_host);
		gpuvm_stat(GPUVM_STAT_BYTES_TO_DEVICE, &m.to_device);
		return m;
	}
	moved_bytes since(const moved_bytes &before) const
	{
		return {to_host - before.to_host, to_device - before.to_device};
	}
};

} // namespace bench
