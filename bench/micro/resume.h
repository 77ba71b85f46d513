// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Lets a run go on where an earlier one was interrupted.
#pragma once

#include "json/json.h"

#include <string>
#include <vector>

namespace micro
{

// Writes down that a test has ended, and how much the document has until then.
void note_finished(het::json &document, const std::string &test);

// Puts what the finished tests of an earlier run have into a new run's document, and returns their names. What a test
// has left that was interrupted is left out, as it begins again. Throws if that run was of another device, of another
// state of the program or with other settings, since its figures would not be like the others.
std::vector<std::string> take_finished(het::json &document, const het::json &earlier);

} // namespace micro
