// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/isa.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

struct type_row {
	std::string_view name;
	uint8_t bits;
	bool is_signed, is_real;
};

// The rows are in the order of the enumeration.
constexpr type_row types[] = {
	{"", 0, false, false},     {"pred", 1, false, false},  {"b8", 8, false, false},     {"b16", 16, false, false},
	{"b32", 32, false, false}, {"b64", 64, false, false},  {"b128", 128, false, false}, {"u8", 8, false, false},
	{"u16", 16, false, false}, {"u32", 32, false, false},  {"u64", 64, false, false},   {"s8", 8, true, false},
	{"s16", 16, true, false},  {"s32", 32, true, false},   {"s64", 64, true, false},    {"f16", 16, true, true},
	{"bf16", 16, true, true},  {"f16x2", 32, true, true},  {"bf16x2", 32, true, true},  {"f32", 32, true, true},
	{"f64", 64, true, true},   {"other", 0, false, false},
};

struct space_row {
	std::string_view name;
	space is;
};

constexpr space_row spaces[] = {
	{"reg", space::reg},
	{"sreg", space::sreg},
	{"const", space::constant},
	{"global", space::global},
	{"local", space::local},
	{"param", space::param},
	{"shared", space::shared},
	{"tex", space::tex},
	{"shared::cta", space::shared},
	{"param::entry", space::param},
	{"param::func", space::param},
};

std::string_view without_dot(std::string_view s)
{
	return s.starts_with('.') ? s.substr(1) : s;
}

} // namespace

type type_named(std::string_view name)
{
	name = without_dot(name);
	for (size_t i = 1; i + 1 < std::size(types); i++)
		if (types[i].name == name)
			return type(i);
	for (auto opaque : {"texref", "samplerref", "surfref", "tensormap"})
		if (name == opaque)
			return type::other;
	return type::none;
}

std::string_view name_of(type t)
{
	return types[size_t(t)].name;
}

unsigned bits_of(type t)
{
	return types[size_t(t)].bits;
}

bool is_signed(type t)
{
	return types[size_t(t)].is_signed;
}

bool is_real(type t)
{
	return types[size_t(t)].is_real;
}

space space_named(std::string_view name)
{
	name = without_dot(name);
	for (const auto &row : spaces)
		if (row.name == name)
			return row.is;
	return space::none;
}

mnemonic::mnemonic(std::string_view opcode)
{
	size_t dot = opcode.find('.');
	base_ = opcode.substr(0, dot);
	while (dot != opcode.npos && count_ < modifiers_.size()) {
		size_t next = opcode.find('.', dot + 1);
		modifiers_[count_++] = opcode.substr(dot + 1, next == opcode.npos ? next : next - dot - 1);
		dot = next;
	}
}

bool mnemonic::has(std::string_view modifier) const
{
	auto all = modifiers();
	return std::find(all.begin(), all.end(), modifier) != all.end();
}

type mnemonic::type_at(unsigned n) const
{
	for (auto m : modifiers()) {
		type t = type_named(m);
		if (t != type::none && n-- == 0)
			return t;
	}
	return type::none;
}

type mnemonic::last_type() const
{
	type last = type::none;
	for (auto m : modifiers())
		if (type t = type_named(m); t != type::none)
			last = t;
	return last;
}

space mnemonic::state_space() const
{
	for (auto m : modifiers())
		if (space s = space_named(m); s != space::none)
			return s;
	return space::none;
}

unsigned mnemonic::vector_width() const
{
	return has("v2") ? 2 : has("v4") ? 4 : has("v8") ? 8 : 1;
}

} // namespace het::ptx
