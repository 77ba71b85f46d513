// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/inspect_refusals.h"

#include "ptx/passes/calls.h"
#include "ptx/passes/inspect_check.h"
#include "ptx/passes/inspect_safety.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

bool calls_itself(const module &m, const inspect_slice &slice, const function &f, const instruction &i)
{
	const auto *callee = m.find_function(callee_of(m, i));
	if (!callee || !callee->has_body)
		return false;
	const auto called = slice.reached_from(uint32_t(callee - m.functions.data()));
	return std::find(called.begin(), called.end(), uint32_t(&f - m.functions.data())) != called.end();
}

std::optional<fault> find_fault(const module &m, const inspect_slice &slice, const function &f)
{
	for (uint32_t n = 0; n < f.statements; n++) {
		const statement &s = m.statements_of(f)[n];
		if (s.kind != statement::kind_t::instruction)
			continue;
		const instruction &i = m.instructions[s.index];
		auto wrong = never_inspected(m, f, s);
		const bool kept = slice.keeps(f, n);
		if (!wrong && kept && (slice.needs_results(f, n) || !callee_of(m, i).empty()))
			wrong = unfit_source(m, f, s, slice.uses_arrays(f, s));
		if (!wrong && kept && slice.needs_shared(f))
			wrong = unfit_for_shared(m, s);
		if (!wrong && kept && calls_itself(m, slice, f, i))
			wrong = m.fault_at(s.text, "calls itself");
		if (wrong)
			return wrong;
	}
	return unsafe_use(m, f, slice);
}

} // namespace

// What a kernel has wanted that is left out now, others need not.
std::vector<pass_left> find_inspected(const module &m, inspect_slice *slice)
{
	std::vector<pass_left> all;
	std::vector<bool> is_left(m.functions.size());
	for (bool again = true; again;) {
		again = false;
		slice->find(is_left);
		std::vector<std::optional<fault>> faults;
		for (const function &f : m.functions)
			faults.push_back(slice->has(f) ? find_fault(m, *slice, f) : std::nullopt);
		for (uint32_t kernel = 0; kernel < m.functions.size(); kernel++) {
			const function &f = m.functions[kernel];
			const auto reached = slice->reached_from(kernel);
			auto wrong = std::ranges::find_if(reached, [&](uint32_t r) { return faults[r].has_value(); });
			if (!f.is_entry || !slice->has(f) || wrong == reached.end())
				continue;
			all.push_back({std::string(m.str(f.name)), *faults[*wrong]});
			is_left[kernel] = again = true;
		}
	}
	return all;
}

} // namespace het::ptx
