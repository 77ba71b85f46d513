// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A model's programs have names, by which the command line chooses them.
#pragma once

#include <span>
#include <stdexcept>
#include <string>

namespace model
{

// Throws std::invalid_argument if none has that name.
template <typename Program> const Program &program_named(std::span<const Program> all, const std::string &name)
{
	for (const Program &p : all)
		if (p.name == name)
			return p;
	throw std::invalid_argument("there is no program " + name);
}

} // namespace model
