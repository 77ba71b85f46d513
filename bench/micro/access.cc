// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/format.h"
#include "micro/growth.h"
#include "micro/patterns.h"
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

// An array of words that hold content_of() of their numbers, and as many threads as keep a device busy.
struct field {
	context &c;
	uint32_t threads, elements, mask;
	memory from, results;
	random_stream random;
	uint32_t first = 0; // launches go on where the last one ended

	field(context &on, size_t bytes_of_gpu, size_t bytes_of_cpu)
	    : c(on), threads(std::bit_floor(on.busy_threads())), elements(elements_of(on, bytes_of_gpu, bytes_of_cpu)),
	      mask(elements - 1), from(on.dut, size_t{elements} * word), results(on.dut, size_t{threads} * word),
	      random(on.seed, 7)
	{
		const argument a[] = {from.get(), int(elements), int(threads)};
		run(fill_words, a);
	}

	static uint32_t elements_of(const context &c, size_t bytes_of_gpu, size_t bytes_of_cpu)
	{
		const traits &w = c.dut.what();
		const size_t bytes = w.cpu ? bytes_of_cpu : bytes_of_gpu;
		return uint32_t(std::bit_floor(std::min({bytes, w.largest, w.memory / 8, c.most_bytes})) / word);
	}

	double run(const kernel &k, arguments a) { return c.dut.run(k, threads, std::min(64u, threads), a); }
	uint32_t result(uint32_t t)
	{
		uint32_t found = 0;
		c.dut.read(results.get(), size_t{t} * word, &found, word);
		return found;
	}
	// A launch goes over the array once at most, or else would find in caches what it has left there.
	void at_most_once_over(uint32_t words_of_round)
	{
		c.how.most_work = std::max<uint64_t>(1, elements / (uint64_t{threads} * words_of_round) / 4);
	}
	void expect(uint32_t found, uint32_t expected, const char *what)
	{
		if (found != expected)
			throw wrong_result(format("%s: a thread's result is wrong", what));
	}
};

void copies_of(field &f, const kernel &k, bool reads_spread, const char *name)
{
	memory to(f.c.dut, size_t{f.elements} * word);
	const uint32_t shift = shift_of(f.mask);
	uint32_t salt = 0;
	f.at_most_once_over(1);
	const figure found = f.c.per_unit([&](uint64_t rounds) {
		salt++;
		const argument a[] = {f.from.get(),   to.get(),     int(f.mask), int(shift),
				      int(f.threads), int(f.first), int(rounds), int(salt)};
		const double took = f.run(k, a);
		const uint32_t at = (f.random.below(f.threads) +
				     (f.first + f.random.below(uint32_t(rounds))) * f.threads) &
				    f.mask,
			       other = spread(at, f.mask, shift), source = reads_spread ? other : at,
			       target = reads_spread ? at : other;
		uint32_t copied = 0;
		f.c.dut.read(to.get(), size_t{target} * word, &copied, word);
		f.expect(copied, content_of(source) ^ salt, name);
		f.first += uint32_t(rounds);
		return took;
	});
	f.c.out.add(format("%s/%u", name, f.threads), "GB/s",
		    found.there() ? rate_of(found, 2.0 * word * f.threads) : found);
}

} // namespace

void test_gather(context &c)
{
	field f(c, c.quick ? size_t{1} << 30 : size_t{4} << 30, 64 << 20);
	c.progress("gather");
	copies_of(f, gather_kernel, true, "spread/gather");
	c.progress("scatter");
	copies_of(f, scatter_kernel, false, "spread/scatter");
}

// The figure is the time of a round of all threads over what it takes with words in a row.
void test_strides(context &c)
{
	field f(c, c.quick ? size_t{1} << 30 : size_t{4} << 30, 64 << 20);
	curve times;
	for (uint32_t step = 1; step <= 64; step *= 2) {
		c.progress(format("%u words apart", step));
		f.at_most_once_over(step);
		const figure found = c.per_unit([&](uint64_t rounds) {
			const argument a[] = {f.from.get(),   f.results.get(), int(f.mask), int(step),
					      int(f.threads), int(f.first),    int(rounds)};
			const double took = f.run(strided_kernel, a);
			const uint32_t t = f.random.below(f.threads);
			uint32_t sum = 0;
			for (uint32_t k = 0; k < rounds; k++)
				sum += content_of(((t + (f.first + k) * f.threads) * step) & f.mask);
			f.expect(f.result(t), sum, "strides");
			f.first += uint32_t(rounds);
			return took;
		});
		c.out.add(format("strides/%u", step), "ns", found);
		if (found.there())
			times.push_back({double(step), found.samples});
	}
	fact least = where_doubling_ends("memory.granularity", times, c.seed);
	least.unit = "bytes";
	least.value *= word, least.low *= word, least.high *= word;
	c.out.add(least, c.claim(least.name));
}

