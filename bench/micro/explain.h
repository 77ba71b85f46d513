// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells why a fact is what it is: the points, the fit, and what would fit nearly as well.
#pragma once

#include "json/json.h"

#include <string>

namespace micro
{

// Throws if the document of a run has no such fact, and names those that it has.
std::string explain(const het::json &document, const std::string &fact);

} // namespace micro
