// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A report for people.
#pragma once

#include "json/json.h"

#include <string>

namespace info
{

using het::json;

void print_report(const json &r);
// Of builds().
void print_builds(const json &devices);

} // namespace info
