// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells when a copy over several paths should end, by what is known of them.
#pragma once

#include "paths/policy.h"

namespace het::paths
{

// Returns when a copy over these paths ends, in ns from now, if each takes as much as makes all of them end together.
// Paths that would end later than the others without them are not waited for.
double end_of(const question &q, path_set paths);
// Returns those of the candidates that end it first, and when that is.
struct ending {
	path_set carriers;
	double end;
};
ending quickest(const question &q, path_set among);

} // namespace het::paths
