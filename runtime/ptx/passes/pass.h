// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Passes make an instrumented text out of a module. One that is to follow another parses what that one gave.
#pragma once

#include "ptx/module.h"

#include <span>

namespace het::ptx
{

struct pass_result {
	std::string text;
	std::optional<fault> refused; // the pass can't be right for this module; there is no text then
	// What the pass can't see: its counters do not tell everything about launches that come here.
	std::vector<fault> blind;
};

struct pass {
	std::string_view name;
	pass_result (*apply)(const module &m);
};

std::span<const pass> all_passes();
const pass *find_pass(std::string_view name); // null if there is none

// Which 64 KiB pages of listed buffers are written. Documentation/het-ptx-dirty.rst is its contract.
pass_result add_dirty(const module &m);

} // namespace het::ptx
