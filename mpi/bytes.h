// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Where the bytes of a message lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <vector>

namespace hetmpi
{

struct bytes {
	uintptr_t begin = 0, end = 0;

	bool is_empty() const { return begin >= end; }
	size_t size() const { return end - begin; }
	void *ptr() const { return reinterpret_cast<void *>(begin); }
	bool share(bytes other) const { return begin < other.end && other.begin < end; }
};

// Pieces of a message, in order of their addresses from put_in_order() on; then none touches another.
using pieces = std::vector<bytes>;

// Adds the bytes that @count elements of the type have, without the gaps. What is no message (an empty one, a wrong
// type or count, MPI_IN_PLACE) has none; MPI itself says what is wrong. It is false, with the reason on stderr, for
// types that are too large.
bool add_bytes(pieces &to, const void *buffer, MPI_Aint count, MPI_Datatype type);
void put_in_order(pieces &p);

// Returns the bytes from the first to the last, with what lies between.
inline bytes hull_of(const pieces &p)
{
	return p.empty() ? bytes{} : bytes{p.front().begin, p.back().end};
}

// Calls f(first piece, piece behind the last one, hull) for pieces that lie near each other.
template <typename F> void for_groups(const pieces &p, size_t largest_gap, F f)
{
	for (size_t i = 0, behind = 0; i < p.size(); i = behind) {
		for (behind = i + 1; behind < p.size() && p[behind].begin - p[behind - 1].end <= largest_gap;)
			behind++;
		f(&p[i], p.data() + behind, bytes{p[i].begin, p[behind - 1].end});
	}
}

} // namespace hetmpi
