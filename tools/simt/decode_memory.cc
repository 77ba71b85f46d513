// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Decodes instructions that use memory.
#include "simt/decoder.h"

namespace het::ptx::simt
{

namespace
{

void add_offset(context &c, const uop &u, lanes m)
{
	const uint64_t *a = c.at(u.a);
	uint64_t *d = c.at(u.d);
	for_lanes(m, [&](unsigned l) { d[l] = a[l] + uint64_t(u.offset); });
}

void in_window(context &c, const uop &u, lanes m)
{
	const uint64_t *a = c.at(u.a);
	lanes bits = 0;
	bool other = u.space == space::global;
	for_lanes(m, [&](unsigned l) {
		bool in = a[l] - uint64_t(u.offset) <
			  (other ? param_window + window_bytes - shared_window : window_bytes);
		bits |= lanes(in != other) << l;
	});
	c.set_predicate(u.d, m, bits);
}

void in_constants(context &c, const uop &u, lanes m)
{
	const uint64_t *a = c.at(u.a);
	const buffer *b = c.mem->find(c.prog->constant_base());
	lanes bits = 0;
	for_lanes(m, [&](unsigned l) { bits |= lanes(b && b->holds(a[l], 1)) << l; });
	c.set_predicate(u.d, m, bits);
}

uint64_t window_of(space s)
{
	return s == space::shared  ? shared_window
	       : s == space::local ? local_window
	       : s == space::param ? param_window
				   : 0;
}

} // namespace

// Decodes ld d, [a] and st [a], b.
bool decoder::transfer()
{
	if (!wants(2, 2))
		return false;
	bool stores = mnemonic_.base() == "st";
	type t = mnemonic_.last_type();
	u_.space = mnemonic_.state_space();
	u_.touches = stores ? touches_write : touches_read;
	u_.run = stores ? store_op(u_.space, t) : load_op(u_.space, t);
	if (!u_.run)
		return unsupported(stores ? "a store of this type" : "a load of this type");
	u_.vector = uint8_t(mnemonic_.vector_width());
	u_.element = uint8_t(bytes_of(t));
	const operand &value = op(stores ? 1 : 0);
	std::vector<ref> parts;
	if (!elements(value, t, true, !stores, &parts) || !address(op(stores ? 0 : 1)))
		return false;
	if (parts.size() != u_.vector)
		return fail(value.text, "a vector of another size");
	if (u_.space == space::constant)
		u_.offset += int64_t(p_.constant_base());
	u_.target = add_refs(parts);
	return true;
}

// Decodes cp.async [to], [from], size, and then bytes that are not zeroed or a predicate that zeroes all. What happens
// later on a device happens at once here, so there is nothing to wait for.
bool decoder::copy_async()
{
	bool waits = mnemonic_.has("commit_group") || mnemonic_.has("wait_group") || mnemonic_.has("wait_all");
	if (waits)
		return nothing();
	if (mnemonic_.has("mbarrier"))
		return barrier_object();
	if (mnemonic_.has("bulk"))
		return copy_bulk();
	bool plain = mnemonic_.has("async") && mnemonic_.has("global");
	if (!plain || count() < 3 || op(2).kind != operand::kind_t::integer)
		return unsupported("this kind of copy");
	if (!address_value(op(0), &u_.b))
		return false;
	u_.space = space::global;
	u_.element = uint8_t(op(2).value);
	u_.touches = touches_read;
	u_.run = copy_async_op();
	if (!address(op(1)))
		return false;
	uint32_t number = 0;
	auto last = count() > 3 && op(3).kind == operand::kind_t::name ? find(m_.str(op(3).name), &number) : nullptr;
	u_.mode = last && last->type == type::pred;
	if (u_.mode)
		return predicate(op(3), &u_.c, &u_.c_negated);
	if (count() > 3 && (!last || bits_of(last->type) == 32)) // false for a cache policy
		return source(op(3), type::u32, &u_.c);
	u_.c = constant(u_.element);
	return true;
}

// Decodes atom.op {d, d}, [a], {b, b} and red.op [a], {b, b}.
bool decoder::vector_atomic(std::string_view what, type t, bool gives)
{
	u_.run = vector_atomic_op(what, t);
	if (!u_.run)
		return unsupported("an atomic operation on vectors of this type");
	unsigned at = gives ? 1 : 0;
	if (!wants(at + 2, at + 3))
		return false;
	u_.vector = uint8_t(mnemonic_.vector_width());
	u_.mode = gives;
	std::vector<ref> refs, to;
	if (!address(op(at)) || !elements(op(at + 1), t, false, false, &refs) ||
	    (gives && !elements(op(0), t, false, true, &to)))
		return false;
	if (refs.size() != u_.vector || (gives && to.size() != u_.vector))
		return fail(i_->opcode, "a vector of another size");
	refs.insert(refs.end(), to.begin(), to.end());
	u_.target = add_refs(refs);
	return true;
}

// Decodes atom.op d, [a], b, c and red.op [a], b.
bool decoder::atomic()
{
	bool gives = mnemonic_.base() == "atom";
	std::string_view what;
	for (auto m : mnemonic_.modifiers())
		for (auto name : {"add", "inc", "dec", "min", "max", "and", "or", "xor", "exch", "cas"})
			if (m == name)
				what = m;
	type t = mnemonic_.last_type();
	u_.space = mnemonic_.state_space();
	u_.element = uint8_t(bytes_of(t));
	u_.touches = touches_read | touches_write;
	if (mnemonic_.vector_width() > 1)
		return vector_atomic(what, t, gives);
	u_.run = atomic_op(what, t);
	if (!u_.run)
		return unsupported("an atomic operation of this type");
	unsigned at = gives ? 1 : 0, operands = at + (what == "cas" ? 3 : 2);
	if (!wants(operands, operands))
		return false;
	return (!gives || result(op(0), t, false, &u_.d)) && address(op(at)) && source(op(at + 1), t, &u_.b) &&
	       (what != "cas" || source(op(at + 2), t, &u_.c));
}

bool decoder::convert_address()
{
	if (!wants(2, 2))
		return false;
	type t = mnemonic_.last_type();
	if (bits_of(t) != 64)
		return unsupported("addresses of 32 bits");
	space s = mnemonic_.state_space();
	uint64_t base = s == space::constant ? p_.constant_base() : window_of(s);
	u_.run = add_offset;
	u_.offset = int64_t(mnemonic_.has("to") ? -base : base);
	return result(op(0), t, false, &u_.d) && source(op(1), t, &u_.a);
}

bool decoder::is_space()
{
	if (!wants(2, 2))
		return false;
	u_.space = mnemonic_.state_space();
	u_.run = u_.space == space::constant ? in_constants : in_window;
	u_.offset = int64_t(u_.space == space::global ? shared_window : window_of(u_.space));
	return predicate_result(op(0), &u_.d) && source(op(1), type::u64, &u_.a);
}

// Decodes alloca d, size, alignment; stacksave d; stackrestore a.
bool decoder::local_stack()
{
	if (bits_of(mnemonic_.last_type()) != 64)
		return unsupported("addresses of 32 bits");
	auto base = mnemonic_.base();
	u_.action = action::local_stack;
	u_.mode = base == "alloca" ? 0 : base == "stacksave" ? 1 : 2;
	if (!wants(1, u_.mode == 0 ? 3 : 1))
		return false;
	if (u_.mode == 2)
		return source(op(0), type::u64, &u_.a);
	u_.offset = count() > 2 ? op(2).value : 8;
	return result(op(0), type::u64, false, &u_.d) && (u_.mode || source(op(1), type::u64, &u_.a));
}

} // namespace het::ptx::simt
