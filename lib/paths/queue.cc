// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Own queues alone: what LocalBuf is among the policies for networks on chip. A path joins if its links have less under
// way than the copy that asks; the direct one always does, unless it alone has more.
#include "paths/policy.h"

namespace het::paths
{

namespace
{

class own_queues final : public policy
{
      public:
	const char *name() const override { return "queue"; }
	path_set choose(const question &q) const override
	{
		path_set free = 0;
		for (const candidate &c : q.candidates) {
			if (c.ahead < q.bytes)
				free |= only(c.path);
		}
		return free ? free : only(q.candidates[0].path);
	}
};

} // namespace

const policy &queue_policy()
{
	static const own_queues the;
	return the;
}

} // namespace het::paths
