// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The rule of DLL, a network on chip with two layers: leave what is taken now only if another way should end earlier by
// more than a threshold and is itself not congested; and back by the same rule. What was measured decides, so the load
// of other processes counts as well as one's own. The threshold follows the noise that is seen: under constant load
// nobody swings to and fro. Where all that is taken now is congested, a congested path is as good as another: DLL gives
// up there.
#include "paths/policy.h"
#include "paths/vessels.h"

#include <algorithm>

namespace het::paths
{

namespace
{

// As shares of the time that the copy takes now, and in ns: what a copy over several paths costs to set up.
constexpr double least_gain = 1.0 / 16, least_gain_ns = 5000;
constexpr double noises = 2, most_gain = 1.0 / 3;

class measured final : public policy
{
      public:
	const char *name() const override { return "latency"; }
	bool asks_unused() const override { return true; }
	bool takes_kernels() const override { return true; }

	path_set choose(const question &q) const override
	{
		const path_set direct = only(q.candidates[0].path);
		path_set free = 0, present = 0;
		double noise = 0;
		for (const candidate &c : q.candidates) {
			present |= only(c.path);
			if (!c.known->is_congested())
				free |= only(c.path);
			noise = std::max(noise, c.known->noise());
		}
		path_set now = q.current & present;
		now = now ? now : direct;
		const ending best = quickest(q, free & now ? free | now | direct : present);
		if (!best.carriers)
			return now;
		double end = end_of(q, now);
		double threshold = std::max(least_gain_ns, end * std::min(most_gain, least_gain + noises * noise));
		return end - best.end > threshold ? best.carriers : now;
	}
};

} // namespace

const policy &latency_policy()
{
	static const measured the;
	return the;
}

} // namespace het::paths
