// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Looks at something in a child process: a driver may crash or hang, libraries print, and gpuvm_init() is possible once
// a process.
#pragma once

#include "json/json.h"

#include <functional>
#include <string>

namespace info
{

using het::json;

struct finding {
	json answer;         // null if there is none
	std::string printed; // what it and its libraries printed meanwhile
	std::string ending;  // says why there is no answer: "it was killed by signal 11"

	// Returns the last line that was printed, without "libhet: ".
	std::string last_message() const;
};

// Runs @look in a child and waits for it, for 30 s at most.
finding in_child(const std::function<json()> &look);

} // namespace info
