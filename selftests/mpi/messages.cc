// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// MPI's calls take arrays that are on a device by their plain pointers. What is received a kernel looks at, on the
// device.
#include "cases.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <gpuvm.h>
#include <sys/mman.h>
#include <unistd.h>

namespace mpi_test
{

namespace
{

constexpr size_t large = 1 << 18; // 1 MiB, which no transport copies on the way
constexpr size_t small = 100;
constexpr int tag = 7;
const MPI_Datatype type = MPI_UINT32_T;

// Each rank sends what its device has written to the other one's array, of which it is a part in the middle.
template <class Exchange> bool both_get(ranks &r, size_t n, Exchange exchange)
{
	const size_t before = 1000, all = n + 3000;
	numbers out(all), in(all);
	r.on.fill(out, uint32_t(r.me + 1));
	r.on.fill(in, 99);
	exchange(out.data() + before, in.data() + before, int(n));
	return !r.on.wrong(in.data() + before, n, uint32_t(r.other + 1), before) &&
	       !r.on.wrong(in.data(), before, 99) &&
	       !r.on.wrong(in.data() + before + n, all - n - before, 99, before + n);
}

bool sends_and_receives(ranks &r, size_t n)
{
	return both_get(r, n, [&](uint32_t *out, uint32_t *in, int count) {
		if (r.me)
			MPI_Recv(in, count, type, r.other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(out, count, type, r.other, tag, MPI_COMM_WORLD);
		if (!r.me)
			MPI_Recv(in, count, type, r.other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	});
}

using completion = std::function<void(std::array<MPI_Request, 2> &)>;

bool requests_end_by(ranks &r, const completion &complete)
{
	bool good = true;
	for (size_t n : {small, large}) {
		good = both_get(r, n,
				[&](uint32_t *out, uint32_t *in, int count) {
					std::array<MPI_Request, 2> requests;
					MPI_Irecv(in, count, type, r.other, tag, MPI_COMM_WORLD, &requests[0]);
					MPI_Isend(out, count, type, r.other, tag, MPI_COMM_WORLD, &requests[1]);
					complete(requests);
				}) &&
		       good;
	}
	return good;
}

// A request's bytes are given back, or the kernels of both_get() would wait for ever.
const std::pair<const char *, completion> completions[] = {
	{"Wait",
	 [](auto &q) {
		 for (MPI_Request &r : q)
			 MPI_Wait(&r, MPI_STATUS_IGNORE);
	 }},
	{"Waitall", [](auto &q) { MPI_Waitall(2, q.data(), MPI_STATUSES_IGNORE); }},
	{"Waitany",
	 [](auto &q) {
		 for (int i = 0, which; i < 2; i++)
			 MPI_Waitany(2, q.data(), &which, MPI_STATUS_IGNORE);
	 }},
	{"Waitsome",
	 [](auto &q) {
		 for (int left = 2, done, which[2]; left; left -= done)
			 MPI_Waitsome(2, q.data(), &done, which, MPI_STATUSES_IGNORE);
	 }},
	{"Test",
	 [](auto &q) {
		 for (MPI_Request &r : q)
			 for (int done = 0; !done;)
				 MPI_Test(&r, &done, MPI_STATUS_IGNORE);
	 }},
	{"Testall",
	 [](auto &q) {
		 for (int done = 0; !done;)
			 MPI_Testall(2, q.data(), &done, MPI_STATUSES_IGNORE);
	 }},
	{"Testany",
	 [](auto &q) {
		 for (int left = 2, which, done; left; left -= done)
			 MPI_Testany(2, q.data(), &which, &done, MPI_STATUS_IGNORE);
	 }},
	{"Testsome",
	 [](auto &q) {
		 for (int left = 2, done, which[2]; left; left -= done)
			 MPI_Testsome(2, q.data(), &done, which, MPI_STATUSES_IGNORE);
	 }},
};

bool persistent_requests(ranks &r)
{
	numbers out(large), in(large);
	MPI_Request requests[2];
	MPI_Recv_init(in.data(), large, type, r.other, tag, MPI_COMM_WORLD, &requests[0]);
	MPI_Send_init(out.data(), large, type, r.other, tag, MPI_COMM_WORLD, &requests[1]);
	bool good = true;
	for (uint32_t round = 1; round < 4; round++) {
		r.on.fill(out, round + uint32_t(r.me));
		r.on.fill(in, 99);
		MPI_Startall(2, requests);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		good = good && !r.on.wrong(in.data(), large, round + uint32_t(r.other));
	}
	for (MPI_Request &q : requests)
		MPI_Request_free(&q);
	r.on.fill(in, 3); // waits for nobody
	return good;
}

bool sendrecv(ranks &r)
{
	return both_get(r, large, [&](uint32_t *out, uint32_t *in, int n) {
		MPI_Sendrecv(out, n, type, r.other, tag, in, n, type, r.other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	});
}

// Rows are so short that several lie in the array's first page, which kernels use whole.
bool halos_beside_each_other(ranks &r)
{
	constexpr size_t row = 64, rows = 700;
	auto *x = static_cast<uint32_t *>(malloc(row * rows * sizeof(uint32_t)));
	r.on.fill(x, row * rows, uint32_t(r.me + 1));
	MPI_Request q[4];
	MPI_Irecv(x, row, type, r.other, 1, MPI_COMM_WORLD, &q[0]);
	MPI_Irecv(x + row * (rows - 1), row, type, r.other, 2, MPI_COMM_WORLD, &q[1]);
	MPI_Isend(x + row, row, type, r.other, 2, MPI_COMM_WORLD, &q[2]);
	MPI_Isend(x + row * (rows - 2), row, type, r.other, 1, MPI_COMM_WORLD, &q[3]);
	MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
	uint32_t wrong = r.on.wrong(x, row, uint32_t(r.other + 1), row * (rows - 2));
	wrong += r.on.wrong(x + row * (rows - 1), row, uint32_t(r.other + 1), row);
	wrong += r.on.wrong(x + row, row * (rows - 2), uint32_t(r.me + 1), row);
	free(x);
	return !wrong;
}

// A column of a matrix: what lies between its elements is the device's, and stays as it is.
bool types_with_gaps(ranks &r)
{
	constexpr int width = 300, height = 200;
	numbers x(size_t(width) * height);
	r.on.fill(x, uint32_t(r.me + 1));
	MPI_Datatype column;
	MPI_Type_vector(height, 1, width, type, &column);
	MPI_Type_commit(&column);
	MPI_Sendrecv(&x[1], 1, column, r.other, tag, &x[0], 1, column, r.other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&column);
	// The first of each row is not as it was. (Kernels have the array between.)
	bool good = r.on.wrong(x.data(), x.size(), uint32_t(r.me + 1)) == height;
	for (size_t i = 0; i < x.size(); i++)
		good = good &&
		       x[i] == (i % width ? value_at(uint32_t(r.me + 1), i) : value_at(uint32_t(r.other + 1), i + 1));
	return good;
}

// A message may be shorter than the room for it.
bool short_messages(ranks &r)
{
	numbers out(large), in(large);
	r.on.fill(out, uint32_t(r.me + 1));
	r.on.fill(in, 99);
	MPI_Sendrecv(out.data(), small, type, r.other, tag, in.data(), large, type, r.other, tag, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	return !r.on.wrong(in.data(), small, uint32_t(r.other + 1)) &&
	       !r.on.wrong(in.data() + small, large - small, 99, small);
}

bool of_all(ranks &r)
{
	numbers out(2 * large), in(2 * large);
	const auto me = uint32_t(r.me), other = uint32_t(r.other);
	auto fresh = [&] {
		r.on.fill(out, me + 1);
		r.on.fill(in, 99);
	};
	auto halves = [&](uint32_t first, size_t at_first, uint32_t second, size_t at_second) {
		return !r.on.wrong(in.data(), large, first, at_first) &&
		       !r.on.wrong(in.data() + large, large, second, at_second);
	};
	auto sums = [&] {
		for (size_t i = 0; i < large; i++)
			if (in[i] != value_at(1, i) + value_at(2, i))
				return false;
		return true;
	};
	bool good = true;
	auto expect = [&](const char *what, bool is) {
		if (!is)
			fprintf(stderr, "# rank %d: %s\n", r.me, what);
		good = good && is;
	};
	fresh();
	MPI_Bcast(out.data(), large, type, 0, MPI_COMM_WORLD);
	expect("Bcast", !r.on.wrong(out.data(), large, 1));
	fresh();
	MPI_Reduce(out.data(), in.data(), large, type, MPI_SUM, 0, MPI_COMM_WORLD);
	expect("Reduce", r.me ? !r.on.wrong(in.data(), large, 99) : sums());
	fresh();
	MPI_Allreduce(out.data(), in.data(), large, type, MPI_SUM, MPI_COMM_WORLD);
	expect("Allreduce", sums());
	r.on.fill(in, me + 1);
	MPI_Allreduce(MPI_IN_PLACE, in.data(), large, type, MPI_SUM, MPI_COMM_WORLD);
	expect("Allreduce in place", sums());
	fresh();
	MPI_Gather(out.data(), large, type, in.data(), large, type, 0, MPI_COMM_WORLD);
	expect("Gather", r.me ? !r.on.wrong(in.data(), 2 * large, 99) : halves(1, 0, 2, 0));
	fresh();
	MPI_Scatter(out.data(), large, type, in.data(), large, type, 0, MPI_COMM_WORLD);
	expect("Scatter", halves(1, large * me, 99, large));
	fresh();
	MPI_Allgather(out.data(), large, type, in.data(), large, type, MPI_COMM_WORLD);
	expect("Allgather", halves(1, 0, 2, 0));
	fresh();
	MPI_Alltoall(out.data(), large, type, in.data(), large, type, MPI_COMM_WORLD);
	expect("Alltoall", halves(1, large * me, 2, large * me));
	return good && other != me;
}

// What a kernel would write belongs to the message until it is over.
bool writers_wait(ranks &r)
{
	numbers in(large);
	r.on.fill(in, 99);
	MPI_Request q;
	MPI_Irecv(in.data(), large, type, r.other, tag, MPI_COMM_WORLD, &q);
	het::event writer = r.on.begin_fill(in.data(), large, 5);
	MPI_Barrier(MPI_COMM_WORLD);
	bool good = writer.status() > HET_COMPLETE; // nobody has sent yet
	numbers out(large, 4);
	MPI_Send(out.data(), large, type, r.other, tag, MPI_COMM_WORLD);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	writer.wait();
	return good && !r.on.wrong(in.data(), large, 5);
}

bool readers_share_with_sends(ranks &r)
{
	numbers out(large), in(large);
	std::vector<uint32_t> sum(1);
	r.on.fill(out, uint32_t(r.me + 1));
	MPI_Request q;
	MPI_Issend(out.data(), large, type, r.other, tag, MPI_COMM_WORLD, &q);
	r.on.begin_sum(out.data(), large, sum).wait(); // nobody receives yet
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Recv(in.data(), large, type, r.other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	uint32_t expected = 0;
	for (size_t i = 0; i < large; i++)
		expected += value_at(uint32_t(r.me + 1), i);
	return sum[0] == expected && !r.on.wrong(in.data(), large, uint32_t(r.other + 1));
}

struct bytes_moved {
	unsigned long long to_host = 0, to_device = 0;

	static bytes_moved so_far()
	{
		bytes_moved m;
		gpuvm_stat(GPUVM_STAT_BYTES_TO_HOST, &m.to_host);
		gpuvm_stat(GPUVM_STAT_BYTES_TO_DEVICE, &m.to_device);
		return m;
	}
};

// Of a large array the message's own bytes travel; without libhet-mpi the chunks come home that it has a part of.
bool what_travels(ranks &r, bool plain)
{
	constexpr size_t chunk = 64 << 10, all = 4 << 20;
	numbers out(all), in(all);
	r.on.fill(out, uint32_t(r.me + 1));
	r.on.fill(out, uint32_t(r.me + 1)); // foresight has seen no touch
	r.on.fill(in, 99);
	const bytes_moved before = bytes_moved::so_far();
	const size_t at = all / 2;
	MPI_Sendrecv(&out[at], small, type, r.other, tag, &in[at], small, type, r.other, tag, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	const bytes_moved now = bytes_moved::so_far();
	const auto home = now.to_host - before.to_host, away = now.to_device - before.to_device;
	const char *devices = getenv("HET_DEVICES");
	const bool in_place = devices && strstr(devices, "host"); // nothing travels there
	const size_t wanted = in_place ? 0 : small * sizeof(uint32_t);
	bool good = plain ? home >= wanted && home <= 2 * chunk && !away : home == wanted;
	good = good && (plain || away == wanted);
	if (!good)
		fprintf(stderr, "# rank %d: %llu bytes came home and %llu went for %zu\n", r.me, home, away, wanted);
	return good && in[at] == value_at(uint32_t(r.other + 1), at);
}

// The system may drop entries of page tables whenever it wants memory: the bytes stay, and the next access is a fault
// again.
void drop_entries(void *p, size_t nbytes)
{
	const uintptr_t page = uintptr_t(sysconf(_SC_PAGESIZE)), begin = reinterpret_cast<uintptr_t>(p);
	for (uintptr_t at = begin / page * page; at < begin + nbytes; at += page)
		if (gpuvm_alias(reinterpret_cast<void *>(at)))
			madvise(reinterpret_cast<void *>(at), page, MADV_DONTNEED);
}

bool pages_may_be_dropped(ranks &r)
{
	return both_get(r, large, [&](uint32_t *out, uint32_t *in, int n) {
		MPI_Request q[2];
		MPI_Irecv(in, n, type, r.other, tag, MPI_COMM_WORLD, &q[0]);
		drop_entries(in, size_t(n) * sizeof *in);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Isend(out, n, type, r.other, tag, MPI_COMM_WORLD, &q[1]);
		drop_entries(out, size_t(n) * sizeof *out);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	});
}

// Messages and kernels use other bytes of the same chunks meanwhile.
bool kernels_go_on_beside(ranks &r)
{
	constexpr size_t half = 5000;
	numbers out(2 * half), in(2 * half);
	r.on.fill(out, uint32_t(r.me + 1));
	r.on.fill(in, 99);
	MPI_Request q[2];
	MPI_Irecv(in.data(), half, type, r.other, tag, MPI_COMM_WORLD, &q[0]);
	MPI_Issend(out.data(), half, type, r.other, tag, MPI_COMM_WORLD, &q[1]);
	r.on.fill(in.data() + half, half, 7);
	r.on.fill(out.data() + half, half, 8);
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	return !r.on.wrong(in.data(), half, uint32_t(r.other + 1)) && !r.on.wrong(in.data() + half, half, 7) &&
	       !r.on.wrong(out.data(), half, uint32_t(r.me + 1)) && !r.on.wrong(out.data() + half, half, 8);
}

// Requests that the program gives away end all the same, and kernels get the bytes.
bool freed_requests(ranks &r)
{
	numbers out(large), in(large);
	r.on.fill(out, uint32_t(r.me + 1));
	r.on.fill(in, 99);
	MPI_Request q;
	MPI_Irecv(in.data(), large, type, r.other, tag, MPI_COMM_WORLD, &q);
	MPI_Request_free(&q);
	bool good = q == MPI_REQUEST_NULL;
	MPI_Issend(out.data(), large, type, r.other, tag, MPI_COMM_WORLD, &q);
	MPI_Request_free(&q);
	good = good && q == MPI_REQUEST_NULL;
	// Each of these exchanges is a completion that looks after them. Who sends hears of the end later than who
	// receives.
	for (uint32_t both = 0, arrived = 0, more = 4; more; more -= both) {
		MPI_Sendrecv_replace(&arrived, 1, type, r.other, 2, r.other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		int done = 0;
		MPI_Request none = MPI_REQUEST_NULL;
		MPI_Test(&none, &done, MPI_STATUS_IGNORE);
		const uint32_t last = reinterpret_cast<volatile uint32_t *>(in.data())[large - 1];
		arrived = last == value_at(uint32_t(r.other + 1), large - 1);
		MPI_Allreduce(&arrived, &both, 1, type, MPI_MIN, MPI_COMM_WORLD);
	}
	good = good && !r.on.wrong(in.data(), large, uint32_t(r.other + 1));
	r.on.fill(in, 3);
	r.on.fill(out, 4); // waits for nobody
	return good;
}

// The device refuses one copy, and the message that needs it fails: by the communicator's error handler, which returns
// here. The others are whole.
bool copies_fail(ranks &r)
{
	MPI_Comm own;
	MPI_Comm_dup(MPI_COMM_WORLD, &own);
	MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
	int failures = 0;
	bool good = true;
	for (int round = 0; round < 20; round++) {
		numbers out(500, uint32_t(r.me)), in(20000);
		r.on.fill(in, 99);
		MPI_Request q;
		MPI_Irecv(&in[9000], 500, type, r.other, tag, own, &q);
		MPI_Send(out.data(), 500, type, r.other, tag, own);
		const int err = MPI_Wait(&q, MPI_STATUS_IGNORE);
		failures += err == MPI_ERR_BUFFER;
		good = good && (err ? err == MPI_ERR_BUFFER : in[9499] == uint32_t(r.other));
	}
	MPI_Comm_free(&own);
	return good && failures == 1;
}

// The bytes are there when MPI has said so, though the request has to be completed still.
bool status_before_completion(ranks &r)
{
	return both_get(r, large, [&](uint32_t *out, uint32_t *in, int n) {
		MPI_Request q[2];
		MPI_Irecv(in, n, type, r.other, tag, MPI_COMM_WORLD, &q[0]);
		MPI_Isend(out, n, type, r.other, tag, MPI_COMM_WORLD, &q[1]);
		int done = 0;
		while (!done)
			MPI_Request_get_status(q[0], &done, MPI_STATUS_IGNORE);
		if (in[n - 1] != value_at(uint32_t(r.other + 1), size_t(n) + 999))
			in[0] = 0; // is found wrong
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	});
}

} // namespace

// A device whose kernels are interpreted is slow.
std::vector<test_case> few_cases()
{
	return {{"a copy that fails", copies_fail},
		{"small messages", [](ranks &r) { return sends_and_receives(r, small); }},
		{"halos beside each other", halos_beside_each_other},
		{"types with gaps", types_with_gaps},
		{"kernels beside a message", kernels_go_on_beside}};
}

std::vector<test_case> message_cases(bool plain)
{
	std::vector<test_case> c = {
		{"small messages", [](ranks &r) { return sends_and_receives(r, small); }},
		{"large messages", [](ranks &r) { return sends_and_receives(r, large); }},
		{"sendrecv", sendrecv},
		{"persistent requests", persistent_requests},
		{"halos beside each other", halos_beside_each_other},
		{"types with gaps", types_with_gaps},
		{"messages shorter than the room", short_messages},
		{"calls of all ranks", of_all},
		{"what travels", [plain](ranks &r) { return what_travels(r, plain); }},
	};
	for (auto &way : completions)
		c.push_back({way.first, [&way](ranks &r) { return requests_end_by(r, way.second); }});
	if (plain)
		return c;
	c.push_back({"kernels that write wait for requests", writers_wait});
	c.push_back({"kernels that read share with sends", readers_share_with_sends});
	c.push_back({"the system drops pages of a message", pages_may_be_dropped});
	c.push_back({"kernels beside a message", kernels_go_on_beside});
	c.push_back({"requests that are given away", freed_requests});
	c.push_back({"a status before the completion", status_before_completion});
	return c;
}

} // namespace mpi_test
