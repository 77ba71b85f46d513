// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests which registers live, and which of them can be computed again.
#include "ptx/passes/liveness.h"
#include "ptx/passes/recompute.h"
#include "rewritten.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

struct kernel_values {
	explicit kernel_values(const std::string &body)
	    : m(simt::parsed(simt::with_header(
		      ".entry k(.param .u64 p, .param .u32 n)\n{\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n"
		      ".reg .pred %p<4>, %q;\n.reg .v4 .f32 %v;\n" +
		      body + "\n}\n"))),
	      f(m.functions[0]), flow(m, f), registers(m, f), live(flow, registers), again(m, f, registers)
	{
	}
	uint32_t find(std::string_view text) const
	{
		for (uint32_t n = 0; n < f.statements; n++)
			if (m.str(m.statements_of(f)[n].text) == text)
				return n;
		ADD_FAILURE() << text << " is not there";
		return 0;
	}
	std::string names(const std::vector<uint32_t> &all) const
	{
		std::vector<std::string> sorted;
		for (uint32_t r : all)
			sorted.push_back(registers[r].name);
		std::sort(sorted.begin(), sorted.end());
		std::string text;
		for (const auto &name : sorted)
			text += (text.empty() ? "" : " ") + name;
		return text;
	}
	std::string before(std::string_view text) const { return names(live.before(find(text))); }
	std::string computable() const
	{
		std::vector<uint32_t> all;
		for (uint32_t r = 0; r < registers.count(); r++)
			if (again.has(r))
				all.push_back(r);
		return names(all);
	}

	module m;
	const function &f;
	control_flow flow;
	function_registers registers;
	liveness live;
	recomputation again;
};

TEST(Liveness, GoesBackFromUses)
{
	kernel_values k("mov.u32 %r1, 1;\nadd.u32 %r2, %r1, %r3;\nst.global.u32 [%d1], %r2;\nret;");
	EXPECT_EQ(k.before("mov.u32 %r1, 1;"), "%d1 %r3");
	EXPECT_EQ(k.before("add.u32 %r2, %r1, %r3;"), "%d1 %r1 %r3");
	EXPECT_EQ(k.before("st.global.u32 [%d1], %r2;"), "%d1 %r2");
	EXPECT_EQ(k.before("ret;"), "");
}

TEST(Liveness, GoesAroundLoops)
{
	kernel_values k("L: add.u32 %r1, %r1, %r2;\nmov.u32 %r4, %r1;\nsetp.lt.u32 %p1, %r4, 9;\n@%p1 bra L;\nret;");
	EXPECT_EQ(k.before("L:"), "%r1 %r2");
	EXPECT_EQ(k.before("@%p1 bra L;"), "%p1 %r1 %r2");
}

// A write under a guard, or of one component, leaves the rest.
TEST(Liveness, KeepsWhatIsWrittenInPart)
{
	kernel_values k("@%p1 mov.u32 %r1, 1;\nmov.f32 %v.x, 0f00000000;\nst.global.u32 [%d1], %r1;\n"
			"st.global.f32 [%d1], %v.y;\nret;");
	EXPECT_EQ(k.before("@%p1 mov.u32 %r1, 1;"), "%d1 %p1 %r1 %v");
	EXPECT_EQ(k.before("mov.f32 %v.x, 0f00000000;"), "%d1 %r1 %v");
}

TEST(Liveness, KnowsResultsOfEachForm)
{
	kernel_values k("setp.lt.u32 %p1|%p2, %r1, %r2;\nld.global.v2.u32 {%r3, %r4}, [%d1];\n"
			"atom.global.add.u32 %r5, [%d2], %r6;\nred.global.add.u32 [%d3], %r7;\n"
			"mov.b64 {%r1, %r2}, %d4;\nbar.red.popc.u32 %r8, 0, %q;\n"
			"@%p1 bra E;\n@%p2 st.global.v2.u32 [%d5], {%r3, %r4};\nE: st.global.u32 [%r5], %r8;\nret;");
	EXPECT_EQ(k.before("setp.lt.u32 %p1|%p2, %r1, %r2;"), "%d1 %d2 %d3 %d4 %d5 %q %r1 %r2 %r6 %r7");
}

TEST(Liveness, TellsScopesApart)
{
	kernel_values k(
		"{\n.reg .b32 %r<3>;\nmov.u32 %r1, 3;\nst.global.u32 [%d1], %r1;\n}\nst.global.u32 [%d1], %r1;\n"
		"ret;");
	uint32_t inner = k.registers.find(k.m.statements_of(k.f)[k.find("mov.u32 %r1, 3;")], "%r1");
	uint32_t outer = k.registers.find(k.m.statements_of(k.f)[k.find("ret;") - 1], "%r1");
	ASSERT_NE(inner, no_index);
	EXPECT_NE(inner, outer);
	EXPECT_EQ(k.before("mov.u32 %r1, 3;"), "%d1 %r1");
}

TEST(Recomputation, FollowsParametersPlacesAndConstants)
{
	kernel_values k("ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmad.lo.u32 %r2, %r1, 4, %r1;\n"
			"cvt.u64.u32 %d2, %r2;\nadd.u64 %d3, %d1, %d2;\nsetp.lt.u32 %p1, %r2, 7;\nret;");
	EXPECT_EQ(k.computable(), "%d1 %d2 %d3 %p1 %r1 %r2");
	std::vector<uint32_t> wanted = {k.registers.find(k.m.statements_of(k.f).back(), "%d3")};
	std::string text;
	for (uint32_t n : k.again.of(wanted))
		text += std::string(k.m.str(k.m.statements_of(k.f)[n].text)) + "\n";
	EXPECT_EQ(text, "ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmad.lo.u32 %r2, %r1, 4, %r1;\n"
			"cvt.u64.u32 %d2, %r2;\nadd.u64 %d3, %d1, %d2;\n");
}

TEST(Recomputation, WantsTheSameValueAlways)
{
	kernel_values k("mov.u32 %r1, %tid.x;\nmov.u32 %r1, 0;\nadd.u32 %r2, %r1, 1;\n@%q mov.u32 %r3, 1;\n"
			"ld.global.u32 %r4, [%d1];\nmov.u32 %r5, %smid;\nmov.u32 %r6, %clock;\nadd.cc.u32 %r7, 1, 2;\n"
			"add.u32 %r8, %r8, 1;\nret;");
	EXPECT_EQ(k.computable(), "");
}

// The text may have what is written first behind what needs it.
TEST(Recomputation, OrdersStatementsByWhatTheyNeed)
{
	kernel_values k(
		"bra B;\nA: add.u32 %r2, %r1, 1;\nst.global.u32 [%d1], %r2;\nret;\nB: mov.u32 %r1, %tid.x;\nbra A;");
	auto order = k.again.of({k.registers.find(k.m.statements_of(k.f).back(), "%r2")});
	EXPECT_EQ(order, (std::vector<uint32_t>{k.find("mov.u32 %r1, %tid.x;"), k.find("add.u32 %r2, %r1, 1;")}));
}

} // namespace

} // namespace het::ptx
