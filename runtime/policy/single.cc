// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/shares.h"

#include <new>
#include <utility>

namespace het::rt
{

namespace
{

class single_policy final : public policy
{
      public:
	explicit single_policy(const sharing &s)
	    : device_(unsigned(std::max_element(s.speeds.begin(), s.speeds.end()) - s.speeds.begin())), all_{0, s.total}
	{
	}

	rows next(unsigned device) override
	{
		rows r = returned_.take();
		return r.count || device != device_ ? r : std::exchange(all_, {0, 0});
	}
	void give_back(unsigned, rows r) override { returned_.add(r); }

      private:
	const unsigned device_;
	rows all_;
	returned returned_;
};

} // namespace

std::unique_ptr<policy> make_single_policy(const sharing &s)
{
	return std::unique_ptr<policy>(new (std::nothrow) single_policy(s));
}

} // namespace het::rt
