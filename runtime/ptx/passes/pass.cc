// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/pass.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

constexpr pass passes[] = {
	{"coalesce", "het_coalesce_", add_coalesce},
	{"dirty", "het_dirty_", add_dirty},
	{"slice", "het_slice_", add_slice},
	{"touch", "het_touch_", add_touch},
};

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

bool added_by_pass(std::string_view function)
{
	return std::any_of(std::begin(passes), std::end(passes),
			   [&](const pass &p) { return function.starts_with(p.prefix); });
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

} // namespace het::ptx
