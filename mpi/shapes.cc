// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "shapes.h"

#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <sys/mman.h>

namespace hetmpi
{

namespace
{

constexpr char used = '\1';

// Memory of zeros, of which only what is written takes pages.
class zeros
{
      public:
	explicit zeros(size_t n)
	    : at_(mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)), n_(n)
	{
	}
	~zeros()
	{
		if (begin())
			munmap(at_, n_);
	}
	zeros(const zeros &) = delete;
	zeros &operator=(const zeros &) = delete;
	char *begin() const { return at_ == MAP_FAILED ? nullptr : static_cast<char *>(at_); }
	char *end() const { return begin() + n_; }

      private:
	void *at_;
	size_t n_;
};

shape stretches_of(const zeros &marked, MPI_Aint first)
{
	shape s;
	for (char *at = marked.begin(); at < marked.end();) {
		auto *begin = static_cast<char *>(memchr(at, used, size_t(marked.end() - at)));
		if (!begin)
			break;
		auto *end = static_cast<char *>(memchr(begin, 0, size_t(marked.end() - begin)));
		at = end ? end : marked.end();
		s.push_back({first + (begin - marked.begin()), first + (at - marked.begin())});
	}
	return s;
}

std::unique_ptr<shape> find_shape(MPI_Datatype type)
{
	int size = 0, position = 0;
	MPI_Aint first = 0, extent = 0;
	if (PMPI_Type_size(type, &size) || PMPI_Type_get_true_extent(type, &first, &extent))
		return nullptr;
	if (size < 0) {
		fprintf(stderr, "libhet-mpi: an element of a type with gaps has more than 2 GiB: send smaller ones\n");
		return nullptr;
	}
	const zeros marked{size_t(extent)};
	if (!marked.begin()) {
		fprintf(stderr, "libhet-mpi: there is no memory to look at a type of %td bytes\n", extent);
		return nullptr;
	}
	const std::vector<char> packed(size_t(size), used);
	if (PMPI_Unpack(packed.data(), size, &position, marked.begin() - first, 1, type, MPI_COMM_SELF))
		return nullptr;
	return std::make_unique<shape>(stretches_of(marked, first));
}

int forget_shape(MPI_Datatype, int, void *found, void *)
{
	delete static_cast<shape *>(found);
	return MPI_SUCCESS;
}

// MPI keeps it with the type.
int key()
{
	static const int made = [] {
		int k = MPI_KEYVAL_INVALID;
		PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, forget_shape, &k, nullptr);
		return k;
	}();
	return made;
}

} // namespace

const shape *shape_of(MPI_Datatype type)
{
	static std::mutex lock;
	std::lock_guard guard(lock);
	void *known = nullptr;
	int is_known = 0;
	PMPI_Type_get_attr(type, key(), &known, &is_known);
	if (is_known)
		return static_cast<const shape *>(known);
	std::unique_ptr<shape> found = find_shape(type);
	if (!found || PMPI_Type_set_attr(type, key(), found.get()))
		return nullptr;
	return found.release();
}

} // namespace hetmpi
