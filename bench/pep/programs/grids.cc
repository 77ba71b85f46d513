// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "pep/programs/programs.h"
#include "pep/record/recorder.h"

namespace bench
{
extern const kernel_text grids_kernels;
}

namespace pep
{

using model::compare;
using model::some_floats;

kernel_trace record_lbm(bool)
{
	constexpr unsigned groups = 14, threads = 120, flows = 19;
	constexpr int way[flows][3] = {{0, 0, 0},   {0, 1, 0},  {0, -1, 0}, {1, 0, 0},  {-1, 0, 0},
				       {0, 0, 1},   {0, 0, -1}, {1, 1, 0},  {-1, 1, 0}, {1, -1, 0},
				       {-1, -1, 0}, {0, 1, 1},  {0, 1, -1}, {0, -1, 1}, {0, -1, -1},
				       {1, 0, 1},   {1, 0, -1}, {-1, 0, 1}, {-1, 0, -1}};
	const int32_t row = threads, plane = threads * 8;
	const uint32_t cells = groups * threads + 4 * uint32_t(plane);
	const float omega = 1.85f;
	std::vector<float> from = some_floats(size_t{flows} * cells, 6, 0.5f, 1), to(from.size());
	std::vector<double> expected(from.size());
	for (unsigned i = 0; i < groups * threads; i++) {
		const int at = int(i) + 2 * plane;
		double density = 0, u[3] = {0, 0, 0}, square = 0;
		for (unsigned d = 0; d < flows; d++) {
			density += from[d * cells + unsigned(at)];
			for (unsigned k = 0; k < 3; k++)
				u[k] += double(way[d][k]) * from[d * cells + unsigned(at)];
		}
		for (double &k : u) {
			k /= density;
			square += k * k;
		}
		for (unsigned d = 0; d < flows; d++) {
			const double weight = d == 0 ? 1 / 3.0 : d < 7 ? 1 / 18.0 : 1 / 36.0;
			const double along = way[d][0] * u[0] + way[d][1] * u[1] + way[d][2] * u[2];
			const double even = weight * density * (1 - 1.5 * square + 3 * along + 4.5 * along * along);
			const int target = at + way[d][0] + way[d][1] * row + way[d][2] * plane;
			expected[d * cells + unsigned(target)] =
				(1 - omega) * double(from[d * cells + unsigned(at)]) + omega * even;
		}
	}
	record::recorder r("lbm", {&bench::grids_kernels});
	const record::array f = r.add(from), t = r.add(to);
	kernel_trace trace = r.run("collide_and_stream", {groups}, {threads}, f, t, cells, row, plane, omega);
	compare("lbm", to, expected, 1e-4);
	return trace;
}

kernel_trace record_stencil(bool tiny)
{
	constexpr uint32_t across = 2, along = 2, width = across * 64 + 2, height = along * 4 + 2;
	const uint32_t depth = tiny ? 8 : 66;
	const float inner = 0.5f, outer = 0.08f;
	std::vector<float> from = some_floats(size_t{width} * height * depth, 7, 0, 1), to(from.size());
	std::vector<double> expected(from.size());
	for (size_t z = 1; z + 1 < depth; z++)
		for (size_t y = 1; y + 1 < height; y++)
			for (size_t x = 1; x + 1 < width; x++) {
				const size_t step = size_t{width} * height, at = z * step + y * width + x;
				expected[at] = double(outer) * (double(from[at - 1]) + from[at + 1] + from[at - width] +
								from[at + width] + from[at - step] + from[at + step]) -
					       double(inner) * from[at];
			}
	record::recorder r("stencil", {&bench::grids_kernels});
	const record::array f = r.add(from), t = r.add(to);
	kernel_trace trace =
		r.run("stencil_hybrid", {across, along}, {32, 4}, f, t, width, height, depth, inner, outer);
	compare("stencil", to, expected, 1e-4);
	return trace;
}

kernel_trace record_pathfinder(bool tiny)
{
	constexpr uint32_t groups = 8, group = 256;
	const uint32_t rows = tiny ? 4 : 20, first = 1, columns = groups * (group - 2 * rows);
	std::vector<int32_t> cost(size_t{columns} * (rows + first)), to(columns);
	for (size_t i = 0; i < cost.size(); i++)
		cost[i] = int32_t(i * 2654435761u >> 28);
	std::vector<int32_t> from(cost.begin(), cost.begin() + columns), expected = from;
	for (uint32_t y = first; y < first + rows; y++) {
		const std::vector<int32_t> before = expected;
		for (uint32_t x = 0; x < columns; x++)
			expected[x] = cost[size_t{y} * columns + x] +
				      std::min({before[x], before[x ? x - 1 : x], before[x + 1 < columns ? x + 1 : x]});
	}
	record::recorder r("pathfinder", {&bench::grids_kernels});
	const record::array c = r.add(cost), f = r.add(from), t = r.add(to);
	kernel_trace trace = r.run("find_paths", {groups}, {group}, c, f, t, columns, first, rows);
	compare("pathfinder", to, expected, 0);
	return trace;
}

kernel_trace record_extract(bool)
{
	constexpr uint32_t groups = 8, threads = 512, n = groups * threads;
	std::vector<float> image = some_floats(n, 8, 0, 255);
	std::vector<double> expected;
	for (const float f : image)
		expected.push_back(std::exp(double(f) / 255));
	record::recorder r("srad_v1-extract", {&bench::grids_kernels});
	const record::array a = r.add(image);
	kernel_trace trace = r.run("extract", {groups}, {threads}, a, n);
	compare("srad_v1-extract", image, expected, 1e-5);
	return trace;
}

namespace
{

// What both versions of srad compute of a point and its neighbours.
struct slopes {
	double north, south, east, west, rate;
};
slopes slopes_of(double here, double north, double south, double east, double west, double noise)
{
	slopes s = {north - here, south - here, east - here, west - here, 0};
	const double square =
		(s.north * s.north + s.south * s.south + s.west * s.west + s.east * s.east) / (here * here);
	const double laplace = (s.north + s.south + s.west + s.east) / here;
	const double below = 1 + 0.25 * laplace;
	const double q =
		((0.5 * square - 0.0625 * laplace * laplace) / (below * below) - noise) / (noise * (1 + noise));
	s.rate = std::clamp(1 / (1 + q), 0.0, 1.0);
	return s;
}

constexpr float noise = 0.05f;

struct slope_arrays {
	explicit slope_arrays(size_t n) : north(n), south(n), east(n), west(n), rate(n) {}
	std::vector<float> north, south, east, west, rate;
};

void compare_slopes(const char *program, const slope_arrays &found, const std::vector<slopes> &expected)
{
	std::vector<double> of(expected.size());
	for (const auto &[all, member] : {std::pair{&found.north, &slopes::north},
					  {&found.south, &slopes::south},
					  {&found.east, &slopes::east},
					  {&found.west, &slopes::west},
					  {&found.rate, &slopes::rate}}) {
		std::transform(expected.begin(), expected.end(), of.begin(),
			       [m = member](const slopes &s) { return s.*m; });
		compare(program, *all, of, 1e-3);
	}
}

} // namespace

kernel_trace record_srad_v1(bool)
{
	constexpr uint32_t groups = 8, threads = 512, rows = 64, columns = groups * threads / rows;
	std::vector<float> image = some_floats(rows * columns, 9, 1, 2);
	std::vector<int32_t> north_of(rows), south_of(rows), east_of(columns), west_of(columns);
	for (uint32_t i = 0; i < rows; i++) {
		north_of[i] = int32_t(i ? i - 1 : 0);
		south_of[i] = int32_t(i + 1 < rows ? i + 1 : i);
	}
	for (uint32_t i = 0; i < columns; i++) {
		west_of[i] = int32_t(i ? i - 1 : 0);
		east_of[i] = int32_t(i + 1 < columns ? i + 1 : i);
	}
	std::vector<slopes> expected;
	for (uint32_t c = 0; c < columns; c++)
		for (uint32_t y = 0; y < rows; y++) {
			const auto at = [&](int32_t py, int32_t pc) {
				return image[uint32_t(py) + rows * uint32_t(pc)];
			};
			expected.push_back(slopes_of(image[y + rows * c], at(north_of[y], int32_t(c)),
						     at(south_of[y], int32_t(c)), at(int32_t(y), east_of[c]),
						     at(int32_t(y), west_of[c]), noise));
		}
	slope_arrays out(image.size());
	record::recorder r("srad_v1-srad", {&bench::grids_kernels});
	const record::array i = r.add(image), n = r.add(north_of), s = r.add(south_of), e = r.add(east_of),
			    w = r.add(west_of), on = r.add(out.north), os = r.add(out.south), oe = r.add(out.east),
			    ow = r.add(out.west), rate = r.add(out.rate);
	kernel_trace trace =
		r.run("srad_by_lists", {groups}, {threads}, i, n, s, e, w, on, os, oe, ow, rate, rows, columns, noise);
	compare_slopes("srad_v1-srad", out, expected);
	return trace;
}

kernel_trace record_srad_v2(bool)
{
	constexpr uint32_t across = 4, down = 2, tile = 16, columns = across * tile, rows = down * tile;
	std::vector<float> image = some_floats(rows * columns, 10, 1, 2);
	std::vector<slopes> expected;
	for (uint32_t y = 0; y < rows; y++)
		for (uint32_t x = 0; x < columns; x++) {
			const auto at = [&](uint32_t py, uint32_t px) { return image[py * columns + px]; };
			expected.push_back(slopes_of(at(y, x), at(y ? y - 1 : y, x), at(y + 1 < rows ? y + 1 : y, x),
						     at(y, x + 1 < columns ? x + 1 : x), at(y, x ? x - 1 : x), noise));
		}
	slope_arrays out(image.size());
	record::recorder r("srad_v2", {&bench::grids_kernels});
	const record::array i = r.add(image), n = r.add(out.north), s = r.add(out.south), e = r.add(out.east),
			    w = r.add(out.west), rate = r.add(out.rate);
	kernel_trace trace =
		r.run("srad_by_tiles", {across, down}, {tile, tile}, i, n, s, e, w, rate, columns, rows, noise);
	compare_slopes("srad_v2", out, expected);
	return trace;
}

kernel_trace record_hotspot(bool)
{
	constexpr int32_t groups = 3, tile = 16, steps = 2, side = groups * (tile - 2 * steps);
	const float across = 0.1f, down = 0.12f, up = 0.05f, factor = 0.3f, ambient = 80;
	std::vector<float> power = some_floats(size_t{side} * side, 11, 0, 1),
			   from = some_floats(size_t{side} * side, 12, 60, 90), to(from.size());
	std::vector<double> expected(from.begin(), from.end());
	for (int s = 0; s < steps; s++) {
		const std::vector<double> before = expected;
		const auto at = [&](int y, int x) {
			return before[size_t(std::clamp(y, 0, side - 1) * side + std::clamp(x, 0, side - 1))];
		};
		for (int y = 0; y < side; y++)
			for (int x = 0; x < side; x++)
				expected[size_t(y * side + x)] =
					at(y, x) + factor * (power[size_t(y * side + x)] +
							     (at(y + 1, x) + at(y - 1, x) - 2 * at(y, x)) * down +
							     (at(y, x + 1) + at(y, x - 1) - 2 * at(y, x)) * across +
							     (ambient - at(y, x)) * up);
	}
	record::recorder r("hotspot", {&bench::grids_kernels});
	const record::array p = r.add(power), f = r.add(from), t = r.add(to);
	kernel_trace trace = r.run("heat", {groups, groups}, {tile, tile}, p, f, t, side, side, steps, across, down, up,
				   factor, ambient);
	compare("hotspot", to, expected, 1e-4);
	return trace;
}

} // namespace pep
