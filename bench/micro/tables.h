// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Shows the document of a run as text.
#pragma once

#include "json/json.h"

#include <string>

namespace micro
{

// Returns all of it as tables.
std::string tables_of(const het::json &document);

} // namespace micro
