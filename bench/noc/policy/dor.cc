// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// DOR: coherence packets stay among the cores.
#include "noc/policy.h"

namespace noc
{

namespace
{

class dor final : public policy
{
	layer_route choose(unsigned, unsigned) override { return through_cores; }
};

} // namespace

std::unique_ptr<policy> make_dor(const policy_options &, const surroundings &)
{
	return std::make_unique<dor>();
}

} // namespace noc
