// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests matrices in the registers of a warp against ones that are added up here. Products take a as programs do: by
// ldmatrix from rows.
#include "device.h"

#include "simt/half.h"

#include <bit>
#include <random>

namespace het::ptx::simt
{

namespace
{

// Makes a kernel k(in, out) of one warp with %l = the lane, %in, %out and a shared array s of 2 KiB that holds the
// input.
std::string kernel(const std::string &body)
{
	return with_header(
		".shared .align 16 .b8 s[2048];\n.entry k(.param .u64 in, .param .u64 out)\n{\n"
		".reg .b32 %l, %g, %t, %r<30>, %x;\n.reg .f32 %f<10>;\n.reg .b64 %in, %out, %d<10>;\n.reg .pred %p;\n"
		"ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmov.u32 %l, %laneid;\n"
		"shr.u32 %g, %l, 2;\nand.b32 %t, %l, 3;\n"
		// This copies the input to shared memory, 64 bytes a lane.
		"shl.b32 %x, %l, 2;\nmov.u32 %r29, 0;\ncopy:\ncvt.u64.u32 %d0, %x;\nadd.u64 %d0, %d0, %in;\n"
		"ld.global.u32 %r28, [%d0];\nmov.u32 %r27, s;\nadd.u32 %r27, %r27, %x;\nst.shared.u32 [%r27], %r28;\n"
		"add.u32 %x, %x, 128;\nadd.u32 %r29, %r29, 1;\nsetp.lt.u32 %p, %r29, 16;\n@%p bra copy;\n"
		"bar.warp.sync 0xffffffff;\n" +
		body + "\nret;\n}\n");
}

std::string number(unsigned n)
{
	return std::to_string(n);
}

template <typename Out> std::vector<Out> run(const std::string &text, std::vector<uint8_t> in, size_t outputs)
{
	in.resize(2048);
	std::vector<Out> first;
	for (const auto &mode : both_modes()) {
		std::vector<Out> out(outputs);
		device d(text, true);
		d.with = mode;
		d.with.check_defined = true;
		d.must_run("k", {1}, {32}, d.share(in), d.share(out));
		if (first.empty())
			first = out;
		EXPECT_EQ(memcmp(first.data(), out.data(), outputs * sizeof(Out)), 0);
	}
	return first;
}

template <typename T> std::vector<uint8_t> bytes_of_values(const std::vector<T> &v)
{
	std::vector<uint8_t> out(v.size() * sizeof(T));
	memcpy(out.data(), v.data(), out.size());
	return out;
}

// Puts a byte address into %x: @base + %l % 16 * @row + %l / 16 * 16, which is that of a row of four 8 x 8 matrices.
std::string rows(unsigned base, unsigned row)
{
	return "and.b32 %r20, %l, 15;\nmul.lo.u32 %r20, %r20, " + number(row) +
	       ";\nshr.u32 %r21, %l, 4;\nshl.b32 %r21, %r21, 4;\nadd.u32 %r20, %r20, %r21;\nmov.u32 %x, s;\n"
	       "add.u32 %x, %x, %r20;\nadd.u32 %x, %x, " +
	       number(base) + ";\n";
}

} // namespace

TEST(Matrices, LoadAndStore)
{
	std::vector<uint16_t> in(1024);
	for (size_t i = 0; i < in.size(); i++)
		in[i] = uint16_t(i * 3 + 1);
	// Four matrices lie side by side and below each other, as one of 16 x 16. They are stored again at 1024,
	// transposed there and back.
	std::string store = rows(1024, 32) + "bar.warp.sync 0xffffffff;\n";
	std::string copy =
		"\nbar.warp.sync 0xffffffff;\nmov.u32 %r20, s;\nshl.b32 %r21, %l, 4;\nadd.u32 %r20, %r20, %r21;\n"
		"ld.shared.v2.u64 {%d1, %d2}, [%r20+1024];\ncvt.u64.u32 %d3, %r21;\nadd.u64 %d3, %d3, %out;\n"
		"st.global.v2.u64 [%d3], {%d1, %d2};";
	std::string load = rows(0, 32) + "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%x];\n";
	auto got = run<uint16_t>(
		kernel(load + store + "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%x], {%r0, %r1, %r2, %r3};" + copy),
		bytes_of_values(in), 256);
	EXPECT_TRUE(std::equal(got.begin(), got.end(), in.begin()));
	std::string turned =
		rows(0, 32) + "ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 {%r0, %r1, %r2, %r3}, [%x];\n";
	got = run<uint16_t>(
		kernel(turned + store + "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%x], {%r0, %r2, %r1, %r3};" + copy),
		bytes_of_values(in), 256);
	for (size_t r = 0; r < 16; r++)
		for (size_t c = 0; c < 16; c++)
			EXPECT_EQ(got[r * 16 + c], in[c * 16 + r]);
	auto same = run<uint16_t>(kernel(load +
					 "movmatrix.sync.aligned.m8n8.trans.b16 %r4, "
					 "%r0;\nmovmatrix.sync.aligned.m8n8.trans.b16 %r5, %r3;\n"
					 "movmatrix.sync.aligned.m8n8.trans.b16 %r6, "
					 "%r1;\nmovmatrix.sync.aligned.m8n8.trans.b16 %r7, %r2;\n" +
					 store +
					 "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%x], {%r4, %r7, %r6, %r5};" + copy),
				  bytes_of_values(in), 256);
	EXPECT_EQ(same, got);
	same = run<uint16_t>(kernel(load + store +
				    "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%x], {%r0, %r2, %r1, %r3};" +
				    copy),
			     bytes_of_values(in), 256);
	EXPECT_EQ(same, got);
}

namespace
{

// Makes a product of 16 x @k and @k x 8, whose elements of @bits are at 0 (by rows) and at 1024 (by columns).
std::string product(const std::string &what, unsigned k, unsigned bits, const std::string &sums, bool packed = false)
{
	unsigned row = k * bits / 8, b_registers = row / 16;
	std::string body, a, b;
	// A register has a part of row g, the next one of row g + 8; their column is t, and then those after four of
	// them.
	for (unsigned n = 0; n < 2 * b_registers; n++) {
		body += "add.u32 %r20, %g, " + number(n % 2 * 8) + ";\nmul.lo.u32 %r20, %r20, " + number(row) +
			";\nshl.b32 %r21, %t, 2;\nadd.u32 %r20, %r20, %r21;\nmov.u32 %r21, s;\nadd.u32 %r20, %r20, "
			"%r21;\n" +
			"ld.shared.b32 %r" + number(n) + ", [%r20+" + number(n / 2 * 16) + "];\n";
		a += (n ? ", %r" : "%r") + number(n);
	}
	for (unsigned n = 0; n < b_registers; n++) {
		body += "mul.lo.u32 %r20, %g, " + number(row) +
			";\nshl.b32 %r21, %t, 2;\nadd.u32 %r20, %r20, %r21;\nmov.u32 %r21, s;\nadd.u32 %r20, %r20, "
			"%r21;\n" +
			"ld.shared.b32 %r" + number(8 + n) + ", [%r20+" + number(1024 + n * 16) + "];\n";
		b += (n ? ", %r" : "%r") + number(8 + n);
	}
	std::string d = packed ? "%r10, %r11" : sums == "f32" ? "%f0, %f1, %f2, %f3" : "%r10, %r11, %r12, %r13";
	body += "mov.b32 %r10, 0;\nmov.b32 %r11, 0;\nmov.b32 %r12, 0;\nmov.b32 %r13, 0;\n"
		"mov.f32 %f0, 0f3f800000;\nmov.f32 %f1, %f0;\nmov.f32 %f2, %f0;\nmov.f32 %f3, %f0;\n";
	body += "mma.sync.aligned." + what + " {" + d + "}, {" + a + "}, {" + b + "}, {" + d + "};\n";
	// The result is stored by rows.
	std::string type = packed ? "b32" : sums;
	unsigned bytes = packed ? 2 : 4;
	body += "mul.wide.u32 %d1, %g, " + number(8 * bytes) + ";\nmul.wide.u32 %d2, %t, " + number(2 * bytes) +
		";\nadd.u64 %d1, %d1, %d2;\nadd.u64 %d1, %d1, %out;\n";
	std::string first = packed ? "%r" : sums == "f32" ? "%f" : "%r";
	unsigned base = packed || sums != "f32" ? 10 : 0;
	for (unsigned i = 0; i < (packed ? 2u : 4u); i++)
		body += "st.global." + type + " [%d1+" +
			number(packed ? i * 64 * bytes : i / 2 * 64 * bytes + i % 2 * bytes) + "], " + first +
			number(base + i) + ";\n";
	return kernel(body);
}

// Returns small whole numbers, which all types can hold and sum up without an error.
std::vector<int> factors(size_t n, unsigned seed, int low)
{
	std::mt19937 random(seed);
	std::vector<int> all(n);
	for (int &v : all)
		v = low + int(random() % 8);
	return all;
}

template <typename Put>
std::vector<uint8_t> matrices(unsigned k, unsigned bits, const std::vector<int> &a, const std::vector<int> &b, Put put)
{
	std::vector<uint8_t> in(2048);
	for (size_t i = 0; i < 16 * k; i++)
		put(&in[i * bits / 8], a[i]);
	for (size_t i = 0; i < 8 * k; i++)
		put(&in[1024 + i * bits / 8], b[i]);
	return in;
}

double sum_at(unsigned k, const std::vector<int> &a, const std::vector<int> &b, size_t row, size_t column)
{
	double sum = 0;
	for (size_t i = 0; i < k; i++)
		sum += a[row * k + i] * b[column * k + i];
	return sum;
}

template <typename Put> void check_f32(const std::string &what, unsigned k, unsigned bits, Put put)
{
	auto a = factors(16 * k, 1, -4), b = factors(8 * k, 2, -4);
	auto got = run<float>(product(what, k, bits, "f32"), matrices(k, bits, a, b, put), 128);
	for (size_t i = 0; i < 128; i++)
		EXPECT_EQ(got[i], float(1 + sum_at(k, a, b, i / 8, i % 8))) << what << ' ' << i;
}

void put_half(uint8_t *at, int v)
{
	half h = from_double<half>(v);
	memcpy(at, &h, sizeof(h));
}

} // namespace

TEST(Matrices, ProductsOfReals)
{
	auto put_bfloat = [](uint8_t *at, int v) {
		bfloat h = from_double<bfloat>(v);
		memcpy(at, &h, sizeof(h));
	};
	auto put_tf32 = [](uint8_t *at, int v) {
		uint32_t word = std::bit_cast<uint32_t>(float(v)) | 0x1fff; // sets bits that must not count
		memcpy(at, &word, sizeof(word));
	};
	check_f32("m16n8k16.row.col.f32.f16.f16.f32", 16, 16, put_half);
	check_f32("m16n8k8.row.col.f32.f16.f16.f32", 8, 16, put_half);
	check_f32("m16n8k16.row.col.f32.bf16.bf16.f32", 16, 16, put_bfloat);
	check_f32("m16n8k8.row.col.f32.tf32.tf32.f32", 8, 32, put_tf32);
	check_f32("m16n8k4.row.col.f32.tf32.tf32.f32", 4, 32, put_tf32);
	auto a = factors(256, 3, -4), b = factors(128, 4, -4);
	auto got = run<uint16_t>(product("m16n8k16.row.col.f16.f16.f16.f16", 16, 16, "f16", true),
				 matrices(16, 16, a, b, put_half), 128);
	for (size_t i = 0; i < 128; i++)
		EXPECT_EQ(to_double(half{got[i]}), sum_at(16, a, b, i / 8, i % 8)) << i;
}

TEST(Matrices, ProductsOfIntegers)
{
	auto put_byte = [](uint8_t *at, int v) { *at = uint8_t(v); };
	for (unsigned k : {16u, 32u}) {
		auto a = factors(16 * k, 5, -128), b = factors(8 * k, 6, 248);
		auto text = product("m16n8k" + number(k) + ".row.col.s32.s8.u8.s32", k, 8, "s32");
		auto got = run<int32_t>(text, matrices(k, 8, a, b, put_byte), 128);
		for (size_t i = 0; i < 128; i++)
			EXPECT_EQ(got[i], int32_t(sum_at(k, a, b, i / 8, i % 8))) << i;
	}
}

TEST(Matrices, OthersAreNamed)
{
	std::vector<uint8_t> in(2048), out(1024);
	for (const char *what :
	     {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1, %d2}, {%d3}, {%d4}, {%d1, %d2};",
	      "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1}, {%r2, %r3}, "
	      "{%f0, %f1, %f2, %f3}, %r4, 0;",
	      "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 {%r0}, {%r0}, {%r1}, {%r0};",
	      "wmma.load.a.sync.aligned.row.m16n16k16.shared.bf16 {%r0, %r1, %r2, %r3}, [s], 16;",
	      "wgmma.fence.sync.aligned;"}) {
		device d(kernel(what));
		auto done = d.run("k", {1}, {32}, d.share(in), d.share(out));
		ASSERT_TRUE(done.error) << what;
		std::string said = done.error->describe();
		EXPECT_NE(said.find("the interpreter does not know"), std::string::npos) << said;
		EXPECT_NE(said.find(std::string(what).substr(0, 20)), std::string::npos) << said;
	}
}

} // namespace het::ptx::simt
