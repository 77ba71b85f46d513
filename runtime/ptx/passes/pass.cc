// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/pass.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

template <pass_result (*apply)(const module &m)> pass_result without_options(const module &m, const pass_options &)
{
	return apply(m);
}

constexpr pass passes[] = {
	{"coalesce", "het_coalesce_", without_options<add_coalesce>},
	{"dirty", "het_dirty_", without_options<add_dirty>},
	{"slice", "het_slice_", without_options<add_slice>},
	{"soft-stack", "het_stack_", without_options<add_soft_stack>},
	{"touch", "het_touch_", without_options<add_touch>},
	{"uniform-simt", "het_simd_", add_uniform_simt},
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

pass_result pass::apply(const module &m, const pass_options &with) const
{
	pass_result out;
	out.refused = has_instrument(m, prefix);
	if (!out.refused && m.address_bits != 64)
		out.refused = m.fault_at({}, "only modules with addresses of 64 bits");
	return out.refused ? out : run(m, with);
}

} // namespace het::ptx
