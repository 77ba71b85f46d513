// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Windows over arrays on devices: what others put there kernels find after MPI has synchronised, and what kernels write
// others get.
#include "cases.h"

#include <cstdio>
#include <gpuvm.h>

namespace mpi_test
{

namespace
{

constexpr size_t all = 100000, part = 20000, at = 30000; // numbers
const MPI_Datatype type = MPI_UINT32_T;

// Each rank has a window over an array that its device has written.
class window
{
      public:
	explicit window(ranks &r) : r(r), x(all)
	{
		r.on.fill(x, uint32_t(r.me) + 1);
		MPI_Win_create(x.data(), MPI_Aint(all * sizeof x[0]), sizeof x[0], MPI_INFO_NULL, MPI_COMM_WORLD, &w);
	}
	~window()
	{
		if (w != MPI_WIN_NULL)
			MPI_Win_free(&w);
	}
	window(const window &) = delete;
	window &operator=(const window &) = delete;

	void put(const numbers &from) { MPI_Put(from.data(), part, type, r.other, at, part, type, w); }
	void get(numbers &to) { MPI_Get(to.data(), part, type, r.other, at, part, type, w); }
	// The part is as after the other rank's fill with @seed, and the rest as after one's own with @own.
	bool has(uint32_t seed, uint32_t own)
	{
		return !r.on.wrong(&x[at], part, seed) && !r.on.wrong(x.data(), at, own) &&
		       !r.on.wrong(&x[at + part], all - at - part, own, at + part);
	}

	ranks &r;
	numbers x;
	MPI_Win w = MPI_WIN_NULL;
};

uint32_t own_seed(const ranks &r, uint32_t round)
{
	return round * 10 + uint32_t(r.me) + 1;
}

uint32_t others_seed(const ranks &r, uint32_t round)
{
	return round * 10 + uint32_t(r.other) + 1;
}

// Between the fences only the other rank's numbers travel to the device.
bool fences(ranks &r)
{
	window w(r);
	numbers out(part), in(part);
	bool good = true;
	MPI_Win_fence(MPI_MODE_NOPRECEDE, w.w);
	for (uint32_t round = 1; round < 3; round++) {
		r.on.fill(out, others_seed(r, round) + 100);
		w.put(out);
		MPI_Win_fence(0, w.w);
		good = good && w.has(own_seed(r, round) + 100, own_seed(r, round - 1));
		// The others get what a kernel has made of it since.
		r.on.fill(w.x, own_seed(r, round));
		r.on.fill(in, 99);
		MPI_Win_fence(0, w.w);
		w.get(in);
		MPI_Win_fence(0, w.w);
		good = good && !r.on.wrong(in.data(), part, others_seed(r, round), at);
	}
	// Nothing comes from no process, so the array stays as it is.
	MPI_Get(in.data(), part, type, MPI_PROC_NULL, 0, part, type, w.w);
	MPI_Win_fence(0, w.w);
	return good && !r.on.wrong(in.data(), part, others_seed(r, 2), at);
}

// The array goes on being used by a kernel that has nothing to do with the window's epoch.
bool posts_and_waits(ranks &r)
{
	window w(r);
	numbers out(part), in(part);
	MPI_Group world, other;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &r.other, &other);
	r.on.fill(out, uint32_t(r.me) + 50);
	r.on.fill(in, 99);
	MPI_Win_post(other, 0, w.w);
	MPI_Win_start(other, 0, w.w);
	w.put(out);
	MPI_Win_complete(w.w);
	MPI_Win_wait(w.w);
	bool good = w.has(uint32_t(r.other) + 50, uint32_t(r.me) + 1);
	MPI_Win_post(other, 0, w.w);
	MPI_Win_start(other, 0, w.w);
	w.get(in);
	MPI_Win_complete(w.w);
	for (int done = 0; !done;)
		MPI_Win_test(w.w, &done);
	MPI_Group_free(&world);
	MPI_Group_free(&other);
	return good && !r.on.wrong(in.data(), part, uint32_t(r.me) + 50);
}

// What has been put is there when the rank has synchronised its own part, and not before it has to be.
bool locks(ranks &r)
{
	window w(r);
	numbers out(part), in(part);
	r.on.fill(out, uint32_t(r.me) + 50);
	r.on.fill(in, 99);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, r.other, 0, w.w);
	w.put(out);
	MPI_Win_flush(r.other, w.w);
	w.get(in);
	MPI_Win_unlock(r.other, w.w);
	bool good = !r.on.wrong(in.data(), part, uint32_t(r.me) + 50);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, r.me, 0, w.w);
	good = good && w.has(uint32_t(r.other) + 50, uint32_t(r.me) + 1);
	r.on.fill(w.x, uint32_t(r.me) + 70);
	MPI_Win_unlock(r.me, w.w);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, w.w);
	w.get(in);
	MPI_Win_flush_local_all(w.w);
	good = good && !r.on.wrong(in.data(), part, uint32_t(r.other) + 70, at);
	MPI_Barrier(MPI_COMM_WORLD);
	w.put(out);
	MPI_Win_flush_all(w.w);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_sync(w.w);
	good = good && w.has(uint32_t(r.other) + 50, uint32_t(r.me) + 70);
	MPI_Win_unlock_all(w.w);
	return good;
}

