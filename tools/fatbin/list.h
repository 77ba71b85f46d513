// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A fat binary for people, and as JSON.
#pragma once

#include "fatbin/document.h"
#include "json/json.h"

namespace tool::fat
{

using het::json;

json describe(const document &d);
void print(const document &d);

// "OpenCL C 1.2", "native binary for …", "PTX 7.8 for sm_90"
std::string title_of(const image &i);

// The words of command lines and of JSON: opencl, spirv, native, ptx, cubin. "": none.
const char *word_for(format::target t);
// Throws if it is none of them.
format::target target_of(const std::string &word);

} // namespace tool::fat
