// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Codes of the memory core as the runtime's.
#pragma once

namespace het::rt
{

// Returns what the memory core's code is here. The memory core has said why.
int code_of(int memory_error);

} // namespace het::rt
