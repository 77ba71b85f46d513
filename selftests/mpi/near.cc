// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Bytes of several messages, or of several ranks, lie near each other or in each other: each keeps its own.
#include "cases.h"

#include <cstdio>
#include <functional>

namespace mpi_test
{

namespace
{

constexpr size_t all = 100000; // numbers
constexpr size_t at = 30000, count = 3000;
const MPI_Datatype type = MPI_UINT32_T;

// Each rank has a window over an array that its device has written. Every second number from @at on belongs to the
// other one, and the rest of the stretch to itself.
class shared_stretch
{
      public:
	shared_stretch(ranks &r, size_t n) : r_(r), n_(n), x(all), theirs_(n), seed_(uint32_t(r.me) + 1)
	{
		r.on.fill(x, seed_);
		MPI_Win_create(x.data(), MPI_Aint(all * sizeof x[0]), sizeof x[0], MPI_INFO_NULL, MPI_COMM_WORLD, &w);
		MPI_Type_vector(int(n), 1, 2, type, &every_second_);
		MPI_Type_commit(&every_second_);
	}
	~shared_stretch()
	{
		MPI_Type_free(&every_second_);
		MPI_Win_free(&w);
	}
	shared_stretch(const shared_stretch &) = delete;
	shared_stretch &operator=(const shared_stretch &) = delete;

	// The rank stores its own numbers.
	void store(uint32_t round)
	{
		for (size_t i = 0; i < n_; i++)
			x[at + 2 * i] = value(r_.me, round, i);
	}
	// It puts the other one's.
	void put(uint32_t round)
	{
		for (size_t i = 0; i < n_; i++)
			theirs_[i] = value(r_.me, round, i);
		MPI_Put(theirs_.data(), int(n_), type, r_.other, at + 1, 1, every_second_, w);
	}
	// Both are there, and all around is as the kernel left it.
	bool has(uint32_t stored, uint32_t put)
	{
		bool good = !r_.on.wrong(x.data(), at, seed_) &&
			    !r_.on.wrong(&x[at + 2 * n_], all - at - 2 * n_, seed_, at + 2 * n_);
		for (size_t i = 0; i < n_; i++)
			good = good && x[at + 2 * i] == value(r_.me, stored, i) &&
			       x[at + 2 * i + 1] == value(r_.other, put, i);
		return good;
	}

      private:
	static uint32_t value(int rank, uint32_t round, size_t i) { return value_at(uint32_t(rank) + 10 * round, i); }

	ranks &r_;
	const size_t n_;

      public:
	numbers x;
	MPI_Win w = MPI_WIN_NULL;

