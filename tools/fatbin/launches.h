// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include "fatbin/document.h"

namespace tool::fat
{

// @line is a launch as words: the kernel, its sizes, its groups' sizes and its offsets in three dimensions, and a
// number for each argument, or "-" for what is none. It returns whether its groups are known to use different bytes
// (apart.h).
bool has_groups_apart(const document &d, const std::string &line);

} // namespace tool::fat
