// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "paths/policy.h"

namespace het::paths
{

const policy *find_policy(std::string_view name)
{
	for (const policy *p : {&direct_policy(), &static_policy(), &queue_policy(), &latency_policy()}) {
		if (p->name() == name)
			return p;
	}
	return nullptr;
}

} // namespace het::paths
