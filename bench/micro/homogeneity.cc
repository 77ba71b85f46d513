// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/homogeneity.h"

#include "common/format.h"
#include "micro/arithmetic.h"
#include "micro/stream.h"
#include "micro/tests.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace micro
{

namespace
{

using bench::format;

constexpr uint32_t word = sizeof(uint32_t);
constexpr double least_apart = 0.01; // as a share: devices that are closer are alike

figure random_reads(context &c, uint32_t threads)
{
	const traits &w = c.dut.what();
	const size_t bytes = std::min({size_t{w.cpu ? 64u << 20 : 1u << 30}, w.largest, w.memory / 8, c.most_bytes});
	const auto elements = uint32_t(std::bit_floor(bytes) / word), mask = elements - 1;
	memory from(c.dut, size_t{elements} * word), sums(c.dut, size_t{threads} * word);
	const argument fill[] = {from.get(), int(elements), int(threads)};
	c.dut.run(fill_words, threads, std::min(64u, threads), fill);
	random_stream random(c.seed, 9);
	uint32_t first = 0;
	c.how.most_work = std::max(1u, elements / threads / 4);
	return c.per_unit([&](uint64_t rounds) {
		const argument a[] = {from.get(),   from.get(), sums.get(),  int(mask),
				      int(threads), int(first), int(rounds), 0};
		const double took =
			c.dut.run(stream_kernel(deed::read, order::random), threads, std::min(64u, threads), a);
		const uint32_t t = random.below(threads);
		uint32_t expected = 0, found = 0;
		for (uint32_t k = 0; k < rounds; k++)
			expected += content_of(element_at(order::random, t + (first + k) * threads, mask));
		c.dut.read(sums.get(), size_t{t} * word, &found, word);
		if (found != expected)
			throw wrong_result("homogeneity: a thread's sum is wrong");
		first += uint32_t(rounds);
		return took;
	});
}

const operation &float_fma()
{
	for (const operation &op : all_operations())
		if (std::string(op.name) == "float fma")
			return op;
	throw std::logic_error("there is no float fma");
}

figure arithmetic(context &c, uint32_t threads)
{
	const operation &op = float_fma();
	memory out(c.dut, size_t{threads} * word);
	return c.per_unit([&](uint64_t steps) {
		const argument a[] = {out.get(), op.a, op.b, int(steps)};
		const double took = c.dut.run(op.four_chains, threads, std::min(64u, threads), a);
		uint32_t found = 0, own = 0;
		c.dut.read(out.get(), 0, &found, word);
		const argument mine[] = {&own, op.a, op.b, int(steps)};
		op.four_chains.host(arguments(mine), 0, 1);
		if (found != own)
			throw wrong_result("homogeneity: a thread computed something else");
		return took;
	});
}

struct of_device {
	std::string title;
	double median = 0, low = 0, high = 0;
};

std::vector<of_device> figures_of(const std::vector<json> &documents, const std::string &kind)
{
	std::vector<of_device> all;
	for (const json &d : documents) {
		for (const json &r : d["results"]) {
			if (r.at("name").get<std::string>() != "homogeneity/" + kind + "/0")
				continue;
			const json &device = d["device"];
			const std::string title = device.is_object() && !device["title"].is_null()
							  ? device["title"].get<std::string>()
							  : "a device";
			all.push_back({title, r.at("median").get<double>(), r.at("low").get<double>(),
				       r.at("high").get<double>()});
		}
	}
	return all;
}

double median_of(const std::vector<of_device> &all)
{
	bench::series s;
	for (const of_device &d : all)
		s.push_back(d.median);
	return bench::median(s);
}

// What lies beyond three deviations of the others, which the median of distances tells, is not like them; less than one
// in a hundred is nothing.
std::string outliers(const std::vector<of_device> &all)
{
	constexpr double deviations = 3 / 0.6745;
	const double middle = median_of(all);
	bench::series distances;
	for (const of_device &d : all)
		distances.push_back(std::abs(d.median - middle));
	const double limit = std::max(least_apart * middle, deviations * bench::median(distances));
	std::string names;
	for (size_t i = 0; i < all.size(); i++)
		if (all[i].high < middle - limit || all[i].low > middle + limit)
			names += format("%s%zu (%s, %+.1f %%)", names.empty() ? "" : ", ", i, all[i].title.c_str(),
					100 * (all[i].median / middle - 1));
	return names;
}

// Of two nobody knows which is the one that is like others, but which one is slower.
std::string slower_of(const std::vector<of_device> &two)
{
	const size_t i = two[0].median < two[1].median ? 0 : 1;
	const of_device &slow = two[i], &other = two[1 - i];
	if (slow.high >= other.low || slow.median > (1 - least_apart) * other.median)
		return "both are alike";
	return format("slower than the other: %zu (%s, %+.1f %%)", i, slow.title.c_str(),
		      100 * (slow.median / other.median - 1));
}

} // namespace

void add_homogeneity(const std::vector<json> &documents, bench::report &to, recorder &out)
{
	for (const std::string kind : {"memory", "arithmetic"}) {
		const std::vector<of_device> all = figures_of(documents, kind);
		fact f{.name = "homogeneity." + kind, .unit = "%"};
		if (all.size() < 2) {
			f.why = format("%zu of the results have it: give those of two devices or more", all.size());
			out.add(f, nullptr);
			continue;
		}
		for (size_t i = 0; i < all.size(); i++)
			to.value(format("homogeneity/%s/%zu", kind.c_str(), i), kind == "memory" ? "GB/s" : "GFLOP/s",
				 all[i].median, {{"low", all[i].low}, {"high", all[i].high}});
		const auto [least, most] = std::minmax_element(
			all.begin(), all.end(), [](const auto &a, const auto &b) { return a.median < b.median; });
		const double middle = median_of(all);
		f.is = verdict::found;
		f.value = 100 * (most->median - least->median) / middle;
		f.low = std::max(0.0, 100 * (most->low - least->high) / middle);
		f.high = 100 * (most->high - least->low) / middle;
		f.confidence = 0.95;
		const std::string names = outliers(all);
		f.why = format("largest less smallest of %zu devices, as a share of their median; ", all.size()) +
			(all.size() == 2 ? slower_of(all)
			 : names.empty() ? "all are alike"
					 : "unlike the others: " + names);
		out.add(f, nullptr);
	}
}

void test_homogeneity(context &c)
{
	const uint32_t threads = std::bit_floor(c.busy_threads());
	c.progress("random reads");
	const figure reads = random_reads(c, threads);
	c.out.add("homogeneity/memory/0", "GB/s", reads.there() ? rate_of(reads, double(word) * threads) : reads);
	c.progress("arithmetic");
	c.how.most_work = rules().most_work;
	const figure sums = arithmetic(c, threads);
	const double flop = 2.0 * operations_of_step * threads;
	c.out.add("homogeneity/arithmetic/0", "GFLOP/s", sums.there() ? rate_of(sums, flop) : sums);
}

} // namespace micro
