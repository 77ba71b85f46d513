// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/programs/common.h"

namespace bench
{
extern const kernel_text lud_kernels;
}

namespace etc
{

program_trace record_lud(uint32_t page_bytes, bool tiny)
{
	constexpr uint32_t tile = 16;
	const uint32_t n = tiny ? 64 : 512;
	std::vector<float> m = some_floats(size_t{n} * n, 12, 0, 1);
	for (uint32_t i = 0; i < n; i++)
		m[i * n + i] += float(n);
	std::vector<double> expected(m.begin(), m.end());
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = k + 1; i < n; i++) {
			const double factor = expected[i * n + k] /= expected[k * n + k];
			for (uint32_t j = k + 1; j < n; j++)
				expected[i * n + j] -= factor * expected[k * n + j];
		}
	record::recorder r("LUD", {&bench::lud_kernels}, page_bytes);
	const record::array a = r.add(m);
	for (uint32_t first = 0; first < n; first += tile) {
		const uint32_t behind = (n - first) / tile - 1;
		r.run("lud_diagonal", {1}, {tile}, a, n, first);
		if (behind == 0)
			break;
		r.run("lud_perimeter", {behind}, {2 * tile}, a, n, first);
		r.run("lud_internal", {behind, behind}, {tile, tile}, a, n, first);
	}
	compare("LUD", m, expected, 1e-3);
	return r.take();
}

} // namespace etc