// Who locks windows between fences tells them that none of their epochs is before, or behind. They synchronise all the
// same.
bool locks_beside_fences(ranks &r)
{
	window w(r);
	numbers out(part), in(part);
	r.on.fill(out, uint32_t(r.me) + 50);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, r.other, 0, w.w);
	w.put(out);
	MPI_Win_unlock(r.other, w.w);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_fence(MPI_MODE_NOPRECEDE, w.w);
	bool good = w.has(uint32_t(r.other) + 50, uint32_t(r.me) + 1);
	r.on.fill(w.x, uint32_t(r.me) + 70);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, w.w);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, r.other, 0, w.w);
	w.get(in);
	MPI_Win_unlock(r.other, w.w);
	return good && !r.on.wrong(in.data(), part, uint32_t(r.other) + 70, at);
}

bool operations(ranks &r)
{
	window w(r);
	numbers out(part), in(part), one(3);
	r.on.fill(out, 40);
	r.on.fill(in, 99);
	MPI_Win_lock_all(0, w.w);
	MPI_Accumulate(out.data(), part, type, r.other, at, part, type, MPI_REPLACE, w.w);
	MPI_Win_flush_all(w.w);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Get_accumulate(out.data(), part, type, in.data(), part, type, r.other, at, part, type, MPI_SUM, w.w);
	MPI_Fetch_and_op(&out[1], &one[0], type, r.other, 0, MPI_REPLACE, w.w);
	MPI_Win_flush_all(w.w);
	MPI_Compare_and_swap(&out[2], &out[1], &one[1], type, r.other, 0, w.w);
	MPI_Request q;
	MPI_Rget(&one[2], 1, type, r.other, 1, 1, type, w.w, &q);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Win_unlock_all(w.w);
	bool good = !r.on.wrong(in.data(), part, 40) && one[0] == value_at(uint32_t(r.other) + 1, 0) &&
		    one[1] == value_at(40, 1) && one[2] == value_at(uint32_t(r.other) + 1, 1);
	MPI_Win_free(&w.w);
	// The device has what the other rank has made of the array.
	numbers sum(1);
	r.on.begin_sum(&w.x[at], part, sum).wait();
	uint32_t expected = 0;
	for (size_t i = 0; i < part; i++)
		expected += 2 * value_at(40, i);
	return good && sum[0] == expected && w.x[0] == value_at(40, 2);
}

// The program finds its own memory in the window, and that the two must be synchronised.
bool attributes(ranks &r)
{
	window w(r);
	void *base = nullptr, *model = nullptr;
	int has_base = 0, has_model = 0;
	MPI_Win_get_attr(w.w, MPI_WIN_BASE, &base, &has_base);
	MPI_Win_get_attr(w.w, MPI_WIN_MODEL, &model, &has_model);
	int separate = MPI_WIN_UNIFIED, wanted = gpuvm_alias(&w.x[all / 2]) ? MPI_WIN_SEPARATE : MPI_WIN_UNIFIED;
	if (has_model)
		separate = *static_cast<int *>(model);
	return has_base && base == w.x.data() && separate == wanted;
}

// A put of few numbers moves few bytes to the device; with MPI_MODE_NOSTORE none come home.
bool few_bytes(ranks &r)
{
	window w(r);
	if (!gpuvm_alias(&w.x[all / 2]))
		return true; // the device works in place
	const uint32_t x[3] = {1, 2, 3};
	unsigned long long before[2], now[2];
	auto count = [](unsigned long long(&c)[2]) {
		gpuvm_stat(GPUVM_STAT_BYTES_TO_DEVICE, &c[0]);
		gpuvm_stat(GPUVM_STAT_BYTES_TO_HOST, &c[1]);
	};
	MPI_Win_fence(MPI_MODE_NOSTORE, w.w);
	count(before);
	MPI_Barrier(MPI_COMM_WORLD); // what comes early is taken at the fence before
	MPI_Put(x, 3, type, r.other, at, 3, type, w.w);
	MPI_Win_fence(MPI_MODE_NOSTORE, w.w);
	count(now);
	bool good = now[0] - before[0] <= sizeof x && now[0] > before[0] && now[1] == before[1] && w.x[at + 2] == 3;
	if (!good)
		fprintf(stderr, "# rank %d: %llu and %llu bytes\n", r.me, now[0] - before[0], now[1] - before[1]);
	return good;
}

} // namespace

std::vector<test_case> window_cases(bool plain)
{
	std::vector<test_case> c = {{"windows and fences", fences},
				    {"windows, posts and waits", posts_and_waits},
				    {"windows and locks", locks},
				    {"windows and operations", operations}};
	if (plain)
		return c;
	c.push_back({"windows, locks beside fences", locks_beside_fences});
	c.push_back({"windows' attributes", attributes});
	c.push_back({"windows move few bytes", few_bytes});
	return c;
}

} // namespace mpi_test
