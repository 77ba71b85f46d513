// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Grids in slices, stopped anywhere and launched again, must do what whole grids do.
#include "ptx/passes/slice.h"

#include "instrument.h"
#include "stage.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

using simt::corpus_text;
using simt::device;
using simt::example;
using simt::extent;
using simt::stage;
using simt::with_header;

// Launches slices, and stops each after a while.
class slicer
{
      public:
	slicer(const example &e, const std::string &text, const simt::options &with) : e_(e), stage_(e, text, with)
	{
		control_[0] = {{e.grid.x, e.grid.y, e.grid.z}, 0, 0, 0, 0, 0};
		left_.resize(e.grid.count());
		control_[0].left = stage_.dev.share(left_);
		list_.resize(e.grid.count());
		list_address_ = stage_.dev.share(list_);
		stage_.add_argument(stage_.dev.share(control_));
		stage_.dev.with.trace = [this](const simt::step &) { control_[0].stop = operations_++ >= patience_; };
	}

	// Runs all blocks, @size at a time, and stops each slice after @patience operations of warps.
	void run(uint64_t size, uint64_t patience)
	{
		patience_ = patience;
		for (uint64_t first = 0; first < e_.grid.count(); first += size) {
			control_[0].first = first;
			launch({uint32_t(std::min(size, e_.grid.count() - first))});
		}
		while (control_[0].count_left) {
			uint64_t n = std::exchange(control_[0].count_left, 0);
			relaunched += n;
			ASSERT_LE(n, left_.size());
			std::copy_n(left_.begin(), n, list_.begin());
			std::sort(list_.begin(), list_.begin() + long(n));
			ASSERT_EQ(std::unique(list_.begin(), list_.begin() + long(n)), list_.begin() + long(n));
			control_[0].list = list_address_;
			patience_ *= 2; // makes it end
			launch(n % 2 ? extent{uint32_t(n)} : extent{uint32_t(n / 2), 2});
		}
	}

	stage &on() { return stage_; }
	uint64_t relaunched = 0;

      private:
	void launch(extent grid)
	{
		stage_.with_launch.grid = grid;
		operations_ = 0;
		control_[0].stop = 0;
		stage_.must_run();
	}

	const example &e_;
	stage stage_;
	std::vector<slice_control> control_{1};
	std::vector<uint64_t> left_, list_;
	uint64_t list_address_ = 0, operations_ = 0, patience_ = 0;
};

TEST(Slice, PartsGiveTheResultsOfTheWhole)
{
	uint64_t relaunched = 0;
	for (const auto &e : simt::all_examples()) {
		const auto &text = instrumented_example(e, "slice").text;
		stage whole(e, corpus_text(e.file), {});
		whole.must_run();
		whole.check();
		for (const auto &mode : simt::two_modes()) {
			if (!e.repeats(mode))
				continue;
			for (uint64_t size : {uint64_t{1}, uint64_t{3}, e.grid.count()}) {
				slicer s(e, text, mode);
				s.run(size, 40 * size);
				ASSERT_EQ(s.on().buffers, whole.buffers) << e << ", seed " << mode.seed;
				relaunched += s.relaunched;
			}
		}
	}
	EXPECT_GT(relaunched, 100u);
}

TEST(Slice, PlainLaunchesWorkAsBefore)
{
	for (const auto &e : simt::all_examples()) {
		stage plain(e, corpus_text(e.file), {}), sliced(e, instrumented_example(e, "slice").text, {});
		sliced.add_argument(0);
		plain.must_run();
		sliced.must_run();
		ASSERT_TRUE(!e.repeats({}) || plain.buffers == sliced.buffers) << e;
	}
}

