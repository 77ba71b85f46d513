// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Keeps what a run has found as the device's profile in the user's store.
#pragma once

#include "json/json.h"

#include <string>

namespace micro
{

// Takes the facts that were found, and the best bandwidth of each kind and order. Returns a sentence that says what was
// kept and where, or why nothing was.
std::string keep_profile(const het::json &document);

} // namespace micro
