// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/pass.h"

namespace het::ptx
{

namespace
{

constexpr pass passes[] = {{"dirty", add_dirty}};

} // namespace

std::span<const pass> all_passes()
{
	return passes;
}

const pass *find_pass(std::string_view name)
{
	for (const auto &p : passes)
		if (p.name == name)
			return &p;
	return nullptr;
}

} // namespace het::ptx
