// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/fragment.h"

namespace het::ptx
{

namespace
{

struct row {
	std::string_view name;
	product_shape is;
};

constexpr row shapes[] = {{"m16n16k16", {16, 16, 16}},
			  {"m8n32k16", {8, 32, 16}},
			  {"m32n8k16", {32, 8, 16}},
			  {"m16n16k8", {16, 16, 8}},
			  {"m8n8k4", {8, 8, 4}}};

// PTX names the element of tf32 with the other types, but it is none that an operand can be declared with.
type element_of(const mnemonic &op)
{
	auto last = op.modifiers().back();
	return last == "tf32" ? type::b32 : last == "bf16" ? type::b16 : type_named(last);
}

} // namespace

product_shape product_of(const mnemonic &op)
{
	for (const auto &[name, is] : shapes)
		if (op.has(name))
			return is;
	return {};
}

std::optional<fragment_shape> fragment_of(const mnemonic &op)
{
	product_shape p = product_of(op);
	if (op.base() != "wmma" || !p.rows || !(op.has("load") || op.has("store")))
		return std::nullopt;
	fragment_shape f;
	f.rows = op.has("b") ? p.depth : p.rows;
	f.columns = op.has("a") ? p.depth : p.columns;
	f.by_columns = op.has("col");
	f.element = element_of(op);
	return bits_of(f.element) >= 8 ? std::optional(f) : std::nullopt;
}

} // namespace het::ptx
