// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "paths/policy.h"

namespace het::paths
{

namespace
{

class careful final : public policy
{
      public:
	const char *name() const override { return "cautious"; }
	bool asks_unused() const override { return true; }
	bool is_careful() const override { return true; }
	path_set choose(const question &q) const override { return latency_policy().choose(q); }
};

} // namespace

const policy &cautious_policy()
{
	static const careful the;
	return the;
}

} // namespace het::paths
