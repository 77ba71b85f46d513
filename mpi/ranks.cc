// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ranks.h"

namespace hetmpi
{

int own_rank(MPI_Comm comm)
{
	int rank = 0;
	PMPI_Comm_rank(comm, &rank);
	return rank;
}

int own_ranks(MPI_Comm comm)
{
	int ranks = 0;
	PMPI_Comm_size(comm, &ranks);
	return ranks;
}

exchange::exchange(MPI_Comm comm, int root)
{
	int between = 0;
	PMPI_Comm_test_inter(comm, &between);
	if (between) {
		PMPI_Comm_remote_size(comm, &ranks);
		is_root = root == MPI_ROOT;
		is_leaf = root >= 0;
	} else {
		ranks = own_ranks(comm);
		is_root = root == own_rank(comm);
	}
}

neighbours::neighbours(MPI_Comm comm)
{
	int topology = MPI_UNDEFINED, weighted = 0;
	PMPI_Topo_test(comm, &topology);
	if (topology == MPI_CART) {
		PMPI_Cartdim_get(comm, &in);
		in *= 2;
		out = in;
	} else if (topology == MPI_GRAPH) {
		PMPI_Graph_neighbors_count(comm, own_rank(comm), &in);
		out = in;
	} else if (topology == MPI_DIST_GRAPH) {
		PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
	}
}

} // namespace hetmpi
