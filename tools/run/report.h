// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells what happened, as JSON and as text.
#pragma once

#include "run/launches.h"
#include "json/json.h"

namespace tool::run
{

using het::json;

json describe(const request &r, const std::vector<argument> &arguments, const outcome &o);
void print(const json &report);

// Tells where the written arguments of two outcomes differ, with a sentence for each that does.
std::vector<std::string> compare(const std::vector<argument> &arguments, const outcome &a, const outcome &b);

} // namespace tool::run
