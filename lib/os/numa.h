// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include "core/range.h"

namespace het
{

// Asks for the pages of @r on the node; nothing happens where there is no such node, or no libnuma.
void prefer_node(range r, int node);

} // namespace het
