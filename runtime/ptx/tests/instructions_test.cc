// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests single instructions: exact integers, and floating point in every direction of rounding.
#include "device.h"

#include <bit>
#include <cmath>
#include <limits>

namespace het::ptx::simt
{

namespace
{

// Runs @body in one thread with 64-bit inputs in %a0 to %a3, and returns what it left in %d0 and %d1.
std::vector<uint64_t> results(const std::string &body, std::vector<uint64_t> in)
{
	in.resize(4);
	std::vector<uint64_t> out(2);
	std::string text =
		with_header(".entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b64 %a<4>, %d<2>, %in, %out;\n"
			    ".reg .b32 %r<10>;\n.reg .b16 %h<10>;\n.reg .pred %p<4>;\n.reg .f32 %f<10>;\n"
			    "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n"
			    "ld.global.u64 %a0, [%in];\nld.global.u64 %a1, [%in+8];\nld.global.u64 %a2, [%in+16];\n"
			    "ld.global.u64 %a3, [%in+24];\ncvt.u32.u64 %r0, %a0;\ncvt.u32.u64 %r1, %a1;\n"
			    "cvt.u32.u64 %r2, %a2;\ncvt.u32.u64 %r3, %a3;\ncvt.u16.u64 %h0, %a0;\n"
			    "cvt.u16.u64 %h1, %a1;\ncvt.u16.u64 %h2, %a2;\nmov.b32 %f0, %r0;\nmov.b32 %f1, %r1;\n"
			    "mov.b32 %f2, %r2;\nmov.u64 %d0, 0;\nmov.u64 %d1, 0;\nmov.b32 %r9, 0;\n" +
			    body + "\nst.global.u64 [%out], %d0;\nst.global.u64 [%out+8], %d1;\nret;\n}\n");
	device d(text);
	d.must_run("k", {1}, {1}, d.share(in), d.share(out));
	return out;
}

uint64_t result(const std::string &body, std::vector<uint64_t> in = {})
{
	return results(body, std::move(in))[0];
}

// Does the same with an instruction on 32-bit registers, such as "add.s32 %r9, %r0, %r1;".
uint32_t result32(const std::string &instruction, std::vector<uint64_t> in)
{
	return uint32_t(result(instruction + "\ncvt.u64.u32 %d0, %r9;", std::move(in)));
}

uint64_t bits(double v)
{
	return std::bit_cast<uint64_t>(v);
}

uint32_t bits(float v)
{
	return std::bit_cast<uint32_t>(v);
}

float real(const std::string &instruction, float a, float b = 0, float c = 0)
{
	return std::bit_cast<float>(result32(instruction + "\nmov.b32 %r9, %f9;", {bits(a), bits(b), bits(c)}));
}

TEST(Integers, AddAndSubtract)
{
	EXPECT_EQ(result32("add.s32 %r9, %r0, %r1;", {0xffffffff, 2}), 1u);
	EXPECT_EQ(result32("add.sat.s32 %r9, %r0, %r1;", {0x7fffffff, 2}), 0x7fffffffu);
	EXPECT_EQ(result32("sub.sat.s32 %r9, %r0, %r1;", {0x80000000, 2}), 0x80000000u);
	EXPECT_EQ(result("sub.u64 %d0, %a0, %a1;", {1, 2}), ~uint64_t{0});
	EXPECT_EQ(result("add.u16 %h9, %h0, %h1;\ncvt.u64.u16 %d0, %h9;", {0xffff, 3}), 2u);
}

TEST(Integers, Carry)
{
	auto sum = results("add.cc.u32 %r4, %r0, %r1;\naddc.u32 %r5, %r2, %r3;\nmov.b64 %d0, {%r4, %r5};",
			   {0xffffffff, 1, 5, 6});
	EXPECT_EQ(sum[0], uint64_t{12} << 32);
	auto rest = results("sub.cc.u64 %d0, %a0, %a1;\nsubc.u64 %d1, %a2, %a3;", {1, 2, 7, 3});
	EXPECT_EQ(rest[0], ~uint64_t{0});
	EXPECT_EQ(rest[1], 3u);
	auto product =
		results("mad.lo.cc.u32 %r4, %r0, %r1, %r2;\nmadc.hi.u32 %r5, %r0, %r1, 0;\nmov.b64 %d0, {%r4, %r5};",
			{0xfffffffb, 0xffffff00, 0xffffffff});
	EXPECT_EQ(product[0], uint64_t{0xfffffffb} * 0xffffff00 + 0xffffffff);
}

TEST(Integers, Multiply)
{
	EXPECT_EQ(result("mul.wide.s32 %d0, %r0, %r1;", {uint32_t(-3), 5}), uint64_t(-15));
	EXPECT_EQ(result("mul.hi.u64 %d0, %a0, %a1;", {~uint64_t{0}, ~uint64_t{0}}), ~uint64_t{0} - 1);
	EXPECT_EQ(result("mul.hi.s64 %d0, %a0, %a1;", {~uint64_t{0}, 5}), ~uint64_t{0});
	EXPECT_EQ(result("mad.wide.u16 %r9, %h0, %h1, %r2;\ncvt.u64.u32 %d0, %r9;", {0xffff, 0xffff, 1}), 0xfffe0002u);
	EXPECT_EQ(result32("mul24.lo.s32 %r9, %r0, %r1;", {0xffffff, 7}), uint32_t(-7));
	EXPECT_EQ(result32("sad.s32 %r9, %r0, %r1, %r2;", {uint32_t(-5), 5, 1}), 11u);
	EXPECT_EQ(result32("vadd.u32.u32.u32.add %r9, %r0, %r1, %r2;", {uint32_t(-5), 7, 30}), 32u);
	EXPECT_EQ(result32("vsub.s32.s32.s32.add %r9, %r0, %r1, %r2;", {uint32_t(-5), 7, 30}), 18u);
	EXPECT_EQ(result32("dp4a.s32.u32 %r9, %r0, %r1, %r2;", {0xff01ff02, 0x01020304, 100}), 106u);
}

TEST(Integers, DivisionNeverTraps)
{
	EXPECT_EQ(result32("div.s32 %r9, %r0, %r1;", {0x80000000, uint32_t(-1)}), 0x80000000u);
	EXPECT_EQ(result32("rem.s32 %r9, %r0, %r1;", {0x80000000, uint32_t(-1)}), 0u);
	EXPECT_EQ(result32("div.u32 %r9, %r0, %r1;", {5, 0}), ~0u);
	EXPECT_EQ(result32("div.s32 %r9, %r0, %r1;", {uint32_t(-7), 2}), uint32_t(-3));
	EXPECT_EQ(result32("rem.s32 %r9, %r0, %r1;", {uint32_t(-7), 2}), uint32_t(-1));
}

TEST(Integers, ShiftsClamp)
{
	EXPECT_EQ(result32("shl.b32 %r9, %r0, %r1;", {1, 32}), 0u);
	EXPECT_EQ(result32("shr.s32 %r9, %r0, %r1;", {0x80000000, 99}), ~0u);
	EXPECT_EQ(result32("shr.u32 %r9, %r0, %r1;", {0x80000000, 31}), 1u);
	EXPECT_EQ(result32("shf.l.wrap.b32 %r9, %r0, %r1, %r2;", {0x80000000, 1, 33}), 3u);
	EXPECT_EQ(result32("shf.r.clamp.b32 %r9, %r0, %r1, %r2;", {1, 7, 40}), 7u);
}

TEST(Integers, BitFields)
{
	EXPECT_EQ(result32("bfe.u32 %r9, %r0, 4, 8;", {0xabcdef12}), 0xf1u);
	EXPECT_EQ(result32("bfe.s32 %r9, %r0, 4, 8;", {0xabcdef12}), 0xfffffff1u);
	EXPECT_EQ(result32("bfe.s32 %r9, %r0, 28, 16;", {0x80000000}), 0xfffffff8u);
	EXPECT_EQ(result32("bfi.b32 %r9, %r0, %r1, 8, 4;", {0xff, 0}), 0xf00u);
	EXPECT_EQ(result("bfi.b64 %d0, %a0, %a1, 60, 9;", {0xff, 1}), 0xf000000000000001u);
	EXPECT_EQ(result32("bfind.u32 %r9, %r0;", {0}), ~0u);
	EXPECT_EQ(result32("bfind.s32 %r9, %r0;", {0xffff0000}), 15u);
	EXPECT_EQ(result32("prmt.b32 %r9, %r0, %r1, 0xF560;", {0x33221100, 0x77665580}), 0x00556600u);
	EXPECT_EQ(result32("lop3.b32 %r9, %r0, %r1, %r2, 0xE8;", {0xc, 0xa, 0x6}), 0xeu);
	EXPECT_EQ(result32("fns.b32 %r9, %r0, 2, 2;", {0xf0}), 5u);
	EXPECT_EQ(result("brev.b64 %d0, %a0;", {1}), uint64_t{1} << 63);
	EXPECT_EQ(result32("cnot.b32 %r9, %r0;", {0}), 1u);
}

TEST(Predicates, CompareAndCombine)
{
	std::string show = "\nselp.u64 %d0, 1, 0, %p0;\nselp.u64 %d1, 1, 0, %p1;";
	EXPECT_EQ(results("setp.lt.s32 %p0|%p1, %r0, %r1;" + show, {uint32_t(-1), 1}), (std::vector<uint64_t>{1, 0}));
	EXPECT_EQ(results("setp.lo.u32 %p0|%p1, %r0, %r1;" + show, {uint32_t(-1), 1}), (std::vector<uint64_t>{0, 1}));
	EXPECT_EQ(results("setp.eq.u32 %p2, 1, 1;\nsetp.ge.and.s32 %p0|%p1, %r0, %r1, !%p2;" + show, {2, 1}),
		  (std::vector<uint64_t>{0, 0}));
	EXPECT_EQ(results("mov.pred %p0, 1;\nnot.pred %p1, %p0;" + show, {}), (std::vector<uint64_t>{1, 0}));
	uint32_t nan = bits(std::nanf(""));
	EXPECT_EQ(results("setp.ne.f32 %p0, %f0, %f1;\nsetp.neu.f32 %p1, %f0, %f1;" + show, {nan, 0}),
		  (std::vector<uint64_t>{0, 1}));
	EXPECT_EQ(results("setp.num.f32 %p0, %f0, %f1;\nsetp.ltu.f32 %p1, %f0, %f1;" + show, {nan, 0}),
		  (std::vector<uint64_t>{0, 1}));
	// These compare 1 and 2 with 1 and 1, and then NaN and a subnormal number with 0.
	EXPECT_EQ(results("setp.gt.f16x2 %p0|%p1, %r0, %r1;" + show, {0x40003c00, 0x3c003c00}),
		  (std::vector<uint64_t>{0, 1}));
	EXPECT_EQ(results("setp.gtu.f16x2 %p0|%p1, %r0, %r1;" + show, {0x00017e00, 0}), (std::vector<uint64_t>{1, 1}));
	EXPECT_EQ(results("setp.gtu.ftz.f16x2 %p0|%p1, %r0, %r1;" + show, {0x00017e00, 0}),
		  (std::vector<uint64_t>{1, 0}));
	EXPECT_EQ(results("setp.eq.u32 %p0, 1, 1;\nsetp.lt.xor.bf16x2 %p0|%p1, %r0, %r1, %p0;" + show,
			  {0x3f803f80, 0x40003f80}),
		  (std::vector<uint64_t>{1, 0}));
	EXPECT_EQ(results("setp.ne.ftz.f16 %p0, %h0, %h1;\nsetp.ne.f16 %p1, %h0, %h1;" + show, {1, 0}),
		  (std::vector<uint64_t>{0, 1}));
	EXPECT_EQ(result32("set.gt.u32.s32 %r9, %r0, %r1;", {1, 0}), ~0u);
	EXPECT_EQ(result32("set.gt.f32.s32 %f9, %r0, %r1;\nmov.b32 %r9, %f9;", {1, 0}), bits(1.f));
	// The halves 1 and 2 are compared with 1 and 1.
	EXPECT_EQ(result32("set.gt.f16x2.f16x2 %r9, %r0, %r1;", {0x40003c00, 0x3c003c00}), 0x3c000000u);
	EXPECT_EQ(result32("set.ge.bf16x2.bf16x2 %r9, %r0, %r1;", {0x40003f80, 0x3f803f80}), 0x3f803f80u);
	EXPECT_EQ(result32("set.eq.u32.f16x2 %r9, %r0, %r1;", {0x40003c00, 0x3c003c00}), 0x0000ffffu);
	EXPECT_EQ(result32("setp.eq.u32 %p0, 1, 1;\nset.eq.xor.f16x2.f16x2 %r9, %r0, %r1, %p0;",
			   {0x40003c00, 0x3c003c00}),
		  0x3c000000u);
	EXPECT_EQ(result32("set.lt.f16.f16 %h9, %h0, %h1;\ncvt.u32.u16 %r9, %h9;", {0x3c00, 0x4000}), 0x3c00u);
	EXPECT_EQ(result32("set.lt.bf16.f32 %h9, %f0, %f1;\ncvt.u32.u16 %r9, %h9;", {bits(1.f), bits(2.f)}), 0x3f80u);
	EXPECT_EQ(result32("set.ne.u32.f16 %r9, %h0, %h1;", {0x3c00, 0x3c00}), 0u);
	EXPECT_EQ(result32("slct.s32.f32 %r9, %r0, %r1, %f2;", {5, 6, bits(-1.f)}), 6u);
}

TEST(Reals, RoundAsTold)
{
	float one = 1, tiny = 0x1p-30f, next = std::nextafter(1.f, 2.f), before = std::nextafter(1.f, 0.f);
	EXPECT_EQ(real("add.f32 %f9, %f0, %f1;", one, tiny), one);
	EXPECT_EQ(real("add.rp.f32 %f9, %f0, %f1;", one, tiny), next);
	EXPECT_EQ(real("add.rm.f32 %f9, %f0, %f1;", one, -tiny), before);
	EXPECT_EQ(real("add.rz.f32 %f9, %f0, %f1;", -one, tiny), -before);
	EXPECT_EQ(real("fma.rn.f32 %f9, %f0, %f1, %f2;", next, next, -1), std::fma(next, next, -1.f));
	EXPECT_EQ(real("div.rz.f32 %f9, %f0, %f1;", 1, 3), std::nextafter(1.f / 3, 0.f));
	EXPECT_EQ(real("sqrt.rp.f32 %f9, %f0;", 2), std::nextafter(std::sqrt(2.f), 2.f));
	EXPECT_EQ(result("rcp.rm.f64 %d0, %a0;", {bits(3.)}), bits(1. / 3));
	EXPECT_EQ(result("rcp.rp.f64 %d0, %a0;", {bits(3.)}), bits(std::nextafter(1. / 3, 1.)));
}

TEST(Reals, FlushAndSaturate)
{
	float subnormal = 0x1p-130f;
	EXPECT_EQ(real("add.f32 %f9, %f0, %f1;", subnormal, 0), subnormal);
	EXPECT_EQ(real("add.ftz.f32 %f9, %f0, %f1;", subnormal, 0), 0);
	EXPECT_EQ(real("mul.ftz.f32 %f9, %f0, %f1;", 0x1p-100f, 0x1p-30f), 0);
	EXPECT_EQ(real("add.sat.f32 %f9, %f0, %f1;", 3, 4), 1);
	EXPECT_EQ(real("add.sat.f32 %f9, %f0, %f1;", std::nanf(""), 4), 0);
}

TEST(Reals, MinimumIgnoresNan)
{
	float nan = std::nanf("");
	EXPECT_EQ(real("min.f32 %f9, %f0, %f1;", nan, 2), 2);
	EXPECT_TRUE(std::isnan(real("min.NaN.f32 %f9, %f0, %f1;", nan, 2)));
	EXPECT_TRUE(std::signbit(real("min.f32 %f9, %f0, %f1;", 0.f, -0.f)));
	EXPECT_FALSE(std::signbit(real("max.f32 %f9, %f0, %f1;", -0.f, 0.f)));
	EXPECT_EQ(real("copysign.f32 %f9, %f0, %f1;", -1, 5), -5);
}

TEST(Reals, ApproximationsAreClose)
{
	EXPECT_NEAR(real("sin.approx.f32 %f9, %f0;", 1), std::sin(1.), 1e-6);
	EXPECT_NEAR(real("ex2.approx.ftz.f32 %f9, %f0;", 3.5), std::exp2(3.5), 1e-5);
	EXPECT_NEAR(real("lg2.approx.f32 %f9, %f0;", 10), std::log2(10.), 1e-6);
	EXPECT_NEAR(real("rsqrt.approx.f32 %f9, %f0;", 7), 1 / std::sqrt(7.), 1e-6);
	EXPECT_NEAR(real("tanh.approx.f32 %f9, %f0;", 0.5), std::tanh(0.5), 1e-6);
}

TEST(Reals, Halves)
{
	auto half_op = [](const char *op, uint64_t a, uint64_t b, uint64_t c = 0) {
		return result(std::string(op) + "\ncvt.u64.u16 %d0, %h9;", {a, b, c});
	};
	EXPECT_EQ(half_op("add.f16 %h9, %h0, %h1;", 0x3c00, 0x4000), 0x4200u);                 // 1 + 2
	EXPECT_EQ(half_op("mul.f16 %h9, %h0, %h1;", 0x7bff, 0x4000), 0x7c00u);                 // overflows
	EXPECT_EQ(half_op("fma.rn.f16 %h9, %h0, %h1, %h2;", 0x3c01, 0x3c01, 0xbc00), 0x1800u); // 2^-9 + 2^-20, a tie
	EXPECT_EQ(half_op("add.bf16 %h9, %h0, %h1;", 0x3f80, 0x3f80), 0x4000u);
	EXPECT_EQ(result32("add.f16x2 %r9, %r0, %r1;", {0x3c004000, 0x3c003c00}), 0x40004200u);
	EXPECT_EQ(half_op("min.f16 %h9, %h0, %h1;", 0x7e01, 0x4000), 0x4000u);
	EXPECT_EQ(half_op("min.NaN.f16 %h9, %h0, %h1;", 0x7e01, 0x4000), 0x7fffu);
	EXPECT_EQ(half_op("max.NaN.f16 %h9, %h0, %h1;", 0x7c00, 0xfc00), 0x7c00u); // infinities
	EXPECT_EQ(half_op("cvt.rn.f16.f32 %h9, %f0;", bits(65519.f), 0), 0x7bffu);
	EXPECT_EQ(half_op("cvt.rn.f16.f32 %h9, %f0;", bits(65520.f), 0), 0x7c00u);
	EXPECT_EQ(half_op("cvt.rz.f16.f32 %h9, %f0;", bits(1e9f), 0), 0x7bffu);
	EXPECT_EQ(half_op("cvt.rn.f16.f32 %h9, %f0;", bits(0x1p-24f), 0), 1u);
	EXPECT_EQ(result32("cvt.f32.f16 %f9, %h0;\nmov.b32 %r9, %f9;", {1}), bits(0x1p-24f));
}

TEST(Conversions, IntegersExtendAndSaturate)
{
	EXPECT_EQ(result("cvt.s64.s8 %d0, %r0;", {0x1ff}), ~uint64_t{0});
	EXPECT_EQ(result("cvt.u64.u8 %d0, %r0;", {0x1ff}), 0xffu);
	EXPECT_EQ(result32("cvt.sat.u8.s32 %r9, %r0;", {uint32_t(-5)}), 0u);
	EXPECT_EQ(result32("cvt.sat.s16.s32 %r9, %r0;", {70000}), 32767u);
}

TEST(Conversions, RealsToIntegers)
{
	auto to_int = [](const char *op, float v) { return int32_t(result32(op, {bits(v)})); };
	EXPECT_EQ(to_int("cvt.rni.s32.f32 %r9, %f0;", 2.5f), 2);
	EXPECT_EQ(to_int("cvt.rni.s32.f32 %r9, %f0;", 3.5f), 4);
	EXPECT_EQ(to_int("cvt.rmi.s32.f32 %r9, %f0;", -2.1f), -3);
	EXPECT_EQ(to_int("cvt.rpi.s32.f32 %r9, %f0;", -2.9f), -2);
	EXPECT_EQ(to_int("cvt.rzi.s32.f32 %r9, %f0;", 1e20f), std::numeric_limits<int>::max());
	EXPECT_EQ(to_int("cvt.rzi.s32.f32 %r9, %f0;", std::nanf("")), 0);
	EXPECT_EQ(to_int("cvt.rzi.u32.f32 %r9, %f0;", -7), 0);
	EXPECT_EQ(real("cvt.rpi.f32.f32 %f9, %f0;", 2.1f), 3);
}

TEST(Conversions, IntegersToReals)
{
	EXPECT_EQ(result32("cvt.rp.f32.u64 %f9, %a0;\nmov.b32 %r9, %f9;", {(uint64_t{1} << 40) + 1}),
		  bits(std::nextafter(0x1p40f, 0x1p41f)));
	EXPECT_EQ(result32("cvt.rn.f32.u64 %f9, %a0;\nmov.b32 %r9, %f9;", {~uint64_t{0}}), bits(0x1p64f));
	EXPECT_EQ(result("cvt.rn.f64.s64 %d0, %a0;", {uint64_t(-3)}), bits(-3.));
	EXPECT_EQ(result32("cvt.rn.f32.f64 %f9, %a0;\nmov.b32 %r9, %f9;", {bits(0.1)}), bits(0.1f));
}

TEST(Moves, PackAndUnpack)
{
	EXPECT_EQ(result("mov.b64 %d0, {%r0, %r1};", {1, 2}), (uint64_t{2} << 32) + 1);
	const std::string vector = ".reg .v2 .u32 %v;\n"; // as GCC has it
	EXPECT_EQ(result(vector + "mov.u32 %v.x, %r0;\nmov.u32 %v.y, %r1;\nmov.b64 %d0, %v;", {1, 2}),
		  (uint64_t{2} << 32) + 1);
	EXPECT_EQ(result(vector + "mov.b64 %v, %a0;\ncvt.u64.u32 %d0, %v.y;", {uint64_t{9} << 32}), 9u);
	EXPECT_EQ(result("mov.b64 {_, %r9}, %a0;\ncvt.u64.u32 %d0, %r9;", {uint64_t{9} << 32}), 9u);
	EXPECT_EQ(result("mov.b32 {%h3, %h4}, %r0;\nmov.b32 %r9, {%h4, %h3};\ncvt.u64.u32 %d0, %r9;", {0x12345678}),
		  0x56781234u);
	EXPECT_EQ(
		result(".reg.v2.u64 %v;\nmov.v2.u64 %v, { 7, 0 };\nmov.u64 %v.y, %a0;\nadd.u64 %d0, %v.x, %v.y;", {5}),
		12u);
}

TEST(Names, ScopesHideOuterRegisters)
{
	EXPECT_EQ(result("mov.u64 %d0, 1;\n{ .reg .u64 %d0; mov.u64 %d0, 2; }\nadd.u64 %d0, %d0, %a0;", {40}), 41u);
}

TEST(Names, MissingOnesAreFaults)
{
	auto fault_of = [](const std::string &body) {
		memory mem;
		program p(mem);
		std::vector<module> all(1);
		auto wrong =
			parse(with_header(".entry k()\n{\n.reg .b32 %r<3>;\n.reg .b64 %d;\n" + body + "\n}"), all[0]);
		if (!wrong)
			wrong = p.load(std::move(all));
		return wrong ? wrong->describe() : "no fault";
	};
	EXPECT_EQ(fault_of("add.s32 %r1, %r2, %r3;"), "8:19: no such name here, at '%r3'");
	EXPECT_EQ(fault_of("add.s32 %q, %r2, %r1;"), "8:9: no such register, at '%q'");
	EXPECT_EQ(fault_of("bra $nowhere;"), "8:5: no such label in this function, at '$nowhere'");
	EXPECT_EQ(fault_of("add.s32 %r1, %d, %r1;"), "8:14: a register of type .b64 where .s32 is wanted, at '%d'");
	EXPECT_EQ(fault_of("add.s32 %r1, %r2;"), "8:1: this instruction has 3 operands, not 2, at 'add.s32'");
	EXPECT_EQ(fault_of("l: l: ret;"), "8:4: a second label of this name, at 'l'");
	EXPECT_EQ(fault_of("ret;"), "no fault");
	EXPECT_EQ(fault_of("frobnicate.u32 %r1;"), "no fault");
	EXPECT_EQ(fault_of("mov.u32 %r1, %frobnication_2;"), "no fault");
	EXPECT_EQ(fault_of("@%frobnication bra E;\nE: ret;"), "no fault");
}

} // namespace

} // namespace het::ptx::simt
