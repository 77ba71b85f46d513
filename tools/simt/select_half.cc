// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Selects arithmetic on 16-bit floating-point numbers, one or two to a register.
#include "simt/select.h"

#include <limits>

namespace het::ptx::simt
{

namespace
{

template <typename T> double read_half(uint64_t word, unsigned shift, uint8_t mode)
{
	return to_double(T{uint16_t(word >> shift)}, mode & mode_ftz);
}

template <typename T> uint64_t write_half(double v, uint8_t mode)
{
	if (mode & mode_sat)
		v = saturated(v);
	if (mode & mode_relu)
		v = std::isnan(v) ? v : std::fmax(v, 0.0);
	T h = from_double<T>(v, rounding(mode & mode_rounding));
	if ((mode & mode_ftz) && std::fabs(to_double(h)) < smallest_normal<T>)
		h.bits &= 0x8000;
	return h.bits;
}

template <typename T, bool two, typename F> run_fn half_op(F)
{
	return [](context &c, const uop &u, lanes m) {
		const uint64_t *x = c.at(u.a), *y = u.b.valid() ? c.at(u.b) : x, *z = u.c.valid() ? c.at(u.c) : x;
		uint64_t *d = c.at(u.d);
		auto one = [&](unsigned l, unsigned shift) {
			double v = F{}(read_half<T>(x[l], shift, u.mode), read_half<T>(y[l], shift, u.mode),
				       read_half<T>(z[l], shift, u.mode));
			return write_half<T>(v, u.mode) << shift;
		};
		for_lanes(m, [&](unsigned l) { d[l] = two ? one(l, 0) | one(l, 16) : one(l, 0); });
	};
}

double lesser(double a, double b)
{
	return std::isnan(a) ? b : std::isnan(b) ? a : a < b || (a == b && std::signbit(a)) ? a : b;
}

double lesser_or_nan(double a, double b)
{
	return std::isnan(a) ? a : std::isnan(b) ? b : lesser(a, b);
}

template <typename T, bool two> selection select_of(std::string_view base, uint8_t mode)
{
	auto op = [&](auto f, const char *operands) { return selection{half_op<T, two>(f), operands, mode}; };
	bool nan = mode & mode_nan;
	if (base == "add")
		return op([](double a, double b, double) { return a + b; }, "ttt");
	if (base == "sub")
		return op([](double a, double b, double) { return a - b; }, "ttt");
	if (base == "mul")
		return op([](double a, double b, double) { return a * b; }, "ttt");
	if (base == "fma")
		return op([](double a, double b, double c) { return fused_to_odd(a, b, c); }, "tttt");
	if (base == "neg")
		return op([](double a, double, double) { return -a; }, "tt");
	if (base == "abs")
		return op([](double a, double, double) { return std::fabs(a); }, "tt");
	if (base == "ex2")
		return op([](double a, double, double) { return std::exp2(a); }, "tt");
	if (base == "tanh")
		return op([](double a, double, double) { return std::tanh(a); }, "tt");
	if (base == "min" && nan)
		return op([](double a, double b, double) { return lesser_or_nan(a, b); }, "ttt");
	if (base == "max" && nan)
		return op([](double a, double b, double) { return -lesser_or_nan(-a, -b); }, "ttt");
	if (base == "min")
		return op([](double a, double b, double) { return lesser(a, b); }, "ttt");
	if (base == "max")
		return op([](double a, double b, double) { return -lesser(-a, -b); }, "ttt");
	return {};
}

} // namespace

selection select_half(const mnemonic &m)
{
	uint8_t mode = real_mode(m);
	switch (m.last_type()) {
	case type::f16:
		return select_of<half, false>(m.base(), mode);
	case type::f16x2:
		return select_of<half, true>(m.base(), mode);
	case type::bf16:
		return select_of<bfloat, false>(m.base(), mode);
	case type::bf16x2:
		return select_of<bfloat, true>(m.base(), mode);
	default:
		return {};
	}
}

} // namespace het::ptx::simt
