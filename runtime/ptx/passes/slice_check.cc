// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/slice_check.h"

#include "ptx/passes/access.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

struct reason {
	std::string_view begins, why;
};

constexpr reason refused_registers[] = {
	{"%envreg", "reads an %envreg, as grid-wide synchronisation does: all blocks would have to run at once"},
	{"%gridid", "reads %gridid, which differs from slice to slice"},
	{"%clusterid", "reads the place of its cluster in the grid"},
	{"%nclusterid", "reads the number of clusters in the grid"},
};

constexpr reason opcodes[] = {
	{"mapa", "uses memory of other blocks of its cluster"},
	{"getctarank", "uses memory of other blocks of its cluster"},
	{"clusterlaunchcontrol",
	 "takes over blocks that its own launch has not begun, by their numbers in that launch"},
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
		for (const auto &[begins, why] : refused_registers)
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
	auto says_so = [&](span text) {
		return m.str(text).find(".pragma") != std::string_view::npos &&
		       m.str(text).find("\"het_no_slice\"") != std::string_view::npos;
	};
	if (says_so(f.directives))
		return true;
	for (const statement &s : m.statements_of(f))
		if (s.kind == statement::kind_t::directive && says_so(s.text))
			return true;
	return false;
}

bool reads_block(const module &m, const function &f)
{
	for (const statement &s : m.statements_of(f))
		if (s.kind == statement::kind_t::instruction)
			for (span name : registers_of(m, s))
				if (std::find(block_registers.begin(), block_registers.end(), m.str(name)) !=
				    block_registers.end())
					return true;
	return false;
}

std::optional<fault> kernel_refusal(const module &m, const function &f)
{
	constexpr uint64_t few_parameters = 4096, many_parameters = 32764, own = 8;
	for (auto name : {".reqnctapercluster", ".explicitcluster"})
		if (span at = m.find_directive(f, name); !at.empty())
			return m.fault_at(at, "is launched in clusters");
	bool many = target_number(m) >= 70 && (m.version_major > 8 || (m.version_major == 8 && m.version_minor >= 1));
	uint64_t bytes = 0;
	auto add = [&](uint64_t alignment, uint64_t n) { bytes = (bytes + alignment - 1) / alignment * alignment + n; };
	for (uint32_t p = f.first_parameter; p < f.first_parameter + f.parameters; p++)
		add(std::max(m.variables[p].alignment(), 1u), m.variables[p].bytes());
	add(own, own);
	if (bytes > (many ? many_parameters : few_parameters))
		return m.fault_at(f.name, "has no room for one more parameter");
	return std::nullopt;
}

std::optional<fault> body_refusal(const module &m, const function &f)
{
	for (const statement &s : m.statements_of(f))
		if (s.kind == statement::kind_t::instruction)
			if (auto wrong = refused_instruction(m, s))
				return wrong;
	return std::nullopt;
}

std::optional<fault> cluster_use(const module &m, const function &f)
{
	for (const statement &s : m.statements_of(f)) {
		if (s.kind != statement::kind_t::instruction)
			continue;
		bool found = m.str(m.instructions[s.index].opcode).starts_with("barrier.cluster");
		for (span name : registers_of(m, s))
			found = found || m.str(name).starts_with("%cluster_");
		if (found)
			return m.fault_at(s.text, "is of use in a launch in clusters alone, which slices are not");
	}
	return std::nullopt;
}

} // namespace het::ptx
