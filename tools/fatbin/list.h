// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Shows a fat binary to people, and as JSON.
#pragma once

#include "fatbin/document.h"
#include "json/json.h"

namespace tool::fat
{

using het::json;

json describe(const document &d);
void print(const document &d);

// Returns "OpenCL C 1.2", "native binary for …", "PTX 7.8 for sm_90" and the like.
std::string title_of(const image &i);

// Returns the word of command lines and of JSON: opencl, spirv, native, ptx, cubin, or "" if there is none.
const char *word_for(format::target t);
// Throws if it is none of them.
format::target target_of(const std::string &word);

} // namespace tool::fat
