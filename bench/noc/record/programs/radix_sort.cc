// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Keys are sorted digit by digit: everybody counts, reads what all others counted, and writes all over the place.
#include "noc/record/programs/programs.h"
#include "noc/record/record.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace noc::record
{

bool radix_sort(size_t keys, unsigned threads)
{
	constexpr unsigned digit_bits = 6, digits = 1u << digit_bits, passes = 4;
	uint32_t *from = array<uint32_t>(keys), *to = array<uint32_t>(keys);
	uint32_t *const counts = array<uint32_t>(size_t(threads) * digits);
	numbers random{4};
	for (size_t i = 0; i < keys; i++)
		from[i] = uint32_t(random.next() & ((1u << (digit_bits * passes)) - 1));
	std::vector<uint32_t> sorted(from, from + keys);
	std::sort(sorted.begin(), sorted.end());
	run(threads, [&](unsigned t) {
		uint32_t *a = from, *b = to;
		const part mine = part_of(keys, t, threads);
		for (unsigned pass = 0; pass < passes; pass++, std::swap(a, b)) {
			const unsigned shift = pass * digit_bits;
			uint32_t *const my_counts = counts + size_t(t) * digits;
			std::fill(my_counts, my_counts + digits, 0u);
			for (size_t i = mine.begin; i < mine.end; i++)
				my_counts[a[i] >> shift & (digits - 1)]++;
			barrier();
			uint32_t next[digits], before = 0;
			for (unsigned d = 0; d < digits; d++)
				for (unsigned other = 0; other < threads; other++) {
					if (other == t)
						next[d] = before;
					before += counts[size_t(other) * digits + d];
				}
			for (size_t i = mine.begin; i < mine.end; i++)
				b[next[a[i] >> shift & (digits - 1)]++] = a[i];
			barrier();
		}
	});
	return std::equal(sorted.begin(), sorted.end(), from); // after an even number of passes
}

} // namespace noc::record
