// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reads sparse matrices from files in the Matrix Market format (Boisvert, Pozo, Remington, 1996).
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace bench
{

// The rows are compressed: those of row r are [starts[r], starts[r + 1]), in the order of their columns. Entries of the
// same place are summed.
struct sparse_matrix {
	size_t rows = 0, columns = 0;
	std::vector<uint32_t> starts;
	std::vector<uint32_t> column_of;
	std::vector<float> values;
};

// Reads "matrix coordinate" files: real, integer or pattern (each entry is 1), general, symmetric or skew-symmetric.
// Throws "@name:line: what is wrong" for all else.
sparse_matrix read_matrix_market(std::istream &from, const std::string &name);
sparse_matrix read_matrix_market(const std::string &path);

} // namespace bench
