// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Decodes wmma, in the shapes and types that sm_70 has.
#include "simt/decoder.h"

namespace het::ptx::simt
{

namespace
{

constexpr unsigned factor_registers = 8, sum_registers = 8; // A lane has so many; for sums in f16 it has half as many.

unsigned registers_of_sum(type t)
{
	return t == type::f16 ? sum_registers / 2 : sum_registers;
}

bool is_sum(type t)
{
	return t == type::f16 || t == type::f32;
}

} // namespace

bool decoder::fragment()
{
	return mnemonic_.has("mma") ? multiply_fragments() : move_fragment();
}

// Decodes wmma.load.a.sync.aligned.row.m16n16k16.f16 r, [p], stride; wmma.store.d... [p], r, stride.
bool decoder::move_fragment()
{
	auto shape = fragment_of(mnemonic_);
	bool stores = mnemonic_.has("store"), factor = mnemonic_.has("a") || mnemonic_.has("b");
	bool known = shape && product_of(mnemonic_).depth == 16 &&
		     (factor ? shape->element == type::f16 : is_sum(shape->element));
	if (!known)
		return unsupported("matrices of this shape or type");
	unsigned registers = factor ? factor_registers : registers_of_sum(shape->element);
	type held = shape->element == type::f16 ? type::b32 : type::f32;
	std::vector<ref> refs;
	ref stride = constant(shape->line_elements());
	if (!wants(2, 3) || !elements(op(stores), held, false, !stores, &refs))
		return false;
	auto stored = std::move(reads_);
	reads_.clear();
	if ((count() > 2 && !source(op(2), type::u32, &stride)) || !address(op(!stores)))
		return false;
	if (refs.size() != registers)
		return fail(i_->opcode, "another number of registers than this matrix has");
	if (u_.action == action::unsupported)
		return true;
	u_.fragment = p_.keep(*shape);
	fragment_address(stride);
	reads_.insert(reads_.end(), stored.begin(), stored.end());
	u_.run = fragment_op(stores);
	u_.space = mnemonic_.state_space();
	u_.touches = stores ? touches_write : touches_read;
	u_.element = 8;
	u_.vector = uint8_t(shape->lines() * shape->line_bytes() / warp_size / u_.element);
	u_.mode = uint8_t(registers);
	return matrix_wide(refs);
}

// Adds an operation of its own before the one that needs it, which tells where each lane's part is.
void decoder::fragment_address(ref stride)
{
	uop u = u_;
	u.run = fragment_address_op();
	u.d = make_ref(place::registers, code_.registers++);
	u.b = stride;
	u.first_use = add_refs(reads_);
	u.uses = uint32_t(reads_.size());
	add_refs({u.d});
	u.defs = 1;
	code_.ops.push_back(u);
	u_.a = u.d;
	u_.offset = 0;
	u_.flag = false;
	reads_ = {u.d};
}

// Decodes wmma.mma.sync.aligned.row.col.m16n16k16.D.C d, a, b, c.
bool decoder::multiply_fragments()
{
	constexpr unsigned modifiers = 8; // mma, sync, aligned, two layouts, the shape and two types
	auto all = mnemonic_.modifiers();
	product_shape shape = product_of(mnemonic_);
	if (all.size() != modifiers || shape.depth != 16 || !is_sum(type_named(all[6])) || !is_sum(type_named(all[7])))
		return unsupported("products of matrices of this shape or type");
	type d = type_named(all[6]), c = type_named(all[7]);
	auto held = [](type t) { return t == type::f16 ? type::b32 : type::f32; };
	u_.run = multiply_fragments_op();
	u_.vector = uint8_t(shape.rows);
	u_.element = uint8_t(shape.columns);
	u_.mode = uint8_t((d == type::f16 ? product_gives_half : 0) | (c == type::f16 ? product_adds_half : 0));
	std::vector<ref> refs;
	if (!wants(4, 4) || !elements(op(0), held(d), false, true, &refs) ||
	    !elements(op(1), type::b32, false, false, &refs) || !elements(op(2), type::b32, false, false, &refs) ||
	    !elements(op(3), held(c), false, false, &refs))
		return false;
	if (refs.size() != registers_of_sum(d) + 2 * factor_registers + registers_of_sum(c))
		return fail(i_->opcode, "another number of registers than these matrices have");
	return matrix_wide(refs);
}

} // namespace het::ptx::simt
