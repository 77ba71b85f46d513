// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/format.h"
#include "micro/caches.h"
#include "micro/chase.h"
#include "micro/footprints.h"
#include "micro/tests.h"
#include "micro/walker.h"

#include <algorithm>

namespace micro
{

namespace
{

using bench::format;

constexpr size_t word = sizeof(uint32_t), most_constant = 65536; // bytes of the kernel's variable
constexpr size_t spacing = 64, least_footprint = 256, apart = 256;

// Measures loads of constant memory over footprints. What it holds is small, so that each launch begins with a whole
// round, after which the caches have of it what they can hold.
class constant_search
{
      public:
	explicit constant_search(context &c)
	    : c_(c), most_(std::min({most_constant, c.dut.what().constant_memory, c.most_bytes})),
	      table_(c.dut, chase_constant, most_), out_(c.dut, word), random_(c.seed, 41)
	{
		c_.how.least_work = 256;
	}

	void run();

      private:
	using ring_maker = std::function<ring(random_stream &)>;

	figure measure(const ring_maker &make, point &p);
	void put(ring r);
	double walk(uint64_t steps);
	void find_line(const levels &l, size_t i, const std::string &level);

	context &c_;
	const size_t most_;
	memory table_, out_;
	random_stream random_;
	ring ring_;
	uint32_t base_ = 0;
	uint64_t at_ = 0;
};

// Lets the ring lie anywhere in the table.
void constant_search::put(ring r)
{
	ring_ = std::move(r);
	base_ = random_.below(uint32_t((most_ - ring_.bytes) / apart + 1)) * uint32_t(apart / word);
	std::vector<uint32_t> words = ring_.words();
	for (uint32_t &w : words)
		w += base_;
	c_.dut.write(table_.get(), base_ * word, words.data(), words.size() * word);
	at_ = 0;
}

double constant_search::walk(uint64_t steps)
{
	const size_t warm = ring_.order.size();
	const argument a[] = {table_.get(), out_.get(), int(base_ + ring_.after(at_)), int(warm), int(steps)};
	const double took = c_.dut.run(chase_constant, 1, 1, a);
	at_ += warm + steps;
	uint32_t end = 0;
	c_.dut.read(out_.get(), 0, &end, sizeof(end));
	if (end != base_ + ring_.after(at_))
		throw wrong_result("a walk in constant memory ended at the wrong place");
	return took;
}

figure constant_search::measure(const ring_maker &make, point &p)
{
	return measure_places(
		c_, p, false, [&] { put(make(random_)); }, [this](uint64_t steps) { return walk(steps); });
}

// Looks for how much a line of that cache takes up, at a footprint that it holds two thirds of.
void constant_search::find_line(const levels &l, size_t i, const std::string &level)
{
	constexpr size_t least_block = 16, most_block = 512;
	const auto footprint = size_t(std::min(1.5 * l.knees[i].size, double(most_))) / most_block * most_block;
	curve found;
	for (size_t block = least_block; block <= most_block; block *= 2) {
		c_.progress(level + ".line, " + bench::amount_text(block) + " apart");
		point at{double(block), {}};
		const figure f =
			measure([&](random_stream &r) { return sparse_ring(footprint, block, least_block, r); }, at);
		c_.out.add(format("line/%s/%zu", level.c_str(), block), "ns", f);
		if (f.there())
			found.push_back(std::move(at));
	}
	c_.out.add(line_fact(level + ".line", found, l.heights[i].height.median, c_.seed), nullptr);
}

void constant_search::run()
{
	const curve found = sweep_footprints(
		c_, "latency/constant", {least_footprint, most_, spacing, c_.quick ? 3u : 6u},
		[&](size_t footprint, point &p) {
			return measure([&](random_stream &r) { return random_ring(footprint, spacing, r); }, p);
		});
	// It is ordinary memory of a processor, whose caches other tests look for.
	if (c_.dut.what().cpu)
		return;
	const levels l = find_levels(found, c_.seed);
	const std::vector<owner> owners(l.knees.size(), owner::cache);
	for (const fact &f : cache_facts(found, l, owners, "constant."))
		c_.out.add(f, nullptr);
	c_.out.add(last_fact("constant.last.latency", found, l), nullptr);
	for (size_t i = 0; i < l.knees.size(); i++)
		if (!l.knees[i].disturbed)
			find_line(l, i, format("constant.l%zu", i + 1));
}

} // namespace

void test_constant_latency(context &c)
{
	if (c.dut.what().constant_memory < least_footprint) {
		c.out.refuse("constant-latency", "the device has no constant memory of its own",
			     "nothing: there is none to measure");
		return;
	}
	constant_search(c).run();
}

} // namespace micro
