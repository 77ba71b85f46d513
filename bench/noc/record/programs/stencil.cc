// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Heat in a plate: each thread has some rows, and reads those beside them from its neighbours.
#include "noc/record/programs/programs.h"
#include "noc/record/record.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace noc::record
{

namespace
{

constexpr unsigned steps = 6;

void do_rows(const double *from, double *to, size_t side, size_t begin, size_t end)
{
	for (size_t y = std::max<size_t>(begin, 1); y < std::min(end, side - 1); y++)
		for (size_t x = 1; x + 1 < side; x++)
			to[y * side + x] = 0.25 * (from[(y - 1) * side + x] + from[(y + 1) * side + x] +
						   from[y * side + x - 1] + from[y * side + x + 1]);
}

} // namespace

bool stencil(size_t side, unsigned threads)
{
	double *const first = array<double>(side * side), *const second = array<double>(side * side);
	numbers random{5};
	for (size_t i = 0; i < side * side; i++)
		first[i] = second[i] = random.unit();
	std::vector<double> a(first, first + side * side), b = a;
	for (unsigned s = 0; s < steps; s++) {
		do_rows(a.data(), b.data(), side, 0, side);
		std::swap(a, b);
	}
	run(threads, [&](unsigned t) {
		double *from = first, *to = second;
		const part mine = part_of(side, t, threads);
		for (unsigned s = 0; s < steps; s++, std::swap(from, to)) {
			do_rows(from, to, side, mine.begin, mine.end);
			barrier();
		}
	});
	return std::equal(a.begin(), a.end(), steps % 2 ? second : first);
}

} // namespace noc::record
