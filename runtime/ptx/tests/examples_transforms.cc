// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "corpus_b.h"

#include <complex>
#include <numbers>

namespace het::ptx::simt
{

namespace
{

constexpr const char *file = "transforms.ptx";

template <typename T> std::vector<std::complex<T>> points(size_t n)
{
	auto parts = numbers<T>(2 * n, -50, 50);
	std::vector<std::complex<T>> v(n);
	for (size_t i = 0; i < n; i++)
		v[i] = {parts[2 * i], parts[2 * i + 1]};
	return v;
}

template <typename T> std::vector<T> flat(const std::vector<std::complex<T>> &v)
{
	std::vector<T> out;
	for (auto z : v)
		out.insert(out.end(), {z.real(), z.imag()});
	return out;
}

template <typename T> std::vector<std::complex<T>> roots(size_t n)
{
	std::vector<std::complex<T>> v;
	for (size_t k = 0; k < n / 2; k++)
		v.push_back(std::complex<T>(std::polar(1.0, -2 * std::numbers::pi * double(k) / double(n))));
	return v;
}

void stage_of_fft(examples *all)
{
	constexpr size_t n = 128, half = 8;
	auto v = points<float>(n), want = v, w = roots<float>(n);
	for (size_t i = 0; i < n / 2; i++) {
		size_t k = i % half, a = i / half * 2 * half + k;
		auto z = w[k * (n / 2 / half)] * v[a + half];
		want[a] = v[a] + z;
		want[a + half] = v[a] - z;
	}
	all->emplace_back(file, "fft_stage", extent{2}, extent{32})
		.inout(flat(v), flat(want), 1e-5)
		.in(flat(w))
		.value(unsigned(half))
		.value(unsigned(n));
}

// The wanted values come from the sum that defines a Fourier transform.
void whole_fft(examples *all)
{
	constexpr size_t n = 64, blocks = 3;
	auto v = points<double>(n * blocks);
	std::vector<std::complex<double>> want(v.size());
	for (size_t b = 0; b < blocks; b++)
		for (size_t k = 0; k < n; k++)
			for (size_t i = 0; i < n; i++)
				want[b * n + k] +=
					v[b * n + i] *
					std::polar(1.0, -2 * std::numbers::pi * double(i * k % n) / double(n));
	all->emplace_back(file, "fft_block", extent{blocks}, extent{32})
		.in(flat(v))
		.out(flat(want), 1e-9)
		.in(flat(roots<double>(n)));
}

void orders(examples *all)
{
	auto v = points<float>(64), want = v;
	for (size_t i = 0; i < 64; i++) {
		size_t r = 0;
		for (size_t b = 0; b < 6; b++)
			r |= (i >> b & 1) << (5 - b);
		want[r] = v[i];
	}
	all->emplace_back(file, "reverse_bits", extent{2}, extent{32}).in(flat(v)).out(flat(want)).value(6u);
}

void sums_of_signs(examples *all)
{
	auto in = numbers<int>(96, -99, 99);
	std::vector<int> want(96);
	for (size_t i = 0; i < 96; i++)
		for (size_t k = 0; k < 32; k++)
			want[i] += (__builtin_popcountll(i & k) & 1 ? -1 : 1) * in[i / 32 * 32 + k];
	all->emplace_back(file, "walsh", extent{3}, extent{32}).in(in).out(want);
}

void cosines(examples *all)
{
	auto in = numbers<float>(128, -128, 127);
	std::vector<float> c(64), want(128);
	for (size_t k = 0; k < 64; k++)
		c[k] = float(std::cos(std::numbers::pi / 8 * (double(k % 8) + 0.5) * double(k / 8)));
	for (size_t at = 0; at < 128; at++)
		for (size_t k = 0; k < 64; k++)
			want[at] += in[at / 64 * 64 + k] * c[at % 8 * 8 + k % 8] * c[at / 8 % 8 * 8 + k / 8];
	all->emplace_back(file, "dct", extent{2}, extent{8, 8}).in(in).out(want, 1e-3).in(c);
}

void filters(examples *all)
{
	auto in = numbers<int>(150, -99, 99), filter = numbers<int>(9, -9, 9);
	std::vector<int> want(150);
	for (size_t i = 0; i < 150; i++)
		for (size_t k = 0; k < 9 && k <= i; k++)
			want[i] += in[i - k] * filter[k];
	all->emplace_back(file, "convolve", extent{3}, extent{64}).in(in).in(filter).out(want).value(150).value(9);

	auto samples = numbers<int16_t>(140, -9999, 9999);
	std::vector<int16_t> low(70), high(70);
	for (size_t i = 0; i < 70; i++) {
		int d = samples[2 * i + 1] - samples[2 * i];
		high[i] = int16_t(d);
		low[i] = int16_t(samples[2 * i] + (d >> 1));
	}
	all->emplace_back(file, "wavelet", extent{3}, extent{32}).in(samples).out(low).out(high).value(70);
}

} // namespace

void add_transforms(examples *all)
{
	for (auto add : {stage_of_fft, whole_fft, orders, sums_of_signs, cosines, filters})
		add(all);
}

} // namespace het::ptx::simt
