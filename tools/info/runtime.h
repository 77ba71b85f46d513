// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells what the runtime has here: not what its devices should do, but what they were seen to do.
#pragma once

#include "info/child.h"

namespace info
{

// Returns { "devices": [ { "name", "kind", "units", "group_size", "memory_bytes", "local_memory_bytes",
// "budget_bytes", "addresses", "textures", "launches", "offsets", "slices_of", "error" }, ... ], "error", "policies":
// [...], "cache": { "folder", "entries", "bytes", "most" } }. "launches" says that an empty kernel was run, "slices_of"
// from what kernels can be made that share a launch; "error" is there only if there is one, "budget_bytes" if the
// library may not use all that the driver has.
json runtime();

// Tells whether a fat binary has kernels for these devices: [ { "name", "builds", "error" }, ... ], with "error" if it
// does not build.
json builds(const std::string &file, const std::string &section);

} // namespace info
