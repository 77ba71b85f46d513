// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/matvec.h"

#include "common/clock.h"
#include "common/progress.h"
#include "measure/matvec_variants.h"

#include <algorithm>

namespace bench
{

namespace
{

const std::vector<std::string> names = {"full-copy", "auto-sync", "libhet", "libhet-copy", "libhet-false"};

matvec_phases run_block(matvec_way &way, device &d, unsigned iterations)
{
	matvec_phases sum;
	double start = now_us();
	for (unsigned i = 0; i < iterations; ++i)
		way.iterate(sum);
	sum.total = now_us() - start;
	sum.device = d.take_kernel_time();
	for (double *part : {&sum.total, &sum.device, &sum.copy, &sum.overhead, &sum.fault})
		*part /= iterations;
	return sum;
}

template <typename F> std::vector<double> column(const std::vector<matvec_phases> &blocks, F get)
{
	std::vector<double> values;
	for (const auto &b : blocks)
		values.push_back(get(b));
	return values;
}

} // namespace

matvec_phases matvec_result::median() const
{
	auto of = [this](double matvec_phases::*part) {
		return bench::median(column(blocks, [part](const matvec_phases &p) { return p.*part; }));
	};
	return {of(&matvec_phases::total), of(&matvec_phases::device), of(&matvec_phases::copy),
		of(&matvec_phases::overhead), of(&matvec_phases::fault)};
}

std::vector<double> matvec_result::totals() const
{
	return column(blocks, [](const matvec_phases &p) { return p.total; });
}

// The variants take turns, each round in another order.
std::vector<matvec_result> run_matvec(device &d, unsigned idev, const matvec_options &options)
{
	const matvec_problem problem(options.n);
	const unsigned block = std::max(1u, std::min(options.block, options.iterations));
	const unsigned rounds = std::max(1u, options.iterations / block);
	std::vector<matvec_result> results;
	std::vector<std::unique_ptr<matvec_way>> ways;
	for (size_t v = 0; v < names.size(); ++v) {
		results.push_back({names[v], {}});
		ways.push_back(make_matvec_way(matvec_variant(v), d, idev, problem, options));
		run_block(*ways.back(), d, 1); // moves the operands over, and compiles the kernel
	}
	{
		progress shown("matvec on " + d.name() +
				       (options.edges ? ", arrays with edges" : ", arrays without edges"),
			       rounds * ways.size());
		for (unsigned round = 0; round < rounds; ++round) {
			for (size_t turn = 0; turn < ways.size(); ++turn) {
				size_t v = (turn + round) % ways.size();
				results[v].blocks.push_back(run_block(*ways[v], d, block));
				shown.step(names[v]);
			}
		}
	}
	const auto reference = matvec_on_host(problem, rounds * block + 1);
	for (size_t v = 0; v < ways.size(); ++v)
		results[v].error = relative_error(ways[v]->result(), reference);
	return results;
}

std::vector<matvec_ratio> matvec_ratios(bool edges)
{
	return {{"libhet / auto-sync", libhet, auto_sync, edges ? 1.04 : 1.01},
		{"libhet-false / auto-sync", libhet_false, auto_sync, 1.06},
		{"libhet-copy / full-copy", libhet_copy, full_copy, 1.12}};
}

ratio ratio_of(const std::vector<matvec_result> &results, const matvec_ratio &which)
{
	return paired_ratio(results[which.variant].totals(), results[which.reference].totals());
}

} // namespace bench