// Groups of threads read groups of words; each bandwidth counts what all threads were given.
void test_coherent(context &c)
{
	field f(c, 256 << 20, 32 << 20);
	for (uint32_t group = 1; group <= 1024; group *= c.quick ? 4 : 2) {
		const uint32_t shift = shift_of(f.elements / group - 1);
		const argument links[] = {f.from.get(), int(f.elements), int(f.threads), int(group), int(shift)};
		f.run(link_groups, links);
		for (uint32_t together = 1; together <= group; together *= c.quick ? 4 : 2) {
			c.progress(format("groups of %u, %u together", group, together));
			const figure found = c.per_unit([&](uint64_t steps) {
				const argument a[] = {f.from.get(), f.results.get(), int(f.mask),
						      int(group),   int(together),   int(steps)};
				const double took = f.run(coherent_kernel, a);
				const uint32_t t = f.random.below(f.threads);
				uint32_t start = start_of(t, group, f.mask);
				for (uint64_t i = 0; i < steps; i++)
					start = spread(start / group, f.elements / group - 1, shift) * group;
				f.expect(f.result(t), start, "coherent access");
				return took;
			});
			c.out.add(format("coherent/%u/%u", together, group), "GB/s",
				  found.there() ? rate_of(found, double(word) * f.threads) : found);
		}
	}
}

namespace
{

// Places that APEX-MAP reads: the less @alpha is, the more of them are near the beginning.
std::vector<uint32_t> apex_places(size_t n, double alpha, uint32_t elements, uint32_t length, random_stream &random)
{
	std::vector<uint32_t> places(n);
	const double blocks = double(elements) / length;
	for (uint32_t &p : places)
		p = uint32_t(std::min(blocks - 1, std::floor(blocks * std::pow(random.unit(), 1 / alpha)))) * length;
	return places;
}

} // namespace

namespace
{

// Reads of @length words in a row, by groups of threads of which all read the same.
figure reads_of_groups(field &f, const memory &places, const std::vector<uint32_t> &all, uint32_t length,
		       uint32_t group)
{
	const auto n = uint32_t(all.size());
	return f.c.per_unit([&](uint64_t rounds) {
		const argument a[] = {f.from.get(),   places.get(), f.results.get(), int(n - 1), int(length),
				      int(f.threads), int(f.first), int(rounds),     int(group)};
		const double took = f.run(group == 1 ? apex_kernel : located_kernel, arguments(a, group == 1 ? 8 : 9));
		const uint32_t t = f.random.below(f.threads);
		uint32_t sum = 0;
		for (uint32_t k = 0; k < rounds; k++)
			for (uint32_t i = 0; i < length; i++)
				sum += content_of(all[(t + (f.first + k) * f.threads) / group & (n - 1)] + i);
		f.expect(f.result(t), sum, "reads with locality");
		f.first += uint32_t(rounds);
		return took;
	});
}

uint32_t number_of_places(const field &f)
{
	return std::min(std::max(f.threads * 4, 1u << 16), std::max(f.elements, f.threads));
}

} // namespace

// The diagonal of coherent access, where a group reads one word, with more and more locality in time and in space.
void test_locality(context &c)
{
	field f(c, 256 << 20, 32 << 20);
	const uint32_t n = number_of_places(f), most = std::min(64u, f.elements);
	memory places(c.dut, size_t{n} * word);
	const auto measure = [&](const std::string &name, double alpha, uint32_t length, uint32_t group) {
		c.progress(name);
		const std::vector<uint32_t> all = apex_places(n, alpha, f.elements, length, f.random);
		c.dut.write(places.get(), 0, all.data(), size_t{n} * word);
		const figure found = reads_of_groups(f, places, all, length, group);
		c.out.add(name, "GB/s", found.there() ? rate_of(found, double(word) * length * f.threads) : found);
	};
	for (uint32_t group = 1; group <= std::min(256u, f.threads); group *= 4) {
		for (uint32_t inverse : {1u, 2u, 10u, 100u})
			measure(format("locality/time/groups of %u/%u", group, inverse), 1.0 / inverse, 1, group);
		for (uint32_t length = 1; length <= most; length *= c.quick ? 8 : 2)
			measure(format("locality/space/groups of %u/%u", group, length), 1, length, group);
	}
}

void test_apex(context &c)
{
	field f(c, 256 << 20, 32 << 20);
	const uint32_t n = number_of_places(f);
	memory places(c.dut, size_t{n} * word);
	for (double alpha : {0.01, 0.1, 0.5, 1.0}) {
		for (uint32_t length = 1; length <= std::min(64u, f.elements); length *= c.quick ? 8 : 2) {
			c.progress(format("locality %g, %u words in a row", alpha, length));
			const std::vector<uint32_t> all = apex_places(n, alpha, f.elements, length, f.random);
			c.dut.write(places.get(), 0, all.data(), size_t{n} * word);
			const figure found = reads_of_groups(f, places, all, length, 1);
			c.out.add(format("apex/%g/%u", alpha, length), "GB/s",
				  found.there() ? rate_of(found, double(word) * length * f.threads) : found);
		}
	}
}

} // namespace micro
