// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/device_error.h"
#include "common/format.h"
#include "micro/group.h"
#include "micro/growth.h"
#include "micro/tests.h"

#include <algorithm>

namespace micro
{

namespace
{

using bench::format;

constexpr uint32_t word = sizeof(uint32_t);
constexpr uint32_t most_threads = 64; // of the group: one warp, or two

// Measures a sweep over powers of two, and adds its points where there is a figure.
curve sweep(context &c, const std::string &name, uint32_t most, const std::function<double(uint32_t, uint64_t)> &run)
{
	curve found;
	for (uint32_t x = 1; x <= most; x *= 2) {
		c.progress(format("%s/%u", name.c_str(), x));
		const figure f = c.per_unit([&](uint64_t work) { return run(x, work); });
		c.out.add(format("%s/%u", name.c_str(), x), "ns", f);
		if (f.there())
			found.push_back({double(x), f.samples});
	}
	return found;
}

} // namespace

void test_banks(context &c)
{
	if (c.dut.what().local_memory < bank_words * word) {
		c.out.refuse("banks", format("a group has %zu bytes of local memory", c.dut.what().local_memory),
			     "nothing: the test needs 8 KiB");
		return;
	}
	const uint32_t threads = 32;
	std::vector<uint32_t> numbers(bank_words), ends(threads);
	for (uint32_t i = 0; i < bank_words; i++)
		numbers[i] = i;
	memory from(c.dut, bank_words * word), out(c.dut, threads * word);
	c.dut.write(from.get(), 0, numbers.data(), bank_words * word);
	c.how.least_work = 64;
	const curve found = sweep(c, "banks", 64, [&](uint32_t stride, uint64_t steps) {
		const argument a[] = {from.get(), out.get(), int(stride), int(steps)};
		const double took = c.dut.run(banks_kernel, threads, threads, a);
		c.dut.read(out.get(), 0, ends.data(), threads * word);
		for (uint32_t t = 0; t < threads; t++)
			if (ends[t] != t * stride % bank_words)
				throw wrong_result("a thread read another word of local memory");
		return took;
	});
	fact f = where_growth_ends("local.span", found, c.seed);
	f.unit = "bytes";
	f.value *= word;
	f.low *= word;
	f.high *= word;
	c.out.add(f, c.claim(f.name));
}

void test_warp(context &c)
{
	const auto threads = uint32_t(std::min<size_t>(2 * most_threads, c.dut.what().largest_group));
	std::vector<uint32_t> ends(threads);
	memory out(c.dut, threads * word);
	c.how.least_work = 64;
	// The first blocks of one thread each; the last so large that all threads of the group go one way, or two
	// halves.
	const curve found = sweep(c, "ways", threads / 2, [&](uint32_t width, uint64_t steps) {
		const argument a[] = {out.get(), int(width), int(steps)};
		const double took = c.dut.run(ways_kernel, threads, threads, a);
		c.dut.read(out.get(), 0, ends.data(), threads * word);
		const uint32_t t = uint32_t(steps) % threads;
		if (ends[t] != end_of_way(t, width, uint32_t(steps)))
			throw wrong_result("a thread computed something else");
		return took;
	});
	c.out.add(where_fall_ends("warp.width", found, c.seed), c.claim("warp.width"));
}

void test_atomics(context &c)
{
	const uint32_t threads = uint32_t(std::min<size_t>(c.most_threads, c.dut.what().cpu ? 64 : 1024));
	const uint32_t group = std::min<uint32_t>(64, threads);
	memory words(c.dut, size_t{threads} * 32 * word);
	c.how.least_work = 16;
	uint32_t found = 0;
	const uint32_t zero[2] = {}; // the longest word has 64 bits
	// Threads of a device in groups; the figure is the time of one change by all threads.
	for (const change &how : all_changes()) {
		const auto run = [&](uint32_t sharers, uint64_t steps) {
			c.dut.write(words.get(), 0, zero, sizeof(zero));
			const argument a[] = {words.get(), int(sharers), int(steps)};
			const double took = c.dut.run(how.run, threads, group, a);
			c.dut.read(words.get(), 0, &found, word);
			if (!how.right(found, sharers, uint32_t(steps)))
				throw wrong_result(std::string("atomics: changes were lost by ") + how.name);
			return took;
		};
		const std::string name = std::string("atomics/") + how.name;
		try {
			sweep(c, name, how.local ? group : threads, run);
		} catch (const wrong_result &) {
			throw;
		} catch (const bench::device_error &wrong) {
			if (how.everywhere || wrong.why() != bench::device_error::kind::build)
				throw;
			c.out.refuse(name, wrong.what(),
				     "nothing, if the device or its compiler has no such operation");
		}
	}
}

// Local memory has the room of a few groups, so many groups read at a time.
void test_local_bandwidth(context &c)
{
	const traits &w = c.dut.what();
	if (w.local_memory < bank_words * word) {
		c.out.refuse("local-bandwidth", format("a group has %zu bytes of local memory", w.local_memory),
			     "nothing: the test needs 8 KiB");
		return;
	}
	const auto group = uint32_t(std::min<size_t>({256, w.largest_group, c.most_threads}));
	const size_t most = c.busy_threads();
	std::vector<uint32_t> numbers(bank_words);
	for (uint32_t i = 0; i < bank_words; i++)
		numbers[i] = i * i + 1;
	memory from(c.dut, bank_words * word), sums(c.dut, std::max<size_t>(group, most) * word);
	c.dut.write(from.get(), 0, numbers.data(), bank_words * word);
	random_stream random(c.seed, 8);
	for (size_t threads = group; threads <= std::max<size_t>(group, most); threads *= c.quick ? 4 : 2) {
		c.progress(format("local memory, %zu threads", threads));
		const figure f = c.per_unit([&](uint64_t steps) {
			const argument a[] = {from.get(), sums.get(), int(steps)};
			const double took = c.dut.run(read_local, threads, group, a);
			const uint32_t t = random.below(uint32_t(threads));
			std::vector<uint32_t> own(t % group + 1);
			uint32_t found = 0;
			const argument mine[] = {numbers.data(), own.data(), int(steps)};
			read_local.host(arguments(mine), t % group, t % group + 1);
			c.dut.read(sums.get(), size_t{t} * word, &found, word);
			if (found != own.back())
				throw wrong_result("local memory: a thread's sum is wrong");
			return took;
		});
		const double bytes = double(local_bytes_of_step) * double(threads);
		c.out.add(format("bandwidth/local/read/%zu", threads), "GB/s", f.there() ? rate_of(f, bytes) : f);
	}
}

} // namespace micro
