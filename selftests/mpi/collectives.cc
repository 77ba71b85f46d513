// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Calls of all ranks leave in arrays on devices what MPI itself leaves in plain memory, whether they block or not.
#include "cases.h"

#include <cstdio>
#include <gpuvm.h>

namespace mpi_test
{

namespace
{

constexpr size_t all = 200000; // numbers
constexpr int ranks_count = 2;
const MPI_Datatype type = MPI_UINT32_T;

// Counts and places that are not alike.
struct arguments {
	explicit arguments(int me) : me(me), of_me{counts[me], counts[me]}
	{
		MPI_Type_vector(400, 3, 7, type, &gaps);
		MPI_Type_commit(&gaps);
		const int ring_size = ranks_count, ends = 0;
		MPI_Cart_create(MPI_COMM_WORLD, 1, &ring_size, &ends, 0, &row);
		for (MPI_Datatype &t : types)
			t = gaps;
	}
	~arguments()
	{
		MPI_Type_free(&gaps);
		MPI_Comm_free(&row);
	}
	arguments(const arguments &) = delete;
	arguments &operator=(const arguments &) = delete;

	const int me;
	const int counts[ranks_count] = {30000, 50000}, places[ranks_count] = {70001, 1000};
	const int of_me[ranks_count], far[ranks_count] = {100000, 0}, few[ranks_count] = {7, 3},
				      few_back[ranks_count] = {3, 7}, even[ranks_count] = {9000, 9000};
	const int bytes[ranks_count] = {40, 400004}, ones[ranks_count] = {1, 1};
	const MPI_Aint bytes_of_row[ranks_count] = {40, 400004};
	MPI_Datatype gaps, types[ranks_count];
	MPI_Comm row; // each rank has one neighbour and one end
};

using function = void (*)(const void *out, void *in, const arguments &a);

struct call {
	const char *name;
	function blocking, not_blocking, plain;
	bool in_place = false;
};

void wait_for(MPI_Request q)
{
	MPI_Wait(&q, MPI_STATUS_IGNORE);
}

#define CALL_OF(Name, Iname, In_place, ...)                                                                  \
	{                                                                                                    \
#Name, [](const void *out, void *in, const arguments &a) { (void)out, (void)a, MPI_##Name(__VA_ARGS__); }, \
			[](const void *out, void *in, const arguments &a) {                                         \
				MPI_Request q;                                                                      \
				(void)out, (void)a, MPI_##Iname(__VA_ARGS__, &q);                                    \
				wait_for(q);                                                                        \
			},                                                                                          \
			[](const void *out, void *in, const arguments &a) { (void)out, (void)a, PMPI_##Name(__VA_ARGS__); }, \
			In_place \
	}
#define CALL(Name, Iname, ...) CALL_OF(Name, Iname, false, __VA_ARGS__)
#define IN_PLACE(Name, Iname, ...) CALL_OF(Name, Iname, true, __VA_ARGS__)

// What does not count at the leaves is nothing there.
const call calls[] = {
	CALL(Gatherv, Igatherv, out, a.counts[a.me], type, in, a.me ? nullptr : a.counts, a.me ? nullptr : a.places,
	     a.me ? MPI_DATATYPE_NULL : type, 0, MPI_COMM_WORLD),
	CALL(Scatterv, Iscatterv, out, a.me ? nullptr : a.counts, a.me ? nullptr : a.places,
	     a.me ? MPI_DATATYPE_NULL : type, in, a.counts[a.me], type, 0, MPI_COMM_WORLD),
	CALL(Gather, Igather, out, 900, type, in, 900, a.me ? MPI_DATATYPE_NULL : type, 0, MPI_COMM_WORLD),
	CALL(Scatter, Iscatter, out, 900, a.me ? MPI_DATATYPE_NULL : type, in, 900, type, 0, MPI_COMM_WORLD),
	CALL(Allgather, Iallgather, out, 8, a.gaps, in, 8, a.gaps, MPI_COMM_WORLD),
	CALL(Allgatherv, Iallgatherv, out, a.counts[a.me], type, in, a.counts, a.places, type, MPI_COMM_WORLD),
	CALL(Allgatherv, Iallgatherv, out, a.few[a.me], a.gaps, in, a.few, a.few, a.gaps, MPI_COMM_WORLD),
	CALL(Alltoall, Ialltoall, out, 9000, type, in, 9000, type, MPI_COMM_WORLD),
	CALL(Alltoallv, Ialltoallv, out, a.counts, a.places, type, in, a.of_me, a.far, type, MPI_COMM_WORLD),
	CALL(Alltoallw, Ialltoallw, out, a.ones, a.bytes, a.types, in, a.ones, a.bytes, a.types, MPI_COMM_WORLD),
	CALL(Reduce, Ireduce, out, in, 70000, type, MPI_SUM, 1, MPI_COMM_WORLD),
	CALL(Allreduce, Iallreduce, out, in, 70000, type, MPI_SUM, MPI_COMM_WORLD),
	CALL(Reduce_scatter, Ireduce_scatter, out, in, a.counts, type, MPI_SUM, MPI_COMM_WORLD),
	CALL(Reduce_scatter_block, Ireduce_scatter_block, out, in, 40000, type, MPI_SUM, MPI_COMM_WORLD),
	CALL(Scan, Iscan, out, in, 70000, type, MPI_SUM, MPI_COMM_WORLD),
	CALL(Exscan, Iexscan, out, in, 70000, type, MPI_SUM, MPI_COMM_WORLD),
	CALL(Neighbor_allgather, Ineighbor_allgather, out, 9000, type, in, 9000, type, a.row),
	CALL(Neighbor_allgatherv, Ineighbor_allgatherv, out, 9000, type, in, a.even, a.far, type, a.row),
	CALL(Neighbor_alltoall, Ineighbor_alltoall, out, 9000, type, in, 9000, type, a.row),
	CALL(Neighbor_alltoallv, Ineighbor_alltoallv, out, a.few, a.places, type, in, a.few_back, a.far, type, a.row),
	CALL(Neighbor_alltoallw, Ineighbor_alltoallw, out, a.ones, a.bytes_of_row, a.types, in, a.ones, a.bytes_of_row,
	     a.types, a.row),
	IN_PLACE(Allgather, Iallgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 9000, type, MPI_COMM_WORLD),
	IN_PLACE(Allgatherv, Iallgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, a.counts, a.places, type,
		 MPI_COMM_WORLD),
	IN_PLACE(Gatherv, Igatherv, a.me ? out : MPI_IN_PLACE, a.counts[a.me], type, in, a.counts, a.places, type, 0,
		 MPI_COMM_WORLD),
	IN_PLACE(Allreduce, Iallreduce, MPI_IN_PLACE, in, 70000, type, MPI_MAX, MPI_COMM_WORLD),
	IN_PLACE(Reduce_scatter, Ireduce_scatter, MPI_IN_PLACE, in, a.counts, type, MPI_SUM, MPI_COMM_WORLD),
	IN_PLACE(Scan, Iscan, MPI_IN_PLACE, in, 70000, type, MPI_SUM, MPI_COMM_WORLD),
};

numbers filled(uint32_t seed)
{
	numbers x(all);
	for (size_t i = 0; i < all; i++)
		x[i] = value_at(seed, i);
	return x;
}

// The device's copy and the host's are as they should be.
bool is(ranks &r, const numbers &x, const numbers &wanted)
{
	numbers sum(1);
	r.on.begin_sum(x.data(), all, sum).wait();
	uint32_t expected = 0;
	for (uint32_t w : wanted)
		expected += w;
	return sum[0] == expected && x == wanted;
}

bool gives_the_same(ranks &r, const call &c, function f, const arguments &a)
{
	const uint32_t before = c.in_place ? uint32_t(r.me) + 11 : 99;
	numbers out(all), in(all);
	r.on.fill(out, uint32_t(r.me) + 1);
	r.on.fill(in, before);
	numbers plain_out = filled(uint32_t(r.me) + 1), plain_in = filled(before);
	f(out.data(), in.data(), a);
	c.plain(plain_out.data(), plain_in.data(), a);
	return is(r, in, plain_in) && is(r, out, plain_out);
}

bool all_calls(ranks &r, function call::*which)
{
	const arguments a(r.me);
	bool good = true;
	for (const call &c : calls) {
		if (gives_the_same(r, c, c.*which, a))
			continue;
		fprintf(stderr, "# rank %d: %s%s\n", r.me, c.name, c.in_place ? " in place" : "");
		good = false;
	}
	return good;
}

// Until the request is over, the bytes are MPI's.
bool kernels_wait_for_them(ranks &r)
{
	numbers out(all), in(all);
	r.on.fill(out, uint32_t(r.me) + 1);
	r.on.fill(in, 99);
	MPI_Request q;
	MPI_Ialltoall(out.data(), 9000, type, in.data(), 9000, type, MPI_COMM_WORLD, &q);
	het::event writer = r.on.begin_fill(in.data(), all, 5);
	const bool waits = writer.status() > HET_COMPLETE;
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	writer.wait();
	return waits && !r.on.wrong(in.data(), all, 5);
}

bool broadcast(ranks &r)
{
	numbers x(all);
	r.on.fill(x, uint32_t(r.me) + 1);
	MPI_Request q;
	MPI_Ibcast(x.data() + 10, 70000, type, 1, MPI_COMM_WORLD, &q);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	return !r.on.wrong(x.data() + 10, 70000, 2, 10) && !r.on.wrong(x.data(), 10, uint32_t(r.me) + 1);
}

} // namespace

std::vector<test_case> collective_cases()
{
	return {{"collectives", [](ranks &r) { return all_calls(r, &call::blocking); }},
		{"collectives that do not block", [](ranks &r) { return all_calls(r, &call::not_blocking); }},
		{"kernels wait for collectives", kernels_wait_for_them},
		{"a broadcast that does not block", broadcast}};
}

} // namespace mpi_test
