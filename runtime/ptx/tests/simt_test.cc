// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests control flow, synchronisation, and what the checks find.
#include "device.h"

namespace het::ptx::simt
{

namespace
{

// Makes a kernel k(out) with %t = tid.x and %out = its own word of out.
std::string kernel(const std::string &body, const std::string &before = "")
{
	return with_header(before +
			   ".entry k(.param .u64 out)\n{\n.reg .b32 %t, %r<10>;\n.reg .b64 %out, %d<10>;\n"
			   ".reg .pred %p<4>;\nld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\n"
			   "mul.wide.u32 %d0, %t, 4;\nadd.u64 %out, %out, %d0;\n" +
			   body + "\n}\n");
}

std::vector<uint32_t> values_of(const std::string &text, unsigned threads, const options &with = {})
{
	device d(text);
	d.with = with;
	std::vector<uint32_t> out(threads);
	d.must_run("k", {1}, {threads}, d.share(out));
	return out;
}

std::string error_of(const std::string &text, unsigned threads, options with = {})
{
	device d(text, with.check_defined);
	d.with = with;
	std::vector<uint32_t> out(threads);
	auto o = d.run("k", {1}, {threads}, d.share(out, "out"));
	return o.error ? o.error->describe() : "no error";
}

std::vector<std::string> findings_of(const std::string &text, unsigned threads, options with)
{
	device d(text, with.check_defined);
	d.with = with;
	std::vector<uint32_t> out(threads);
	auto o = d.run("k", {1}, {threads}, d.share(out));
	EXPECT_FALSE(o.error) << o.error->describe();
	std::vector<std::string> found;
	for (const auto &f : o.findings)
		found.push_back(f.first.describe());
	return found;
}

TEST(Lockstep, LanesMeetAfterBranches)
{
	auto text = kernel(
		"and.b32 %r1, %t, 3;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra A;\nsetp.eq.u32 %p2, %r1, 1;\n@%p2 bra B;\n"
		"bra C;\nA: bra C;\nB: bra C;\nC: activemask.b32 %r2;\nst.global.u32 [%out], %r2;\nret;");
	for (uint32_t v : values_of(text, 32))
		EXPECT_EQ(v, ~0u);
}

TEST(Lockstep, LanesMeetAfterLoops)
{
	auto text = kernel("mov.u32 %r1, %t;\nL: sub.u32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 0;\n@!%p1 bra L;\n"
			   "activemask.b32 %r2;\nst.global.u32 [%out], %r2;\nret;");
	for (uint32_t v : values_of(text, 32))
		EXPECT_EQ(v, ~0u);
}

TEST(Lockstep, LanesThatLeaveAreNotWaitedFor)
{
	auto text =
		kernel("setp.lt.u32 %p1, %t, 8;\n@%p1 ret;\nsetp.lt.u32 %p2, %t, 16;\n@%p2 bra A;\nadd.u32 %t, %t, 1;\n"
		       "A: activemask.b32 %r2;\nst.global.u32 [%out], %r2;\nexit;");
	auto out = values_of(text, 32);
	EXPECT_EQ(out[7], 0u);
	EXPECT_EQ(out[8], 0xffffff00u);
	EXPECT_EQ(out[31], 0xffffff00u);
}

TEST(Lockstep, LanesMeetAfterCalls)
{
	std::string f = ".func (.reg .u32 %v) f(.reg .u32 %a)\n{\n.reg .pred %p;\nsetp.lt.u32 %p, %a, 9;\n@%p bra S;\n"
			"mov.u32 %v, 1;\nret;\nS: mov.u32 %v, 2;\nret;\n}\n";
	auto text = kernel(
		"call (%r1), f, (%t);\nactivemask.b32 %r2;\nadd.u32 %r1, %r1, %r2;\nst.global.u32 [%out], %r1;\nret;",
		f);
	auto out = values_of(text, 32);
	EXPECT_EQ(out[0], 1u);
	EXPECT_EQ(out[31], 0u);
}

TEST(Control, IndexedBranches)
{
	auto text = kernel(
		"list: .branchtargets A, B, C;\nrem.u32 %r1, %t, 3;\nbrx.idx %r1, list;\nA: mov.u32 %r2, 10;\nbra E;\n"
		"B: mov.u32 %r2, 20;\nbra E;\nC: mov.u32 %r2, 30;\nE: st.global.u32 [%out], %r2;\nret;");
	for (const auto &mode : both_modes()) {
		auto out = values_of(text, 40, mode);
		for (uint32_t t = 0; t < 40; t++)
			EXPECT_EQ(out[t], 10 + t % 3 * 10);
	}
}

TEST(Control, GuardedShufflesAndAtomics)
{
	// GCC writes them like this: one lane does it, and the others get the result.
	auto text = kernel("mov.u32 %r1, %laneid;\nsetp.eq.u32 %p1, %r1, 0;\nmov.u32 %r2, 0;\nmov.pred %p2, 1;\n"
			   "ld.param.u64 %d1, [out];\n@%p1 atom.global.add.u32 %r2, [%d1], 1;\n"
			   "@%p2 shfl.sync.idx.b32 %r2, %r2, 0, 31, 0xffffffff;\nadd.u32 %r2, %r2, 100;\n"
			   "setp.ne.u32 %p3, %t, 0;\n@%p3 st.global.u32 [%out], %r2;\nret;");
	for (const auto &mode : both_modes()) {
		auto out = values_of(text, 64, mode);
		EXPECT_EQ(out[0], 2u);
		EXPECT_EQ(out[1], out[31]);
		EXPECT_EQ(out[33], out[63]);
		EXPECT_EQ(out[1] + out[33], 201u);
	}
}

// Halves of a warp that name themselves are two groups, though they are in one place.
TEST(Control, WarpFunctionsKeepGroupsApart)
{
	auto text = kernel("setp.lt.u32 %p1, %t, 16;\nselp.u32 %r1, 0xffff, 0xffff0000, %p1;\n"
			   "setp.ge.u32 %p2, %t, 8;\nvote.sync.ballot.b32 %r2, %p2, %r1;\n"
			   "match.any.sync.b32 %r3, 5, %r1;\nxor.b32 %r2, %r2, %r3;\nst.global.u32 [%out], %r2;\nret;");
	for (const auto &mode : both_modes()) {
		auto out = values_of(text, 32, mode);
		for (uint32_t t = 0; t < 32; t++)
			EXPECT_EQ(out[t], t < 16 ? 0xffu : 0u);
	}
}

// Lanes take memory of different sizes, before and after a function that does so itself.
TEST(LocalStack, LanesTakeWhatTheyNeed)
{
	auto text = kernel(
		"mul.lo.u32 %r1, %t, 8;\ncvt.u64.u32 %d1, %r1;\nstacksave.u64 %d4;\n"
		"alloca.u64 %d2, %d1, 16;\nsetp.eq.u32 %p1, %t, 0;\n@!%p1 st.local.u32 [%d2], %t;\n"
		"{ .param .b32 p; .param .b32 q; st.param.b32 [p], %t; call (q), f, (p); ld.param.b32 %r2, [q]; }\n"
		"mov.u32 %r3, 0;\n@!%p1 ld.local.u32 %r3, [%d2];\nadd.u32 %r2, %r2, %r3;\n"
		"st.global.u32 [%out], %r2;\nstackrestore.u64 %d4;\nstacksave.u64 %d5;\n"
		"setp.ne.u64 %p2, %d4, %d5;\n@%p2 trap;\nret;",
		".func (.param .b32 r) f(.param .b32 a)\n{\n.local .b32 own;\n.reg .b32 %v;\n.reg .b64 %d<3>;\n"
		"ld.param.b32 %v, [a];\ncvt.u64.u32 %d0, %v;\nadd.u64 %d0, %d0, 4;\nst.local.b32 [own], %v;\n"
		"alloca.u64 %d1, %d0;\nmul.lo.u32 %v, %v, 100;\nst.local.b32 [%d1], %v;\nadd.u64 %d2, %d1, 0;\n"
		"ld.local.b32 %v, [%d2];\nst.param.b32 [r], %v;\nret;\n}\n");
	for (const auto &mode : both_modes(true)) {
		auto out = values_of(text, 32, mode);
		for (unsigned t = 0; t < 32; t++)
			ASSERT_EQ(out[t], t * 101);
	}
	EXPECT_NE(error_of(kernel("mov.u64 %d1, 1000000000;\nalloca.u64 %d2, %d1;\nret;"), 1).find("stack overflow"),
		  std::string::npos);
	EXPECT_NE(error_of(kernel("mov.u64 %d1, 64;\nstackrestore.u64 %d1;\nret;"), 1).find("no place of"),
		  std::string::npos);
}

TEST(Barriers, NamedWithCounts)
{
	// Warp 0 produces, warp 1 consumes.
	std::string shared = ".shared .u32 box[32];\n";
	auto text = kernel("mov.u32 %r1, %laneid;\nmul.lo.u32 %r1, %r1, 4;\ncvt.u64.u32 %d1, %r1;\nmov.u64 %d2, box;\n"
			   "add.u64 %d2, %d2, %d1;\nsetp.ge.u32 %p1, %t, 32;\n@%p1 bra C;\nst.shared.u32 [%d2], %t;\n"
			   "bar.arrive 3, 64;\nret;\nC: bar.sync 3, 64;\nld.shared.u32 %r2, [%d2];\n"
			   "st.global.u32 [%out], %r2;\nret;",
			   shared);
	for (auto mode : both_modes(true)) {
		mode.check_defined = false;
		auto out = values_of(text, 64, mode);
		for (uint32_t t = 32; t < 64; t++)
			EXPECT_EQ(out[t], t - 32);
	}
}

TEST(Barriers, Reductions)
{
	auto text = kernel("setp.lt.u32 %p1, %t, 50;\nbar.red.popc.u32 %r1, 0, %p1;\nbar.red.and.pred %p2, 1, %p1;\n"
			   "bar.red.or.pred %p3, 1, !%p1;\nselp.u32 %r2, 1000, 0, %p2;\nselp.u32 %r3, 2000, 0, %p3;\n"
			   "add.u32 %r1, %r1, %r2;\nadd.u32 %r1, %r1, %r3;\nst.global.u32 [%out], %r1;\nret;");
	for (const auto &mode : both_modes())
		for (uint32_t v : values_of(text, 70, mode))
			EXPECT_EQ(v, 2050u);
}

TEST(Barriers, EndedThreadsDoNotCount)
{
	auto text = kernel("setp.gt.u32 %p1, %t, 40;\n@%p1 exit;\nbar.sync 0;\nst.global.u32 [%out], 5;\nret;");
	for (const auto &mode : both_modes()) {
		auto out = values_of(text, 96, mode);
		EXPECT_EQ(out[40], 5u);
		EXPECT_EQ(out[41], 0u);
	}
}

// "if (i >= n) return;" before a barrier is a branch to the one return at the end, as compilers write it.
TEST(Barriers, LanesThatBranchToTheEndDoNotCount)
{
	auto text = kernel("setp.gt.u32 %p1, %t, 40;\n@%p1 bra E;\nbar.sync 0;\nsetp.lt.u32 %p2, %t, 8;\n@%p2 bra F;\n"
			   "bar.sync 0;\nF: st.global.u32 [%out], 5;\nE: bra R;\nR: ret;");
	for (const auto &mode : both_modes(true)) {
		auto out = values_of(text, 96, mode);
		for (unsigned t = 0; t < 96; t++)
			EXPECT_EQ(out[t], t > 40 ? 0u : 5u) << t;
	}
}

// Lanes that leave a function may be all that the others' barrier waits for, and may do much before they end.
TEST(Barriers, LanesThatReturnEarlyGoOn)
{
	std::string f = ".func f(.reg .u32 %a)\n{\n.reg .pred %p;\nsetp.gt.u32 %p, %a, 20;\n@%p bra E;\n"
			"barrier.sync 0;\nE: ret;\n}\n";
	auto text = kernel("call f, (%t);\nsetp.gt.u32 %p1, %t, 20;\n@%p1 barrier.sync 0;\ncall f, (%t);\n"
			   "st.global.u32 [%out], %t;\nret;",
			   f);
	for (const auto &mode : both_modes(true)) {
		auto out = values_of(text, 64, mode);
		for (uint32_t t = 0; t < 64; t++)
			EXPECT_EQ(out[t], t);
	}
}

// Another warp loops until lanes behind a barrier have said so, and the barrier opens once the others have ended.
TEST(Barriers, LanesThatEndFreeThoseThatAnotherWarpWaitsFor)
{
	auto text = kernel(
		"mov.u64 %d1, flag;\nsetp.ge.u32 %p1, %t, 32;\n@%p1 bra W;\nsetp.ge.u32 %p2, %t, 7;\n@%p2 bra E;\n"
		"barrier.sync 1, 32;\nst.volatile.shared.u32 [%d1], 1;\nbra E;\n"
		"W: ld.volatile.shared.u32 %r1, [%d1];\nsetp.eq.u32 %p3, %r1, 0;\n@%p3 bra W;\n"
		"st.global.u32 [%out], 6;\nE: ret;",
		".shared .u32 flag;\n");
	for (auto mode : both_modes()) {
		mode.most_instructions = 10'000'000;
		auto out = values_of(text, 64, mode);
		EXPECT_EQ(out[0], 0u);
		EXPECT_EQ(out[32], 6u);
	}
}

TEST(Barriers, DeadlocksAreFound)
{
	auto text = kernel("setp.gt.u32 %p1, %t, 40;\n@%p1 bar.sync 1;\nbar.sync 0;\nret;");
	EXPECT_NE(error_of(text, 96).find("deadlock: waits at barrier"), std::string::npos);
	auto lanes = kernel("setp.gt.u32 %p1, %t, 4;\n@%p1 bra L;\nbar.sync 0;\nL: bar.warp.sync -1;\nret;");
	EXPECT_NE(error_of(lanes, 64).find("deadlock"), std::string::npos);
}

TEST(Barriers, DivergenceIsFound)
{
	options with;
	with.check_barriers = true;
	auto text = kernel("setp.gt.u32 %p1, %t, 7;\n@%p1 bra A;\nbar.sync 0;\nbra E;\nA: bar.sync 0;\nE: ret;");
	auto found = findings_of(text, 32, with);
	ASSERT_EQ(found.size(), 1u);
	EXPECT_NE(found[0].find("at another place"), std::string::npos);
	auto fine = kernel("bar.sync 0;\nret;");
	EXPECT_TRUE(findings_of(fine, 50, with).empty());
}

TEST(Checks, OutOfBounds)
{
	auto text = kernel("st.global.u32 [%out+4], %t;\nret;");
	EXPECT_EQ(error_of(text, 8), "13:1: writes 4 bytes at 0x700000040020, 0 bytes behind out (32 bytes); "
				     "thread (7,0,0) of block (0,0,0) in k, at 'st.global.u32 [%out+4], %t;'");
	EXPECT_NE(error_of(kernel("ld.global.u64 %d1, [%out+4];\nret;"), 1).find("reads 8 bytes"), std::string::npos);
	EXPECT_NE(error_of(kernel("mov.u64 %d1, 16;\nst.u32 [%d1], %t;\nret;"), 1).find("bytes before"),
		  std::string::npos);
	EXPECT_NE(error_of(kernel("ld.global.u16 %r1, [%out+1];\nret;"), 1).find("not aligned"), std::string::npos);
	EXPECT_NE(error_of(kernel("st.shared.u32 [0], %t;\nret;"), 1).find("shared memory, which has 0"),
		  std::string::npos);
	EXPECT_NE(error_of(kernel(".local .b8 l[8];\nst.local.u32 [l+16], %t;\nret;"), 1).find("local memory"),
		  std::string::npos);
}

TEST(Checks, OtherFaults)
{
	EXPECT_NE(error_of(kernel("trap;"), 1).find("trap;"), std::string::npos);
	EXPECT_NE(error_of(kernel("frobnicate.u32 %t;\nret;"), 1).find("does not know this instruction"),
		  std::string::npos);
	options with;
	with.most_instructions = 1000;
	EXPECT_NE(error_of(kernel("L: bra L;"), 1, with).find("does it end"), std::string::npos);
	EXPECT_NE(error_of(kernel("mov.u64 %d1, 77;\ncall %d1, ();\nret;"), 1).find("no function's"),
		  std::string::npos);
	std::string f = ".func f { call f; ret; }\n";
	EXPECT_NE(error_of(kernel("call f;\nret;", f), 1).find("stack overflow"), std::string::npos);
}

// Each version adds special registers: those that no lane reads harm nobody.
TEST(Checks, UnknownSpecialRegisters)
{
	std::string read = "mov.u32 %r1, %reserved_smem_offset_1;\nst.global.u32 [%out], 3;\nret;";
	EXPECT_NE(error_of(kernel(read), 1).find("does not know the special register %reserved_smem_offset_1; thread"),
		  std::string::npos);
	for (const char *other : {"@%later bra E;", "ld.global.u32 %r1, [%later];",
				  "shfl.sync.idx.b32 %r1, %t, 0, 31, %later;", "mul.lo.u32 %r1, %t, %later.x;"})
		EXPECT_NE(error_of(kernel(std::string(other) + "\nE: ret;"), 1), "no error") << other;
	auto text = kernel("setp.gt.u32 %p1, %t, 1000;\n@%p1 bra U;\nst.global.u32 [%out], 4;\nret;\nU: " + read);
	for (uint32_t v : values_of(text, 40))
		EXPECT_EQ(v, 4u);
}

TEST(Clusters, ABlockIsAloneInItsOwn)
{
	auto text = kernel(
		"mov.u32 %r1, %cluster_ctarank;\nmov.u32 %r2, %cluster_nctarank;\nmad.lo.u32 %r1, %r1, 10, %r2;\n"
		"mov.u32 %r3, %clusterid.x;\nadd.u32 %r1, %r1, %r3;\nmov.pred %p1, %is_explicit_cluster;\n"
		"@%p1 barrier.cluster.arrive;\nst.global.u32 [%out], %r1;\nret;");
	EXPECT_EQ(values_of(text, 1)[0], 1u);
	EXPECT_NE(error_of(kernel("barrier.cluster.arrive;\nret;"), 1).find("barriers of clusters"), std::string::npos);
	auto launched = with_header(".entry k(.param .u64 out) .maxntid 32 .reqnctapercluster 2\n{\nret;\n}\n");
	EXPECT_NE(error_of(launched, 1).find("clusters, which .reqnctapercluster asks for"), std::string::npos);
}

TEST(Checks, UndefinedValues)
{
	options with;
	with.check_defined = true;
	// Copying rubbish is no fault, using it is.
	auto copies =
		kernel(".local .u32 l;\nld.local.u32 %r1, [l];\nmov.u32 %r2, %r1;\nst.global.u32 [%out], %r2;\nret;");
	EXPECT_TRUE(findings_of(copies, 32, with).empty());
	auto branches =
		kernel(".local .u32 l;\nld.local.u32 %r1, [l];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra E;\nE: ret;");
	auto found = findings_of(branches, 32, with);
	ASSERT_EQ(found.size(), 1u);
	EXPECT_NE(found[0].find("predicate that was never written"), std::string::npos);
	auto half = kernel("setp.lt.u32 %p1, %t, 5;\n@%p1 mov.u64 %d1, %out;\nld.global.u32 %r1, [%d1];\nret;");
	EXPECT_NE(error_of(half, 32, with), "");
	auto address = kernel(
		"mov.u64 %d1, %d2;\nand.b64 %d1, %d1, 0;\nadd.u64 %d1, %d1, %out;\nld.global.u32 %r1, [%d1];\nret;");
	found = findings_of(address, 1, with);
	ASSERT_EQ(found.size(), 1u);
	EXPECT_NE(found[0].find("uses an address"), std::string::npos);
}

TEST(Checks, ShufflesGiveWhatTheOtherLaneHad)
{
	options with;
	with.check_defined = true;
	auto text = [](const char *lane) {
		return kernel("setp.eq.u32 %p1, %t, 3;\n@%p1 mov.u32 %r1, 0;\nshfl.sync.idx.b32 %r2, %r1, " +
			      std::string(lane) +
			      ", 31, -1;\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 st.global.u32 [%out], 1;\nret;");
	};
	EXPECT_TRUE(findings_of(text("3"), 32, with).empty());
	EXPECT_EQ(findings_of(text("4"), 32, with).size(), 1u);
}

TEST(Checks, Races)
{
	options with;
	with.check_races = true;
	std::string shared = ".shared .u32 s[64];\n";
	std::string own = "mov.u64 %d1, s;\nadd.u64 %d2, %d1, %d0;\nst.shared.u32 [%d2], %t;\n";
	std::string reads = "xor.b32 %r1, %t, 33;\nmul.wide.u32 %d3, %r1, 4;\nadd.u64 %d3, %d1, %d3;\nld.shared.u32 "
			    "%r2, [%d3];\nret;";
	EXPECT_TRUE(findings_of(kernel(own + "bar.sync 0;\n" + reads, shared), 64, with).empty());
	auto found = findings_of(kernel(own + reads, shared), 64, with);
	ASSERT_GE(found.size(), 1u);
	EXPECT_NE(found[0].find("which thread"), std::string::npos);
	std::string near = "xor.b32 %r1, %t, 1;\nmul.wide.u32 %d3, %r1, 4;\nadd.u64 %d3, %d1, %d3;\nld.shared.u32 %r2, "
			   "[%d3];\nret;";
	EXPECT_TRUE(findings_of(kernel(own + "bar.warp.sync -1;\n" + near, shared), 64, with).empty());
	EXPECT_FALSE(findings_of(kernel(own + near, shared), 64, with).empty());
	std::string atomic = "red.shared.add.u32 [s], 1;\nret;";
	EXPECT_TRUE(findings_of(kernel(atomic, shared), 64, with).empty());
}

TEST(Counts, MatchWhatRan)
{
	device d(kernel(
		"setp.lt.u32 %p1, %t, 8;\n@%p1 bra A;\nst.global.u32 [%out], 1;\nA: ld.global.u32 %r1, [%out];\nret;"));
	d.with.statistics = true;
	std::vector<uint32_t> out(64);
	auto o = d.run("k", {1}, {64}, d.share(out));
	ASSERT_FALSE(o.error);
	EXPECT_EQ(o.counts.branches, 2u);
	EXPECT_EQ(o.counts.divergent_branches, 1u);
	EXPECT_EQ(o.counts.warp_instructions, 2u * 9);
	// The store is made by 56 threads; those that don't take the branch do not count with it.
	EXPECT_EQ(o.counts.thread_instructions, 64u * 7 + 56 + 8);
	EXPECT_EQ(o.counts.written_pages.size(), 1u);
	uint64_t lines = 0;
	for (const auto &s : o.counts.sites)
		lines += s.lines;
	EXPECT_EQ(lines, 4u);
}

TEST(Counts, BankConflicts)
{
	device d(kernel("mul.lo.u32 %r1, %t, 8;\ncvt.u64.u32 %d1, %r1;\nmov.u64 %d2, s;\nadd.u64 %d2, %d2, %d1;\n"
			"st.shared.u32 [%d2], %t;\nret;",
			".shared .b32 s[64];\n"));
	d.with.statistics = true;
	std::vector<uint32_t> out(32);
	auto o = d.run("k", {1}, {32}, d.share(out));
	ASSERT_FALSE(o.error) << o.error->describe();
	uint64_t passes = 0;
	for (const auto &s : o.counts.sites)
		passes += s.passes;
	EXPECT_EQ(passes, 2u);
}

TEST(Trace, TellsOperationsAndAddresses)
{
	device d(kernel("setp.lt.u32 %p1, %t, 3;\n@%p1 st.global.u32 [%out+4], %t;\nret;"));
	std::vector<uint32_t> out(64);
	uint64_t first = d.share(out);
	std::vector<std::pair<lanes, uint64_t>> stores;
	d.with.trace = [&](const step &s) {
		const module &m = *s.function->source;
		if (s.addresses && m.str(m.statements[s.statement].text).find("st.global") != std::string_view::npos)
			stores.push_back({s.mask, s.addresses[2]});
	};
	EXPECT_FALSE(d.run("k", {1}, {40}, first).error);
	ASSERT_EQ(stores.size(), 1u);
	EXPECT_EQ(stores[0].first, 7u);
	EXPECT_EQ(stores[0].second, first + 12);
}

TEST(Modules, FindEachOther)
{
	memory mem;
	program p(mem);
	auto wrong = p.load(
		{parsed(with_header(".extern .func f(.param .u64 a);\n.extern .global .u32 g;\n.visible .entry "
				    "k(.param .u64 out)\n{\n"
				    ".reg .b64 %d;\nld.param.u64 %d, [out];\n{ .param .u64 p; st.param.u64 [p], %d; "
				    "call f, (p); }\nret;\n}")),
		 parsed(with_header(".visible .global .u32 g = 7;\n.visible .func f(.param .u64 a)\n{\n.reg .b64 "
				    "%d;\n.reg .b32 %r;\n"
				    "ld.param.u64 %d, [a];\nld.global.u32 %r, [g];\nst.u32 [%d], %r;\nret;\n}"))});
	ASSERT_FALSE(wrong) << wrong->describe();
	uint32_t out = 0;
	uint64_t address = mem.attach(&out, 4);
	launch l;
	l.kernel = p.find("k");
	l.parameters.resize(8);
	memcpy(l.parameters.data(), &address, 8);
	auto o = run(p, l, {});
	EXPECT_FALSE(o.error) << o.error->describe();
	EXPECT_EQ(out, 7u);
}

} // namespace

} // namespace het::ptx::simt
