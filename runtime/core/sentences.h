// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This is what error codes say to people.
#pragma once

namespace het::rt
{

const char *sentence_of(int code);

} // namespace het::rt
