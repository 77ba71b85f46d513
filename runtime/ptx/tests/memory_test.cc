// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests copies from global to shared memory, and atomics on halves and vectors.
#include "device.h"

#include <bit>

namespace het::ptx::simt
{

namespace
{

// Makes a kernel k(buffer) with %t = tid.x and %b = the buffer.
std::string kernel(const std::string &body)
{
	return with_header(
		".shared .align 16 .b8 s[1024];\n.entry k(.param .u64 buffer)\n{\n.reg .b32 %t, %r<10>, %n;\n"
		".reg .b64 %b, %d<6>;\n.reg .pred %p<4>;\n.reg .f32 %f<10>;\n.reg .b16 %h<10>;\n"
		"ld.param.u64 %b, [buffer];\nmov.u32 %t, %tid.x;\n" +
		body + "\nret;\n}\n");
}

// Copies 16 bytes of each of 32 threads into shared memory and from there to the same place 512 bytes on.
std::vector<uint8_t> copied(const std::string &copy)
{
	std::vector<uint8_t> bytes(1024);
	for (size_t i = 0; i < 512; i++)
		bytes[i] = uint8_t(i * 7 + 1);
	auto text = kernel("mul.wide.u32 %d0, %t, 16;\nadd.u64 %d1, %b, %d0;\nmov.u32 %r0, s;\nshl.b32 %r1, %t, 4;\n"
			   "add.u32 %r0, %r0, %r1;\nst.shared.v2.u64 [%r0], {-1, -1};\nsetp.lt.u32 %p0, %t, 3;\n" +
			   copy +
			   "\ncp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\n"
			   "ld.shared.v2.u64 {%d2, %d3}, [%r0];\nst.global.v2.u64 [%d1+512], {%d2, %d3};");
	for (const auto &mode : both_modes(true)) {
		auto now = bytes;
		device d(text, true);
		d.with = mode;
		d.must_run("k", {1}, {32}, d.share(now));
		if (mode.seed == 3)
			bytes = now;
	}
	return bytes;
}

TEST(AsynchronousCopies, MoveBytes)
{
	auto got = copied("cp.async.cg.shared.global [%r0], [%d1], 16;");
	EXPECT_TRUE(std::equal(got.begin(), got.begin() + 512, got.begin() + 512));
	got = copied("cp.async.ca.shared::cta.global.L2::128B [%r0+8], [%d1+4], 4;");
	for (size_t i = 0; i < 512; i++)
		EXPECT_EQ(got[512 + i], i % 16 / 4 == 2 ? got[i - 4] : 255) << i;
}

TEST(AsynchronousCopies, FillWithZeroes)
{
	auto got = copied("mov.u32 %n, 5;\ncp.async.ca.shared.global [%r0], [%d1], 8, %n;");
	for (size_t i = 0; i < 512; i++)
		EXPECT_EQ(got[512 + i], i % 16 < 5 ? got[i] : i % 16 < 8 ? 0 : 255) << i;
	got = copied("cp.async.cg.shared.global [%r0], [%d1], 16, %p0;");
	for (size_t i = 0; i < 512; i++)
		EXPECT_EQ(got[512 + i], i < 48 ? 0 : got[i]) << i;
}

TEST(AsynchronousCopies, AreCountedAsLoads)
{
	device d(kernel("mul.wide.u32 %d0, %t, 256;\nadd.u64 %d1, %b, %d0;\nmov.u32 %r0, s;\n"
			"cp.async.ca.shared.global [%r0], [%d1], 4;"));
	d.with.statistics = true;
	std::vector<uint8_t> buffer(8192);
	auto o = d.run("k", {1}, {32}, d.share(buffer));
	ASSERT_FALSE(o.error) << o.error->describe();
	uint64_t lines = 0;
	for (const auto &s : o.counts.sites)
		lines += s.lines;
	EXPECT_EQ(lines, 32u);
	EXPECT_EQ(o.counts.read_pages.size(), 1u);
	EXPECT_TRUE(o.counts.written_pages.empty());
}

TEST(Atomics, OnVectors)
{
	auto text = kernel("mov.f32 %f0, 0f3f800000;\ncvt.rn.f32.u32 %f1, %t;\n"
			   "red.global.v2.f32.add [%b], {%f0, %f1};\n"
			   "atom.global.v4.f32.add {%f2, %f3, %f4, %f5}, [%b+16], {%f0, %f0, %f1, %f1};\n"
			   "mul.wide.u32 %d0, %t, 4;\nadd.u64 %d1, %b, %d0;\nst.global.f32 [%d1+64], %f3;");
	for (const auto &mode : both_modes()) {
		std::vector<float> v(48);
		device d(text);
		d.with = mode;
		d.must_run("k", {1}, {32}, d.share(v));
		EXPECT_EQ(v[0], 32);
		EXPECT_EQ(v[1], 496);
		EXPECT_EQ(v[5], 32);
		EXPECT_EQ(v[7], 496);
		std::vector<bool> seen(32);
		for (size_t t = 0; t < 32; t++)
			seen[size_t(v[16 + t])] = true;
		EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 32);
	}
}

TEST(Atomics, OnHalves)
{
	// As a half 0x3c00 is 1, and 0x4000 is 2; as a bfloat16 0x3f80 is 1.
	auto text = kernel("mov.u32 %r0, 0x40003c00;\nred.global.add.noftz.f16x2 [%b], %r0;\n"
			   "mov.b16 %h0, 0x3c00;\natom.global.add.noftz.f16 %h1, [%b+4], %h0;\n"
			   "mov.b16 %h2, 0x3f80;\nred.global.add.noftz.bf16 [%b+6], %h2;\n"
			   "red.global.v2.f16x2.max.noftz [%b+8], {%r0, %r0};");
	std::vector<uint16_t> v(16);
	device d(text);
	d.must_run("k", {1}, {32}, d.share(v));
	EXPECT_EQ(v[0], 0x5000); // 32
	EXPECT_EQ(v[1], 0x5400); // 64
	EXPECT_EQ(v[2], 0x5000);
	EXPECT_EQ(v[3], 0x4200);
	EXPECT_EQ(v[6], 0x3c00);
	EXPECT_EQ(v[7], 0x4000);
}

} // namespace

} // namespace het::ptx::simt
