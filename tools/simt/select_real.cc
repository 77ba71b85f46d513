// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Selects floating point: IEEE arithmetic in all four directions of rounding, and the approximations, which are
// computed better than PTX asks for.
#include "simt/select.h"

#include <cfenv>
#include <limits>

namespace het::ptx::simt
{

rounding rounding_of(const mnemonic &m)
{
	if (m.has("rz") || m.has("rzi"))
		return rounding::zero;
	if (m.has("rm") || m.has("rmi"))
		return rounding::down;
	if (m.has("rp") || m.has("rpi"))
		return rounding::up;
	return rounding::nearest;
}

uint8_t real_mode(const mnemonic &m)
{
	return uint8_t(uint8_t(rounding_of(m)) | (m.has("ftz") ? mode_ftz : 0) | (m.has("sat") ? mode_sat : 0) |
		       (m.has("relu") ? mode_relu : 0) | (m.has("NaN") ? mode_nan : 0));
}

rounding_scope::rounding_scope(rounding r) : changed_(r != rounding::nearest)
{
	static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
	if (changed_)
		fesetround(modes[unsigned(r)]);
}

rounding_scope::~rounding_scope()
{
	if (changed_)
		fesetround(FE_TONEAREST);
}

namespace
{

template <typename T> T before(T v, uint8_t mode)
{
	return mode & mode_ftz ? flushed(v) : v;
}

template <typename T> T after(T v, uint8_t mode)
{
	if (mode & mode_ftz)
		v = flushed(v);
	return mode & mode_sat ? saturated(v) : v;
}

template <typename F, typename T, typename... A, size_t... n>
run_fn with_modes_of(T (F::*)(A...) const, std::index_sequence<n...>)
{
	return [](context &c, const uop &u, lanes m) {
		const uint64_t *from[] = {c.at(u.a), sizeof...(A) > 1 ? c.at(u.b) : nullptr,
					  sizeof...(A) > 2 ? c.at(u.c) : nullptr};
		uint64_t *d = c.at(u.d);
		rounding_scope scope(rounding(u.mode & mode_rounding));
		for_lanes(m, [&](unsigned l) {
			d[l] = put<T>(after<T>(F{}(before<A>(get<A>(from[n][l]), u.mode)...), u.mode));
		});
	};
}

template <typename F> run_fn with_modes(F)
{
	return with_modes_of(&F::operator(), std::make_index_sequence<arity(&F::operator())>{});
}

// The operation is fast without modes, and right with them.
template <typename F> run_fn real_op(F f, uint8_t mode)
{
	return mode ? with_modes(f) : lanewise(f);
}

template <typename T> T least(T a, T b, bool nan)
{
	if (std::isnan(a) || std::isnan(b))
		return nan || (std::isnan(a) && std::isnan(b)) ? std::numeric_limits<T>::quiet_NaN()
		       : std::isnan(a)                         ? b
							       : a;
	return a < b || (a == b && std::signbit(a)) ? a : b;
}

template <typename T> run_fn extremum(bool smaller, uint8_t mode)
{
	bool nan = mode & mode_nan;
	if (smaller)
		return nan ? real_op([](T a, T b) { return least(a, b, true); }, mode)
			   : real_op([](T a, T b) { return least(a, b, false); }, mode);
	return nan ? real_op([](T a, T b) { return T(-least(T(-a), T(-b), true)); }, mode)
		   : real_op([](T a, T b) { return T(-least(T(-a), T(-b), false)); }, mode);
}

template <typename T> selection basic(std::string_view base, uint8_t mode)
{
	if (base == "add")
		return {real_op([](T a, T b) { return a + b; }, mode), "ttt", mode};
	if (base == "sub")
		return {real_op([](T a, T b) { return a - b; }, mode), "ttt", mode};
	if (base == "mul")
		return {real_op([](T a, T b) { return a * b; }, mode), "ttt", mode};
	if (base == "fma" || base == "mad")
		return {real_op([](T a, T b, T c) { return std::fma(a, b, c); }, mode), "tttt", mode};
	if (base == "div")
		return {real_op([](T a, T b) { return a / b; }, mode), "ttt", mode};
	if (base == "min" || base == "max")
		return {extremum<T>(base == "min", mode), "ttt", mode};
	if (base == "abs")
		return {real_op([](T a) { return std::fabs(a); }, mode), "tt", mode};
	if (base == "neg")
		return {real_op([](T a) { return -a; }, mode), "tt", mode};
	if (base == "sqrt")
		return {real_op([](T a) { return std::sqrt(a); }, mode), "tt", mode};
	if (base == "rcp")
		return {real_op([](T a) { return 1 / a; }, mode), "tt", mode};
	if (base == "copysign") // gives b the sign of a
		return {real_op([](T a, T b) { return std::copysign(b, a); }, mode), "ttt", mode};
	return {};
}

// Computes in doubles, and rounds once.
template <typename T> selection approximate(std::string_view base, uint8_t mode)
{
	if (base == "rsqrt")
		return {real_op([](T a) { return T(1 / std::sqrt(double(a))); }, mode), "tt", mode};
	if (base == "sin")
		return {real_op([](T a) { return T(std::sin(double(a))); }, mode), "tt", mode};
	if (base == "cos")
		return {real_op([](T a) { return T(std::cos(double(a))); }, mode), "tt", mode};
	if (base == "lg2")
		return {real_op([](T a) { return T(std::log2(double(a))); }, mode), "tt", mode};
	if (base == "ex2")
		return {real_op([](T a) { return T(std::exp2(double(a))); }, mode), "tt", mode};
	if (base == "tanh")
		return {real_op([](T a) { return T(std::tanh(double(a))); }, mode), "tt", mode};
	return {};
}

template <typename T> run_fn property(const mnemonic &m)
{
	if (m.has("finite"))
		return lanewise([](T a) { return bool(std::isfinite(a)); });
	if (m.has("infinite"))
		return lanewise([](T a) { return bool(std::isinf(a)); });
	if (m.has("number"))
		return lanewise([](T a) { return !std::isnan(a); });
	if (m.has("notanumber"))
		return lanewise([](T a) { return bool(std::isnan(a)); });
	if (m.has("normal"))
		return lanewise([](T a) { return bool(std::isnormal(a)); });
	if (m.has("subnormal"))
		return lanewise([](T a) { return std::fpclassify(a) == FP_SUBNORMAL; });
	return nullptr;
}

template <typename T> selection select_of(const mnemonic &m)
{
	if (m.base() == "testp")
		return {property<T>(m), "pt"};
	auto s = basic<T>(m.base(), real_mode(m));
	return s.run ? s : approximate<T>(m.base(), real_mode(m));
}

} // namespace

selection select_real(const mnemonic &m)
{
	type t = m.last_type();
	if (m.has("xorsign"))
		return {};
	if (t == type::f32)
		return select_of<float>(m);
	if (t == type::f64)
		return select_of<double>(m);
	return {};
}

} // namespace het::ptx::simt