// The kernel writes where it believes to be: every index of a grid of three dimensions, in functions too.
TEST(Slice, EveryBlockKnowsItsPlace)
{
	auto text = with_header(
		".func (.reg .u32 %v) z_of()\n{\nmov.u32 %v, %ctaid.z;\nmad.lo.u32 %v, %nctaid.z, 1000, %v;\nret;\n}\n"
		".entry k(.param .u64 out)\n{\n.reg .b64 %d, %o;\n.reg .b32 %r<6>;\n"
		"ld.param.u64 %d, [out];\ncall (%r4), z_of;\nmov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %ctaid.y;\n"
		"mov.u32 %r2, %nctaid.x;\nmov.u32 %r3, %nctaid.y;\nrem.u32 %r5, %r4, 1000;\n"
		"mad.lo.u32 %r5, %r5, %r3, %r1;\nmad.lo.u32 %r5, %r5, %r2, %r0;\nmul.wide.u32 %o, %r5, 4;\n"
		"add.u64 %d, %d, %o;\nadd.u32 %r5, %r5, %r4;\nst.global.u32 [%d], %r5;\nret;\n}\n");
	example e("", "k", {3, 5, 2}, {2});
	std::vector<uint32_t> want;
	for (uint32_t n = 0; n < 30; n++)
		want.push_back(n + n / 15 + 2000);
	e.out(want);
	text = instrumented(text, "slice").text;
	for (uint64_t size : {1u, 4u, 30u}) {
		slicer s(e, text, {});
		s.run(size, 100);
		s.on().check();
	}
}

// Programs read arrays of floats four at a time where they know that nothing stands before them, so the arrays must
// stay aligned.
TEST(Slice, LeavesSharedArraysAligned)
{
	auto text = with_header(".entry k(.param .u64 out)\n{\n.reg .b64 %d;\n.reg .b32 %r<4>;\n"
				".shared .align 4 .b8 row[16];\nld.param.u64 %d, [out];\nst.shared.u32 [row+12], 9;\n"
				"ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [row];\nst.global.u32 [%d], %r3;\nret;\n}\n");
	example e("", "k", {2}, {1});
	e.out(std::vector<uint32_t>(1, 9u));
	slicer s(e, instrumented(text, "slice").text, {});
	s.run(1, 100);
	s.on().check();
}

std::string refused(const std::string &statement, const std::string &before = "", const std::string &directives = "")
{
	return refusal(with_header(before + ".entry k()\n" + directives + "\n{\n" + statement + "\nret;\n}\n"),
		       {"slice"});
}

TEST(Slice, RefusesWhatBlocksDoTogether)
{
	auto because = [](const std::string &statement, const char *why) {
		auto said = refused(statement, ".extern .func cudaLaunchDeviceV2;\n.extern .func f;\n");
		EXPECT_TRUE(says(said, why)) << statement << ": " << said;
		EXPECT_TRUE(says(said, "9:1: ")) << said;
	};
	because("mov.u32 %r1, %envreg2;", "grid-wide");
	because("mov.u64 %rd1, %gridid;", "%gridid");
	because("mov.u32 %r1, %clusterid.x;", "place of its cluster");
	because("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], [%r2];",
		"has not begun");
	because("mapa.u64 %rd1, %rd2, 1;", "cluster");
	because("ld.shared::cluster.u32 %r1, [%r2];", "cluster");
	because("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%rd2], 16;", "bulk");
	because("call cudaLaunchDeviceV2;", "from the device");
	because("call f;", "not in this text");
	because("mov.v4.u32 {%r1, %r2, %r3, %r4}, %ctaid;", "can't be replaced");
	because("mov.u16 %h1, %ctaid.x;", "can't be replaced");
	EXPECT_EQ(refused("mov.u32 %r1, %ctaid.x;\nbar.sync 0;"), "accepted");
	EXPECT_EQ(refused("cp.async.wait_all;"), "accepted");
	EXPECT_EQ(refused("", "", ".maxntid 128, 1, 1\n.reqnctapercluster 2"),
		  "6:1: is launched in clusters, at '.reqnctapercluster'");
	EXPECT_EQ(refused("", "", ".maxntid 128, 1, 1\n.maxclusterrank 8"), "accepted");
	EXPECT_EQ(refused("@%p barrier.cluster.arrive;\nmov.u32 %r1, %cluster_ctarank;"), "accepted");
}

