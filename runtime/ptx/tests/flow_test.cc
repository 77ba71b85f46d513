// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests what is known of the ways through a function, and of where lanes of a warp go apart.
#include "ptx/passes/divergence.h"
#include "rewritten.h"

namespace het::ptx
{

namespace
{

// Has a kernel and its analyses; statements are found by their text.
struct kernel_ways {
	explicit kernel_ways(const std::string &body)
	    : m(simt::parsed(simt::with_header(
		      ".entry k(.param .u64 p, .param .u32 n)\n{\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n"
		      ".reg .pred %p<4>;\n" +
		      body + "\n}\n"))),
	      f(m.functions[0]), flow(m, f), registers(m, f)
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
	uint32_t block(std::string_view text) const { return flow.block_of(find(text)); }
	std::vector<uint32_t> headers(std::initializer_list<const char *> labels) const
	{
		std::vector<uint32_t> all;
		for (const char *l : labels)
			all.push_back(find(l));
		return all;
	}
	divergence parts() const
	{
		std::vector<bool> joint(flow.blocks().size());
		for (uint32_t n = 0; n < f.statements; n++) {
			const statement &s = m.statements_of(f)[n];
			if (s.kind == statement::kind_t::instruction &&
			    is_of_warps(mnemonic(m.str(m.instructions[s.index].opcode))))
				joint[flow.block_of(n)] = true;
		}
		return divergence(m, f, flow, registers, joint);
	}

