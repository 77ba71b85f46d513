// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The kernels of the corpus must do what their sources say, in lockstep and with independent lanes.
#include "atomics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

namespace het::ptx::simt
{

namespace
{

class Corpus : public testing::Test
{
      protected:
	template <typename T> std::vector<T> numbers(size_t n, int least, int most)
	{
		std::vector<T> v(n);
		for (auto &x : v)
			x = T(int(random_() % unsigned(most - least + 1)) + least);
		return v;
	}

	std::mt19937 random_{42};
};

TEST_F(Corpus, VectorAdd)
{
	for (const char *text : {"basic.ptx", "kernels.ptx", "lines.ptx"}) {
		for (const auto &mode : both_modes(true)) {
			device d(corpus_text(text), true);
			d.with = mode;
			auto a = numbers<float>(1000, -50, 50), b = numbers<float>(1000, -50, 50);
			std::vector<float> c(1000);
			d.must_run("vector_add", {8}, {128}, d.share(a), d.share(b), d.share(c), 1000u);
			for (size_t i = 0; i < c.size(); i++)
				ASSERT_EQ(c[i], a[i] + b[i]) << i;
		}
	}
}

TEST_F(Corpus, Saxpy4)
{
	for (const auto &mode : both_modes(true)) {
		device d(corpus_text("basic.ptx"), true);
		d.with = mode;
		auto x = numbers<float>(400, -50, 50), y = numbers<float>(400, -50, 50), was = y;
		d.must_run("saxpy4", {2}, {32}, 3.f, d.share(x), d.share(y), 100u);
		for (size_t i = 0; i < y.size(); i++)
			ASSERT_EQ(y[i], 3 * x[i] + was[i]) << i;
	}
}

TEST_F(Corpus, Sum)
{
	for (const auto &mode : both_modes(true)) {
		device d(corpus_text("basic.ptx"), true);
		d.with = mode;
		auto in = numbers<float>(1000, -50, 50);
		std::vector<float> out(3);
		d.must_run("sum", {3}, {96}, d.share(in), d.share(out), 1000u);
		float want = 0;
		for (float v : in)
			want += v;
		EXPECT_EQ(out[0] + out[1] + out[2], want);
	}
}

TEST_F(Corpus, Scan)
{
	for (const auto &mode : both_modes(true)) {
		device d(corpus_text("basic.ptx"), true);
		d.with = mode;
		d.shared_bytes = 4 * 128;
		auto in = numbers<int>(100, -50, 50);
		std::vector<int> out(100);
		d.must_run("scan", {1}, {128}, d.share(in), d.share(out), 100u);
		int sum = 0;
		for (size_t i = 0; i < in.size(); i++)
			ASSERT_EQ(out[i], sum += in[i]) << i;
	}
}

TEST_F(Corpus, Histogram)
{
	for (const auto &mode : both_modes(true)) {
		device d(corpus_text("basic.ptx"), true);
		d.with = mode;
		auto in = numbers<uint8_t>(3000, 0, 255);
		std::vector<unsigned> bins(256), want(256);
		d.must_run("histogram", {2}, {64}, d.share(in), d.share(bins), 3000u);
		for (uint8_t v : in)
			want[v]++;
		EXPECT_EQ(bins, want);
	}
}

TEST_F(Corpus, Transpose)
{
	for (const auto &mode : both_modes(true)) {
		device d(corpus_text("basic.ptx"), true);
		d.with = mode;
		auto in = numbers<double>(40 * 23, -50, 50);
		std::vector<double> out(in.size());
		d.must_run("transpose", {2, 3}, {16, 16}, d.share(in), d.share(out), 40u, 23u);
		for (size_t y = 0; y < 40; y++)
			for (size_t x = 0; x < 23; x++)
				ASSERT_EQ(out[x * 40 + y], in[y * 23 + x]);
	}
}

TEST_F(Corpus, MatrixVectorProduct)
{
	for (const auto &mode : both_modes(true)) {
		device d(corpus_text("basic.ptx"), true);
		d.with = mode;
		auto m = numbers<float>(7 * 50, -9, 9), v = numbers<float>(50, -9, 9);
		std::vector<float> out(7);
		d.must_run("matvec", {2}, {128}, d.share(m), d.share(v), d.share(out), 7u, 50u);
		for (size_t r = 0; r < 7; r++) {
			float want = 0;
			for (size_t c = 0; c < 50; c++)
				want += m[r * 50 + c] * v[c];
			EXPECT_EQ(out[r], want);
		}
	}
}

TEST_F(Corpus, NewtonSquareRoot)
{
	for (const auto &mode : both_modes(true)) {
		device d(corpus_text("basic.ptx"), true);
		d.with = mode;
		auto in = numbers<double>(50, 0, 1000);
		std::vector<double> out(50);
		d.must_run("newton_sqrt", {1}, {64}, d.share(in), d.share(out), 50u, 40);
		for (size_t i = 0; i < in.size(); i++)
			ASSERT_NEAR(out[i], std::sqrt(in[i]), 1e-9);
	}
}

TEST_F(Corpus, IndirectCallsAndRecursion)
{
	for (const auto &mode : both_modes(true)) {
		device d(corpus_text("control.ptx"), true);
		d.with = mode;
		auto in = numbers<unsigned>(40, 1, 60);
		std::vector<unsigned> out(40), fibonacci(32);
		d.must_run("collatz", {1}, {64}, d.share(in), d.share(out), 40u);
		for (size_t i = 0; i < in.size(); i++) {
			unsigned steps = 0;
			for (unsigned v = in[i]; v != 1; v = v & 1 ? 3 * v + 1 : v / 2)
				steps++;
			ASSERT_EQ(out[i], steps) << in[i];
		}
		d.must_run("recursive", {1}, {32}, d.share(fibonacci));
		const unsigned want[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
		for (size_t i = 0; i < 32; i++)
			ASSERT_EQ(fibonacci[i], want[i % 12]);
	}
}

TEST_F(Corpus, Switches)
{
	for (const auto &mode : both_modes(true)) {
		device d(corpus_text("control.ptx"), true);
		d.with = mode;
		auto in = numbers<int>(64, -1, 8), out = numbers<int>(128, 0, 100), was = out;
		d.must_run("switches", {2}, {32}, d.share(in), d.share(out), 64u);
		const int weights[] = {1, -2, 3, -4, 5, -6, 7, -8};
		for (size_t i = 0; i < 64; i++) {
			int v = in[i];
			int want = v == 0   ? was[i] * 3
				   : v == 1 ? v - 77
				   : v == 2 ? was[i] ^ 0x55
				   : v == 3 ? -v
				   : v == 4 ? v << 4
				   : v == 5 ? was[i] % 7
				   : v == 6 ? weights[i & 7]
					    : -1;
			ASSERT_EQ(out[i], want) << v;
		}
	}
}

TEST_F(Corpus, LocalArraysAndStructures)
{
	for (const auto &mode : both_modes(true)) {
		device d(corpus_text("control.ptx"), true);
		d.with = mode;
		auto in = numbers<int>(32 * 11, -99, 99);
		std::vector<int> out(in.size()), best(64);
		d.must_run("local_sort", {1}, {32}, d.share(in), d.share(out), 11);
		for (size_t t = 0; t < 32; t++) {
			std::sort(&in[t * 11], &in[t * 11] + 11);
			ASSERT_TRUE(std::equal(&in[t * 11], &in[t * 11] + 11, &out[t * 11]));
		}
		auto values = numbers<double>(300, -9999, 9999);
		d.must_run("arg_max", {1}, {64}, d.share(values), d.share(best), 300);
		for (int t = 0; t < 64; t++)
			for (int i = t; i < 300; i += 64)
				ASSERT_LE(values[size_t(i)], values[size_t(best[size_t(t)])]);
	}
}

TEST_F(Corpus, Prints)
{
	device d(corpus_text("control.ptx"));
	std::string text;
	d.with.print = [&](std::string_view s) { text += s; };
	d.must_run("say", {1}, {2}, 2);
	EXPECT_EQ(text, "thread 0 of 2: even  0.00 123456789abc%\nthread 1 of 2: odd  0.50 123456789abc%\n");
	unsigned total = 0;
	ASSERT_TRUE(d.mem().read(d.prog().variable("total").address, &total, 4));
	EXPECT_EQ(total, 9u);
}

// The lanes of one warp take a lock in turn.
TEST_F(Corpus, LanesMakeProgressOnTheirOwn)
{
	for (const auto &mode : both_modes()) {
		device d(corpus_text("control.ptx"));
		d.with = mode;
		std::vector<unsigned> lock(1), count(1);
		d.must_run("locked", {3}, {64}, d.share(lock), d.share(count));
		EXPECT_EQ(count[0], 192u);
	}
}

TEST_F(Corpus, WarpFunctions)
{
	for (const auto &mode : both_modes(true)) {
		device d(corpus_text("warp.ptx"), true);
		d.with = mode;
		auto in = numbers<int>(32, 0, 9);
		std::vector<unsigned> out(32 * 12);
		d.must_run("votes", {1}, {32}, d.share(in), d.share(out));
		unsigned odd = 0, above = 0;
		for (unsigned l = 0; l < 32; l++) {
			odd |= unsigned(in[l] & 1) << l;
			above += in[l] > 3;
		}
		for (unsigned l = 0; l < 32; l++) {
			const unsigned *o = &out[12 * l];
			unsigned same = 0;
			for (unsigned k = 0; k < 32; k++)
				same |= unsigned(in[k] == in[l]) << k;
			auto value = [&](unsigned k) { return unsigned(in[k]); };
			EXPECT_EQ(o[0], odd);
			EXPECT_EQ(o[1], 1u);
			EXPECT_EQ(o[2], unsigned(std::count(in.begin(), in.end(), 7) > 0));
			EXPECT_EQ(o[3], same);
			EXPECT_EQ(o[4], ~0u);
			EXPECT_EQ(o[5], 1u);
			EXPECT_EQ(o[6], value((l & ~7u) + (l + 3) % 8));
			EXPECT_EQ(o[7], value(l % 16 < 2 ? l : l - 2));
			EXPECT_EQ(o[8], value(l + 5 > 31 ? l : l + 5));
			EXPECT_EQ(o[9], value(l ^ 9));
			EXPECT_EQ(o[10] & ~odd, 0u);
			EXPECT_EQ(o[10] != 0, (in[l] & 1) != 0);
			EXPECT_EQ(o[11], above);
		}
	}
}

TEST_F(Corpus, Bits)
{
	device d(corpus_text("warp.ptx"));
	std::vector<unsigned> in(32), out(320);
	for (auto &v : in)
		v = random_();
	in[3] = 0;
	d.must_run("bits", {1}, {32}, d.share(in), d.share(out));
	for (unsigned t = 0; t < 32; t++) {
		unsigned v = in[t], *o = &out[10 * t], reversed = 0;
		for (unsigned b = 0; b < 32; b++)
			reversed |= (v >> b & 1) << (31 - b);
		EXPECT_EQ(o[0], unsigned(std::popcount(v)));
		EXPECT_EQ(o[1], unsigned(std::countl_zero(v)));
		EXPECT_EQ(o[2], reversed);
		EXPECT_EQ(o[3], v ? unsigned(std::countr_zero(v)) + 1 : 0);
		uint64_t both = uint64_t(~v) << 32 | v;
		EXPECT_EQ(o[5], unsigned(both << t >> 32));
		EXPECT_EQ(o[6], unsigned(uint64_t{v} * 0x9e3779b9u >> 32));
		EXPECT_EQ(o[8], unsigned(int64_t{int(v)} * -12345 >> 32));
		uint64_t square = uint64_t{v} * v;
		EXPECT_EQ(o[9], unsigned(std::popcount(square) + std::countl_zero(uint64_t{v}) + int(v) / 7 +
					 int(v % 11) + int(v >> 3 & 0x1f)));
	}
}

TEST_F(Corpus, WideIntegers)
{
	device d(corpus_text("warp.ptx"));
	std::vector<int64_t> in(32), out(6 * 32);
	for (auto &v : in)
		v = int64_t(uint64_t{random_()} << 29 ^ random_()) - (int64_t{1} << 60);
	d.must_run("wide", {1}, {32}, d.share(in), d.share(out));
	for (unsigned t = 0; t < 32; t++) {
		int64_t v = in[t], *o = &out[6 * t];
		EXPECT_EQ(o[0], int64_t(uint64_t(v) * uint64_t(v) + 3));
		EXPECT_EQ(o[1], v / 1000003);
		EXPECT_EQ(o[2], v % 1000003);
		EXPECT_EQ(o[3], int64_t(__int128{v} * v >> 64));
		EXPECT_EQ(o[4], v >> t);
		EXPECT_EQ(o[5], v > 0 ? int64_t(double(v) * 1.5) : int64_t(float(v)));
	}
}

TEST_F(Corpus, Atomics)
{
	for (const auto &mode : both_modes()) {
		device d(corpus_text("warp.ptx"));
		d.with = mode;
		atomics a;
		a.run(d, {1}, {64});
		auto &[u, s, l, f, real] = a;
		EXPECT_EQ(u[0], 2016u);
		EXPECT_EQ(u[1], 0u - 2016u);
		EXPECT_EQ(u[2], 0u);
		EXPECT_EQ(u[3], 63u);
		EXPECT_EQ(u[4], 64u % 11);
		EXPECT_EQ(u[5], (11 - 64 % 11) % 11u);
		EXPECT_EQ(u[6], 0u);
		EXPECT_EQ(u[7], ~0u);
		EXPECT_EQ(u[8], 0u);
		EXPECT_EQ(u[9], atomics::chain(64));
		EXPECT_EQ(s[0], -63);
		EXPECT_EQ(s[1], 63);
		EXPECT_EQ(l[0], uint64_t{64} << 33);
		EXPECT_EQ(l[1], uint64_t{63} << 40);
		EXPECT_EQ(f[0], 32.f);
		EXPECT_EQ(real[0], 16.);
	}
}

TEST_F(Corpus, OpenclKernels)
{
	for (const auto &mode : both_modes()) {
		device d(corpus_text("kernels.ptx"));
		d.with = mode;
		auto a = numbers<float>(500, -9, 9), b = numbers<float>(500, -9, 9);
		std::vector<float> out(2);
		d.shared_bytes = 64 * 4;
		// A local pointer is an offset in shared memory.
		d.must_run("scalar_product", {2}, {64}, d.share(a), d.share(b), d.share(out),
			   uint64_t{d.prog().shared_of(*d.prog().find("scalar_product")).dynamic_at}, 500u);
		float want = 0;
		for (size_t i = 0; i < a.size(); i++)
			want += a[i] * b[i];
		EXPECT_EQ(out[0] + out[1], want);

		auto in = numbers<int>(8 * 32, -99, 99);
		std::vector<int> sums(32);
		d.must_run("own_array", {1}, {32}, d.share(in), d.share(sums));
		for (size_t t = 0; t < 32; t++) {
			int row[8], s = 0, at = in[8 * t] & 7;
			std::copy_n(&in[8 * t], 8, row);
			row[at] = -row[7 - at];
			for (int j = 0; j < 8; j++)
				s = int(unsigned(s) * 31 + unsigned(row[(j + at) & 7]));
			ASSERT_EQ(sums[t], s);
		}
	}
}

} // namespace

} // namespace het::ptx::simt
