// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/examples.h"

#include "micro/example_kernels.h"
#include "micro/example_runner.h"
#include "micro/stream.h"
#include "micro/tests.h"
#include "micro/transforms.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace micro
{

namespace
{

constexpr uint32_t group = example_runner::group;
constexpr size_t word = sizeof(uint32_t);

class examples : example_runner
{
      public:
	using example_runner::example_runner;

	void reduction();
	void transpose();
	void product();
};

void examples::reduction()
{
	// Large, so that a launch costs nothing beside it.
	const auto n = uint32_t(bytes(1024) / word);
	memory from(c_.dut, size_t{n} * word), sum(c_.dut, word);
	fill(from, n);
	uint32_t right = 0;
	for (uint32_t i = 0; i < n; i++)
		right += content_of(i);
	// As many threads as reads need to have most of their rate.
	const uint32_t wanted = known_.threads ? known_.threads : c_.dut.what().units * 1024;
	const uint32_t few = std::clamp(std::bit_floor(wanted), group, std::max(group, n / 4));
	const auto run = [&](const char *name, const kernel &k, uint32_t threads) {
		const stage s{"reduction",        name,
			      double(n) * word,   "GB/s",
			      known_.vector_read, predicted_reduction(known_, name, n, threads)};
		measure(s, [&] {
			uint32_t found = 0;
			c_.dut.write(sum.get(), 0, &found, word);
			const argument a[] = {from.get(), sum.get(), int(n)};
			const bool each = &k == &reduce_each;
			const double took = c_.dut.run(k, threads, group, arguments(a, each ? 2 : 3));
			c_.dut.read(sum.get(), 0, &found, word);
			expect(found == right, name);
			return took;
		});
	};
	run("each", reduce_each, n);
	run("rows", reduce_rows, few);
	run("groups", reduce_groups, few);
}

void examples::transpose()
{
	const auto n = uint32_t(std::bit_floor(size_t(std::sqrt(double(bytes(256) / word)))));
	memory from(c_.dut, size_t{n} * n * word), to(c_.dut, size_t{n} * n * word);
	fill(from, n * n);
	random_stream random(c_.seed, 10);
	const auto run = [&](const char *name, const kernel &k, uint32_t threads, int row) {
		const stage s{"transpose",        name,
			      2.0 * n * n * word, "GB/s",
			      known_.best_copy,   predicted_transpose(known_, name, n)};
		const std::vector<uint32_t> nothing(size_t{n} * n);
		c_.dut.write(to.get(), 0, nothing.data(), nothing.size() * word);
		measure(s, [&] {
			const argument a[] = {from.get(), to.get(), int(n), row};
			const double took = c_.dut.run(k, threads, group, arguments(a, row ? 4 : 3));
			for (int i = 0; i < 8; i++) {
				const uint32_t x = random.below(n), y = random.below(n);
				uint32_t found = 0;
				c_.dut.read(to.get(), (size_t{x} * n + y) * word, &found, word);
				expect(found == content_of(y * n + x), name);
			}
			return took;
		});
	};
	run("each", transpose_each, n * n, 0);
	run("tiles", transpose_tiles, n * n / 4, 32);
	// Where local memory has banks, a row of one word more leaves no two words of a column in one.
	run("tiles, padded", transpose_tiles, n * n / 4, 33);
}

void examples::product()
{
	const bool cpu = c_.dut.what().cpu, tiny = c_.most_bytes < (1 << 20);
	const uint32_t n = tiny ? 128 : cpu ? 512 : 4096;
	memory a(c_.dut, size_t{n} * n * word), b(c_.dut, size_t{n} * n * word), out(c_.dut, size_t{n} * n * word);
	// All sums are whole numbers that floats have.
	const auto left = [](uint32_t i) { return float(content_of(i) >> 30); };
	const auto right = [](uint32_t i) { return float(content_of(i) >> 28 & 3); };
	std::vector<float> all(size_t{n} * n);
	for (uint32_t i = 0; i < n * n; i++)
		all[i] = left(i);
	c_.dut.write(a.get(), 0, all.data(), all.size() * word);
	for (uint32_t i = 0; i < n * n; i++)
		all[i] = right(i);
	c_.dut.write(b.get(), 0, all.data(), all.size() * word);
	random_stream random(c_.seed, 11);
	const auto run = [&](const char *name, const kernel &k, uint32_t threads) {
		const stage s{"product", name,           2.0 * n * n * n,
			      "GFLOP/s", 2 * known_.fma, predicted_product(known_, name, n)};
		std::fill(all.begin(), all.end(), 0.0f);
		c_.dut.write(out.get(), 0, all.data(), all.size() * word);
		measure(s, [&] {
			const argument args[] = {a.get(), b.get(), out.get(), int(n)};
			const double took = c_.dut.run(k, threads, group, args);
			for (int i = 0; i < 4; i++) {
				const uint32_t x = random.below(n), y = random.below(n);
				float found = 0, expected = 0;
				for (uint32_t j = 0; j < n; j++)
					expected += left(y * n + j) * right(j * n + x);
				c_.dut.read(out.get(), (size_t{y} * n + x) * word, &found, word);
				expect(found == expected, name);
			}
			return took;
		});
	};
	run("each", product_each, n * n);
	run("tiles", product_tiles, n * n);
	run("blocks", product_blocks, n * n / 64);
	run("blocks, ahead", product_ahead, n * n / 64);
}

} // namespace

void test_examples(context &c)
{
	if (c.dut.what().largest_group < group || c.dut.what().local_memory < 12288) {
		c.out.refuse("examples", "groups are too small, or have too little local memory",
			     "nothing: the examples need groups of 256 threads and 12 KiB");
		return;
	}
	examples all(c);
	all.reduction();
	all.transpose();
	all.product();
	transforms_in_stages(c);
}

} // namespace micro
