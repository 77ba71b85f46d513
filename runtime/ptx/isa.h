// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Knows types, state spaces and mnemonics, as far as rewriting and interpreting need them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace het::ptx
{

enum class type : uint8_t {
	none,
	pred,
	b8,
	b16,
	b32,
	b64,
	b128,
	u8,
	u16,
	u32,
	u64,
	s8,
	s16,
	s32,
	s64,
	f16,
	bf16,
	f16x2,
	bf16x2,
	f32,
	f64,
	other, // textures, samplers and packed formats
};

// Takes ".u32" or "u32", and returns none if that is no type.
type type_named(std::string_view);
std::string_view name_of(type); // returns "u32" and the like
unsigned bits_of(type);         // 1 for pred, 0 for none and other
bool is_signed(type);
bool is_real(type); // true for the floating-point types

inline unsigned bytes_of(type t)
{
	return (bits_of(t) + 7) / 8;
}

enum class space : uint8_t { none, reg, sreg, constant, global, local, param, shared, tex };

// Takes a name with or without the dot, ".shared::cta" too, and returns none for others.
space space_named(std::string_view);

// Takes an opcode apart: "ld.global.nc.v4.f32" is ld with the modifiers global, nc, v4, f32.
class mnemonic
{
      public:
	explicit mnemonic(std::string_view opcode);

	std::string_view base() const { return base_; }
	std::span<const std::string_view> modifiers() const { return {modifiers_.data(), count_}; }
	bool has(std::string_view modifier) const;
	// Returns the type that the @n-th of the modifiers that are types names, counted from 0, or none if there are
	// fewer.
	type type_at(unsigned n) const;
	// Returns the type that the operands have, which is the last one named.
	type last_type() const;
	// Returns the state space of a memory instruction; none means generic.
	space state_space() const;
	// Returns how many elements there are: 1, 2, 4 or 8.
	unsigned vector_width() const;

      private:
	std::string_view base_;
	std::array<std::string_view, 16> modifiers_;
	unsigned count_ = 0;
};

} // namespace het::ptx
