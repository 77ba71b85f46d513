// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Prints a report for people.
#pragma once

#include "json/json.h"

#include <string>

namespace info
{

using het::json;

void print_report(const json &r);
// Prints what builds() returned.
void print_builds(const json &devices);

} // namespace info
