// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/clock.h"

#include "common/format.h"
#include "micro/tests.h"

#include <algorithm>
#include <array>

namespace bench
{
extern const kernel_text clock_kernels;
}

namespace micro
{

namespace
{

using bench::format;

constexpr int factor = 0x19660d, addend = 0x3c6ef35f;

uint32_t end_of(uint32_t x, uint32_t steps)
{
	for (uint32_t i = 0; i < steps; i++)
		x = x * uint32_t(factor) + uint32_t(addend);
	return x;
}

// The first word of each pair is the clocks', the second the ns'.
uint64_t *passed_in(arguments a)
{
	return static_cast<uint64_t *>(a[0].buffer);
}

void compute(arguments a, size_t t)
{
	static_cast<uint32_t *>(a[1].buffer)[t] = end_of(uint32_t(t), uint32_t(a[2].integer));
}

// A thread of the host has no clock but that of the time.
void busy_clock_host(arguments a, size_t first, size_t end)
{
	for (size_t t = first; t < end; t++)
		compute(a, t);
}

void busy_clock_traced(arguments a, size_t item, tracer &to)
{
	compute(a, item);
	to.work(0, uint32_t(a[2].integer));
	// A planted device has one group: each of its threads tells the same.
	passed_in(a)[0] = to.clocks();
	passed_in(a)[1] = to.nanoseconds();
}

constexpr unsigned group = 64;

// Runs a kernel that keeps all units busy, and reads what their clocks say.
class busy_device
{
      public:
	explicit busy_device(context &c)
	    : c_(c), group_(uint32_t(std::min({size_t{group}, c.dut.what().largest_group, c.most_threads}))),
	      groups_(uint32_t(std::max<size_t>(1, c.dut.what().cpu ? 1 : c.busy_threads() / group_))),
	      passed_(c.dut, groups_ * pair), ends_(c.dut, size_t{groups_} * group_ * sizeof(uint32_t))
	{
		find_steps();
	}

	uint32_t threads() const { return groups_ * group_; }
	// Returns the GHz of the median unit in one launch, or 0 if kernels can't tell.
	double launch();

      private:
	static constexpr size_t pair = 2 * sizeof(uint64_t);
	double run();
	void find_steps();

	context &c_;
	const uint32_t group_, groups_;
	memory passed_, ends_;
	uint32_t steps_ = 256, expected_ = 0;
};

double busy_device::run()
{
	const argument a[] = {passed_.get(), ends_.get(), int(steps_), factor, addend};
	return c_.dut.run(busy_clock, threads(), group_, a);
}

// The timer of some devices ticks every 1 us or so, so launches are long.
void busy_device::find_steps()
{
	constexpr double launches = 4; // as long as others
	while (run() < launches * c_.how.shortest_ns && steps_ < c_.how.most_work / 2)
		steps_ *= 2;
	expected_ = end_of(threads() - 1, steps_);
}

double busy_device::launch()
{
	run();
	uint32_t end = 0;
	c_.dut.read(ends_.get(), (threads() - 1) * sizeof(uint32_t), &end, sizeof(end));
	if (end != expected_)
		throw wrong_result("a thread that computes came to another number");
	std::vector<std::array<uint64_t, 2>> passed(groups_);
	c_.dut.read(passed_.get(), 0, passed.data(), groups_ * pair);
	bench::series ghz;
	for (const auto &[clocks, ns] : passed)
		if (clocks > 0 && ns > 0)
			ghz.push_back(double(clocks) / double(ns));
	return ghz.empty() ? 0 : bench::median(ghz);
}

} // namespace

const kernel busy_clock = {{"busy_clock", bench::clock_kernels, busy_clock_host}, busy_clock_traced};

fact clock_fact(const bench::series &ghz)
{
	constexpr double clearly = 0.01;
	fact f{.name = "clock.busy", .unit = "GHz"};
	const size_t part = ghz.size() / 4;
	if (part < 1 || std::count(ghz.begin(), ghz.end(), 0.0) > 0) {
		f.is = verdict::not_there;
		f.why = "kernels of this device have no clock and timer to read";
		return f;
	}
	const bench::ratio at = bench::median_interval(ghz);
	const double first = bench::median({ghz.begin(), ghz.begin() + ptrdiff_t(part)}),
		     last = bench::median({ghz.end() - ptrdiff_t(part), ghz.end()});
	f.is = verdict::found;
	f.value = at.median;
	f.low = at.low;
	f.high = at.high;
	f.confidence = at.confidence;
	f.why = "clocks that units count while all compute, over their timer's ns";
	if (std::abs(last / first - 1) > clearly) {
		f.is = verdict::disturbed;
		f.why = format("the clock went from %.3f to %.3f GHz while all units computed: it %s", first, last,
			       last < first ? "was throttled, or the device is shared" : "still ramped up");
	}
	json points = json::array();
	for (size_t i = 0; i < ghz.size(); i++)
		points.push_back(json{{"x", double(i)}, {"samples", bench::series{ghz[i]}}});
	f.basis = {{"points", points}};
	return f;
}

void test_clock(context &c)
{
	constexpr unsigned least_launches = 8;
	busy_device dut(c);
	// So many launches that a device gets warm from them.
	const unsigned launches = std::max(least_launches, c.how.seconds > 0 ? 10 * c.how.least : 0);
	bench::series ghz;
	while (ghz.size() < launches && (ghz.empty() || ghz.back() > 0)) {
		c.progress(format("launch %zu", ghz.size()));
		ghz.push_back(dut.launch());
	}
	const fact f = clock_fact(ghz);
	if (f.is != verdict::not_there) {
		figure all;
		all.samples = ghz;
		all.at = bench::median_interval(ghz);
		all.reached = true;
		c.out.add(format("clock/busy/%u", dut.threads()), "GHz", all);
	}
	c.out.add(f, c.claim(f.name));
	if (f.is == verdict::disturbed)
		c.out.warn("clock", f.why, "let the device cool down, or warm up, and run it again");
}

} // namespace micro
