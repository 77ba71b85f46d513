// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// SCAN and RED use kernels that other benchmarks have.
#include "etc/programs/common.h"

#include <numeric>

namespace bench
{
extern const kernel_text transforms_kernels, reduction_kernels;
}

namespace etc
{

namespace
{

std::vector<uint32_t> some_words(size_t n)
{
	std::vector<uint32_t> all(n);
	for (size_t i = 0; i < n; i++)
		all[i] = uint32_t(i * 2654435761u >> 20);
	return all;
}

} // namespace

// Groups are scanned, then their sums, then each group gets what the ones before it have.
program_trace record_scan(uint32_t page_bytes, bool tiny)
{
	constexpr uint32_t group = 1024, threads = 256;
	const uint32_t groups = tiny ? 16 : 640;
	std::vector<uint32_t> from = some_words(size_t{groups} * group), to(from.size()), sums(group), sum_of_sums(1);
	std::vector<uint32_t> scanned(sums.size()), expected(from.size());
	record::recorder r("SCAN", {&bench::transforms_kernels}, page_bytes);
	const record::array f = r.add(from), t = r.add(to), s = r.add(sums), of_groups = r.add(scanned),
			    all = r.add(sum_of_sums);
	r.run("scan_groups", {groups}, {threads}, f, t, s);
	r.run("scan_groups", {1}, {threads}, s, of_groups, all);
	r.run("add_before", {groups}, {threads}, t, of_groups);
	std::partial_sum(from.begin(), from.end(), expected.begin());
	compare("SCAN", to, expected, 0);
	return r.take();
}

program_trace record_red(uint32_t page_bytes, bool tiny)
{
	constexpr uint32_t threads = 256;
	const uint32_t groups = tiny ? 4 : 64, n = groups * threads * (tiny ? 4 : 84);
	std::vector<uint32_t> x = some_words(n);
	std::vector<uint64_t> sums(groups), sum(1);
	record::recorder r("RED", {&bench::reduction_kernels}, page_bytes);
	const record::array from = r.add(x), of_groups = r.add(sums), all = r.add(sum);
	r.run("sum", {groups}, {threads}, from, of_groups, n);
	r.run("sum_of_sums", {1}, {threads}, of_groups, all, groups);
	compare("RED", sum, std::vector<uint64_t>{std::accumulate(x.begin(), x.end(), uint64_t{0})}, 0);
	return r.take();
}

} // namespace etc
