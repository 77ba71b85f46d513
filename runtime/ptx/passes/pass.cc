// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/pass.h"

#include "ptx/passes/traces.h"

namespace het::ptx
{

namespace
{

template <pass_result (*apply)(const module &m)> pass_result without_options(const module &m, const pass_options &)
{
	return apply(m);
}

constexpr pass passes[] = {
	{"checkpoint", prefix::checkpoint, add_checkpoint},
	{"coalesce", prefix::coalesce, without_options<add_coalesce>},
	{"dirty", prefix::dirty, without_options<add_dirty>},
	{"inspect", prefix::inspect, without_options<add_inspect>},
	{"resident", prefix::resident, without_options<add_resident>},
	{"slice", prefix::slice, without_options<add_slice>},
	{"soft-stack", prefix::soft_stack, without_options<add_soft_stack>},
	{"touch", prefix::touch, without_options<add_touch>},
	{"uniform-simt", prefix::uniform_simt, add_uniform_simt},
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

pass_result pass::apply(const module &m, const pass_options &with) const
{
	pass_result out;
	out.refused = has_instrument(m, prefix);
	if (!out.refused && has_instrument(m, prefix::resident))
		out.refused = m.fault_at({}, "the pass resident has moved accesses of this module: it comes last");
	if (!out.refused && m.address_bits != 64)
		out.refused = m.fault_at({}, "only modules with addresses of 64 bits");
	return out.refused ? out : run(m, with);
}

} // namespace het::ptx
