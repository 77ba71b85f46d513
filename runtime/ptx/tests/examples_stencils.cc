// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "corpus_b.h"

#include <algorithm>
#include <bit>

namespace het::ptx::simt
{

namespace
{

constexpr const char *file = "stencils.ptx";

void heat_1d(examples *all)
{
	auto in = numbers<float>(1000, -100, 100), want = in;
	for (size_t i = 1; i + 1 < in.size(); i++)
		want[i] = in[i] + 0.25f * (in[i - 1] - 2 * in[i] + in[i + 1]);
	all->emplace_back(file, "heat_1d", extent{8}, extent{128}).in(in).out(want).value(1000);
}

void smooth_2d(examples *all)
{
	int width = 40, height = 19;
	auto in = numbers<float>(size_t(width * height), 0, 255);
	std::vector<float> want(in.size());
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			for (int dy = -1; dy <= 1; dy++)
				for (int dx = -1; dx <= 1; dx++) {
					int from = std::clamp(y + dy, 0, height - 1) * width +
						   std::clamp(x + dx, 0, width - 1);
					want[size_t(y * width + x)] +=
						in[size_t(from)] * float((dx ? 1 : 2) * (dy ? 1 : 2)) / 16;
				}
	all->emplace_back(file, "smooth_2d", extent{3, 3}, extent{16, 8}).in(in).out(want).value(width).value(height);
}

void heat_3d(examples *all)
{
	int n = 9;
	auto in = numbers<double>(size_t(n * n * n), -8, 8), want = in;
	for (int z = 0; z < n; z++)
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++) {
				auto at = [&](int a, int b, int c) {
					bool inside = std::min({a, b, c}) >= 0 && std::max({a, b, c}) < n;
					return in[size_t(inside ? (c * n + b) * n + a : (z * n + y) * n + x)];
				};
				double s = at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z) +
					   at(x, y, z - 1) + at(x, y, z + 1) - 6 * at(x, y, z);
				want[size_t((z * n + y) * n + x)] += 0.125 * s;
			}
	all->emplace_back(file, "heat_3d", extent{9, 9}, extent{32}).in(in).out(want).value(n);
}

void life(examples *all)
{
	int width = 30, height = 11;
	auto in = numbers<uint8_t>(size_t(width * height), 0, 1);
	std::vector<uint8_t> want(in.size());
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			int alive = -in[size_t(y * width + x)];
			for (int k = 0; k < 9; k++)
				alive += in[size_t((y + k / 3 - 1 + height) % height * width +
						   (x + k % 3 - 1 + width) % width)];
			want[size_t(y * width + x)] = alive == 3 || (alive == 2 && in[size_t(y * width + x)]);
		}
	all->emplace_back(file, "life", extent{2, 3}, extent{16, 4}).in(in).out(want).value(width).value(height);
}

void edges(examples *all)
{
	int width = 50, height = 7;
	auto in = numbers<int16_t>(size_t(width * height), -999, 999);
	std::vector<int> want(in.size());
	for (int y = 1; y < height - 1; y++)
		for (int x = 1; x < width - 1; x++) {
			int gx = 0, gy = 0;
			for (int d = -1; d <= 1; d++) {
				int weight = d ? 1 : 2;
				auto at = [&](int dx, int dy) { return int(in[size_t((y + dy) * width + x + dx)]); };
				gx += weight * (at(1, d) - at(-1, d));
				gy += weight * (at(d, 1) - at(d, -1));
			}
			want[size_t(y * width + x)] = std::abs(gx) + std::abs(gy);
		}
	all->emplace_back(file, "edges", extent{1, 7}, extent{64}).in(in).out(want).value(width).value(height);
}

void wave(examples *all)
{
	int n = 200;
	auto in = numbers<float>(size_t(n), -64, 64);
	// What lies outside counts as zero and moves as the rest does, so there are six more points at each end.
	std::vector<float> line(size_t(n + 12));
	std::copy(in.begin(), in.end(), line.begin() + 6);
	for (int s = 0; s < 3; s++) {
		auto was = line;
		for (size_t i = 1; i + 1 < line.size(); i++)
			line[i] = was[i] + 0.5f * (was[i + 1] - was[i - 1]);
	}
	std::vector<float> want(line.begin() + 6, line.end() - 6);
	all->emplace_back(file, "wave", extent{4}, extent{64}).in(in).out(want).value(n);
}

void residual(examples *all)
{
	auto a = numbers<float>(300, -100, 100), b = numbers<float>(300, -100, 100, 2);
	float largest = 0;
	for (size_t i = 0; i < a.size(); i++)
		largest = std::max(largest, std::fabs(a[i] - b[i]));
	all->emplace_back(file, "residual", extent{4}, extent{96})
		.in(a)
		.in(b)
		.out(std::vector<int>{std::bit_cast<int>(largest)})
		.value(300);
}

} // namespace

void add_stencils(examples *all)
{
	for (auto add : {heat_1d, smooth_2d, heat_3d, life, edges, wave, residual})
		add(all);
}

} // namespace het::ptx::simt
