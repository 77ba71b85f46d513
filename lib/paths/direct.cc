// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "paths/policy.h"

namespace het::paths
{

namespace
{

class direct final : public policy
{
      public:
	const char *name() const override { return "direct"; }
	path_set choose(const question &q) const override { return only(q.candidates[0].path); }
};

} // namespace

const policy &direct_policy()
{
	static const direct the;
	return the;
}

} // namespace het::paths
