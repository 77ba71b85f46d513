// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// MPI gives the handle of what is over to the next one, perhaps of another thread, while libhet-mpi ends the first.
// Calls fail that have begun something.
#include "below.h"
#include "cases.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <gpuvm.h>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace mpi_test
{

namespace
{

constexpr size_t large = 1 << 18, small = 100; // numbers
constexpr int first_tag = 1, second_tag = 2;
const MPI_Datatype type = MPI_UINT32_T;

bool is_reused(bool is)
{
	if (!is)
		fprintf(stderr, "# MPI has given another handle, so this shows nothing\n");
	return is;
}

// What the other one has begun is under way still, so a kernel waits that would write its bytes.
bool handles_of_requests(ranks &r)
{
	numbers first(small), second(large);
	const numbers out(large, 4);
	r.on.fill(first, 99);
	r.on.fill(second, 99);
	MPI_Request q, others;
	bool reused = false;
	below::after_wait = [&](MPI_Request before) {
		MPI_Irecv(second.data(), large, type, r.other, second_tag, MPI_COMM_WORLD, &others);
		reused = others == before;
	};
	MPI_Irecv(first.data(), small, type, r.other, first_tag, MPI_COMM_WORLD, &q);
	MPI_Send(out.data(), small, type, r.other, first_tag, MPI_COMM_WORLD);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	het::event writer = r.on.begin_fill(second.data(), large / 2, 5);
	bool good = is_reused(reused) && r.on.lets_wait(writer);
	MPI_Send(out.data(), large, type, r.other, second_tag, MPI_COMM_WORLD);
	MPI_Wait(&others, MPI_STATUS_IGNORE);
	writer.wait();
	good = good && !r.on.wrong(second.data(), large / 2, 5) && first[small - 1] == 4;
	for (size_t i = large / 2; i < large; i++)
		good = good && second[i] == 4;
	return good;
}

// The window that has the handle now is known, and its array gets what is put there.
bool handles_of_windows(ranks &r)
{
	numbers first(large), second(large), out(small);
	r.on.fill(first, 1);
	r.on.fill(second, 2);
	r.on.fill(out, 3);
	auto create = [](numbers &x) {
		MPI_Win w;
		MPI_Win_create(x.data(), MPI_Aint(large * sizeof x[0]), sizeof x[0], MPI_INFO_NULL, MPI_COMM_WORLD, &w);
		return w;
	};
	MPI_Win w = create(first), others = MPI_WIN_NULL;
	bool reused = false;
	below::after_win_free = [&](MPI_Win before) {
		others = create(second);
		reused = others == before;
	};
	MPI_Win_free(&w);
	void *base = nullptr;
	int has_base = 0;
	MPI_Win_get_attr(others, MPI_WIN_BASE, &base, &has_base);
	if (!is_reused(reused) || !has_base || base != second.data())
		return false; // MPI uses what is the library's no more
	MPI_Win_fence(0, others);
	MPI_Put(out.data(), small, type, r.other, large / 2, small, type, others);
	MPI_Win_fence(0, others);
	MPI_Win_free(&others);
	return !r.on.wrong(&second[large / 2], small, 3) && !r.on.wrong(second.data(), large / 2, 2) &&
	       !r.on.wrong(first.data(), large, 1);
}

// Where all devices work in place, a persistent request has the array's own address from the beginning, and no other
// memory when the program itself has given the array to a device since.
bool a_device_of_the_programs(ranks &r)
{
	if (r.on.is_apart() || gpuvm_init(1, nullptr, GPUVM_HOST))
		return r.on.is_apart();
	numbers in(large, 1), there(large, 2);
	const numbers out(small, 4);
	MPI_Request q;
	MPI_Recv_init(in.data(), small, type, r.other, first_tag, MPI_COMM_WORLD, &q);
	bool good = !gpuvm_link(in.data(), large * sizeof in[0], 0, there.data(), GPUVM_ON_HOST) &&
		    !gpuvm_kernel_begin(in.data(), 0, GPUVM_WRITE_ONLY);
	std::fill(there.begin(), there.end(), 3);
	good = good && !gpuvm_kernel_end(in.data(), 0);
	MPI_Start(&q);
	MPI_Send(out.data(), small, type, r.other, first_tag, MPI_COMM_WORLD);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	good = good && in[0] == 4 && in[small - 1] == 4 && in[small] == 3 && in[large - 1] == 3;
	MPI_Request_free(&q);
	return !gpuvm_unlink(in.data(), 0) && good;
}

// Of what was not started nothing is held: the kernels wait for nobody.
bool starts_that_fail(ranks &r)
{
	MPI_Comm own;
	MPI_Comm_dup(MPI_COMM_WORLD, &own);
	MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
	numbers in(large);
	r.on.fill(in, 99);
	MPI_Request q;
	MPI_Recv_init(in.data(), large, type, r.other, first_tag, own, &q);
	below::startall = [] { return MPI_ERR_OTHER; };
	const int err = MPI_Startall(1, &q);
	below::startall = nullptr;
	r.on.fill(in, 5);
	MPI_Request_free(&q);
	MPI_Comm_free(&own);
	return err == MPI_ERR_OTHER && !r.on.wrong(in.data(), large, 5);
}

size_t address_space()
{
	std::string line;
	for (std::ifstream status("/proc/self/status"); std::getline(status, line);)
		if (!line.rfind("VmSize:", 0))
			return std::stoul(line.substr(7)) << 10;
	return 0;
}

// The process may map so many bytes more, as long as this lives.
class memory_limit
{
      public:
	explicit memory_limit(size_t more)
	{
		getrlimit(RLIMIT_AS, &before_);
		const rlimit now = {address_space() + more, before_.rlim_max};
		setrlimit(RLIMIT_AS, &now);
	}
	~memory_limit() { setrlimit(RLIMIT_AS, &before_); }
	memory_limit(const memory_limit &) = delete;
	memory_limit &operator=(const memory_limit &) = delete;

      private:
	rlimit before_ = {};
};

// Two ranks' counts make more than an int holds. All bytes are asked for, of which there is no copy as memory is short.
bool large_counts(ranks &r)
{
	MPI_Comm own;
	MPI_Comm_dup(MPI_COMM_WORLD, &own);
	MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
	constexpr size_t half = size_t{1} << 30;
	constexpr int plain = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *x = mmap(nullptr, 2 * half, PROT_READ | PROT_WRITE, plain, -1, 0);
	bool good = x != MAP_FAILED;
	if (good) {
		r.on.fill(static_cast<uint32_t *>(x), small, 1);
		below::reduce_scatter = [] { return MPI_SUCCESS; };
		const int counts[2] = {int(half), int(half)};
		const memory_limit is_short(half);
		const int err = MPI_Reduce_scatter(MPI_IN_PLACE, x, counts, MPI_BYTE, MPI_BOR, own);
		below::reduce_scatter = nullptr;
		good = err == (r.on.is_apart() ? MPI_ERR_BUFFER : MPI_SUCCESS) &&
		       !r.on.wrong(static_cast<uint32_t *>(x), small, 1);
		munmap(x, 2 * half);
	}
	MPI_Comm_free(&own);
	return good;
}

// Of three receives one has too little room, and one is persistent.
class failing_receives
{
      public:
	explicit failing_receives(ranks &r) : r_(r), out_(large, 4), in_(3, numbers(large))
	{
		MPI_Comm_dup(MPI_COMM_WORLD, &own_);
		MPI_Comm_set_errhandler(own_, MPI_ERRORS_RETURN);
	}
	~failing_receives() { MPI_Comm_free(&own_); }
	failing_receives(const failing_receives &) = delete;
	failing_receives &operator=(const failing_receives &) = delete;

	// The call completes what it can, once or more often. Those that were received are the array's afterwards, and
	// no kernel waits for any.
	bool end_by(const std::function<int(MPI_Request *, MPI_Status *)> &complete)
	{
		MPI_Request q[3], persistent;
		for (numbers &x : in_)
			r_.on.fill(x, 99);
		MPI_Recv_init(in_[0].data(), large, type, r_.other, 0, own_, &persistent);
		MPI_Start(&persistent);
		q[0] = persistent;
		MPI_Irecv(in_[1].data(), small, type, r_.other, 1, own_, &q[1]);
		MPI_Irecv(in_[2].data(), large, type, r_.other, 2, own_, &q[2]);
		for (int i = 0; i < 3; i++)
			MPI_Send(out_.data(), 2 * small, type, r_.other, i, own_);
		MPI_Barrier(own_);
		MPI_Status statuses[3];
		const int err = complete(q, statuses);
		bool good = err == MPI_ERR_IN_STATUS || err == MPI_ERR_TRUNCATE;
		for (size_t i : {0, 2})
			good = good && in_[i][2 * small - 1] == 4 && in_[i][2 * small] == value_at(99, 2 * small);
		for (numbers &x : in_)
			r_.on.fill(x, 99);
		MPI_Request_free(&persistent);
		return good;
	}

      private:
	ranks &r_;
	const numbers out_;
	std::vector<numbers> in_;
	MPI_Comm own_;
};

int test_until_all(int count, MPI_Request *requests, MPI_Status *statuses)
{
	int done = 0, err = MPI_SUCCESS;
	while (!done && !err)
		err = PMPI_Testall(count, requests, &done, statuses);
	return err;
}

bool some_receives_fail(ranks &r)
{
	failing_receives f(r);
	auto until_all = [](auto some) {
		return [some](MPI_Request *q, MPI_Status *s) {
			int err = MPI_SUCCESS, which[3];
			for (int left = 3, done = 0; left; left -= done)
				if (int e = some(q, &done, which, s))
					err = e;
			return err;
		};
	};
	auto one_by_one = [](auto any) {
		return [any](MPI_Request *q, MPI_Status *s) {
			int err = MPI_SUCCESS;
			for (int left = 3, done = 0; left; left -= done)
				if (int e = any(q, &done, s))
					err = e;
			return err;
		};
	};
	bool good = true;
	auto expect = [&](const char *what, bool is) {
		if (!is)
			fprintf(stderr, "# rank %d: %s\n", r.me, what);
		good = good && is;
	};
	// Open MPI 4.1.4 waits for ever in MPI_Waitall() for one that has failed before, if threads may call it.
	below::waitall = test_until_all;
	expect("Waitall", f.end_by([](MPI_Request *q, MPI_Status *s) { return MPI_Waitall(3, q, s); }));
	below::waitall = nullptr;
	expect("Testall", f.end_by([](MPI_Request *q, MPI_Status *s) {
		int done = 0, err = MPI_SUCCESS;
		while (!done && !err)
			err = MPI_Testall(3, q, &done, s);
		return err;
	}));
	expect("Waitsome", f.end_by(until_all([](MPI_Request *q, int *done, int *which, MPI_Status *s) {
		return MPI_Waitsome(3, q, done, which, s);
	})));
	expect("Testsome", f.end_by(until_all([](MPI_Request *q, int *done, int *which, MPI_Status *s) {
		return MPI_Testsome(3, q, done, which, s);
	})));
	expect("Waitany", f.end_by(one_by_one([](MPI_Request *q, int *done, MPI_Status *s) {
		int which;
		*done = 1;
		return MPI_Waitany(3, q, &which, s);
	})));
	expect("Testany", f.end_by(one_by_one([](MPI_Request *q, int *done, MPI_Status *s) {
		int which, flag = 0;
		const int err = MPI_Testany(3, q, &which, &flag, s);
		*done = err || flag;
		return err;
	})));
	return good;
}

} // namespace

std::vector<test_case> moment_cases()
{
	return {{"a request's handle is another one's", handles_of_requests},
		{"a window's handle is another one's", handles_of_windows},
		{"starts that fail", starts_that_fail},
		{"counts that an int can't hold", large_counts},
		{"some receives fail", some_receives_fail},
		{"a device of the program's", a_device_of_the_programs}};
}

} // namespace mpi_test
