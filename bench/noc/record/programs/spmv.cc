// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A sparse matrix times a vector, again and again: reads of the last result at random.
#include "noc/record/programs/programs.h"
#include "noc/record/record.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace noc::record
{

namespace
{

constexpr unsigned times = 3, a_row = 12;

struct matrix {
	const uint32_t *begin, *column;
	const double *value;
};

void do_product(const matrix &m, const double *x, double *y, size_t begin, size_t end)
{
	for (size_t r = begin; r < end; r++) {
		double sum = 0;
		for (uint32_t i = m.begin[r]; i < m.begin[r + 1]; i++)
			sum += m.value[i] * x[m.column[i]];
		y[r] = sum;
	}
}

} // namespace

bool spmv(size_t rows, unsigned threads)
{
	uint32_t *const begin = array<uint32_t>(rows + 1), *const column = array<uint32_t>(rows * a_row);
	double *const value = array<double>(rows * a_row), *const first = array<double>(rows),
		      *const second = array<double>(rows);
	numbers random{7};
	for (size_t r = 0; r < rows; r++) {
		begin[r + 1] = begin[r] + uint32_t(1 + random.next() % a_row);
		first[r] = random.unit();
	}
	for (size_t i = 0; i < begin[rows]; i++) {
		column[i] = uint32_t(random.next() % rows);
		value[i] = random.unit() / a_row;
	}
	const matrix m = {begin, column, value};
	std::vector<double> a(first, first + rows), b(rows);
	for (unsigned n = 0; n < times; n++) {
		do_product(m, a.data(), b.data(), 0, rows);
		std::swap(a, b);
	}
	run(threads, [&](unsigned t) {
		double *x = first, *y = second;
		const part mine = part_of(rows, t, threads);
		for (unsigned n = 0; n < times; n++, std::swap(x, y)) {
			do_product(m, x, y, mine.begin, mine.end);
			barrier();
		}
	});
	return std::equal(a.begin(), a.end(), times % 2 ? second : first);
}

} // namespace noc::record
