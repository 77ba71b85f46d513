// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/programs/common.h"

namespace bench
{
extern const kernel_text convolutions_kernels;
}

namespace etc
{

program_trace record_2dconv(uint32_t page_bytes, bool tiny)
{
	const uint32_t width = tiny ? 64 : 1024, height = tiny ? 24 : 704;
	std::vector<float> a = some_floats(size_t{width} * height, 1, -1, 1), b(a.size()), expected(a.size());
	record::recorder r("2DCONV", {&bench::convolutions_kernels}, page_bytes);
	r.run("convolve_2d", {width / 32, height / 8}, {32, 8}, r.add(a), r.add(b), width, height);
	constexpr float weights[3][3] = {{0.2f, -0.3f, 0.4f}, {0.5f, 0.6f, 0.7f}, {-0.8f, -0.9f, 0.1f}};
	for (uint32_t y = 1; y + 1 < height; y++)
		for (uint32_t x = 1; x + 1 < width; x++)
			for (uint32_t j = 0; j < 3; j++)
				for (uint32_t i = 0; i < 3; i++)
					expected[y * width + x] += weights[j][i] * a[(y + j - 1) * width + x + i - 1];
	compare("2DCONV", b, expected, 1e-5);
	return r.take();
}

program_trace record_3dconv(uint32_t page_bytes, bool tiny)
{
	const uint32_t width = tiny ? 32 : 128, height = tiny ? 16 : 128, depth = tiny ? 6 : 44;
	std::vector<float> a = some_floats(size_t{width} * height * depth, 2, -1, 1), b(a.size()), expected(a.size());
	record::recorder r("3DCONV", {&bench::convolutions_kernels}, page_bytes);
	r.run("convolve_3d", {width / 32, height / 8, depth}, {32, 8}, r.add(a), r.add(b), width, height, depth);
	struct term {
		float weight;
		int x, y, z;
	};
	constexpr term terms[] = {{2, -1, -1, -1}, {4, -1, -1, 1}, {5, -1, 0, -1}, {7, -1, 0, 1},
				  {-8, -1, 1, -1}, {10, -1, 1, 1}, {-3, 0, -1, 0}, {6, 0, 0, 0},
				  {-9, 0, 1, 0},   {2, 1, -1, -1}, {4, 1, -1, 1}};
	const int w = int(width), h = int(height), d = int(depth);
	for (int z = 1; z + 1 < d; z++)
		for (int y = 1; y + 1 < h; y++)
			for (int x = 1; x + 1 < w; x++)
				for (const term &t : terms)
					expected[size_t((z * h + y) * w + x)] +=
						t.weight * a[size_t(((z + t.z) * h + y + t.y) * w + x + t.x)];
	compare("3DCONV", b, expected, 1e-4);
	return r.take();
}

// CUDA's sample convolves an image over and over; here twice, the second time what has come out.
program_trace record_cons(uint32_t page_bytes, bool tiny)
{
	constexpr int radius = 8;
	const uint32_t width = tiny ? 64 : 704, height = tiny ? 24 : 640;
	std::vector<float> a = some_floats(size_t{width} * height, 3, 0, 1), rows(a.size()), b(a.size()),
			   weights = some_floats(2 * radius + 1, 4, 0, 0.1f);
	std::vector<float> expected = a;
	record::recorder r("CONS", {&bench::convolutions_kernels}, page_bytes);
	const record::array from = r.add(a), middle = r.add(rows), to = r.add(b), factors = r.add(weights);
	for (int pass = 0; pass < 2; pass++) {
		const het::ptx::simt::extent grid = {width / 32, height / 8}, block = {32, 8};
		r.run("convolve_rows", grid, block, pass ? to : from, middle, factors, width);
		r.run("convolve_columns", grid, block, middle, to, factors, width, height);
		for (const bool columns : {false, true}) {
			std::vector<float> next(a.size());
			for (int y = 0; y < int(height); y++)
				for (int x = 0; x < int(width); x++)
					for (int k = -radius; k <= radius; k++) {
						const int i = columns ? x : x + k, j = columns ? y + k : y;
						if (i >= 0 && j >= 0 && i < int(width) && j < int(height))
							next[size_t(y) * width + size_t(x)] +=
								weights[size_t(k + radius)] *
								expected[size_t(j) * width + size_t(i)];
					}
			expected = next;
		}
	}
	compare("CONS", b, expected, 1e-5);
	return r.take();
}

} // namespace etc
