// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/shares.h"

#include <new>
#include <utility>

namespace het::rt
{

namespace
{

class static_policy final : public policy
{
      public:
	explicit static_policy(const sharing &s) { cut_by_speed(s, shares_); }

	rows next(unsigned device) override
	{
		for (unsigned d = 0; d < most_shares && !shares_[device].count; d++)
			device = gone_ >> d & 1 ? d : device;
		return std::exchange(shares_[device], {0, 0});
	}
	void leave(unsigned device) override { gone_ |= uint32_t{1} << device; }

      private:
	rows shares_[most_shares] = {};
	uint32_t gone_ = 0;
};

} // namespace

std::unique_ptr<policy> make_static_policy(const sharing &s)
{
	return std::unique_ptr<policy>(new (std::nothrow) static_policy(s));
}

} // namespace het::rt