// Makes a module of a kernel good and a kernel bad, with functions before them.
pass_result sliced_pair(const std::string &bad, const std::string &functions = "", const std::string &good = "")
{
	return rewrite(with_header(functions + ".entry good()\n{\n.reg .b32 %r;\nmov.u32 %r, %ctaid.x;\n" + good +
				   "ret;\n}\n.entry bad()\n{\n.reg .b32 %r;\nmov.u32 %r, %ctaid.x;\n" + bad +
				   "ret;\n}\n"),
		       {"slice"});
}

TEST(Slice, RefusesByKernel)
{
	auto out = sliced_pair("mov.u32 %r, %envreg2;\n");
	ASSERT_FALSE(out.refused) << out.refused->describe();
	ASSERT_EQ(out.left.size(), 1u);
	EXPECT_EQ(out.left[0].name, "bad");
	EXPECT_EQ(out.left[0].why.at.line, 14u);
	EXPECT_TRUE(says(out.left[0].why.what, "grid-wide"));
	ASSERT_EQ(out.blind.size(), 1u);
	EXPECT_TRUE(says(out.blind[0].what, "kernel bad stays as it is: it reads an %envreg"));
	auto m = simt::parsed(out.text);
	EXPECT_EQ(m.find_function("good")->parameters, 1u);
	EXPECT_EQ(m.find_function("bad")->parameters, 0u);
}

TEST(Slice, RefusesByWhatAKernelCalls)
{
	std::string waits = ".func w\n{\n.reg .b32 %r;\nmov.u32 %r, %envreg1;\nret;\n}\n.func v\n{\ncall w;\nret;\n}\n";
	EXPECT_EQ(sliced_pair("", waits).left.size(), 0u);
	EXPECT_EQ(sliced_pair("call v;\n", waits).left.size(), 1u);
	EXPECT_TRUE(sliced_pair("call v;\n", waits, "call w;\n").refused);
	std::string pointer = ".reg .b64 %f;\nmov.u64 %f, w;\ncall %f, ();\n";
	EXPECT_EQ(sliced_pair(pointer, waits).left.size(), 1u);
	EXPECT_EQ(sliced_pair(".reg .b64 %f;\ncall %f, ();\n", waits + ".global .u64 table[1] = {v};\n").left.size(),
		  1u);
}

// Both kernels call a function that asks where it is; it has to be right in the one that is not sliced, too.
TEST(Slice, FunctionsOfKernelsThatStayKnowTheirBlock)
{
	auto text = with_header(".func (.reg .u32 %v) place()\n{\nmov.u32 %v, %ctaid.x;\nret;\n}\n"
				".entry other()\n{\n.reg .b32 %r;\ncall (%r), place;\nret;\n}\n"
				".entry k(.param .u64 out)\n{\n.reg .b64 %d, %o;\n.reg .b32 %r;\n"
				"ld.param.u64 %d, [out];\ncall (%r), place;\nmul.wide.u32 %o, %r, 4;\n"
				"add.u64 %d, %d, %o;\nst.global.u32 [%d], %r;\nmov.u32 %r, %envreg2;\nret;\n}\n");
	example e("", "k", {3}, {1});
	e.out(std::vector<uint32_t>{0, 1, 2});
	stage s(e, instrumented(text, "slice").text, {});
	s.must_run();
	s.check();
}

