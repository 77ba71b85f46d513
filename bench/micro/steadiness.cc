// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/steadiness.h"

#include "common/format.h"
#include "micro/group.h"

#include <algorithm>

namespace micro
{

namespace
{

using bench::format;

constexpr double clearly = 0.03; // as a share

// Some more threads than one warp keep a GPU's clock up no better, and a planted device no longer busy.
uint32_t threads_of(const context &c)
{
	return uint32_t(std::min<size_t>(64, c.dut.what().largest_group));
}

} // namespace

steadiness::steadiness(context &c) : c_(c), threads_(threads_of(c)), out_(c.dut, threads_ * sizeof(uint32_t))
{
	c_.how.least_work = 256;
	c_.how.least = std::min(c_.how.least, 5u);
}

double steadiness::launch(uint64_t steps)
{
	const argument a[] = {out_.get(), int(threads_), int(steps)}; // one block: all take one way
	return c_.dut.run(ways_kernel, threads_, threads_, a);
}

void steadiness::warm_up()
{
	constexpr double seconds = 1;
	constexpr size_t alike = 8;
	const double end = c_.dut.now() + seconds;
	bench::series last;
	uint64_t steps = c_.how.least_work;
	while (c_.dut.now() < end) {
		const double took = launch(steps);
		if (took < 10 * c_.how.shortest_ns && steps < c_.how.most_work / 2) {
			steps *= 2;
			last.clear();
			continue;
		}
		last.push_back(took);
		if (last.size() < alike)
			continue;
		const auto [least, most] = std::minmax_element(last.end() - alike, last.end());
		if (*most < 1.01 * *least)
			return;
	}
}

void steadiness::look(const std::string &what)
{
	const figure f = c_.per_unit([&](uint64_t steps) { return launch(steps); });
	c_.out.add(format("reference/%zu", medians_.size()), "ns", f);
	if (!f.there())
		return;
	const bool apart = !medians_.empty() && (f.at.low > before_.high || f.at.high < before_.low);
	const double change = medians_.empty() ? 0 : f.at.median / before_.median - 1;
	if (apart && std::abs(change) > clearly)
		c_.out.warn(what,
			    format("after it arithmetic took %+.0f %% of the time that it took before", 100 * change),
			    "the device's clock changed, or others use it: let it cool down, and run this test again");
	before_ = f.at;
	medians_.push_back(f.at.median);
}

void steadiness::conclude()
{
	fact f{.name = "clock.change", .unit = "%"};
	if (medians_.size() < 2) {
		f.why = "arithmetic was measured at one time only";
		c_.out.add(f, nullptr);
		return;
	}
	const auto [least, most] = std::minmax_element(medians_.begin(), medians_.end());
	f.is = verdict::found;
	f.value = f.low = f.high = 100 * (*most / *least - 1);
	f.confidence = 0.99;
	f.why = format("arithmetic alone took from %.4g to %.4g ns a step, of %zu times between the tests", *least,
		       *most, medians_.size());
	c_.out.add(f, nullptr);
}

} // namespace micro
