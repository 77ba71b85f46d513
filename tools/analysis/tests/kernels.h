// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The rules of Documentation/fatbin.rst say this of these kernels.
#pragma once

#include "fatbin/format.h"

#include <span>

namespace tool::analysis
{

struct example {
	const char *source; // with one kernel, k
	het::fatbin::split answer;
	const char *reason;       // the reason must have this in it
	const char *reaches = ""; // of the arguments that have one, as reach_words() in the test prints them
	const char *options = "";
};

std::span<const example> safe_examples();
std::span<const example> unsafe_examples();
std::span<const example> unknown_examples();

} // namespace tool::analysis
