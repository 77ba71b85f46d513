// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/device_error.h"
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

bool alike(uint32_t found, uint32_t expected, const operation &op, bool chains_are_mixed)
{
	if (op.exact || found == expected)
		return found == expected;
	// The bits of several chains can't be compared where each may be rounded in its own way.
	return chains_are_mixed || std::abs(std::bit_cast<float>(found) - std::bit_cast<float>(expected)) < 1e-3f;
}

class calculator
{
      public:
	explicit calculator(context &c) : c_(c), out_(c.dut, c.busy_threads() * word), random_(c.seed, 5) {}

	// Returns the ns of a launch, after a look at what one thread left.
	double run(const operation &op, bool four, uint32_t threads, uint32_t steps)
	{
		const kernel &k = four ? op.four_chains : op.one_chain;
		const argument a[] = {out_.get(), op.a, op.b, int(steps)};
		const double took = c_.dut.run(k, threads, std::min<size_t>(64, threads), a);
		const uint32_t t = random_.below(threads);
		uint32_t found = 0;
		c_.dut.read(out_.get(), t * word, &found, word);
		// The host does the work of one thread, of which results depend on the last four bits of its number.
		std::vector<uint32_t> own(16);
		const argument mine[] = {own.data(), op.a, op.b, int(steps)};
		k.host(arguments(mine), t & 15, (t & 15) + 1);
		if (!alike(found, own[t & 15], op, four))
			throw wrong_result(format("%s: thread %u computed something else", op.name, t));
		return took;
	}

	void latency(const operation &op)
	{
		const double all = operations_of_step * op.each;
		figure f = c_.per_unit([&](uint64_t steps) { return run(op, false, 1, uint32_t(steps)); });
		for (double &s : f.samples)
			s /= all;
		f.at.median /= all, f.at.low /= all, f.at.high /= all;
		c_.out.add(format("arithmetic/latency/%s/1", op.name), "ns", f);
	}
	void rate(const operation &op, uint32_t threads)
	{
		const figure f = c_.per_unit([&](uint64_t steps) { return run(op, true, threads, uint32_t(steps)); });
		const double all = double(operations_of_step) * op.each * threads;
		c_.out.add(format("arithmetic/rate/%s/%u", op.name, threads), "G/s", f.there() ? rate_of(f, all) : f);
	}

      private:
	context &c_;
	memory out_;
	random_stream random_;
};

// Reads words that the host knows.
class roofline
{
      public:
	roofline(context &c, uint32_t elements, uint32_t threads)
	    : c_(c), mask_(elements - 1), threads_(threads), from_(c.dut, size_t{elements} * word),
	      sums_(c.dut, threads * word), random_(c.seed, 6)
	{
		const argument a[] = {from_.get(), int(elements), int(threads)};
		c.dut.run(fill_words, threads, std::min<size_t>(64, threads), a);
	}

	double run(uint32_t work, uint32_t rounds)
	{
		const argument a[] = {from_.get(), sums_.get(), int(mask_), int(threads_), int(first_), int(rounds),
				      int(work),   1,           1};
		const double took = c_.dut.run(roofline_kernel, threads_, std::min<size_t>(64, threads_), a);
		const uint32_t t = random_.below(threads_);
		uint32_t found = 0, expected = 0;
		c_.dut.read(sums_.get(), t * word, &found, word);
		for (uint32_t k = first_ * words_of_round; k < (first_ + rounds) * words_of_round; k++)
			expected += (content_of((t + k * threads_) & mask_) & 15) + work * operations_of_work;
		// Floats have 24 bits: a larger sum is rounded.
		if (expected < 1u << 24 && found != expected)
			throw wrong_result("roofline: a thread's sum is wrong");
		first_ += rounds;
		return took;
	}

      private:
	context &c_;
	const uint32_t mask_, threads_;
	memory from_, sums_;
	random_stream random_;
	uint32_t first_ = 0;
};

} // namespace

void test_arithmetic(context &c)
{
	calculator calc(c);
	const uint32_t most = c.busy_threads();
	for (const operation &op : all_operations()) {
		c.progress(op.name);
		try {
			if (!c.rates_only) {
				calc.latency(op);
				for (uint32_t threads = std::min(64u, most); threads <= most;
				     threads *= c.quick ? 8 : 2)
					if (threads * (c.quick ? 8 : 2) <= most)
						calc.rate(op, threads);
			}
			calc.rate(op, most);
		} catch (const bench::device_error &wrong) {
			if (!op.needs_double || wrong.why() != bench::device_error::kind::build)
				throw;
			c.out.refuse(format("arithmetic/%s", op.name), wrong.what(),
				     "nothing, if the device has no doubles");
		}
	}
}

void test_roofline(context &c)
{
	const bool cpu = c.dut.what().cpu;
	const uint32_t threads = std::bit_floor(c.busy_threads());
	const size_t wanted = cpu ? size_t{64} << 20 : size_t{1} << 30,
		     can = std::min({c.dut.what().largest, c.dut.what().memory / 8, c.most_bytes});
	const auto elements = uint32_t(std::bit_floor(std::min(wanted, can)) / word);
	roofline line(c, elements, threads);
	for (uint32_t work = 1; work <= 256; work *= c.quick ? 4 : 2) {
		c.progress(format("%u operations a word", 2 * work * operations_of_work));
		c.how.most_work = std::max<uint32_t>(1, elements / threads / words_of_round / 4);
		const figure f = c.per_unit([&](uint64_t rounds) { return line.run(work, uint32_t(rounds)); });
		const double flop = 2.0 * work * operations_of_work, each = threads * words_of_round;
		c.out.add(format("roofline/%g", flop / word), "GFLOP/s", f.there() ? rate_of(f, flop * each) : f);
	}
}

} // namespace micro
