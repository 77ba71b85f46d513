// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/programs/common.h"

namespace bench
{
extern const kernel_text correlation_kernels;
}

namespace etc
{

namespace
{

// What CORR and COVAR have in common: the columns lose their mean, and, for the former, their deviation.
struct columns {
	std::vector<double> values;
	columns(const std::vector<float> &data, uint32_t n, bool scaled) : values(data.begin(), data.end())
	{
		for (uint32_t j = 0; j < n; j++) {
			double mean = 0, square = 0;
			for (uint32_t i = 0; i < n; i++)
				mean += values[i * n + j] / n;
			for (uint32_t i = 0; i < n; i++)
				square += (values[i * n + j] - mean) * (values[i * n + j] - mean) / n;
			const double by = scaled ? std::sqrt(double(n)) * std::sqrt(square) : 1;
			for (uint32_t i = 0; i < n; i++)
				values[i * n + j] = (values[i * n + j] - mean) / by;
		}
	}
	std::vector<double> products(uint32_t n) const
	{
		std::vector<double> all(values.size());
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t a = 0; a < n; a++)
				for (uint32_t b = 0; b < n; b++)
					all[a * n + b] += values[i * n + a] * values[i * n + b];
		return all;
	}
};

constexpr uint32_t size_of(bool tiny)
{
	return tiny ? 64 : 384;
}

} // namespace

program_trace record_corr(uint32_t page_bytes, bool tiny)
{
	const uint32_t n = size_of(tiny);
	std::vector<float> data = some_floats(size_t{n} * n, 5, 0, 1), mean(n), deviation(n), out(data.size());
	const std::vector<double> expected = columns(data, n, true).products(n);
	record::recorder r("CORR", {&bench::correlation_kernels}, page_bytes);
	const record::array d = r.add(data), m = r.add(mean), s = r.add(deviation), o = r.add(out);
	r.run("mean_of_columns", {n / 64}, {64}, d, m, n);
	r.run("deviation_of_columns", {n / 64}, {64}, d, m, s, n);
	r.run("center_and_scale", {n / 32, n / 8}, {32, 8}, d, m, s, n);
	r.run("correlate", {n / 64}, {64}, d, o, n);
	compare("CORR", out, expected, 1e-4);
	return r.take();
}

program_trace record_covar(uint32_t page_bytes, bool tiny)
{
	const uint32_t n = size_of(tiny);
	std::vector<float> data = some_floats(size_t{n} * n, 6, 0, 1), mean(n), out(data.size());
	const std::vector<double> expected = columns(data, n, false).products(n);
	record::recorder r("COVAR", {&bench::correlation_kernels}, page_bytes);
	const record::array d = r.add(data), m = r.add(mean), o = r.add(out);
	r.run("mean_of_columns", {n / 64}, {64}, d, m, n);
	r.run("center", {n / 32, n / 8}, {32, 8}, d, m, n);
	r.run("covariate", {n / 64}, {64}, d, o, n);
	compare("COVAR", out, expected, 1e-4);
	return r.take();
}

} // namespace etc
