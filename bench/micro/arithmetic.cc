// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/arithmetic.h"

#include <bit>
#include <cmath>

namespace bench
{
extern const kernel_text arithmetic_kernels;
}

namespace micro
{

namespace
{

uint32_t bits(uint32_t x)
{
	return x;
}
uint32_t bits(float x)
{
	return std::bit_cast<uint32_t>(x);
}
uint32_t bits(double x)
{
	const auto b = std::bit_cast<uint64_t>(x);
	return uint32_t(b >> 32) ^ uint32_t(b);
}

struct mix {
	using type = uint32_t;
	static type once(type x, type a, type b) { return (x ^ a) + b; }
};
struct mad {
	using type = uint32_t;
	static type once(type x, type a, type b) { return x * a + b; }
};
struct add {
	using type = float;
	static type once(type x, type, type b) { return x + b; }
};
struct multiply {
	using type = float;
	static type once(type x, type, type b) { return x * b; }
};
template <typename T> struct fused {
	using type = T;
	static type once(type x, type a, type b) { return std::fma(x, b, a); }
};
struct divide {
	using type = float;
	static type once(type x, type a, type) { return a / x; }
};

// Returns what thread @t leaves.
template <typename op, unsigned chains> uint32_t end_of(arguments args, uint32_t t)
{
	using type = typename op::type;
	const auto a = type(uint32_t(args[1].integer)), b = type(uint32_t(args[2].integer));
	type x[chains];
	x[0] = type(t & 15) + a;
	for (unsigned c = 1; c < chains; c++)
		x[c] = x[c - 1] + a;
	for (uint32_t i = 0; i < uint32_t(args[3].integer); i++)
		for (type &chain : x)
			for (unsigned k = 0; k < operations_of_step / chains; k++)
				chain = op::once(chain, a, b);
	uint32_t all = 0;
	for (type chain : x)
		all ^= bits(chain);
	return all;
}

template <typename op, unsigned chains> void on_host(arguments args, size_t first, size_t end)
{
	for (size_t t = first; t < end; t++)
		static_cast<uint32_t *>(args[0].buffer)[t] = end_of<op, chains>(args, uint32_t(t));
}

template <typename op, unsigned chains> void traced(arguments args, size_t item, tracer &to)
{
	to.work(0, uint32_t(args[3].integer) * operations_of_step);
	on_host<op, chains>(args, item, item + 1);
}

template <typename op, unsigned chains> constexpr kernel made(const char *name)
{
	return {{name, bench::arithmetic_kernels, on_host<op, chains>}, traced<op, chains>};
}

const kernel int_mix[] = {made<mix, 1>("int_mix_1"), made<mix, 4>("int_mix_4")};
const kernel int_mad[] = {made<mad, 1>("int_mad_1"), made<mad, 4>("int_mad_4")};
const kernel float_add[] = {made<add, 1>("float_add_1"), made<add, 4>("float_add_4")};
const kernel float_multiply[] = {made<multiply, 1>("float_multiply_1"), made<multiply, 4>("float_multiply_4")};
const kernel float_fma[] = {made<fused<float>, 1>("float_fma_1"), made<fused<float>, 4>("float_fma_4")};
const kernel float_divide[] = {made<divide, 1>("float_divide_1"), made<divide, 4>("float_divide_4")};
const kernel double_fma[] = {made<fused<double>, 1>("double_fma_1"), made<fused<double>, 4>("double_fma_4")};

template <typename M> void one_of_roofline(M &m, arguments a, uint32_t t)
{
	const auto *from = static_cast<const uint32_t *>(a[0].buffer);
	const auto mask = uint32_t(a[2].integer), threads = uint32_t(a[3].integer), first = uint32_t(a[4].integer),
		   rounds = uint32_t(a[5].integer), work = uint32_t(a[6].integer);
	const auto fa = float(a[7].integer), fb = float(a[8].integer);
	float sum = 0;
	for (uint32_t k = first * words_of_round; k < (first + rounds) * words_of_round; k++) {
		auto x = float(m.load(from + ((t + k * threads) & mask)) & 15);
		for (uint32_t i = 0; i < work * operations_of_work; i++)
			x = std::fma(x, fb, fa);
		sum += x;
	}
	static_cast<uint32_t *>(a[1].buffer)[t] = uint32_t(sum);
}

void roofline_host(arguments a, size_t first, size_t end)
{
	plain m;
	for (size_t t = first; t < end; t++)
		one_of_roofline(m, a, uint32_t(t));
}

void roofline_traced(arguments a, size_t item, tracer &to)
{
	to.work(0, uint32_t(a[5].integer) * words_of_round * uint32_t(a[6].integer) * operations_of_work);
	one_of_roofline(to, a, uint32_t(item));
}

} // namespace

const kernel roofline_kernel = {{"roofline", bench::arithmetic_kernels, roofline_host}, roofline_traced};

std::span<const operation> all_operations()
{
	static const operation all[] = {
		{.name = "int mix", .one_chain = int_mix[0], .four_chains = int_mix[1], .each = 2, .a = 77},
		{.name = "int mad", .one_chain = int_mad[0], .four_chains = int_mad[1], .a = 5},
		{.name = "float add", .one_chain = float_add[0], .four_chains = float_add[1]},
		{.name = "float multiply", .one_chain = float_multiply[0], .four_chains = float_multiply[1]},
		{.name = "float fma", .one_chain = float_fma[0], .four_chains = float_fma[1]},
		{.name = "float divide",
		 .one_chain = float_divide[0],
		 .four_chains = float_divide[1],
		 .a = 3,
		 .exact = false},
		{.name = "double fma", .one_chain = double_fma[0], .four_chains = double_fma[1], .needs_double = true},
	};
	return all;
}

} // namespace micro
