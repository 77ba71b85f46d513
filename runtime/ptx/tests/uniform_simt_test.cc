// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests threads that became warps: what they do once, and what their lanes do in SIMD regions.
#include "rewritten.h"

#include "atomics.h"

#include <algorithm>
#include <numeric>

namespace het::ptx
{

namespace
{

using simt::both_modes;
using simt::corpus_text;
using simt::device;
using simt::extent;
using simt::with_header;

constexpr unsigned lanes = 32;

std::string uniform(const std::string &text, const pass_options &with = {})
{
	return rewritten(text, {"uniform-simt"}, with);
}

std::string uniform_body(const std::string &body)
{
	return uniform(with_header(body));
}

const std::string simd = "simd.ptx";

// With w warps an addition of 1 counts w outside of regions, and the lanes inside.
TEST(UniformSimt, CountsWarpsOutsideAndLanesInside)
{
	auto text = uniform(corpus_text(simd));
	for (const auto &mode : both_modes(true)) {
		for (unsigned warps : {1u, 3u, 32u}) {
			device d(text, true);
			d.with = mode;
			std::vector<unsigned> c(4);
			d.must_run("count", {2}, {lanes * warps}, d.share(c));
			unsigned threads = 2 * warps;
			EXPECT_EQ(c, (std::vector<unsigned>{threads, threads * 32, threads * 11, threads}));
		}
	}
}

TEST(UniformSimt, CallsInsideAndOutside)
{
	auto text = uniform(corpus_text(simd));
	for (const auto &mode : both_modes(true)) {
		device d(text, true);
		d.with = mode;
		constexpr unsigned warps = 4;
		std::vector<uint64_t> c(4);
		std::vector<unsigned> seen(warps * lanes);
		d.must_run("nested", {1}, {warps * lanes}, d.share(c), d.share(seen));
		uint64_t inside = 0, spread = 0;
		for (uint64_t lane = 0; lane < 5; lane++)
			inside += lane; // tally is called so often, each time with an even number
		for (uint64_t i = 0; i < 70; i++)
			spread += i & 1 ? i << 20 : 1;
		EXPECT_EQ(c[0], warps * 3);
		EXPECT_EQ(c[1], warps * inside);
		EXPECT_EQ(c[2], warps);
		EXPECT_EQ(c[3], warps * spread);
		for (unsigned i = 0; i < seen.size(); i++) {
			unsigned lane = i % lanes;
			ASSERT_EQ(seen[i], 3 + (lane < 5 ? lane + 1 : 0)) << i;
		}
	}
}

TEST(UniformSimt, ResultsOf64BitsReachAllLanes)
{
	auto text = uniform(corpus_text(simd));
	for (const auto &mode : both_modes(true)) {
		device d(text, true);
		d.with = mode;
		constexpr unsigned warps = 8;
		std::vector<uint64_t> next{0xfffffff0ull}, out(warps * lanes);
		std::vector<float> sum(1), was(warps * lanes);
		d.must_run("tickets", {1}, {warps * lanes}, d.share(next), d.share(out), d.share(sum), d.share(was));
		std::vector<uint64_t> got, want(warps);
		for (unsigned w = 0; w < warps; w++) {
			want[w] = 0xfffffff0ull + w * 0x100000001ull;
			for (unsigned l = 0; l < lanes; l++) {
				ASSERT_EQ(out[w * lanes + l], out[w * lanes]);
				ASSERT_EQ(was[w * lanes + l], was[w * lanes]);
			}
			got.push_back(out[w * lanes]);
		}
		std::sort(got.begin(), got.end());
		EXPECT_EQ(got, want);
		EXPECT_EQ(sum[0], warps * 0.5f);
	}
}

TEST(UniformSimt, LoopsDivergeInRegions)
{
	auto text = uniform(corpus_text(simd));
	for (const auto &mode : both_modes(true)) {
		device d(text, true);
		d.with = mode;
		std::vector<unsigned> in(400), out(400);
		std::iota(in.begin(), in.end(), 1u);
		d.must_run("steps", {2}, {2 * lanes}, d.share(in), d.share(out), 400);
		for (unsigned i = 0; i < in.size(); i++) {
			unsigned count = 0;
			for (unsigned v = in[i]; v != 1; v = v & 1 ? 3 * v + 1 : v / 2)
				count++;
			ASSERT_EQ(out[i], count) << i;
		}
	}
}

TEST(UniformSimt, LanesMayShuffleInRegions)
{
	auto text = uniform(corpus_text(simd));
	for (const auto &mode : both_modes(true)) {
		device d(text, true);
		d.with = mode;
		std::vector<float> a(999), b(999), out(1);
		float want = 0;
		for (unsigned i = 0; i < a.size(); i++) {
			a[i] = float(i % 7);
			b[i] = float(i % 5) - 2;
			want += a[i] * b[i];
		}
		d.must_run("scalar_product", {3}, {2 * lanes}, d.share(a), d.share(b), d.share(out), 999);
		EXPECT_EQ(out[0], want);
	}
}

// x = x + 1 by lanes that go at different speeds must count once.
TEST(UniformSimt, StoresAreDoneOnceForAllLanes)
{
	auto text = uniform_body(".entry k(.param .u64 out)\n{\n.reg .b64 %a, %o;\n.reg .b32 %t, %v;\n.reg .pred %p;\n"
				 "ld.param.u64 %a, [out];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %o, %t, 4;\n"
				 "add.u64 %a, %a, %o;\nmov.u32 %t, 0;\n"
				 "$again:\nld.global.u32 %v, [%a];\nadd.u32 %v, %v, 1;\nst.global.u32 [%a], %v;\n"
				 "setp.eq.u32 %p, %v, 3;\n@%p st.global.u32 [%a], 100;\n@!%p st.u32 [%a], %v;\n"
				 "add.u32 %t, %t, 1;\nsetp.lt.u32 %p, %t, 7;\n@%p bra $again;\nret;\n}\n");
	for (const auto &mode : both_modes(true)) {
		device d(text);
		d.with = mode;
		std::vector<unsigned> out(5);
		d.must_run("k", {1}, {5 * lanes}, d.share(out));
		EXPECT_EQ(out, std::vector<unsigned>(5, 104));
	}
}

TEST(UniformSimt, AtomicsUnderGuards)
{
	auto text = uniform_body(".entry k(.param .u64 sums, .param .u64 out)\n{\n.reg .b64 %s, %a, %o, %d;\n"
				 ".reg .b32 %t, %v;\n.reg .b16 %h;\n.reg .pred %p;\nld.param.u64 %s, [sums];\n"
				 "ld.param.u64 %a, [out];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %o, %t, 8;\n"
				 "add.u64 %a, %a, %o;\nmov.u32 %v, 7;\nmov.u64 %d, 9;\nsetp.gt.u32 %p, %t, 1;\n"
				 "@%p atom.global.add.u32 %v, [%s], 1;\n@!%p red.global.add.u32 [%s+4], 1;\n"
				 "@!%p atom.global.exch.b64 %d, [%s+8], 5;\n"
				 "@%p atom.global.cas.b16 %h, [%s+16], 3, 4;\n@!%p mov.u16 %h, 0;\n"
				 "cvt.u32.u16 %t, %h;\nadd.u32 %v, %v, %t;\ncvt.u64.u32 %o, %v;\n"
				 "add.u64 %d, %d, %o;\nst.global.u64 [%a], %d;\nret;\n}\n");
	for (const auto &mode : both_modes(true)) {
		device d(text);
		d.with = mode;
		std::vector<uint32_t> sums(6);
		sums[4] = 3;
		std::vector<uint64_t> out(6);
		d.must_run("k", {1}, {6 * lanes}, d.share(sums), d.share(out));
		EXPECT_EQ(sums, (std::vector<uint32_t>{4, 2, 5, 0, 4, 0}));
		uint64_t guarded = std::accumulate(&out[2], &out[0] + 6, uint64_t{});
		EXPECT_EQ(guarded, 4 * 9 + (0 + 1 + 2 + 3) + (3 + 4 + 4 + 4u));
		EXPECT_EQ(out[0] + out[1], 7 + 0 + 7 + 5u);
	}
}

// Threads wait for each other: one lane looks, so that all see the same.
TEST(UniformSimt, VolatileLoadsAreTheSameForAllLanes)
{
	auto text =
		uniform_body(".entry k(.param .u64 turn, .param .u64 out)\n{\n.reg .b64 %a, %b, %o;\n"
			     ".reg .b32 %t, %n, %v;\n.reg .pred %p;\nld.param.u64 %a, [turn];\n"
			     "ld.param.u64 %b, [out];\nmov.u32 %t, %tid.x;\nmov.u32 %n, 0;\nmul.wide.u32 %o, %t, 4;\n"
			     "add.u64 %b, %b, %o;\n$look:\nadd.u32 %n, %n, 1;\nld.volatile.global.u32 %v, [%a];\n"
			     "setp.ne.u32 %p, %v, %t;\n@%p bra $look;\nst.global.u32 [%b], %n;\nmembar.gl;\n"
			     "add.u32 %v, %v, 1;\nst.volatile.global.u32 [%a], %v;\nret;\n}\n");
	for (const auto &mode : both_modes(true)) {
		device d(text);
		d.with = mode;
		std::vector<unsigned> turn(1), out(6);
		d.must_run("k", {1}, {6 * lanes}, d.share(turn), d.share(out));
		EXPECT_EQ(turn[0], 6u);
		EXPECT_TRUE(std::all_of(out.begin(), out.end(), [](unsigned n) { return n > 0; }));
	}
}

TEST(UniformSimt, ThreadsAndBlocksAreTheSources)
{
	auto text = uniform_body(
		".entry k(.param .u64 out)\n.maxntid 64, 1, 1\n{\n.reg .b64 %a, %o;\n.reg .b32 %x, %n, %i;\n"
		"ld.param.u64 %a, [out];\nmov.u32 %i, %tid.z;\nmov.u32 %n, %ntid.y;\nmul.lo.u32 %i, %i, %n;\n"
		"mov.u32 %x, %tid.y;\nadd.u32 %i, %i, %x;\nmov.u32 %n, %ntid.x;\nmul.lo.u32 %i, %i, %n;\n"
		"mov.u32 %x, %tid.x;\nadd.u32 %i, %i, %x;\nmul.wide.u32 %o, %i, 4;\nadd.u64 %a, %a, %o;\n"
		"mad.lo.u32 %n, %n, 100, %x;\natom.global.add.u32 %x, [%a], %n;\n"
		"cvt.u64.u32 %o, %ntid.x;\nmov.u64 %o, %tid.x;\nret;\n}\n");
	EXPECT_NE(text.find(".maxntid 1024\n"), text.npos);
	for (const auto &mode : both_modes(true)) {
		device d(text);
		d.with = mode;
		std::vector<unsigned> out(3 * 2 * 4);
		d.must_run("k", {1}, {3 * lanes, 2, 4}, d.share(out));
		for (unsigned i = 0; i < out.size(); i++)
			ASSERT_EQ(out[i], 300 + i % 3) << i;
	}
}

TEST(UniformSimt, BarriersCountTheSourcesThreads)
{
	auto text = uniform_body(
		".entry k(.param .u64 out)\n.reqntid 6\n{\n.reg .b64 %a, %o;\n.reg .b32 %t, %n, %m;\n.reg .pred %p, "
		"%q;\n"
		"ld.param.u64 %a, [out];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %o, %t, 4;\nadd.u64 %a, %a, %o;\n"
		"setp.gt.u32 %p, %t, 1;\nbar.sync 0;\nbar.red.popc.u32 %n, 1, %p;\n"
		"@!%p bar.arrive 2, 32;\n@%p bar.sync 2, 32;\nmov.u32 %m, 32;\n"
		"bar.red.popc.u32 %m, 3, %m, !%p;\nbarrier.red.and.pred %q, 4, %p;\n@%q add.u32 %n, %n, 1000;\n"
		"mad.lo.u32 %n, %n, 10, %m;\nst.global.u32 [%a], %n;\nret;\n}\n");
	EXPECT_NE(text.find(".reqntid 192, 1, 1"), text.npos);
	for (const auto &mode : both_modes(true)) {
		device d(text);
		d.with = mode;
		std::vector<unsigned> out(6);
		d.must_run("k", {1}, {6 * lanes}, d.share(out));
		EXPECT_EQ(out, std::vector<unsigned>(6, 42));
	}
}

// One lane calls, and its result is everyone's. All lanes can use what it got from malloc.
TEST(UniformSimt, CallsWithEffectsAreMadeOnce)
{
	auto text = uniform(corpus_text("control.ptx"));
	for (const auto &mode : both_modes()) {
		device d(text);
		d.with = mode;
		std::vector<std::string> lines;
		d.with.print = [&](std::string_view s) { lines.emplace_back(s); };
		d.must_run("say", {1}, {2 * lanes}, 2);
		std::sort(lines.begin(), lines.end());
		EXPECT_EQ(lines, (std::vector<std::string>{"thread 0 of 2: even  0.00 123456789abc%\n",
							   "thread 1 of 2: odd  0.50 123456789abc%\n"}));
	}
	auto heap = uniform_body(
		".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
		".entry k(.param .u64 out)\n{\n.reg .b64 %a, %b, %o;\n.reg .b32 %t, %v;\n"
		".reg .pred %p;\nld.param.u64 %a, [out];\nmov.u32 %t, %tid.x;\n"
		"mul.wide.u32 %o, %t, 4;\nadd.u64 %a, %a, %o;\nsetp.ne.u32 %p, %t, 2;\n"
		"@!%p bra $end;\n{\n.param .b64 n;\n.param .b64 r;\nst.param.b64 [n], 16;\n"
		"@%p call (r), malloc, (n);\nld.param.b64 %b, [r];\n}\nst.u32 [%b], %t;\n"
		"ld.u32 %v, [%b];\nadd.u32 %v, %v, 40;\nst.global.u32 [%a], %v;\n"
		"{\n.param .b64 q;\nst.param.b64 [q], %b;\ncall free, (q);\n}\n$end:\nret;\n}\n");
	for (const auto &mode : both_modes()) {
		device d(heap);
		d.with = mode;
		std::vector<unsigned> out(4);
		d.must_run("k", {1}, {4 * lanes}, d.share(out));
		EXPECT_EQ(out, (std::vector<unsigned>{40, 41, 0, 43}));
	}
}

// Each lane has local memory of its own, so all of them store there.
TEST(UniformSimt, GenericStoresToLocalMemory)
{
	auto text = uniform_body(".entry k(.param .u64 out)\n{\n.local .align 8 .b8 own[16];\n.reg .b64 %a, %l;\n"
				 ".reg .b32 %t, %v;\n.reg .pred %p;\nld.param.u64 %a, [out];\nmov.u32 %t, %tid.x;\n"
				 "mul.wide.u32 %l, %t, 4;\nadd.u64 %a, %a, %l;\nsetp.eq.u32 %p, %t, 1;\n"
				 "cvta.local.u64 %l, own;\nst.u32 [%l+4], 20;\n@%p st.u32 [%l+4], %t;\n"
				 "@!%p st.u32 [%a], 300;\nld.local.u32 %v, [own+4];\n@!%p ld.u32 %t, [%a];\n"
				 "add.u32 %v, %v, %t;\nst.u32 [%a], %v;\nret;\n}\n");
	for (const auto &mode : both_modes(true)) {
		device d(text);
		d.with = mode;
		std::vector<unsigned> out(3);
		d.must_run("k", {1}, {3 * lanes}, d.share(out));
		EXPECT_EQ(out, (std::vector<unsigned>{320, 2, 320}));
	}
}

TEST(UniformSimt, ListedCallsAreMadeOnceToo)
{
	auto text = with_header(
		".extern .func log_it(.param .b32 v);\n.entry k()\n{\n.param .b32 v;\nst.param.b32 [v], 1;\n"
		"call log_it, (v);\nret;\n}\n");
	auto unlisted = rewrite(text, {"uniform-simt"});
	ASSERT_EQ(unlisted.blind.size(), 1u);
	EXPECT_EQ(unlisted.blind[0].at.line, 9u);
	pass_options with;
	with.master_calls = {"log_it"};
	auto listed = rewrite(text, {"uniform-simt"}, with);
	EXPECT_TRUE(listed.blind.empty());
	EXPECT_NE(listed.text.find("@%het_pred_0 call log_it"), listed.text.npos) << listed.text;
}

// The first load of a loop with atom.cas races with the other threads.
TEST(UniformSimt, LoadsThatRace)
{
	auto text = uniform(only_kernel(corpus_text("warp.ptx"), "atomics"));
	for (const auto &mode : both_modes()) {
		device d(text);
		d.with = mode;
		simt::atomics a;
		a.run(d, {2}, {lanes * lanes});
		EXPECT_EQ(a.u[0], 2 * 496u);
		EXPECT_EQ(a.u[9], simt::atomics::chain(64));
		EXPECT_EQ(a.f[0], 32.f);
	}
}

// The atomics and volatile accesses that may go to the same memory decide which loads are the master's.
TEST(UniformSimt, LoadsOfWhatSeveralThreadsUse)
{
	auto shuffles = [](const std::string &kernel, const std::string &functions = "") {
		auto text =
			uniform(with_header(".global .u32 v[4];\n" + functions +
					    ".entry k(.param .u64 p, .param .align 8 .b8 q[16])\n{\n.reg .b64 %a, %b, "
					    "%c;\n.reg .b32 %r, %s;\n"
					    "ld.param.u64 %a, [p];\nld.param.u64 %b, [q];\nld.param.u64 %c, [q+8];\n" +
					    kernel + "ret;\n}\n"));
		size_t n = 0;
		for (size_t at = text.find("shfl"); at != text.npos; at = text.find("shfl", at + 1))
			n++;
		return n;
	};
	const std::string cas = "atom.global.cas.b32 %s, [%b+4], 0, 1;\n"; // has one shuffle of its own
	EXPECT_EQ(shuffles("ld.global.u32 %r, [%a];\n"), 0u);
	EXPECT_EQ(shuffles("ld.global.u32 %r, [%a];\n" + cas), 1u);
	EXPECT_EQ(shuffles("ld.global.u32 %r, [%b];\n" + cas), 2u);
	EXPECT_EQ(shuffles("ldu.global.u32 %r, [%b];\n" + cas), 2u);
	EXPECT_EQ(shuffles("ld.global.nc.u32 %r, [%b];\n" + cas), 1u);
	EXPECT_EQ(shuffles("ld.global.u32 %r, [%c];\n" + cas), 1u);
	EXPECT_EQ(shuffles("mad.wide.u32 %b, %r, 4, %b;\ncvta.global.u64 %c, %b;\nld.u32 %r, [%c];\n" + cas), 2u);
	EXPECT_EQ(shuffles("mul.wide.u32 %a, %r, 4;\nadd.u64 %a, %b, %a;\nld.global.u32 %r, [%a];\n" + cas), 2u);
	EXPECT_EQ(shuffles("red.global.add.u32 [%a], 1;\nld.global.u32 %r, [%a+8];\n"), 1u);
	EXPECT_EQ(shuffles("st.volatile.global.u32 [%a], 1;\nld.global.u32 %r, [%a];\n"), 1u);
	EXPECT_EQ(shuffles("atom.global.add.u32 %s, [v], 1;\nmov.u64 %a, v;\nld.global.u32 %r, [%a];\n"), 2u);
	EXPECT_EQ(shuffles("atom.global.add.u32 %s, [v], 1;\nld.global.u32 %r, [%a];\n"), 1u);
	// Addresses of anything come through memory, and from calls that are not seen.
	EXPECT_EQ(shuffles("ld.global.u64 %c, [%a];\nld.global.u32 %r, [%c];\n" + cas), 2u);
	EXPECT_EQ(shuffles("ld.global.u64 %b, [%b];\nld.global.u32 %r, [%a];\n" + cas), 4u);
	const std::string call = "{\n.param .b64 x;\n.param .b32 y;\nst.param.b64 [x], %a;\n"
				 "call (y), f, (x);\nld.param.b32 %r, [y];\n}\n";
	auto function = [](const std::string &body) {
		return ".func (.param .b32 r) f(.param .b64 x)\n{\n.reg .b64 %a;\n.reg .b32 %r;\n"
		       "ld.param.b64 %a, [x];\n" +
		       body + "st.param.b32 [r], %r;\nret;\n}\n";
	};
	EXPECT_EQ(shuffles(call, function("ld.global.u32 %r, [%a];\n")), 0u);
	EXPECT_EQ(shuffles(call, function("ld.global.u32 %r, [%a];\natom.global.cas.b32 %r, [%a], %r, 1;\n")), 2u);
	EXPECT_EQ(shuffles(call + "ld.global.u32 %r, [%a];\nld.global.u32 %r, [%b];\n",
			   function("atom.global.cas.b32 %r, [%a], %r, 1;\n")),
		  2u);
}

TEST(UniformSimt, WrongLaunchesAndNestedRegionsTrap)
{
	device d(uniform(corpus_text(simd)));
	std::vector<unsigned> c(4);
	auto odd = d.run("count", {1}, {33}, d.share(c));
	ASSERT_TRUE(odd.error);
	EXPECT_NE(odd.error->what.find("trap"), std::string::npos);

	device nested(uniform_body(".extern .func __het_simd_enter;\n.extern .func __het_simd_exit;\n"
				   ".func f()\n{\ncall __het_simd_enter;\ncall __het_simd_exit;\nret;\n}\n"
				   ".entry k()\n{\ncall f;\ncall __het_simd_enter;\ncall f;\n"
				   "call __het_simd_exit;\nret;\n}\n"));
	auto inside = nested.run("k", {1}, {32});
	ASSERT_TRUE(inside.error);
	EXPECT_NE(inside.error->what.find("trap"), std::string::npos);
}

TEST(UniformSimt, RefusesWhatItCanNotDo)
{
	auto of = [](const std::string &statements) {
		return refusal(with_header(".extern .func __het_simd_enter;\n.extern .func __het_simd_exit;\n"
					   ".entry k()\n{\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.reg .pred %p;\n" +
					   statements + "\nret;\n}\n"),
			       {"uniform-simt"});
	};
	const std::string enter = "call __het_simd_enter;\n", exit = "call __het_simd_exit;\n";
	EXPECT_EQ(of("mov.u32 %r1, %tid.x;"), "accepted");
	EXPECT_TRUE(says(of("mov.u32 %r1, %laneid;"), "11:14: a thread of the source is a warp"));
	EXPECT_TRUE(says(of("shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;"), "warp functions"));
	EXPECT_TRUE(says(of("vote.sync.all.pred %p, %p, -1;"), "warp functions"));
	EXPECT_TRUE(says(of("bar.warp.sync -1;"), "warp functions"));
	EXPECT_TRUE(says(of("mbarrier.init.shared.b64 [%r1], 1;"), "asynchronous"));
	EXPECT_TRUE(says(of("cp.async.ca.shared.global [%r1], [%d1], 16;"), "asynchronous"));
	EXPECT_TRUE(says(of("ld.param.u32 %r1;"), "operands are missing"));
	EXPECT_TRUE(says(of("bar.sync;"), "operands are missing"));
	EXPECT_TRUE(says(of("st.u32 %r1, %r2;"), "an access of this form"));
	EXPECT_EQ(of(enter + "shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;\n" + exit), "accepted");
	EXPECT_TRUE(says(of(enter + "bar.sync 0;\n" + exit), "inside a SIMD region"));
	EXPECT_TRUE(says(of(enter), "leaves the function inside"));
	EXPECT_TRUE(says(of(exit), "no SIMD region to leave"));
	EXPECT_TRUE(says(of(enter + enter + exit), "inside another"));
	EXPECT_TRUE(says(of("@%p " + enter + exit), "without a guard"));
	EXPECT_TRUE(says(of("@%p bra $a;\n" + enter + "$a:\n" + exit), "both inside and outside"));
	EXPECT_TRUE(says(refusal(corpus_text("regions.ptx"), {"uniform-simt"}), "GCC has done this"));
	EXPECT_TRUE(says(refusal(uniform(corpus_text(simd)), {"uniform-simt"}), "has this instrument already"));
	EXPECT_TRUE(says(refusal(".version 5.0\n.target sm_60\n.address_size 64\n", {"uniform-simt"}), "PTX 6.0"));
	EXPECT_TRUE(
		says(refusal(with_header(".entry k()\n.reqntid 33\n{\nret;\n}\n"), {"uniform-simt"}), "at most 32"));
}

} // namespace

} // namespace het::ptx
