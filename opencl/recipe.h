// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Drivers give no binaries of what is compiled and not linked, and none that other machines can load. So the binary of
// an object, a library or a linked program says how it was made: sources, headers and options of its parts. It is
// made anew where it is loaded.
#pragma once

#include "program.h"

#include <span>

namespace hetcl
{

struct recipe {
	cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
	std::string options;
	// An object has these.
	std::string source;
	std::vector<std::pair<std::string, std::string>> headers; // are names and texts
	// What is linked is of these.
	std::vector<std::shared_ptr<const recipe>> parts;
};

std::vector<char> to_bytes(const recipe &r);
// Returns null for bytes that no recipe has, and those of fat binaries begin otherwise.
std::shared_ptr<const recipe> read_recipe(std::span<const char> bytes);

// Makes it for a device. Returns 0 or a code of the runtime's.
int make_by(const std::shared_ptr<const recipe> &r, const _cl_device_id &d, build &b);

} // namespace hetcl
