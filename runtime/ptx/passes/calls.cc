// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/calls.h"

namespace het::ptx
{

call_parts parts_of_call(const module &m, const instruction &i)
{
	call_parts p;
	if (mnemonic(m.str(i.opcode)).base() != "call")
		return p;
	uint32_t n = 0;
	if (n < i.operands && m.operand_of(i, n).kind == operand::kind_t::group)
		p.results = &m.operand_of(i, n++);
	if (n >= i.operands || m.operand_of(i, n).kind != operand::kind_t::name)
		return {};
	p.callee = &m.operand_of(i, n++);
	if (n < i.operands && m.operand_of(i, n).kind == operand::kind_t::group)
		p.arguments = &m.operand_of(i, n);
	return p;
}

std::string_view callee_of(const module &m, const instruction &i)
{
	auto p = parts_of_call(m, i);
	return p.callee ? m.str(p.callee->name) : std::string_view();
}

} // namespace het::ptx
