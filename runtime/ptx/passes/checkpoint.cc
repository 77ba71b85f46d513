// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Each kernel gets a copy that goes on with what was saved: it has the same stop points, and a jump to them at its
// begin, which the kernel that new blocks run does without.
#include "ptx/passes/checkpoint.h"

#include "ptx/passes/block_place.h"
#include "ptx/passes/checkpoint_code.h"
#include "ptx/passes/pass.h"
#include "ptx/passes/slice_check.h"
#include "ptx/passes/slice_plan.h"

namespace het::ptx
{

namespace
{

bool is_kernel(const function &f)
{
	return f.is_entry && f.has_body;
}

// Returns what is to stand before the kernel's body.
std::string limit_of(const module &m, const function &f, const pass_options &with)
{
	const auto most = with.most_registers.find(m.str(f.name));
	const std::string_view own = m.str(f.directives);
	if (most == with.most_registers.end() || own.find(".maxnreg") != own.npos ||
	    own.find(".minnctapersm") != own.npos)
		return {};
	return " .maxnreg " + std::to_string(most->second) + "\n";
}

// Returns the text with a second copy of each kernel that has stop points.
std::string with_copies(const module &m, const slice_plan &parts, const pass_options &with, pass_result *out)
{
	const reach calls(m);
	std::string text;
	uint32_t at = 0;
	for (uint32_t n = 0; n < m.functions.size(); n++) {
		const function &f = m.functions[n];
		if (!is_kernel(f) || !parts.sliced[n])
			continue;
		auto plan = plan_checkpoint(m, calls, n);
		uint32_t begin = m.statements[f.statement].text.begin, body = f.body.begin, end = f.body.end;
		const std::string rest = limit_of(m, f, with) + m.text.substr(body, end - body);
		text += m.text.substr(at, body - at) + rest;
		at = end;
		if (!plan.points.empty())
			text += "\n" + m.text.substr(begin, f.name.end - begin) + std::string(resumed_suffix) +
				m.text.substr(f.name.end, body - f.name.end) + rest;
		out->checkpoints.push_back(describe_checkpoint(m, n, plan));
	}
	return text + m.text.substr(at);
}

void change_functions(const module &m, const slice_plan &parts, editor *e)
{
	const reach calls(m);
	for (uint32_t n = 0; n < m.functions.size(); n++) {
		const function &f = m.functions[n];
		if (parts.whole[n]) {
			std::string answer;
			auto lines = begin_block(f, "0", false, e, &answer);
			lines.pop_back();
			e->at_begin(f, lines);
		}
		if (!parts.sliced[n])
			continue;
		if (f.is_entry) {
			auto plan = plan_checkpoint(m, calls, n);
			checkpoint_writer(m, f, plan, m.str(f.name).ends_with(resumed_suffix), e).run();
		} else if (auto loads = replace_block_registers(m, f, checkpoint_block, e); !loads.empty()) {
			e->at_begin(f, loads);
		}
	}
}

} // namespace

pass_result add_checkpoint(const module &m, const pass_options &with)
{
	pass_result out;
	for (const function &f : m.functions)
		if (m.str(f.name).ends_with(resumed_suffix))
			out.refused = m.fault_at(f.name, "has the name that this pass gives to kernels of its own");
	auto parts = plan_slices(m, checkpoint_block_bytes);
	if (!out.refused)
		out.refused = parts.refused;
	if (out.refused)
		return out;
	out.left = std::move(parts.left);
	for (const auto &k : out.left)
		out.blind.push_back({k.why.at, k.why.token, "kernel " + k.name + " stays as it is: it " + k.why.what});
	module both;
	if (auto wrong = parse(with_copies(m, parts, with, &out), both)) {
		out.refused = wrong;
		return out;
	}
	for (const auto &k : out.checkpoints) {
		if (k.begins_only)
			out.blind.push_back(*k.begins_only);
		out.blind.insert(out.blind.end(), k.unstopped.begin(), k.unstopped.end());
	}
	editor e(both);
	e.add_to_module(checkpoint_support());
	change_functions(both, plan_slices(both, checkpoint_block_bytes), &e);
	out.text = e.print();
	return out;
}

} // namespace het::ptx