      private:
	numbers theirs_;
	const uint32_t seed_;
	MPI_Datatype every_second_ = MPI_DATATYPE_NULL;
};

// What comes while the rank stores beside it takes none of the stores along.
bool stores_beside_puts(ranks &r, size_t n)
{
	shared_stretch s(r, n);
	MPI_Group world, other;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &r.other, &other);
	MPI_Win_post(other, 0, s.w);
	MPI_Win_start(other, 0, s.w);
	s.put(1);
	s.store(2);
	MPI_Win_complete(s.w);
	MPI_Win_wait(s.w);
	MPI_Group_free(&world);
	MPI_Group_free(&other);
	return s.has(2, 1);
}

// What has come already is not overwritten by what the rank has stored around it, when others get to see that.
bool puts_beside_stores(ranks &r, size_t n)
{
	shared_stretch s(r, n);
	MPI_Win_lock_all(0, s.w);
	MPI_Barrier(MPI_COMM_WORLD);
	s.put(1);
	MPI_Win_flush_all(s.w);
	s.store(2);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_sync(s.w);
	const bool good = s.has(2, 1);
	// The other one sees the stores.
	MPI_Barrier(MPI_COMM_WORLD);
	numbers seen(2 * n);
	MPI_Get(seen.data(), int(2 * n), type, r.other, at, int(2 * n), type, s.w);
	MPI_Win_unlock_all(s.w);
	bool others = true;
	for (size_t i = 0; i < n; i++)
		others = others && seen[2 * i] == value_at(uint32_t(r.other) + 20, i) &&
			 seen[2 * i + 1] == value_at(uint32_t(r.me) + 10, i);
	return good && others;
}

// Of no process nothing comes: the arrays stay as they are, and kernels wait for nobody.
bool nothing_from_no_process(ranks &r)
{
	numbers x(all), in(count), out(count);
	r.on.fill(x, 1);
	r.on.fill(out, 2);
	MPI_Win w;
	MPI_Win_create(x.data(), MPI_Aint(all * sizeof x[0]), sizeof x[0], MPI_INFO_NULL, MPI_COMM_WORLD, &w);
	auto leaves_alone = [&](const char *what, const std::function<void()> &call) {
		r.on.fill(in, 99);
		MPI_Win_lock_all(0, w);
		call();
		MPI_Win_unlock_all(w);
		const bool is = !r.on.wrong(in.data(), count, 99);
		if (!is)
			fprintf(stderr, "# rank %d: %s\n", r.me, what);
		return is;
	};
	constexpr int none = MPI_PROC_NULL, n = int(count);
	MPI_Request q;
	bool good = leaves_alone("Get", [&] { MPI_Get(in.data(), n, type, none, 0, n, type, w); });
	good = leaves_alone("Rget",
			    [&] {
				    MPI_Rget(in.data(), n, type, none, 0, n, type, w, &q);
				    MPI_Wait(&q, MPI_STATUS_IGNORE);
			    }) &&
	       good;
	good = leaves_alone("Get_accumulate",
			    [&] {
				    MPI_Get_accumulate(out.data(), n, type, in.data(), n, type, none, 0, n, type,
						       MPI_SUM, w);
			    }) &&
	       good;
	good = leaves_alone("Fetch_and_op",
			    [&] { MPI_Fetch_and_op(out.data(), in.data(), type, none, 0, MPI_SUM, w); }) &&
	       good;
	good = leaves_alone("Compare_and_swap",
			    [&] { MPI_Compare_and_swap(out.data(), &out[1], in.data(), type, none, 0, w); }) &&
	       good;
	MPI_Win_free(&w);
	return good;
}

// One receive is in the gap of another: what lies on both sides of it waits, too.
bool both_sides_of_a_message(ranks &r)
{
	constexpr size_t side = 1000, middle = 4000;
	numbers x(2 * side + middle), out(middle, 4);
	r.on.fill(x, 99);
	MPI_Datatype sides;
	MPI_Type_vector(2, int(side), int(side + middle), type, &sides);
	MPI_Type_commit(&sides);
	MPI_Request q[2];
	MPI_Irecv(&x[side + 500], int(middle - 1000), type, r.other, 1, MPI_COMM_WORLD, &q[0]);
	MPI_Irecv(x.data(), 1, sides, r.other, 2, MPI_COMM_WORLD, &q[1]);
	het::event before = r.on.begin_fill(x.data(), side, 5), behind = r.on.begin_fill(&x[side + middle], side, 6);
	const bool good = r.on.lets_wait(before) && r.on.lets_wait(behind);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Send(out.data(), int(middle - 1000), type, r.other, 1, MPI_COMM_WORLD);
	MPI_Send(out.data(), int(2 * side), type, r.other, 2, MPI_COMM_WORLD);
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	before.wait();
	behind.wait();
	MPI_Type_free(&sides);
	return good && !r.on.wrong(x.data(), side, 5) && !r.on.wrong(&x[side + middle], side, 6) &&
	       x[side + 500] == 4 && x[side + 499] == value_at(99, side + 499);
}

} // namespace

std::vector<test_case> near_cases()
{
	// Few bytes of a window travel by themselves, many with those between.
	return {{"two stores beside puts", [](ranks &r) { return stores_beside_puts(r, 2); }},
		{"stores beside puts", [](ranks &r) { return stores_beside_puts(r, count); }},
		{"two puts beside stores", [](ranks &r) { return puts_beside_stores(r, 2); }},
		{"puts beside stores", [](ranks &r) { return puts_beside_stores(r, count); }},
		{"nothing comes from no process", nothing_from_no_process},
		{"both sides of a message", both_sides_of_a_message}};
}

} // namespace mpi_test
