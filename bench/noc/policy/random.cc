// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A fixed share of packets takes the interposer: what any policy that looks at something has to beat.
#include "noc/policy.h"

namespace noc
{

namespace
{

class by_chance final : public policy
{
      public:
	explicit by_chance(const policy_options &o) : divert_(o.divert), random_(o.seed, stream) {}

	layer_route choose(unsigned, unsigned) override
	{
		return random_.unit() < divert_ ? through_interposer : through_cores;
	}

      private:
	static constexpr uint64_t stream = 0x72616e64; // not that of a core

	const double divert_;
	random_stream random_;
};

} // namespace

std::unique_ptr<policy> make_random(const policy_options &o, const surroundings &)
{
	return std::make_unique<by_chance>(o);
}

} // namespace noc
