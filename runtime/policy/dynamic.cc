// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/shares.h"

#include <new>

namespace het::rt
{

namespace
{

// A device would get so many blocks if all were equally fast, so the last one to finish makes the others wait for one
// of them at most.
constexpr size_t blocks_a_share = 8;

class dynamic_policy final : public policy
{
      public:
	explicit dynamic_policy(const sharing &s)
	    : left_{0, s.total}, grains_(s), block_(s.total / (blocks_a_share * s.speeds.size()))
	{
	}

	rows next(unsigned device) override { return take_head(left_, block_, grains_[device]); }

      private:
	rows left_;
	const grains grains_;
	const size_t block_;
};

} // namespace

std::unique_ptr<policy> make_dynamic_policy(const sharing &s)
{
	return std::unique_ptr<policy>(new (std::nothrow) dynamic_policy(s));
}

} // namespace het::rt
