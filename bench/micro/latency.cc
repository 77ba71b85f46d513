// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/format.h"
#include "micro/chase.h"
#include "micro/curve.h"
#include "micro/tests.h"

#include <algorithm>
#include <cmath>

namespace micro
{

namespace
{

using bench::format;

constexpr size_t spacing = 64, least_footprint = 1024, page = 4096;
// A launch of a GPU begins with an empty L1, and this is more than any has in lines. A processor loses nothing.
constexpr size_t most_warm = 8192;
constexpr size_t most_filled = 1 << 20;

// Walks along rings in one buffer, each time from where the last walk ended: else a short walk would stay where the
// caches have everything.
class walker
{
      public:
	walker(context &c, size_t most) : c_(c), most_(most), buffer_(c.dut, most), out_(c.dut, sizeof(uint32_t)) {}

	// Takes a ring to a random place, a whole number of pages from the buffer's beginning.
	void put(ring r, random_stream &random)
	{
		ring_ = std::move(r);
		const size_t bytes = ring_.words.size() * sizeof(uint32_t);
		const auto places = uint32_t((most_ - bytes) / page + 1);
		base_ = random.below(places) * uint32_t(page / sizeof(uint32_t));
		for (uint32_t &w : ring_.words)
			w += base_;
		c_.dut.write(buffer_.get(), base_ * sizeof(uint32_t), ring_.words.data(), bytes);
		at_ = 0;
		walk(0, std::min(ring_.order.size(), most_filled));
	}

	// Returns the ns of a walk, in which the first loads make up for what a launch begins without.
	double walk(uint64_t steps)
	{
		return walk(c_.dut.what().cpu ? 0 : std::min(ring_.order.size(), most_warm), steps);
	}

      private:
	double walk(uint64_t warm, uint64_t steps)
	{
		const argument a[] = {buffer_.get(), out_.get(), int(base_ + ring_.after(at_)), int(warm), int(steps)};
		const double took = c_.dut.run(chase_global, 1, 1, a);
		at_ += warm + steps;
		uint32_t end = 0;
		c_.dut.read(out_.get(), 0, &end, sizeof(end));
		if (end != base_ + ring_.after(at_))
			throw wrong_result(format("a walk of %llu loads ended at the wrong place",
						  (unsigned long long)(warm + steps)));
		return took;
	}

	context &c_;
	const size_t most_;
	memory buffer_, out_;
	ring ring_;
	uint32_t base_ = 0;
	uint64_t at_ = 0;
};

// Sizes grow with what the device says of its last cache, as what it says may be wrong.
size_t largest_footprint(const context &c)
{
	size_t last = 0;
	for (const auto &[name, value] : c.dut.what().claims.items())
		if (name.ends_with(".size") && value.is_number())
			last = std::max(last, value.get<size_t>());
	const size_t wanted = std::max<size_t>(4 * last, c.quick ? 32 << 20 : 64 << 20);
	const size_t can = std::min({c.dut.what().largest, c.dut.what().memory / 4, c.most_bytes});
	return std::max<size_t>(least_footprint, std::min(wanted, can) / page * page);
}

std::vector<size_t> footprints(size_t most, unsigned an_octave)
{
	std::vector<size_t> all;
	for (unsigned i = 0;; i++) {
		const double f = double(least_footprint) * std::exp2(double(i) / an_octave);
		const size_t whole = size_t(std::lround(f / double(spacing))) * spacing;
		if (whole > most)
			return all;
		if (all.empty() || whole > all.back())
			all.push_back(whole);
	}
}

// Measures one footprint at several places. Each place's figure is one sample of the point.
void measure(context &c, walker &w, size_t footprint, curve &to, random_stream &random)
{
	figure all;
	point p{double(footprint), {}};
	for (unsigned i = 0; i < c.placements; i++) {
		w.put(random_ring(footprint, spacing, random), random);
		const figure f = c.per_unit([&](uint64_t steps) { return w.walk(steps); });
		if (!f.there()) {
			c.out.refuse(format("latency/global/%zu", footprint), f.trouble, f.cure);
			return;
		}
		all.samples.insert(all.samples.end(), f.samples.begin(), f.samples.end());
		all.reached = (i == 0 || all.reached) && f.reached;
		p.samples.push_back(f.at.median);
	}
	all.at = bench::median_interval(all.samples);
	c.out.add(format("latency/global/%zu", footprint), "ns", all);
	to.push_back(std::move(p));
}

} // namespace

void test_latency(context &c)
{
	const size_t most = largest_footprint(c);
	walker w(c, most);
	random_stream random(c.seed, 1);
	c.how.least_work = 256;
	curve found;
	for (size_t f : footprints(most, c.quick ? 3 : 6)) {
		c.progress("latency of " + bench::amount_text(f));
		measure(c, w, f, found, random);
	}
}

void test_local_latency(context &c)
{
	const size_t words = std::min(chase_local_words, c.dut.what().local_memory / sizeof(uint32_t));
	if (words == 0) {
		c.out.refuse("latency/local", "the device has no local memory", "nothing: there is none to measure");
		return;
	}
	random_stream random(c.seed, 2);
	memory buffer(c.dut, words * sizeof(uint32_t)), out(c.dut, sizeof(uint32_t));
	c.how.least_work = 256;
	for (size_t n : {words / 8, words / 2, words}) {
		const ring r = random_ring(n * sizeof(uint32_t), sizeof(uint32_t), random);
		c.dut.write(buffer.get(), 0, r.words.data(), n * sizeof(uint32_t));
		const figure f = c.per_unit([&](uint64_t steps) {
			const argument a[] = {buffer.get(), out.get(), int(r.order[0]), int(n), int(steps)};
			const double took = c.dut.run(chase_local, 1, 1, a);
			uint32_t end = 0;
			c.dut.read(out.get(), 0, &end, sizeof(end));
			if (end != r.after(steps))
				throw wrong_result("a walk in local memory ended at the wrong place");
			return took;
		});
		c.out.add(format("latency/local/%zu", n * sizeof(uint32_t)), "ns", f);
	}
}

} // namespace micro
