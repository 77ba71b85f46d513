// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Ideal: each flow is split as the linear program says, which knows all of the traffic and none of its chances.
#include "noc/policy.h"

#include <stdexcept>

namespace noc
{

namespace
{

class ideal final : public policy
{
      public:
	ideal(const policy_options &o, const surroundings &s) : split_(s.split), random_(o.seed, stream)
	{
		if (!split_)
			throw std::invalid_argument("ideal needs the split that the linear program found");
	}

	layer_route choose(unsigned core, unsigned destination) override
	{
		const float *const shares = split_->of(core, destination);
		double left = random_.unit();
		unsigned route = 0;
		while (route + 1 < split_->routes && left >= double(shares[route]))
			left -= double(shares[route++]);
		return layer_route(route);
	}

      private:
	static constexpr uint64_t stream = 0x6964656c; // not that of a core

	const std::shared_ptr<const ceiling> split_;
	random_stream random_;
};

} // namespace

std::unique_ptr<policy> make_ideal(const policy_options &o, const surroundings &s)
{
	return std::make_unique<ideal>(o, s);
}

} // namespace noc
