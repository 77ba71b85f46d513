// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/traces.h"

#include <algorithm>

namespace het::ptx
{

bool added_by_pass(std::string_view function)
{
	return std::ranges::any_of(prefix::all, [&](std::string_view p) { return function.starts_with(p); });
}

bool added_by_pass(const module &m, const instruction &i)
{
	for (uint32_t n = 0; n < i.operands; n++) {
		const operand &o = m.operand_of(i, n);
		auto name = m.str(o.name);
		if (o.kind == operand::kind_t::address && name.starts_with('%') && added_by_pass(name.substr(1)))
			return true;
	}
	return false;
}

std::optional<fault> has_instrument(const module &m, std::string_view prefix)
{
	constexpr const char *why = "the module has this instrument already";
	for (const auto &f : m.functions)
		if (m.str(f.name).starts_with(prefix))
			return m.fault_at(f.name, why);
	for (const auto &v : m.variables)
		if (m.str(v.name).starts_with(prefix))
			return m.fault_at(v.name, why);
	return std::nullopt;
}

std::optional<fault> transformed_by_gcc(const module &m)
{
	for (const auto &v : m.variables)
		if (m.str(v.name) == "__nvptx_stacks" || m.str(v.name) == "__nvptx_uni")
			return m.fault_at(v.name, "GCC has done this to the text already (-mgomp)");
	return std::nullopt;
}

} // namespace het::ptx
