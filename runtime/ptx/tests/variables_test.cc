// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests where variables lie, in shared memory above all.
#include "device.h"

namespace het::ptx::simt
{

namespace
{

// Runs a kernel with @more bytes of dynamic shared memory; the outcome tells how much a block has.
outcome run_with_shared(const std::string &text, const char *kernel, uint32_t more, std::vector<uint32_t> *out)
{
	device d(with_header(text));
	d.shared_bytes = more;
	return d.run(kernel, {1}, {1}, d.share(*out));
}

// Each kernel has the shared memory of what it names, and of what the functions that it calls name, from 0 on.
TEST(Shared, IsLaidOutForEachKernel)
{
	std::string begin = "(.param .u64 out)\n{\n.reg .b32 %r<4>;\n.reg .f32 %f<4>;\n.reg .b64 %out, %f0;\n"
			    "ld.param.u64 %out, [out];\n",
		    show = "st.global.u32 [%out], %r0;\nst.global.u32 [%out+4], %r1;\nst.global.u32 [%out+8], %r2;\n"
			   "mov.u32 %r3, %total_smem_size;\nst.global.u32 [%out+12], %r3;\nret;\n}\n";
	auto text =
		".shared .align 4 .b8 small[12];\n.shared .align 4 .b8 row[64];\n.extern .shared .align 4 .b8 rest[];\n"
		".func f()\n{\n.reg .b32 %r;\nld.shared.u32 %r, [row+60];\nret;\n}\n"
		".entry a" +
		begin + ".shared .b32 own;\nmov.u32 %r0, small;\nmov.u32 %r1, own;\nmov.u32 %r2, rest;\n" + show +
		".entry b" + begin +
		".shared .align 2 .b8 own[6];\nmov.u32 %r0, row;\nld.shared.v4.f32 {%f0, %f1, %f2, %f3}, [row+48];\n"
		"mov.u32 %r1, own;\nmov.u32 %r2, own+5;\n" +
		show + ".entry c" + begin + "mov.u32 %r0, small;\nmov.u32 %r1, 0;\nmov.u32 %r2, 0;\ncall f, ();\n" +
		show + ".entry d" + begin +
		"mov.u64 %f0, f;\nmov.u32 %r0, small;\nmov.u32 %r1, 0;\nmov.u32 %r2, 0;\ncall %f0, ();\n" + show;
	using four = std::vector<uint32_t>;
	four out(4);
	auto run_one = [&](const char *kernel, uint32_t more = 0) {
		auto o = run_with_shared(text, kernel, more, &out);
		EXPECT_FALSE(o.error) << o.error->describe();
		return out;
	};
	EXPECT_EQ(run_one("a", 8), (four{0, 12, 16, 24}));
	EXPECT_EQ(run_one("b"), (four{0, 64, 69, 70}));
	EXPECT_EQ(run_one("c"), (four{0, 0, 0, 76}));
	EXPECT_EQ(run_one("d"), (four{0, 0, 0, 76}));
}

// GCC gives parameters names like those of registers.
TEST(Parameters, MayBeginWithAPercentSign)
{
	std::vector<uint32_t> out(1);
	device d(with_header(".entry k(.param .u64 %out, .param .u64 %stack)\n{\n.reg .b64 %r, %stack_now;\n"
			     ".reg .b32 %w;\nld.param.u64 %r, [%out];\nld.param.u64 %stack_now, [%stack];\n"
			     "cvt.u32.u64 %w, %stack_now;\nst.global.u32 [%r], %w;\nret;\n}\n"));
	auto o = d.run("k", {1}, {1}, d.share(out), uint64_t{77});
	ASSERT_FALSE(o.error) << o.error->describe();
	EXPECT_EQ(out[0], 77u);
}

TEST(Shared, OverrunsAreSeen)
{
	std::string begin = "(.param .u64 out)\n{\n";
	auto text = ".entry a" + begin + ".shared .b32 s[3];\nst.shared.u32 [s+12], 1;\nret;\n}\n.entry b" + begin +
		    ".shared .b32 s[100];\nst.shared.u32 [s+12], 1;\nst.shared.u32 [s+400], 1;\nret;\n}\n";
	std::vector<uint32_t> out(1);
	for (auto [kernel, bytes] : {std::pair("a", "which has 12"), std::pair("b", "which has 400")}) {
		auto o = run_with_shared(text, kernel, 0, &out);
		ASSERT_TRUE(o.error) << kernel;
		EXPECT_NE(o.error->what.find(bytes), std::string::npos) << o.error->describe();
	}
}

// Variables of the same name in two functions are different ones.
TEST(Variables, OfFunctionsAreTheirOwn)
{
	device d(with_header(".entry a(.param .u64 out)\n{\n.global .u32 g = 5;\n.reg .b32 %r;\n.reg .b64 %d;\n"
			     "ld.param.u64 %d, [out];\nld.global.u32 %r, [g];\nst.global.u32 [%d], %r;\nret;\n}\n"
			     ".entry b(.param .u64 out)\n{\n.const .u32 g = 6;\n.reg .b32 %r;\n.reg .b64 %d;\n"
			     "ld.param.u64 %d, [out];\nld.const.u32 %r, [g];\nst.global.u32 [%d], %r;\nret;\n}\n"));
	std::vector<uint32_t> out(1);
	d.must_run("a", {1}, {1}, d.share(out));
	EXPECT_EQ(out[0], 5u);
	d.must_run("b", {1}, {1}, d.share(out));
	EXPECT_EQ(out[0], 6u);
}

} // namespace

} // namespace het::ptx::simt
