// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Threads become warps whose lanes do the same outside of SIMD regions, after Monakov and Ivanishin, "Offloading
// Support for OpenMP 4.0 to NVIDIA GPUs in GCC" (2016). Documentation/het-ptx-uniform-simt.rst tells what is different.
#include "ptx/passes/mirror.h"
#include "ptx/passes/traces.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

std::optional<fault> unfit_for_uniform(const module &m)
{
	if (auto done = transformed_by_gcc(m))
		return done;
	if (m.version_major < 6)
		return m.fault_at({}, "warps are synchronised from PTX 6.0 on");
	return std::nullopt;
}

// With a soft stack they are in global memory outside of regions.
bool has_local_addresses(const module &m)
{
	bool soft = std::any_of(m.variables.begin(), m.variables.end(),
				[&](const variable &v) { return m.str(v.name) == stack_slots; });
	bool own = std::any_of(m.variables.begin(), m.variables.end(),
			       [](const variable &v) { return v.space == space::local; });
	bool dynamic = std::any_of(m.instructions.begin(), m.instructions.end(),
				   [&](const instruction &i) { return mnemonic(m.str(i.opcode)).base() == "alloca"; });
	return !soft && (own || dynamic);
}

// Removes the declarations of what the pass puts in place of the calls.
void remove_markers(const module &m, editor *e)
{
	for (const auto &f : m.functions) {
		auto name = m.str(f.name);
		if (!f.has_body &&
		    (name == region_enter || name == region_exit || name == region_lane || name == region_mask))
			e->replace(m.statements[f.statement].text, "");
	}
}

} // namespace

pass_result add_uniform_simt(const module &m, const pass_options &with)
{
	pass_result out;
	out.refused = unfit_for_uniform(m);
	if (out.refused)
		return out;
	editor e(m);
	mirroring c{m, with, has_regions(m), has_local_addresses(m), contended_memory(m)};
	remove_markers(m, &e);
	// The variable is added where there are no regions, too, so that the text shows what has been done to it.
	e.add_to_module(".shared .align 4 .b32 " + std::string(simd_masks) + "[" + std::to_string(most_source_threads) +
			"];");
	for (const auto &f : m.functions) {
		if (f.has_body && !out.refused)
			mirror(c, f, e, out).run();
	}
	if (!out.refused)
		out.text = e.print();
	return out;
}

} // namespace het::ptx
