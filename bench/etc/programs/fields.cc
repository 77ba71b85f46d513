// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/programs/common.h"

namespace bench
{
extern const kernel_text fields_kernels;
}

namespace etc
{

program_trace record_fdtd(uint32_t page_bytes, bool tiny)
{
	const uint32_t width = tiny ? 64 : 640, height = tiny ? 32 : 640, steps = tiny ? 2 : 3;
	std::vector<float> ex = some_floats(size_t{width} * height, 7, 0, 1), ey = some_floats(ex.size(), 8, 0, 1),
			   hz = some_floats(ex.size(), 9, 0, 1);
	std::vector<double> x(ex.begin(), ex.end()), y(ey.begin(), ey.end()), z(hz.begin(), hz.end());
	record::recorder r("FDTD", {&bench::fields_kernels}, page_bytes);
	const record::array a = r.add(ex), b = r.add(ey), c = r.add(hz);
	const het::ptx::simt::extent grid = {width / 32, height / 8}, block = {32, 8};
	for (uint32_t step = 0; step < steps; step++) {
		r.run("fdtd_ey", grid, block, b, c, width, float(step));
		r.run("fdtd_ex", grid, block, a, c, width);
		r.run("fdtd_hz", grid, block, a, b, c, width, height);
		for (uint32_t i = 0; i < height; i++)
			for (uint32_t j = 0; j < width; j++) {
				const size_t at = i * width + j;
				y[at] = i == 0 ? step : y[at] - 0.5 * (z[at] - z[at - width]);
				x[at] -= j == 0 ? 0 : 0.5 * (z[at] - z[at - 1]);
			}
		for (uint32_t i = 0; i + 1 < height; i++)
			for (uint32_t j = 0; j + 1 < width; j++) {
				const size_t at = i * width + j;
				z[at] -= 0.7 * (x[at + 1] - x[at] + y[at + width] - y[at]);
			}
	}
	compare("FDTD", hz, z, 1e-4);
	return r.take();
}

program_trace record_lps(uint32_t page_bytes, bool tiny)
{
	const uint32_t width = tiny ? 32 : 128, height = tiny ? 16 : 96, depth = tiny ? 6 : 56, plane = width * height;
	std::vector<float> from = some_floats(size_t{plane} * depth, 10, 0, 1), to = from;
	std::vector<double> expected(from.begin(), from.end());
	for (uint32_t z = 1; z + 1 < depth; z++)
		for (uint32_t y = 1; y + 1 < height; y++)
			for (uint32_t x = 1; x + 1 < width; x++) {
				const size_t at = z * plane + y * width + x;
				expected[at] = (double(from[at - 1]) + from[at + 1] + from[at - width] +
						from[at + width] + from[at - plane] + from[at + plane]) /
					       6;
			}
	record::recorder r("LPS", {&bench::fields_kernels}, page_bytes);
	r.run("laplace", {width / 32, height / 4}, {32, 4}, r.add(from), r.add(to), width, height, depth);
	compare("LPS", to, expected, 1e-5);
	return r.take();
}

program_trace record_srad(uint32_t page_bytes, bool tiny)
{
	const uint32_t width = tiny ? 64 : 448, height = tiny ? 24 : 448, steps = 2;
	constexpr float noise = 0.05f, lambda = 0.5f;
	std::vector<float> image = some_floats(size_t{width} * height, 11, 1, 2), slopes[4], rate(image.size());
	std::vector<double> now(image.begin(), image.end());
	record::recorder r("SRAD", {&bench::fields_kernels}, page_bytes);
	const record::array i = r.add(image);
	record::array s[4];
	for (int n = 0; n < 4; n++) {
		slopes[n].resize(image.size());
		s[n] = r.add(slopes[n]);
	}
	const record::array c = r.add(rate);
	const het::ptx::simt::extent grid = {width / 32, height / 8}, block = {32, 8};
	for (uint32_t step = 0; step < steps; step++) {
		r.run("srad_1", grid, block, i, s[0], s[1], s[2], s[3], c, width, height, noise);
		r.run("srad_2", grid, block, i, s[0], s[1], s[2], s[3], c, width, height, lambda);
		std::vector<double> d[4], rates(now.size());
		for (std::vector<double> &one : d)
			one.resize(now.size());
		const auto at = [&](uint32_t x, uint32_t y) { return size_t{y} * width + x; };
		for (uint32_t y = 0; y < height; y++)
			for (uint32_t x = 0; x < width; x++) {
				const size_t p = at(x, y);
				d[0][p] = now[at(x, y > 0 ? y - 1 : y)] - now[p];
				d[1][p] = now[at(x, y + 1 < height ? y + 1 : y)] - now[p];
				d[2][p] = now[at(x > 0 ? x - 1 : x, y)] - now[p];
				d[3][p] = now[at(x + 1 < width ? x + 1 : x, y)] - now[p];
				double square = 0, sum = 0;
				for (const std::vector<double> &one : d) {
					square += one[p] * one[p] / (now[p] * now[p]);
					sum += one[p] / now[p];
				}
				const double below = 1 + 0.25 * sum;
				const double q = (0.5 * square - 0.0625 * sum * sum) / (below * below);
				rates[p] = std::clamp(
					1 / (1 + (q - double(noise)) / (double(noise) * (1 + double(noise)))), 0.0,
					1.0);
			}
		for (uint32_t y = 0; y < height; y++)
			for (uint32_t x = 0; x < width; x++) {
				const size_t p = at(x, y);
				now[p] += 0.25 * double(lambda) *
					  (rates[p] * (d[0][p] + d[2][p]) +
					   rates[at(x, y + 1 < height ? y + 1 : y)] * d[1][p] +
					   rates[at(x + 1 < width ? x + 1 : x, y)] * d[3][p]);
			}
	}
	compare("SRAD", image, now, 1e-3);
	return r.take();
}

} // namespace etc
