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

	rows next(unsigned device) override { return device == device_ ? std::exchange(all_, {0, 0}) : rows{0, 0}; }

      private:
	const unsigned device_;
	rows all_;
};

} // namespace

std::unique_ptr<policy> make_single_policy(const sharing &s)
{
	return std::unique_ptr<policy>(new (std::nothrow) single_policy(s));
}

} // namespace het::rt
