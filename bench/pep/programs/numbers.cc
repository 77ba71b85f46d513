// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// LUD's kernel is the one of bench/etc.
#include "pep/programs/programs.h"
#include "pep/record/recorder.h"

namespace bench
{
extern const kernel_text numbers_kernels, lud_kernels;
}

namespace pep
{

using model::compare;
using model::some_floats;

kernel_trace record_gemm(bool tiny)
{
	constexpr uint32_t across = 2, down = 2, n = across * 32, rows = down * 8;
	const uint32_t inner = tiny ? 32 : 512;
	const float alpha = 1.5f, beta = 0.5f;
	std::vector<float> a = some_floats(size_t{rows} * inner, 13, 0, 1),
			   b = some_floats(size_t{inner} * n, 14, 0, 1), c = some_floats(size_t{rows} * n, 15, 0, 1);
	std::vector<double> expected(c.begin(), c.end());
	for (uint32_t y = 0; y < rows; y++)
		for (uint32_t x = 0; x < n; x++) {
			double &sum = expected[y * n + x] *= beta;
			for (uint32_t k = 0; k < inner; k++)
				sum += double(alpha) * a[y * inner + k] * b[k * n + x];
		}
	record::recorder r("gemm", {&bench::numbers_kernels});
	const record::array aa = r.add(a), ab = r.add(b), ac = r.add(c);
	kernel_trace trace = r.run("gemm", {across, down}, {32, 8}, aa, ab, ac, n, inner, alpha, beta);
	compare("gemm", c, expected, 1e-4);
	return trace;
}

kernel_trace record_black_scholes(bool tiny)
{
	constexpr uint32_t groups = 4, threads = 128;
	const uint32_t n = groups * threads * (tiny ? 4 : 128);
	const float rate = 0.02f, volatility = 0.3f;
	std::vector<float> stock = some_floats(n, 16, 5, 30), strike = some_floats(n, 17, 1, 100),
			   years = some_floats(n, 18, 0.25f, 10), call(n), put(n);
	std::vector<double> expected_call, expected_put;
	const auto normal = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
	for (uint32_t i = 0; i < n; i++) {
		const double s = stock[i], k = strike[i], t = years[i], spread = volatility * std::sqrt(t);
		const double d1 = (std::log(s / k) + (rate + 0.5 * volatility * volatility) * t) / spread;
		const double later = k * std::exp(-double(rate) * t);
		expected_call.push_back(s * normal(d1) - later * normal(d1 - spread));
		expected_put.push_back(later - s + expected_call.back());
	}
	record::recorder r("black-scholes", {&bench::numbers_kernels});
	const record::array as = r.add(stock), ak = r.add(strike), at = r.add(years), ac = r.add(call), ap = r.add(put);
	kernel_trace trace = r.run("price_options", {groups}, {threads}, as, ak, at, ac, ap, n, rate, volatility);
	compare("black-scholes", call, expected_call, 1e-3);
	compare("black-scholes", put, expected_put, 1e-3);
	return trace;
}

kernel_trace record_streamcluster(bool tiny)
{
	constexpr uint32_t groups = 4, threads = 512, points = groups * threads, centre = 77;
	const uint32_t dimensions = tiny ? 32 : 256;
	std::vector<float> coordinates = some_floats(size_t{points} * dimensions, 19, 0, 1),
			   weight = some_floats(points, 20, 0.5f, 2),
			   cost = some_floats(points, 21, 0, float(dimensions) / 3), gain(size_t{2} * points);
	std::vector<uint32_t> assigned(points), table(64);
	for (uint32_t i = 0; i < points; i++)
		assigned[i] = i * 7 % 64;
	for (uint32_t i = 0; i < 64; i++)
		table[i] = i;
	std::vector<uint8_t> moves(points), expected_moves(points);
	std::vector<double> expected(gain.size());
	for (uint32_t i = 0; i < points; i++) {
		double distance = 0;
		for (uint32_t d = 0; d < dimensions; d++) {
			const double by = double(coordinates[d * points + i]) - coordinates[d * points + centre];
			distance += by * by;
		}
		const double now = distance * weight[i];
		expected_moves[i] = now < cost[i];
		if (expected_moves[i])
			expected[i] = now - cost[i];
		else
			expected[points + i] = cost[i] - now + table[assigned[i]];
	}
	record::recorder r("streamcluster", {&bench::numbers_kernels});
	const record::array w = r.add(weight), c = r.add(cost), a = r.add(assigned), co = r.add(coordinates),
			    t = r.add(table), g = r.add(gain), m = r.add(moves);
	kernel_trace trace =
		r.run("compute_cost", {groups}, {threads}, points, dimensions, centre, w, c, a, co, t, g, m);
	compare("streamcluster", moves, expected_moves, 0);
	compare("streamcluster", gain, expected, 1e-3);
	return trace;
}

kernel_trace record_kmeans(bool tiny)
{
	constexpr uint32_t groups = 4, threads = 256, points = groups * threads;
	const uint32_t features = tiny ? 8 : 34;
	std::vector<float> from = some_floats(size_t{points} * features, 22, 0, 1), to(from.size()),
			   expected(from.size());
	for (uint32_t i = 0; i < points; i++)
		for (uint32_t f = 0; f < features; f++)
			expected[f * points + i] = from[i * features + f];
	record::recorder r("kmeans", {&bench::numbers_kernels});
	const record::array f = r.add(from), t = r.add(to);
	kernel_trace trace = r.run("invert_mapping", {groups}, {threads}, f, t, points, features);
	compare("kmeans", to, expected, 0);
	return trace;
}

kernel_trace record_lud(bool)
{
	constexpr uint32_t tile = 16, behind = 3, n = (behind + 1) * tile, first = 0;
	std::vector<float> m = some_floats(n * n, 23, 0, 1);
	std::vector<double> expected(m.begin(), m.end());
	for (uint32_t i = tile; i < n; i++)
		for (uint32_t j = tile; j < n; j++)
			for (uint32_t k = 0; k < tile; k++)
				expected[i * n + j] -= double(m[i * n + k]) * m[k * n + j];
	record::recorder r("lud", {&bench::lud_kernels});
	const record::array a = r.add(m);
	kernel_trace trace = r.run("lud_internal", {behind, behind}, {tile, tile}, a, n, first);
	compare("lud", m, expected, 1e-4);
	return trace;
}

namespace
{

// A layer of backprop: a column of inputs, of which the first is always 1, and hidden units.
constexpr uint32_t side = 16, inputs = 8 * side, hidden = side;

} // namespace

kernel_trace record_layer_forward(bool)
{
	std::vector<float> input = some_floats(inputs + 1, 24, 0, 1),
			   weight = some_floats((inputs + 1) * (hidden + 1), 25, 0, 1), sums(inputs / side * hidden);
	std::vector<double> expected(sums.size());
	for (uint32_t g = 0; g < inputs / side; g++)
		for (uint32_t h = 0; h < hidden; h++)
			for (uint32_t y = 0; y < side; y++)
				expected[g * hidden + h] += double(input[g * side + y + 1]) *
							    weight[(g * side + y + 1) * (hidden + 1) + h + 1];
	record::recorder r("backprop-forward", {&bench::numbers_kernels});
	const record::array i = r.add(input), w = r.add(weight), s = r.add(sums);
	kernel_trace trace = r.run("layer_forward", {1, inputs / side}, {side, side}, i, w, s, hidden);
	compare("backprop-forward", sums, expected, 1e-4);
	return trace;
}

kernel_trace record_adjust_weights(bool)
{
	std::vector<float> delta = some_floats(hidden + 1, 26, -1, 1), input = some_floats(inputs + 1, 27, 0, 1),
			   weight = some_floats((inputs + 1) * (hidden + 1), 28, 0, 1),
			   change = some_floats(weight.size(), 29, 0, 1);
	std::vector<double> expected(weight.begin(), weight.end()), expected_change(change.begin(), change.end());
	for (uint32_t y = 0; y <= inputs; y++)
		for (uint32_t x = 1; x <= hidden; x++) {
			const size_t at = y * (hidden + 1) + x;
			expected_change[at] = 0.3 * delta[x] * (y ? input[y] : 1) + 0.3 * change[at];
			expected[at] += expected_change[at];
		}
	record::recorder r("backprop-adjust", {&bench::numbers_kernels});
	const record::array d = r.add(delta), i = r.add(input), w = r.add(weight), c = r.add(change);
	kernel_trace trace = r.run("adjust_weights", {1, inputs / side}, {side, side}, d, hidden, i, w, c);
	compare("backprop-adjust", weight, expected, 1e-5);
	compare("backprop-adjust", change, expected_change, 1e-5);
	return trace;
}

} // namespace pep
