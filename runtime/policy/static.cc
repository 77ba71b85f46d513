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
		rows own = std::exchange(shares_[device], {0, 0});
		return own.count ? own : returned_.take();
	}
	void give_back(unsigned device, rows r) override
	{
		returned_.add(r);
		returned_.add(std::exchange(shares_[device], {0, 0}));
	}

      private:
	rows shares_[most_shares] = {};
	returned returned_;
};

} // namespace

std::unique_ptr<policy> make_static_policy(const sharing &s)
{
	return std::unique_ptr<policy>(new (std::nothrow) static_policy(s));
}

} // namespace het::rt
