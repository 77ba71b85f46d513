// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Gives devices less memory than they have, and tells what the library has made of it.
#pragma once

#include "run/launches.h"
#include "json/json.h"

namespace tool::run
{

using het::json;

// Lets the library use @size of each device with memory of its own: bytes, with K, M or G behind them for powers of
// 1024, or with % a part of what the arrays of one launch have. Throws std::runtime_error with a sentence, or what
// het.hpp throws.
void limit_memory(const std::string &size, const std::vector<argument> &arguments,
		  const std::vector<het::device> &devices);

// Tells what has become of the memory of each device that has its own.
json describe_memory(const std::vector<het::device> &devices);
void print_memory(const json &memory);
// Tells how the launches that did not fit have used it.
json describe_uses(const outcome &o);
void print_uses(const json &uses);

} // namespace tool::run
