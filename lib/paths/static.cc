// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "paths/policy.h"

namespace het::paths
{

namespace
{

class all_paths final : public policy
{
      public:
	const char *name() const override { return "static"; }
	bool takes_kernels() const override { return true; }
	path_set choose(const question &q) const override
	{
		path_set all = 0;
		for (const candidate &c : q.candidates)
			all |= only(c.path);
		return all;
	}
};

} // namespace

const policy &static_policy()
{
	static const all_paths the;
	return the;
}

} // namespace het::paths
