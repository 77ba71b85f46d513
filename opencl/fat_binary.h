// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include <string>
#include <vector>

struct _cl_device_id;

namespace hetcl
{

// Has het-fatbin(1) make a fat binary of OpenCL C, in a process of its own, as drivers bring compilers of theirs into
// this one. Returns nothing if it is not installed, or refuses. What
// it has made before, for this process or others of the user, is kept.
std::vector<char> make_fat_binary(const std::string &source, const std::string &options, const _cl_device_id &d);

} // namespace hetcl
