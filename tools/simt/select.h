// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Selects the operation on warps that an opcode stands for, where its operands are plain values.
#pragma once

#include "simt/half.h"
#include "simt/lanewise.h"

namespace het::ptx::simt
{

// Has one letter for each operand, the result first: t is the type, s the second type named, w twice as wide as the
// type, u 32 bits, p a predicate.
struct selection {
	run_fn run = nullptr; // null if it is not supported
	const char *operands = "";
	uint8_t mode = 0;
	bool carries = false; // it reads or writes the carry
};

// A selection's mode has these bits for floating-point operations.
constexpr uint8_t mode_rounding = 3, mode_ftz = 4, mode_sat = 8, mode_relu = 16, mode_nan = 32;

rounding rounding_of(const mnemonic &m);
uint8_t real_mode(const mnemonic &m);

// Sets the processor's rounding; what is computed in between must be read from and written to memory.
class rounding_scope
{
      public:
	explicit rounding_scope(rounding r);
	~rounding_scope();
	rounding_scope(const rounding_scope &) = delete;
	rounding_scope &operator=(const rounding_scope &) = delete;

      private:
	bool changed_;
};

template <typename T> T flushed(T v)
{
	return v != 0 && std::fabs(v) < (sizeof(T) == 4 ? 0x1p-126f : T(0x1p-1022)) ? std::copysign(T(0), v) : v;
}

template <typename T> T saturated(T v)
{
	return v >= 1 ? T(1) : v > 0 ? v : T(0); // makes 0 of NaN
}

// Does as for_integer(), for integers and floating-point numbers.
template <typename F> run_fn for_number(type t, F f)
{
	switch (t) {
	case type::f32:
		return f(type_tag<float>{});
	case type::f64:
		return f(type_tag<double>{});
	case type::f16:
		return f(type_tag<half>{});
	case type::bf16:
		return f(type_tag<bfloat>{});
	default:
		return for_integer(t, f);
	}
}

// Each of these looks at the opcodes of its kind, and returns an empty selection for others.
selection select_integer(const mnemonic &m);
selection select_bits(const mnemonic &m);
selection select_real(const mnemonic &m);
selection select_half(const mnemonic &m);
selection select_choice(const mnemonic &m); // takes selp and slct
// Selects cvt, whose types need not be those of the registers.
selection select_conversion(const mnemonic &m);

} // namespace het::ptx::simt
