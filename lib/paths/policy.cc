// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "paths/policy.h"

#include <cstring>

namespace het::paths
{

const policy *find_policy(const char *name)
{
	for (const policy *p : {&direct_policy(), &static_policy(), &queue_policy(), &latency_policy()}) {
		if (!strcmp(p->name(), name))
			return p;
	}
	return nullptr;
}

const policy &policy_for(const char *name)
{
	const policy *found = name ? find_policy(name) : nullptr;
	return found ? *found : latency_policy();
}

} // namespace het::paths