	module m;
	const function &f;
	control_flow flow;
	function_registers registers;
};

TEST(Flow, FindsTheHeadsOfLoops)
{
	kernel_ways k(
		"A: add.u32 %r1, %r1, 1;\nB: setp.lt.u32 %p0, %r1, 9;\n@%p0 bra B;\n@%p1 bra C;\nbra A;\nC: ret;");
	EXPECT_EQ(k.flow.loop_headers(), k.headers({"A:", "B:"}));
	EXPECT_EQ(k.flow.last_of_loop(k.find("A:")), k.find("bra A;"));
	EXPECT_EQ(k.flow.last_of_loop(k.find("B:")), k.find("@%p0 bra B;"));
	EXPECT_TRUE(k.flow.reached_from(k.block("A:"))[k.block("A:")]);
	EXPECT_FALSE(k.flow.reached_from(k.block("C:"))[k.block("C:")]);
	EXPECT_FALSE(k.flow.reached_from(k.block("C:"))[k.block("A:")]);
}

TEST(Flow, FollowsTablesOfLabels)
{
	kernel_ways k("A: mov.u32 %r1, 0;\nt: .branchtargets A, E;\nbrx.idx %r1, t;\nE: ret;");
	EXPECT_EQ(k.flow.loop_headers(), k.headers({"A:"}));
	EXPECT_EQ(k.flow.blocks()[k.block("brx.idx %r1, t;")].next.size(), 2u);
}

TEST(Flow, TakesTheLabelOfTheScope)
{
	kernel_ways k("A: mov.u32 %r1, 0;\n{\nA: mov.u32 %r2, 0;\n@%p0 bra A;\n}\nmov.u32 %r3, 0;\nret;");
	ASSERT_EQ(k.flow.loop_headers().size(), 1u);
	EXPECT_EQ(k.flow.block_of(k.flow.loop_headers()[0]), k.block("mov.u32 %r2, 0;"));
}

TEST(Flow, KnowsWhetherARoundCanAvoidABlock)
{
	kernel_ways k("A: @%p0 bra B;\nmov.u32 %r1, 0;\nB: @%p1 bra A;\nret;");
	std::vector<bool> barred(k.flow.blocks().size());
	barred[k.block("mov.u32 %r1, 0;")] = true;
	EXPECT_TRUE(k.flow.comes_back(k.block("A:"), barred));
	barred[k.block("B:")] = true;
	EXPECT_FALSE(k.flow.comes_back(k.block("A:"), barred));
}

TEST(Flow, TellsWhoDecides)
{
	kernel_ways k("@%p0 bra B;\nmov.u32 %r1, 0;\nB: mov.u32 %r2, 0;\nret;");
	auto deciders = k.flow.deciders(std::vector<bool>(k.flow.blocks().size()));
	EXPECT_EQ(deciders[k.block("mov.u32 %r1, 0;")], std::vector<uint32_t>{0});
	EXPECT_TRUE(deciders[k.block("B:")].empty());
}

TEST(Flow, WhatIsBehindAGuardedExitIsNotDecidedByIt)
{
	kernel_ways k("@%p0 exit;\nmov.u32 %r1, 0;\nret;");
	auto deciders = k.flow.deciders(std::vector<bool>(k.flow.blocks().size()));
	EXPECT_TRUE(deciders[k.block("mov.u32 %r1, 0;")].empty());
}

TEST(Divergence, ComesFromThreadsAndMemory)
{
	kernel_ways k("ld.param.u32 %r1, [n];\nmov.u32 %r2, %ctaid.x;\nadd.u32 %r3, %r1, %r2;\nmov.u32 %r4, %tid.x;\n"
		      "add.u32 %r5, %r4, %r1;\nld.global.u32 %r6, [%d1];\nvote.sync.ballot.b32 %r7, %p0, -1;\nret;");
	auto parts = k.parts();
	auto differs = [&](const char *name) {
		return parts.differs(k.registers.find(k.m.statements_of(k.f)[4], name));
	};
	for (const char *same : {"%r1", "%r2", "%r3", "%r7"})
		EXPECT_FALSE(differs(same)) << same;
	for (const char *different : {"%r4", "%r5", "%r6"})
		EXPECT_TRUE(differs(different)) << different;
}

constexpr const char *loop = "B: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p0, %r1, %r2;\n@%p0 bra B;\n"
			     "shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;\nret;";

TEST(Divergence, RoundsDependOnTheirBounds)
{
	kernel_ways same(std::string("mov.u32 %r1, 0;\nld.param.u32 %r2, [n];\n") + loop);
	EXPECT_FALSE(same.parts().may_part(same.block("B:")));
	kernel_ways apart(std::string("mov.u32 %r1, %tid.x;\nld.param.u32 %r2, [n];\n") + loop);
	EXPECT_TRUE(apart.parts().may_part(apart.block("B:")));
	EXPECT_FALSE(apart.parts().may_part(apart.block("shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;")));
}

// What a loop leaves behind differs if lanes left it in different rounds, though it did not in any round.
TEST(Divergence, OutlivesALoop)
{
	kernel_ways k("mov.u32 %r1, 0;\nB: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p0, %r1, %r4;\n@%p0 bra B;\n"
		      "setp.eq.u32 %p1, %r1, 7;\n@%p1 bra C;\nmov.u32 %r5, 1;\nC: ret;");
	EXPECT_FALSE(k.parts().may_part(k.block("mov.u32 %r5, 1;")));
	kernel_ways apart("mov.u32 %r4, %tid.x;\nmov.u32 %r1, 0;\nB: add.u32 %r1, %r1, 1;\n"
			  "setp.lt.u32 %p0, %r1, %r4;\n@%p0 bra B;\nsetp.eq.u32 %p1, %r1, 7;\n@%p1 bra C;\n"
			  "D: bra D;\nC: bar.warp.sync -1;\nret;");
	EXPECT_TRUE(apart.parts().may_part(apart.block("D:")));
}

// Lanes that leave for good do not part from those that go on.
TEST(Divergence, IsNotMadeByThreadsThatEnd)
{
	kernel_ways k(std::string("mov.u32 %r5, %tid.x;\nsetp.gt.u32 %p1, %r5, 9;\n@%p1 bra E;\nmov.u32 %r1, 0;\n"
				  "ld.param.u32 %r2, [n];\n") +
		      loop + "\nE: ret;");
	EXPECT_FALSE(k.parts().may_part(k.block("B:")));
}

// Nor do those that end where they leave the loop.
TEST(Divergence, IsNotMadeByALoopThatThreadsLeaveForGood)
{
	kernel_ways k("mov.u32 %r1, %tid.x;\nB: shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;\nsetp.lt.u32 %p0, %r1, %r3;\n"
		      "@%p1 bra C;\nmov.u32 %r6, 1;\nC: @%p0 bra B;\nret;");
	EXPECT_FALSE(k.parts().may_part(k.block("B:")));
	EXPECT_FALSE(k.parts().may_part(k.block("C:")));
}

} // namespace

} // namespace het::ptx
