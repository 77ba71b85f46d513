// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A policy says which paths a copy takes. Each has a file. A policy knows no device, clock or lock: it sees what was
// measured and what is under way.
#pragma once

#include "paths/estimate.h"
#include "paths/links.h"

#include <span>
#include <string_view>

namespace het::paths
{

// A way that a copy could take.
struct candidate {
	unsigned path;
	const estimate *known;
	uint64_t ahead; // bytes of this process on the fullest of its links
};

struct question {
	size_t bytes;
	std::span<const candidate> candidates; // at least the direct path, which is the first
	path_set current;                      // what a copy of this size took last
};

class policy
{
      public:
	virtual ~policy() = default;
	virtual const char *name() const = 0;
	// Returns at least one of the candidates.
	virtual path_set choose(const question &q) const = 0;
	// Paths that carry nothing are asked, now and then, how they are.
	virtual bool asks_unused() const { return false; }
	// Where a link has kept pieces waiting for long, kernels carry them.
	virtual bool takes_kernels() const { return false; }
};

// Returns the policy of that name, or null.
const policy *find_policy(std::string_view name);

// This one never leaves the direct path.
const policy &direct_policy();
// This one always takes all paths.
const policy &static_policy();
// This one looks at what this process itself has under way, as if links were empty otherwise.
const policy &queue_policy();
// This one compares when the copy should end, and does not leave what it does now for little. It is the usual one.
const policy &latency_policy();

} // namespace het::paths