TEST(Slice, NeedsRoomInSharedMemory)
{
	auto shared = [](unsigned bytes) {
		return ".shared .align 4 .b8 all[" + std::to_string(bytes) + "];\n.shared .b8 unused[50000];\n";
	};
	std::string use = "ld.shared.u32 %r, [all];\n";
	EXPECT_EQ(sliced_pair(use, shared(49152 - 32)).left.size(), 0u);
	auto full = sliced_pair(use, shared(49152 - 16));
	ASSERT_EQ(full.left.size(), 1u);
	EXPECT_TRUE(says(full.left[0].why.what, "32 bytes of shared memory"));
	std::string in_function = ".func f\n{\n.reg .b32 %r;\n" + use + "ret;\n}\n";
	EXPECT_EQ(sliced_pair("call f;\n", shared(49152) + in_function).left.size(), 1u);
	// The function looks for its block there, and the kernel that calls it has no room even for that.
	std::string place = ".func p\n{\n.reg .b32 %q;\nmov.u32 %q, %ctaid.y;\nret;\n}\n";
	auto both = sliced_pair(use + "call p;\n", shared(49152) + place, "call p;\n");
	ASSERT_TRUE(both.refused);
}

TEST(Slice, NeedsRoomForItsParameter)
{
	auto refused = [](const char *version, const char *target, unsigned bytes) {
		return refusal(".version " + std::string(version) + "\n.target " + target +
				       "\n.address_size 64\n.entry k(.param .align 8 .b8 p[" + std::to_string(bytes) +
				       "])\n{\nret;\n}\n",
			       {"slice"}) != "accepted";
	};
	EXPECT_FALSE(refused("8.1", "sm_70", 32752));
	EXPECT_TRUE(refused("8.1", "sm_70", 32760));
	EXPECT_TRUE(refused("8.1", "sm_60", 4096));
	EXPECT_TRUE(refused("8.0", "sm_90", 4096));
	EXPECT_FALSE(refused("8.0", "sm_90", 4088));
}

TEST(Slice, KernelsCanOptOut)
{
	std::string pragma = ".pragma \"het_no_slice\";\n";
	EXPECT_EQ(refused(pragma + "mov.u32 %r1, %envreg2;"), "accepted");
	auto text = with_header(".func (.reg .u32 %v) place()\n{\nmov.u32 %v, %ctaid.x;\nret;\n}\n"
				".entry k(.param .u64 out)\n{\n.reg .b64 %d, %o;\n.reg .b32 %r, %s;\n" +
				pragma +
				"ld.param.u64 %d, [out];\ncall (%r), place;\nmul.wide.u32 %o, %r, 4;\n"
				"add.u64 %d, %d, %o;\nmov.u32 %s, %nctaid.x;\nst.global.u32 [%d], %s;\nret;\n}\n");
	auto out = instrumented(text, "slice");
	ASSERT_EQ(out.blind.size(), 1u);
	EXPECT_NE(out.blind[0].what.find("opts out"), std::string::npos);
	EXPECT_EQ(out.left.size(), 1u);
	example e("", "k", {3}, {1});
	e.out(std::vector<uint32_t>(3, 3u));
	stage s(e, out.text, {});
	s.must_run();
	s.check();
}

// The kernel waits in a loop for the last block, so it ends only if all blocks are there at once.
constexpr const char *waiting =
	".global .u32 arrived;\n.entry k()\n{\n.reg .b32 %r, %n;\n.reg .pred %p;\n"
	"red.global.add.u32 [arrived], 1;\nmov.u32 %n, %nctaid.x;\n"
	"L: ld.volatile.global.u32 %r, [arrived];\nsetp.lt.u32 %p, %r, %n;\n@%p bra L;\nret;\n}\n";

TEST(Slice, SaysWhatMayWait)
{
	auto blind = [](const std::string &body) { return instrumented(with_header(body), "slice").blind; };
	auto found = blind(waiting);
	ASSERT_EQ(found.size(), 1u);
	EXPECT_EQ(found[0].token, "ld.volatile.global.u32 %r, [arrived];");
	EXPECT_TRUE(blind(".entry k()\n{\nL: ld.global.u32 %r1, [%rd1];\nld.volatile.shared.u32 %r2, [%r1];\n"
			  "@%p bra L;\nret;\n}\n")
			    .empty());
}

