// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells what is in a PTX text.
#pragma once

#include "ptx/module.h"
#include "json/json.h"

namespace tool
{

using het::json;

// Returns { "version", "target", "functions": [ { "name", "kind", "parameters": [ { "name", "type", "bytes" } ],
// "instructions", "mix": { opcode: count }, "memory": { space: count }, "barriers", "calls", "registers"? } ] }.
json describe(const het::ptx::module &m);

void print(const json &module);

} // namespace tool
