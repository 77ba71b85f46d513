// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests automatic variables on stacks in global memory, alone and for threads that became warps.
#include "rewritten.h"

#include "device.h"

#include <algorithm>
#include <numeric>

namespace het::ptx
{

namespace
{

using simt::both_modes;
using simt::corpus_text;
using simt::device;
using simt::with_header;

constexpr unsigned lanes = 32;
constexpr uint64_t stack_bytes = 4096;

// Each thread of the source has one stack.
std::vector<uint8_t> stacks(unsigned threads)
{
	return std::vector<uint8_t>(threads * stack_bytes, 0xa5);
}

const std::string simd = "simd.ptx";

TEST(SoftStack, KeepsArraysOfThreads)
{
	auto text = rewritten(corpus_text("control.ptx"), {"soft-stack"});
	EXPECT_EQ(text.find(".local"), text.npos);
	for (const auto &mode : both_modes(true)) {
		device d(text, true);
		d.with = mode;
		std::vector<int> in(64 * 11), out(64 * 11);
		for (size_t i = 0; i < in.size(); i++)
			in[i] = int(i * 7919 % 200) - 100;
		auto memory = stacks(64);
		d.must_run("local_sort", {2}, {32}, d.share(in), d.share(out), 11, d.share(memory), stack_bytes);
		for (size_t t = 0; t < 64; t++) {
			std::sort(&in[t * 11], &in[t * 11] + 11);
			ASSERT_TRUE(std::equal(&in[t * 11], &in[t * 11] + 11, &out[t * 11]));
		}
		EXPECT_TRUE(std::any_of(memory.begin(), memory.end(), [](uint8_t b) { return b != 0xa5; }));
	}
}

TEST(SoftStack, OneOfEachWarp)
{
	auto text = rewritten(corpus_text("control.ptx"), {"soft-stack", "uniform-simt"});
	for (const auto &mode : both_modes(true)) {
		device d(text, true);
		d.with = mode;
		std::vector<int> in(8 * 11), out(8 * 11);
		for (size_t i = 0; i < in.size(); i++)
			in[i] = int(i * 7919 % 200) - 100;
		auto memory = stacks(8);
		d.must_run("local_sort", {2}, {4 * lanes}, d.share(in), d.share(out), 11, d.share(memory), stack_bytes);
		for (size_t t = 0; t < 8; t++) {
			std::sort(&in[t * 11], &in[t * 11] + 11);
			ASSERT_TRUE(std::equal(&in[t * 11], &in[t * 11] + 11, &out[t * 11]));
		}
		// The array must lie at the top of each stack.
		for (size_t t = 0; t < 8; t++)
			EXPECT_EQ(memcmp(&memory[(t + 1) * stack_bytes - 64], &out[t * 11], 11 * sizeof(int)), 0) << t;
	}
}

// The arrays of a thread are there for its lanes; a function that a lane calls has its own.
TEST(SoftStack, LanesShareTheirThreadsArrays)
{
	auto text = rewritten(corpus_text(simd), {"soft-stack", "uniform-simt"});
	auto reversed = [](const int *in, int n) {
		int s = 0;
		for (int i = n - 1; i >= 0; i--)
			s = int(unsigned(s) * 31 + unsigned(in[i]));
		return s;
	};
	for (const auto &mode : both_modes(true)) {
		device d(text, true);
		d.with = mode;
		std::vector<int> in(32), out(5 * lanes);
		std::iota(in.begin(), in.end(), 100);
		auto memory = stacks(5);
		d.must_run("arrays", {1}, {5 * lanes}, d.share(in), d.share(out), d.share(memory), stack_bytes);
		for (int t = 0; t < 5; t++) {
			std::vector<int> mine(in);
			for (int &v : mine)
				v += t;
			for (int l = 0; l < 32; l++) {
				int part = l % 2 ? reversed(&mine[size_t(l % 8)], 8) : mine[size_t(l * 7 % 32)];
				ASSERT_EQ(out[size_t(t * 32 + l)], reversed(mine.data(), t % 8 + 1) + part)
					<< t << ", " << l;
			}
		}
	}
}

TEST(SoftStack, ThreadsShareAddresses)
{
	auto one = rewritten(only_kernel(corpus_text(simd), "neighbours"), {"soft-stack"}),
	     both = rewritten(corpus_text(simd), {"soft-stack", "uniform-simt"});
	for (const auto &mode : both_modes(true)) {
		for (unsigned wide : {1u, lanes}) {
			device d(wide > 1 ? both : one, true);
			d.with = mode;
			std::vector<int> out(6);
			auto memory = stacks(6);
			d.must_run("neighbours", {1}, {6 * wide}, d.share(out), d.share(memory), stack_bytes);
			for (int t = 0; t < 6; t++)
				EXPECT_EQ(out[size_t(t)], (t + 1) % 6 * 10 + t % 4);
		}
	}
}

TEST(SoftStack, DynamicAllocation)
{
	auto triangle = [](int n) {
		int sum = 0;
		for (; n > 0; n--)
			sum += n * (n - 1) / 2;
		return sum;
	};
	auto text = rewritten(corpus_text(simd), {"soft-stack", "uniform-simt"});
	for (const auto &mode : both_modes(true)) {
		device d(text, true);
		d.with = mode;
		std::vector<int> out(7 * lanes);
		auto memory = stacks(7);
		d.must_run("pyramids", {1}, {7 * lanes}, d.share(out), d.share(memory), stack_bytes);
		for (int t = 0; t < 7; t++)
			for (int l = 0; l < 32; l++)
				ASSERT_EQ(out[size_t(t * 32 + l)], triangle(t % 5 + 1) * 1000 + triangle(l % 6 + 1));
	}
}

// alloca stands under a guard, and memory is given back in between.
TEST(SoftStack, SavesAndRestores)
{
	auto plain =
		with_header(".entry k(.param .u64 out)\n{\n.reg .b64 %a, %b, %c, %s, %o, %n;\n.reg .b32 %t;\n"
			    ".reg .pred %p;\nld.param.u64 %a, [out];\nmov.u32 %t, %tid.x;\n"
			    "mul.wide.u32 %o, %t, 16;\nadd.u64 %a, %a, %o;\nsetp.gt.u32 %p, %t, 1;\n"
			    "mov.u64 %c, 0;\nmov.u64 %n, 24;\n@%p mov.u64 %n, 40;\nstacksave.u64 %s;\n"
			    "@%p alloca.u64 %c, %n, 32;\n@%p st.local.u64 [%c+8], 5;\nstackrestore.u64 %s;\n"
			    "alloca.u64 %b, 16;\nst.local.u64 [%b], 7;\nstacksave.u64 %o;\nsub.u64 %o, %s, %o;\n"
			    "ld.local.u64 %n, [%b];\nst.global.u64 [%a], %n;\nst.global.u64 [%a+8], %o;\nret;\n}\n");
	auto one = rewritten(plain, {"soft-stack"}), both = rewritten(plain, {"soft-stack", "uniform-simt"});
	for (const auto &mode : both_modes()) {
		for (unsigned wide : {1u, lanes}) {
			device d(wide > 1 ? both : one);
			d.with = mode;
			std::vector<uint64_t> out(8);
			auto memory = stacks(4);
			d.must_run("k", {1}, {4 * wide}, d.share(out), d.share(memory), stack_bytes);
			EXPECT_EQ(out, (std::vector<uint64_t>{7, 16, 7, 16, 7, 16, 7, 16}));
		}
		device own(plain);
		own.with = mode;
		std::vector<uint64_t> out(8);
		own.must_run("k", {1}, {4}, own.share(out));
		EXPECT_EQ(out[0], 7u);
		EXPECT_EQ(int64_t(out[1]), -16);
	}
}

TEST(SoftStack, VariablesOfALaneStay)
{
	auto text = rewritten(
		with_header(".extern .func __het_simd_enter;\n.extern .func __het_simd_exit;\n"
			    ".extern .func (.param .b32 r) __het_simd_lane;\n"
			    ".entry k(.param .u64 out)\n{\n.local .align 4 .b32 all[2];\n.reg .b64 %a, %o, %q;\n"
			    ".reg .b32 %l, %v, %w;\nld.param.u64 %a, [out];\nst.local.u32 [all+4], 100;\n"
			    "call __het_simd_enter;\n{\n.local .align 4 .b32 own[2];\n"
			    "{\n.param .b32 r;\ncall (r), __het_simd_lane;\nld.param.u32 %l, [r];\n}\n"
			    "st.local.u32 [own], %l;\nmov.u64 %q, own;\nst.local.u32 [%q+4], %l;\n"
			    "cvta.local.u64 %q, own+4;\nld.u32 %v, [%q];\nld.local.u32 %w, [own];\n"
			    "add.u32 %v, %v, %w;\nmov.u64 %q, all+4;\nld.local.u32 %w, [%q];\nadd.u32 %v, %v, %w;\n}\n"
			    "mul.wide.u32 %o, %l, 4;\nadd.u64 %a, %a, %o;\nst.global.u32 [%a], %v;\n"
			    "call __het_simd_exit;\nret;\n}\n"),
		{"soft-stack", "uniform-simt"});
	for (const auto &mode : both_modes(true)) {
		device d(text);
		d.with = mode;
		std::vector<unsigned> out(lanes);
		auto memory = stacks(1);
		d.must_run("k", {1}, {lanes}, d.share(out), d.share(memory), stack_bytes);
		for (unsigned l = 0; l < lanes; l++)
			ASSERT_EQ(out[l], 100 + 2 * l);
	}
}

TEST(SoftStack, AlignsAndCounts)
{
	auto text =
		rewritten(with_header(".func (.param .b64 r) f()\n{\n.local .align 64 .b8 v[8], w[64];\n.reg .b64 %v;\n"
				      "mov.u64 %v, w;\nst.param.b64 [r], %v;\nret;\n}\n"
				      ".entry k(.param .u64 out)\n{\n.reg .b64 %a, %v;\nld.param.u64 %a, [out];\n"
				      "{\n.param .b64 r;\ncall (r), f;\nld.param.b64 %v, [r];\n}\n"
				      "st.global.u64 [%a], %v;\n{\n.param .b64 r;\ncall (r), f;\n"
				      "ld.param.b64 %v, [r];\n}\nst.global.u64 [%a+8], %v;\nret;\n}\n"),
			  {"soft-stack"});
	device d(text);
	std::vector<uint64_t> out(2);
	auto memory = stacks(1);
	uint64_t base = d.share(memory);
	d.must_run("k", {1}, {1}, d.share(out), base, stack_bytes - 16);
	EXPECT_EQ(out[0] % 64, 0u);
	EXPECT_LE(out[0] + 64, base + stack_bytes - 16);
	EXPECT_EQ(out[0], out[1]);
	auto small = d.run("k", {1}, {1}, d.share(out), base, uint64_t{160});
	ASSERT_TRUE(small.error);
	EXPECT_NE(small.error->what.find("trap"), std::string::npos);
	auto many = d.run("k", {1}, {33}, d.share(out), base, uint64_t{64});
	EXPECT_TRUE(many.error);
}

TEST(SoftStack, RefusesWhatItCanNotDo)
{
	auto of = [](const std::string &statements) {
		return refusal(with_header(".entry k()\n{\n.local .b8 v[8];\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n" +
					   statements + "\nret;\n}\n"),
			       {"soft-stack"});
	};
	EXPECT_EQ(of("mov.u64 %d1, v+3;"), "accepted");
	EXPECT_TRUE(says(of("mov.u32 %r1, v;"), "not followed"));
	EXPECT_TRUE(says(of("add.u64 %d1, %d2, v;"), "not followed"));
	EXPECT_TRUE(says(of("ld.local.u32 %r1, [%r2];"), "32 bits"));
	EXPECT_TRUE(says(of("cvta.local.u32 %r1, %r2;"), "32 bits"));
	EXPECT_TRUE(says(of("alloca.u64 %d1;"), "operands are missing"));
	EXPECT_TRUE(says(refusal(corpus_text("regions.ptx"), {"soft-stack"}), "GCC has done this"));
	EXPECT_TRUE(says(refusal(corpus_text(simd), {"soft-stack", "soft-stack"}), "has this instrument already"));
	EXPECT_TRUE(says(refusal(corpus_text(simd), {"uniform-simt", "soft-stack"}), "before uniform-simt"));
}

} // namespace

} // namespace het::ptx
