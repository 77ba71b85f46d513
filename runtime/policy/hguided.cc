// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The idea comes from HGuided of the Maat library (Pérez and others, 2016): guided self-scheduling with a size by
// speed.
#include "policy/shares.h"

#include <new>

namespace het::rt
{

namespace
{

class hguided_policy final : public policy
{
      public:
	explicit hguided_policy(const sharing &s) : left_{0, s.total}, grains_(s), pace_(s) {}

	rows next(unsigned device) override
	{
		return take_head(left_, pace_.block(device, left_.count), grains_[device]);
	}
	void measured(unsigned device, size_t rows, double seconds) override { pace_.measured(device, rows, seconds); }
	size_t left() const override { return left_.count; }
	double speed(unsigned device) const override { return pace_.is_known(device) ? pace_.speed(device) : 0; }
	size_t grain(unsigned device) const override { return grains_[device]; }

      private:
	rows left_;
	const grains grains_;
	pace pace_;
};

} // namespace

std::unique_ptr<policy> make_hguided_policy(const sharing &s)
{
	return std::unique_ptr<policy>(new (std::nothrow) hguided_policy(s));
}

} // namespace het::rt
