// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// MPI's calls take arrays that are on a device by their plain pointers. What is received a kernel looks at, on the
// device.
#include "cases.h"

#include <cstdio>
#include <string_view>

using namespace mpi_test;

namespace
{

std::vector<test_case> cases()
{
	std::vector<test_case> all = message_cases(false);
	for (auto *part : {collective_cases, file_cases, near_cases, moment_cases})
		for (test_case &c : part())
			all.push_back(std::move(c));
	for (test_case &c : window_cases(false))
		all.push_back(std::move(c));
	return all;
}

// Without libhet-mpi it depends on the trap which of these kinds work.
std::vector<test_case> plain_cases(std::string_view kind)
{
	if (kind == "files")
		return file_cases();
	return kind == "windows" ? window_cases(true) : message_cases(true);
}

// A request that is given away ends in MPI_Finalize() at the latest, and its bytes are the array's then.
class given_away
{
      public:
	explicit given_away(ranks &r) : r_(r), in_(size)
	{
		numbers out(size);
		r.on.fill(out, uint32_t(r.me + 1));
		r.on.fill(in_, 99);
		MPI_Request q;
		MPI_Irecv(in_.data(), int(size), MPI_UINT32_T, r.other, 1, MPI_COMM_WORLD, &q);
		MPI_Request_free(&q);
		MPI_Send(out.data(), int(size), MPI_UINT32_T, r.other, 1, MPI_COMM_WORLD);
	}
	bool is_there() { return !r_.on.wrong(in_.data(), size, uint32_t(r_.other + 1)); }

      private:
	static constexpr size_t size = 1 << 18;

	ranks &r_;
	numbers in_;
};

bool end_after(bool good)
{
	MPI_Finalize();
	return good;
}

bool run_with_layer(ranks &r)
{
	const std::vector<test_case> all = cases();
	const bool good = run_all(r, all, 1);
	given_away message(r);
	MPI_Finalize();
	const bool is_there = message.is_there();
	if (!r.me)
		std::printf("%sok %zu a request that ends with MPI\n", is_there ? "" : "not ", all.size() + 1);
	return good && is_there;
}

// Each rank tells of itself by its exit status; rank 0 prints both.
bool run(ranks &r, std::string_view what, std::string_view kind)
{
	if (what == "few")
		return end_after(run_all(r, few_cases(), 0));
	return what == "plain" ? end_after(run_all(r, plain_cases(kind), 0)) : run_with_layer(r);
}

} // namespace

// mpi-messages [few | plain (messages | files | windows)]
int main(int argc, char **argv)
{
	int provided = 0, me = 0, count = 0;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &count);
	if (count != 2) {
		fprintf(stderr, "this needs two ranks: mpirun -n 2\n");
		MPI_Finalize();
		return 2;
	}
	ranks r = {{}, me, 1 - me};
	return !run(r, argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
}