// These kernels wait in ways that look different in the text: polls in called functions, atomics that change nothing,
// fences, tables of labels.
TEST(Slice, SaysWhatMayWaitInOtherWays)
{
	auto waits = [](const std::string &body, const std::string &before = "") {
		return instrumented(with_header(before +
						".entry k()\n{\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n"
						".reg .pred %p;\n" +
						body + "ret;\n}\n"),
				    "slice")
			.blind.size();
	};
	auto loop = [&](const std::string &body) { return waits("L: " + body + "@%p bra L;\n"); };
	EXPECT_EQ(loop("atom.global.cas.b32 %r1, [%d1], 0, 1;\n"), 1u);
	EXPECT_EQ(loop("atom.global.add.u32 %r1, [%d1], 0;\n"), 1u);
	EXPECT_EQ(loop("atom.global.and.b32 %r1, [%d1], -1;\n"), 1u);
	EXPECT_EQ(loop("mov.u32 %r2, 0;\natom.global.or.b32 %r1, [%d1], %r2;\n"), 1u);
	EXPECT_EQ(loop("mov.u32 %r2, 1;\natom.global.or.b32 %r1, [%d1], %r2;\n"), 0u);
	EXPECT_EQ(loop("mov.u32 %r2, 0;\nadd.u32 %r2, %r2, %r3;\natom.global.or.b32 %r1, [%d1], %r2;\n"), 0u);
	EXPECT_EQ(loop("atom.global.add.u32 %r1, [%d1], 1;\n"), 0u);
	EXPECT_EQ(loop("ld.global.u32 %r1, [%d1];\nmembar.gl;\n"), 1u);
	EXPECT_EQ(loop("ld.global.u32 %r1, [%d1];\nfence.acq_rel.gpu;\n"), 1u);
	EXPECT_EQ(loop("ld.global.u32 %r1, [%d1];\nmembar.cta;\n"), 0u);
	EXPECT_EQ(loop("ld.global.nc.u32 %r1, [%d1];\nmembar.gl;\n"), 0u);
	EXPECT_EQ(loop("M: ld.global.u32 %r1, [%d1];\n@%p bra M;\nmembar.gl;\n"), 1u);
	EXPECT_EQ(waits("L: ld.volatile.global.u32 %r1, [%d1];\nt: .branchtargets L, E;\nbrx.idx %r1, t;\nE:\n"), 1u);
	EXPECT_EQ(waits("ld.volatile.global.u32 %r1, [%d1];\nt: .branchtargets L, E;\nL: brx.idx %r1, t;\nE:\n"), 0u);
	const std::string look =
		".func look()\n{\n.reg .b64 %d;\n.reg .b32 %r;\n.reg .pred %p;\n"
		"ld.volatile.global.u32 %r, [%d];\nret;\n}\n.func look_there()\n{\ncall look;\nret;\n}\n";
	EXPECT_EQ(waits("L: call look_there;\n@%p bra L;\n", look), 1u);
	EXPECT_EQ(waits("call look_there;\nL: @%p bra L;\n", look), 0u);
	EXPECT_EQ(waits("L: call %d1, proto;\n@%p bra L;\nproto: .callprototype _ ();\n", look), 1u);
}

TEST(Slice, AWaitForABlockOfAnotherSliceIsCutShort)
{
	device d(instrumented(with_header(waiting), "slice").text);
	d.with.resident_blocks = 4;
	d.with.most_instructions = 1000000;
	std::vector<slice_control> control{{{4, 1, 1}, 0, 0, 0, 0, 0}};
	uint64_t address = d.share(control);
	EXPECT_FALSE(d.run("k", {4}, {1}, address).error);
	uint32_t none = 0;
	ASSERT_TRUE(d.mem().write(d.prog().variable("arrived").address, &none, 4));
	auto out = d.run("k", {2}, {1}, address);
	ASSERT_TRUE(out.error);
	EXPECT_NE(out.error->what.find("too many instructions"), std::string::npos);
}

} // namespace

} // namespace het::ptx
