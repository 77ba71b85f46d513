// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/slice_check.h"

#include "ptx/passes/access.h"

namespace het::ptx
{

namespace
{

struct reason {
	std::string_view begins, why;
};

constexpr reason registers[] = {
	{"%envreg", "reads an %envreg, as grid-wide synchronisation does: all blocks would have to run at once"},
	{"%gridid", "reads %gridid, which differs from slice to slice"},
	{"%clusterid", "is launched in clusters"},
	{"%nclusterid", "is launched in clusters"},
	{"%cluster_", "is launched in clusters"},
	{"%is_explicit_cluster", "is launched in clusters"},
};

constexpr reason opcodes[] = {
	{"mapa", "uses memory of other blocks of its cluster"},
	{"getctarank", "is launched in clusters"},
	{"barrier.cluster", "waits for other blocks of its cluster"},
	{"st.async", "writes memory of other blocks of its cluster"},
	{"red.async", "writes memory of other blocks of its cluster"},
	{"cp.async.bulk", "copies asynchronously in bulk"},
	{"cp.reduce.async.bulk", "copies asynchronously in bulk"},
	{"griddepcontrol", "waits for another launch"},
};

constexpr std::string_view launchers[] = {"cudaLaunchDevice", "cudaGetParameterBuffer", "cudaDeviceSynchronize",
					  "__cudaCDP", "cnp"};

std::optional<fault> refused_call(const module &m, const statement &s, const instruction &i)
{
	if (!calls_unseen(m, i))
		return std::nullopt;
	for (uint32_t n = 0; n < i.operands; n++)
		for (auto name : launchers)
			if (m.str(m.operand_of(i, n)).starts_with(name))
				return m.fault_at(s.text, "launches kernels from the device");
	return m.fault_at(s.text, "calls a function that is not in this text and may read %ctaid");
}

std::optional<fault> refused_instruction(const module &m, const statement &s)
{
	const auto &i = m.instructions[s.index];
	for (const auto &[begins, why] : opcodes)
		if (m.str(i.opcode).starts_with(begins))
			return m.fault_at(s.text, std::string(why));
	if (m.str(i.opcode).find(".shared::cluster") != std::string_view::npos)
		return m.fault_at(s.text, "uses memory of other blocks of its cluster");
	if (auto wrong = refused_call(m, s, i))
		return wrong;
	for (span name : registers_of(m, s)) {
		auto text = m.str(name);
		for (const auto &[begins, why] : registers)
			if (text.starts_with(begins))
				return m.fault_at(s.text, std::string(why));
		bool whole = text == "%ctaid" || text == "%nctaid";
		bool block = text.starts_with("%ctaid") || text.starts_with("%nctaid");
		if (whole || (block && bits_of(mnemonic(m.str(i.opcode)).last_type()) == 16))
			return m.fault_at(s.text, "reads " + std::string(text) + " in a form that can't be replaced");
	}
	return std::nullopt;
}

} // namespace

bool opts_out(const module &m, const function &f)
{
	for (const statement &s : m.statements_of(f)) {
		auto text = m.str(s.text);
		if (s.kind == statement::kind_t::directive && text.starts_with(".pragma") &&
		    text.find("\"het_no_slice\"") != text.npos)
			return true;
	}
	return false;
}

std::optional<fault> slice_refusal(const module &m, const function &f)
{
	constexpr uint64_t most_parameters = 4096 - 8;
	auto directives = m.str(f.directives);
	if (directives.find("cluster") != directives.npos)
		return m.fault_at(f.directives, "is launched in clusters");
	uint64_t bytes = 0;
	for (uint32_t p = f.first_parameter; p < f.first_parameter + f.parameters; p++) {
		const auto &v = m.variables[p];
		bytes = (bytes + v.alignment() - 1) / v.alignment() * v.alignment() + v.bytes();
	}
	if (f.is_entry && bytes > most_parameters)
		return m.fault_at(f.name, "has no room for one more parameter");
	for (const statement &s : m.statements_of(f))
		if (s.kind == statement::kind_t::instruction)
			if (auto wrong = refused_instruction(m, s))
				return wrong;
	return std::nullopt;
}

} // namespace het::ptx
