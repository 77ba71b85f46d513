// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Files are written from arrays on devices, and read into such.
#include "cases.h"

#include <cstdio>
#include <cstdlib>
#include <gpuvm.h>
#include <string>
#include <unistd.h>

namespace mpi_test
{

namespace
{

constexpr size_t n = 60000;
const MPI_Datatype type = MPI_UINT32_T;

// All ranks have the file, which is gone when the last of them has closed it.
class file
{
      public:
	explicit file(ranks &r)
	{
		int id = int(getpid());
		MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
		const char *folder = getenv("TMPDIR");
		name_ = std::string(folder ? folder : "/tmp") + "/het-mpi-" + std::to_string(id);
		good_ = !MPI_File_open(MPI_COMM_WORLD, name_.c_str(),
				       MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f_);
		MPI_File_set_view(f_, 0, type, type, "native", MPI_INFO_NULL);
		(void)r;
	}
	~file() { MPI_File_close(&f_); }
	file(const file &) = delete;
	file &operator=(const file &) = delete;
	operator MPI_File() const { return f_; }
	bool is_open() const { return good_; }

      private:
	std::string name_;
	MPI_File f_ = MPI_FILE_NULL;
	bool good_ = false;
};

struct way {
	const char *name;
	// Rank after rank has n numbers in the file. The pointer to it is where the rank's begin.
	void (*write)(MPI_File f, MPI_Offset mine, const uint32_t *x);
	void (*read)(MPI_File f, MPI_Offset mine, uint32_t *x);
};

void wait_for(MPI_Request q)
{
	MPI_Wait(&q, MPI_STATUS_IGNORE);
}

#define DONE MPI_STATUS_IGNORE
#define CALLS(Which, Place)                                                                                         \
	{                                                                                                           \
#Which, [](MPI_File f, MPI_Offset mine, const uint32_t *x) { (void)mine, MPI_File_write##Which Place(x, DONE); }, \
			[](MPI_File f, MPI_Offset mine, uint32_t *x) { (void)mine, MPI_File_read##Which Place(x, DONE); } \
	}
#define BEGUN(Which, Place)                                                      \
	{                                                                        \
		"i" #Which,                                                      \
			[](MPI_File f, MPI_Offset mine, const uint32_t *x) {     \
				MPI_Request q;                                   \
				(void)mine, MPI_File_iwrite##Which Place(x, &q); \
				wait_for(q);                                     \
			},                                                       \
			[](MPI_File f, MPI_Offset mine, uint32_t *x) {           \
				MPI_Request q;                                   \
				(void)mine, MPI_File_iread##Which Place(x, &q);  \
				wait_for(q);                                     \
			}                                                        \
	}
#define SPLIT(Which, Place)                                                                         \
	{                                                                                           \
#Which "_begin",                                                                                  \
			[](MPI_File f, MPI_Offset mine, const uint32_t *x) {                                      \
				(void)mine, MPI_File_write##Which##_begin Place(x);                               \
				MPI_File_write##Which##_end(f, x, DONE);                                          \
			},                                                                                        \
			[](MPI_File f, MPI_Offset mine, uint32_t *x) {                                            \
				(void)mine, MPI_File_read##Which##_begin Place(x);                                \
				MPI_File_read##Which##_end(f, x, DONE);                                           \
			} \
	}
#define HERE(x, ...) (f, x, n, type __VA_OPT__(, ) __VA_ARGS__)
#define AT(x, ...) (f, mine, x, n, type __VA_OPT__(, ) __VA_ARGS__)

const way ways[] = {
	CALLS(, HERE),         CALLS(_all, HERE), CALLS(_at, AT),     CALLS(_at_all, AT),
	CALLS(_ordered, HERE), BEGUN(, HERE),     BEGUN(_all, HERE),  BEGUN(_at, AT),
	BEGUN(_at_all, AT),    SPLIT(_all, HERE), SPLIT(_at_all, AT), SPLIT(_ordered, HERE),
};

bool writes_and_reads(ranks &r, const way &w)
{
	const file f(r);
	numbers out(n + 100), in(n + 100);
	r.on.fill(out, uint32_t(r.me) + 1);
	r.on.fill(in, 99);
	const MPI_Offset mine = MPI_Offset(r.me) * MPI_Offset(n), others = MPI_Offset(r.other) * MPI_Offset(n);
	MPI_File_seek(f, mine, MPI_SEEK_SET);
	w.write(f, mine, out.data() + 50);
	MPI_File_sync(f);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_sync(f);
	// What is read in the ranks' order has the other's numbers first.
	MPI_File_seek(f, others, MPI_SEEK_SET);
	MPI_File_seek_shared(f, 0, MPI_SEEK_SET);
	w.read(f, others, in.data() + 50);
	const bool in_order = std::string(w.name).find("ordered") != std::string::npos;
	const auto from = uint32_t(in_order ? r.me : r.other) + 1;
	const bool good = !r.on.wrong(in.data() + 50, n, from, 50) && !r.on.wrong(in.data(), 50, 99) &&
			  !r.on.wrong(in.data() + 50 + n, 50, 99, 50 + n);
	if (!good)
		fprintf(stderr, "# rank %d: MPI_File_read%s\n", r.me, w.name);
	return f.is_open() && good;
}

bool all_ways(ranks &r)
{
	bool good = true;
	for (const way &w : ways)
		good = writes_and_reads(r, w) && good;
	return good;
}

// The rest of the array is as it was.
bool end_of_file(ranks &r)
{
	const file f(r);
	numbers out(n), in(n);
	r.on.fill(out, uint32_t(r.me) + 1);
	r.on.fill(in, 99);
	if (!r.me)
		MPI_File_write_at(f, 0, out.data(), 1000, type, MPI_STATUS_IGNORE);
	MPI_File_sync(f);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_sync(f);
	MPI_Status status;
	int count = 0;
	MPI_File_read_at(f, 0, in.data(), n, type, &status);
	MPI_Get_count(&status, type, &count);
	MPI_Barrier(MPI_COMM_WORLD);
	return count == 1000 && !r.on.wrong(in.data(), 1000, 1) && !r.on.wrong(in.data() + 1000, n - 1000, 99, 1000);
}

} // namespace

std::vector<test_case> file_cases()
{
	return {{"files", all_ways}, {"the end of a file", end_of_file}};
}

} // namespace mpi_test
