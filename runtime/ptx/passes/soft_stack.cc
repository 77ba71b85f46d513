// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Automatic variables lie on stacks in global memory, as Documentation/het-ptx-soft-stack.rst tells.
#include "ptx/passes/frames.h"
#include "ptx/passes/traces.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

std::optional<fault> unfit_for_soft_stack(const module &m)
{
	if (auto done = transformed_by_gcc(m))
		return done;
	for (const auto &v : m.variables) {
		if (m.str(v.name) == simd_masks)
			return m.fault_at(v.name, "soft-stack comes before uniform-simt");
		if (v.space == space::local && v.block == 0)
			return m.fault_at(v.name, "local memory of the module");
	}
	return std::nullopt;
}

} // namespace

pass_result add_soft_stack(const module &m)
{
	pass_result out;
	out.refused = unfit_for_soft_stack(m);
	if (out.refused)
		return out;
	editor e(m);
	stacking c{m, has_regions(m), false};
	c.used = std::any_of(m.functions.begin(), m.functions.end(),
			     [&](const function &f) { return stack_user::is_one(m, f); });
	// What is free ends at the first word of a thread, and begins at the second.
	e.add_to_module(".shared .align 16 .b64 " + std::string(stack_slots) + "[64];");
	if (c.has_regions)
		e.add_to_module(".extern .func (.param .b32 mask) " + std::string(region_mask) + ";");
	for (const auto &f : m.functions)
		if (f.has_body && !out.refused)
			stack_user(c, f, e, out).run();
	if (!out.refused)
		out.text = e.print();
	return out;
}

} // namespace het::ptx
