// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Whether a source is the same text for all devices: what is found in one compiler's IR must hold for what others make of it.
#pragma once

#include <string>

namespace tool::fat
{

// "" if it is; else what it asks its compiler for.
std::string depends_on_device(const std::string &source, const std::string &options);

} // namespace tool::fat
