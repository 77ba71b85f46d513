// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/editor.h"

#include "device.h"

namespace het::ptx
{

namespace
{

using simt::parsed;

const statement &instruction_number(const module &m, uint32_t n)
{
	for (const auto &s : m.statements)
		if (s.kind == statement::kind_t::instruction && s.index == n)
			return s;
	return m.statements[0];
}

TEST(Editor, InsertsLinesWithTheIndentation)
{
	auto m = parsed(".entry k()\n{\n\tadd.u32 %r1, %r1, 1; // one\n\tret;\n}\n");
	editor e(m);
	e.before(instruction_number(m, 0), "a;\nb;");
	e.after(instruction_number(m, 0), "c;");
	e.after(instruction_number(m, 0), "d;");
	e.before(instruction_number(m, 1), "e;");
	EXPECT_EQ(e.print(), ".entry k()\n{\n\ta;\n\tb;\n\tadd.u32 %r1, %r1, 1; // one\n\tc;\n\td;\n\te;\n\tret;\n}\n");
}

TEST(Editor, DeclaresRegistersAndParameters)
{
	auto m = parsed(".version 7.0\n.entry k(.param .u64 a) { ret; }\n.entry l { ret; }\n.entry n() { ret; }");
	editor e(m);
	EXPECT_EQ(e.new_register(m.functions[0], type::b64), "%het_b64_0");
	EXPECT_EQ(e.new_register(m.functions[0], type::b64), "%het_b64_1");
	EXPECT_EQ(e.new_register(m.functions[0], type::pred), "%het_pred_0");
	for (const auto &f : m.functions)
		e.add_parameter(f, type::u64);
	e.at_begin(m.functions[0], "x;");
	e.add_to_module(".global .u32 v;");
	EXPECT_EQ(e.print(),
		  ".version 7.0\n.global .u32 v;\n"
		  ".entry k(.param .u64 a, .param .u64 het_parameter_0) {\n\t.reg .pred %het_pred_<1>;\n"
		  "\t.reg .b64 %het_b64_<2>;\n\tx; ret; }\n"
		  ".entry l(.param .u64 het_parameter_1) { ret; }\n.entry n(.param .u64 het_parameter_2) { ret; }");
}

TEST(Editor, FindsAFreePrefix)
{
	auto m = parsed(".entry k() { .reg .b32 %het_b32_0, het1_x; ret; }");
	editor e(m);
	EXPECT_EQ(e.new_register(m.functions[0], type::b32), "%het2_b32_0");
	EXPECT_EQ(e.new_label(), "$het2_L0");
}

TEST(Editor, TakesGuardsAway)
{
	auto m = parsed(".entry k()\n{\n@!%p\tst.u32 [%rd1], 1;\n\tret;\n}\n");
	editor e(m);
	const auto &store = instruction_number(m, 0);
	e.before(store, "a;");
	e.unguard(store);
	e.after(store, "b;");
	e.unguard(instruction_number(m, 1));
	EXPECT_EQ(e.print(), ".entry k()\n{\n@%p bra $het_L0;\na;\nst.u32 [%rd1], 1;\nb;\n$het_L0:\n\tret;\n}\n");
}

TEST(Editor, InsertsBeforeWhatIsReplaced)
{
	auto m = parsed(".entry k()\n{\n@%p\tst.u32 [%rd1], 1;\n\tret;\n}\n");
	editor e(m);
	const auto &store = instruction_number(m, 0);
	e.unguard(store);
	e.before(store, "a;");
	EXPECT_EQ(e.print(), ".entry k()\n{\n@!%p bra $het_L0;\na;\nst.u32 [%rd1], 1;\n$het_L0:\n\tret;\n}\n");
}

TEST(Editor, ReplacesAndRemoves)
{
	auto m = parsed(".entry k() { mov.u32 %r1, %tid.x; ret; }");
	editor e(m);
	e.replace(m.operand_of(m.instructions[0], 1).text, "%r9");
	e.replace(instruction_number(m, 1).text, "");
	EXPECT_EQ(e.print(), ".entry k() { mov.u32 %r1, %r9;  }");
}

} // namespace

} // namespace het::ptx
