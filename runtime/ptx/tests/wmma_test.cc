// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests wmma: products of matrices that a warp loads and stores, and the pages of these.
#include "device.h"
#include "flags.h"
#include "instrument.h"

#include "simt/half.h"

namespace het::ptx
{

namespace
{

using simt::device;
using simt::half;
using simt::with_header;

struct shape {
	unsigned rows, columns;
	const char *name;
};

std::string registers(const char *stem, unsigned n)
{
	std::string all;
	for (unsigned i = 0; i < n; i++)
		all += (i ? ", " : "{") + std::string(stem) + std::to_string(i);
	return all + "}";
}

// Makes k(a, b, c, d), which does d = a * b + c with the strides of each.
std::string product(const shape &s, const char *layout_a, const char *layout_b, const std::string &sum, unsigned stride)
{
	std::string op = ".sync.aligned.", on = std::string(".") + s.name + ".global.",
		    n = std::to_string(stride) + ";\n";
	auto c = sum == "f16" ? registers("%c", 4) : registers("%f", 8);
	return with_header(
		".entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd)\n{\n.reg .b64 %p<4>;\n"
		".reg .b32 %a<8>, %b<8>, %c<4>, %n;\n.reg .f32 %f<8>;\nld.param.u64 %p0, [pa];\nld.param.u64 %p1, "
		"[pb];\n"
		"ld.param.u64 %p2, [pc];\nld.param.u64 %p3, [pd];\nmov.u32 %n, " +
		n + "wmma.load.a" + op + layout_a + on + "f16 " + registers("%a", 8) + ", [%p0], %n;\n" +
		"wmma.load.b" + op + layout_b + on + "f16 " + registers("%b", 8) + ", [%p1], " + n + "wmma.load.c" +
		op + "row" + on + sum + " " + c + ", [%p2], " + n + "wmma.mma" + op + layout_a + "." + layout_b + "." +
		s.name + "." + sum + "." + sum + " " + c + ", " + registers("%a", 8) + ", " + registers("%b", 8) +
		", " + c + ";\n" + "wmma.store.d" + op + "col" + on + sum + " [%p3], " + c + ", %n;\nret;\n}\n");
}

template <typename T> T made(int v)
{
	if constexpr (std::is_same_v<T, half>)
		return simt::from_double<half>(v);
	else
		return T(v);
}

template <typename T> void check_product(const shape &s, bool a_by_columns, bool b_by_columns, const char *sum)
{
	constexpr unsigned depth = 16, stride = 40;
	auto value = [](unsigned r, unsigned c, int salt) { return int(r * 7 + c * 3) % 11 - salt; };
	std::vector<half> a(32 * stride), b(32 * stride);
	std::vector<T> c(32 * stride), d(32 * stride);
	for (unsigned k = 0; k < depth; k++) {
		for (unsigned r = 0; r < s.rows; r++)
			a[a_by_columns ? k * stride + r : r * stride + k] = made<half>(value(r, k, 4));
		for (unsigned n = 0; n < s.columns; n++)
			b[b_by_columns ? n * stride + k : k * stride + n] = made<half>(value(k, n, 5));
	}
	for (unsigned r = 0; r < s.rows; r++)
		for (unsigned n = 0; n < s.columns; n++)
			c[r * stride + n] = made<T>(value(r, n, 6));
	auto text = product(s, a_by_columns ? "col" : "row", b_by_columns ? "col" : "row", sum, stride);
	for (const auto &mode : simt::both_modes()) {
		device on(text, true);
		on.with = mode;
		on.with.check_defined = on.with.statistics = true;
		on.must_run("k", {1}, {32}, on.share(a), on.share(b), on.share(c), on.share(d));
		for (unsigned r = 0; r < s.rows; r++)
			for (unsigned n = 0; n < s.columns; n++) {
				int want = value(r, n, 6);
				for (unsigned k = 0; k < depth; k++)
					want += value(r, k, 4) * value(k, n, 5);
				ASSERT_EQ(memcmp(&d[n * stride + r], std::vector<T>{made<T>(want)}.data(), sizeof(T)),
					  0)
					<< s.name << ' ' << r << ' ' << n;
			}
	}
}

constexpr shape shapes[] = {{16, 16, "m16n16k16"}, {8, 32, "m8n32k16"}, {32, 8, "m32n8k16"}};

TEST(Fragments, Products)
{
	for (const shape &s : shapes)
		for (unsigned layouts = 0; layouts < 4; layouts++) {
			check_product<float>(s, layouts & 1, layouts & 2, "f32");
			check_product<half>(s, layouts & 1, layouts & 2, "f16");
		}
}

TEST(Fragments, HaveToBeAligned)
{
	std::vector<uint8_t> bytes(4096);
	auto error = [&](unsigned offset, unsigned stride) {
		device on(product(shapes[0], "row", "row", "f32", stride));
		uint64_t at = on.share(bytes);
		auto out = on.run("k", {1}, {32}, at + offset, at, at, at);
		return out.error ? out.error->what : std::string();
	};
	EXPECT_EQ(error(0, 16), "");
	EXPECT_NE(error(16, 16).find("not aligned to 32"), std::string::npos);
	EXPECT_NE(error(0, 17).find("not aligned to 32"), std::string::npos);
	EXPECT_NE(error(0, 200).find("reads"), std::string::npos);
}

// The rows lie far from each other; those of 64 bytes begin at the end of a page.
TEST(Fragments, PagesAreThoseOfTheirRows)
{
	constexpr uint64_t stride = 24 << 10; // in elements: 48 KiB of halves, 96 KiB of floats
	constexpr uint64_t size = 40 * stride * 4, begin = page_bytes - 32;
	auto pages = [](uint64_t lines, uint64_t element, uint64_t elements) {
		std::set<uint64_t> all;
		for (uint64_t n = 0; n < lines; n++)
			for (uint64_t byte : {uint64_t{0}, elements * element - 1})
				all.insert((begin + n * stride * element + byte) / page_bytes);
		return all;
	};
	std::vector<uint8_t> bytes[4];
	for (auto &b : bytes)
		b.resize(size);
	for (const shape &s : shapes) {
		device on(instrumented(product(s, "row", "col", "f32", stride), "touch,dirty").text);
		uint64_t at[4];
		for (unsigned n = 0; n < 4; n++)
			at[n] = on.share(bytes[n]);
		flags touched(&on, "touch", at[0], at[3] + size), written(&on, "dirty", at[0], at[3] + size);
		on.must_run("k", {1}, {32}, at[0] + begin, at[1] + begin, at[2] + begin, at[3] + begin);
		EXPECT_EQ(touched.noted(at[0], size), pages(s.rows, 2, 16)) << s.name;
		EXPECT_EQ(touched.noted(at[1], size), pages(s.columns, 2, 16)) << s.name;
		EXPECT_EQ(touched.noted(at[2], size), pages(s.rows, 4, s.columns)) << s.name;
		EXPECT_EQ(written.noted(at[3], size), pages(s.columns, 4, s.rows)) << s.name;
		EXPECT_EQ(written.count(), pages(s.columns, 4, s.rows).size()) << s.name;
	}
}

} // namespace

} // namespace het::ptx
