// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Decodes operations on matrices in the registers of a warp.
#include "simt/decoder.h"

namespace het::ptx::simt
{

namespace
{

matrix_element element_named(std::string_view name)
{
	constexpr std::pair<std::string_view, matrix_element> all[] = {{"f16", element_f16},
								       {"bf16", element_bf16},
								       {"tf32", element_tf32},
								       {"s8", element_s8},
								       {"u8", element_u8}};
	for (const auto &[known, element] : all)
		if (known == name)
			return element;
	return element_none;
}

unsigned elements_in_register(matrix_element e)
{
	return e == element_s8 || e == element_u8 ? 4 : e == element_tf32 ? 1 : 2;
}

// Returns the number of columns of a.
unsigned depth_of(const mnemonic &m)
{
	constexpr std::pair<std::string_view, unsigned> all[] = {
		{"m16n8k4", 4}, {"m16n8k8", 8}, {"m16n8k16", 16}, {"m16n8k32", 32}};
	for (const auto &[shape, k] : all)
		if (m.has(shape))
			return k;
	return 0;
}

// Products of such elements are summed up in this type.
bool can_sum(matrix_element a, matrix_element b, type sum)
{
	if (elements_in_register(a) == 4)
		return elements_in_register(b) == 4 && sum == type::s32;
	return a && a == b && (sum == type::f32 || (sum == type::f16 && a == element_f16));
}

} // namespace

// All lanes of the warp take part.
bool decoder::matrix_wide(const std::vector<ref> &refs)
{
	std::vector<ref> all = {constant(all_lanes)};
	all.insert(all.end(), refs.begin(), refs.end());
	u_.action = action::warp_sync;
	u_.target = add_refs(all);
	return true;
}

// Decodes ldmatrix {d, ...}, [a]; stmatrix [a], {b, ...}; movmatrix d, b: 8 x 8 elements of 16 bits each.
bool decoder::move_matrix()
{
	auto base = mnemonic_.base();
	if (!mnemonic_.has("m8n8") || !mnemonic_.has("b16"))
		return unsupported("matrices of this shape or type");
	bool stores = base == "stmatrix", in_registers = base == "movmatrix";
	u_.run = move_matrix_op(base);
	u_.space = mnemonic_.state_space();
	u_.vector = mnemonic_.has("x4") ? 4 : mnemonic_.has("x2") ? 2 : 1;
	u_.mode = mnemonic_.has("trans");
	std::vector<ref> refs;
	if (!wants(2, 2) || !elements(op(stores), type::b32, false, !stores, &refs))
		return false;
	if (refs.size() != u_.vector)
		return fail(i_->opcode, "another number of registers than of matrices");
	if (in_registers ? !source(op(1), type::b32, &u_.a) : !address(op(!stores)))
		return false;
	return u_.action == action::unsupported || matrix_wide(refs);
}

// Decodes mma.sync.aligned.m16n8kK.row.col.D.A.B.C d, a, b, c.
bool decoder::multiply_matrices()
{
	auto all = mnemonic_.modifiers();
	if (all.size() < 6)
		return unsupported("this product of matrices");
	auto types = all.last(4);
	type sum = type_named(types[3]);
	matrix_element a = element_named(types[1]), b = element_named(types[2]);
	unsigned each = 4 * elements_in_register(a), k = depth_of(mnemonic_);
	bool plain = all[0] == "sync" && mnemonic_.has("row") && mnemonic_.has("col") && type_named(types[0]) == sum;
	if (!plain || !can_sum(a, b, sum) || (k != each && k != 2 * each))
		return unsupported("products of matrices of this shape or type");
	u_.run = multiply_matrices_op(sum);
	u_.vector = uint8_t(k / each);
	u_.mode = a;
	u_.element = b;
	u_.offset = mnemonic_.has("satfinite");
	type t = sum == type::f16 ? type::b32 : sum;
	std::vector<ref> refs;
	if (!wants(4, 4) || !elements(op(0), t, false, true, &refs) ||
	    !elements(op(1), type::b32, false, false, &refs) || !elements(op(2), type::b32, false, false, &refs) ||
	    !elements(op(3), t, false, false, &refs))
		return false;
	unsigned of_c = sum == type::f16 ? 2 : 4;
	if (refs.size() != 2 * of_c + 3u * u_.vector)
		return fail(i_->opcode, "another number of registers than these matrices have");
	return matrix_wide(refs);
}

} // namespace het::ptx::simt
