// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "corpus_b.h"

#include "simt/half.h"

namespace het::ptx::simt
{

namespace
{

// Makes halves of small whole numbers, whose sums are exact.
std::vector<uint16_t> halves(const std::vector<int> &v)
{
	std::vector<uint16_t> bits;
	for (int i : v)
		bits.push_back(from_double<half>(i).bits);
	return bits;
}

} // namespace

void add_tensor(examples *all)
{
	constexpr unsigned n = 32;
	auto a = numbers<int>(n * n, -9, 9), b = numbers<int>(n * n, -9, 9, 2);
	std::vector<float> c(n * n);
	for (unsigned y = 0; y < n; y++)
		for (unsigned x = 0; x < n; x++)
			for (unsigned k = 0; k < n; k++)
				c[y * n + x] += float(a[y * n + k] * b[k * n + x]);
	all->emplace_back("tensor.ptx", "tensor_product", extent{n / 8, n / 16}, extent{32})
		.in(halves(a))
		.in(halves(b))
		.out(c)
		.value(n);
}

} // namespace het::ptx::simt
