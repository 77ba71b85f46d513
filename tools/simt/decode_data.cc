// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Decodes instructions that compute.
#include "simt/decoder.h"

namespace het::ptx::simt
{

namespace
{

type of_bits(unsigned bits)
{
	return bits == 8 ? type::b8 : bits == 16 ? type::b16 : bits == 32 ? type::b32 : type::b64;
}

void unpack_op(context &c, const uop &u, lanes m)
{
	const uint64_t *a = c.at(u.a);
	const ref *to = &c.prog->refs()[u.target];
	uint64_t words[warp_size]; // an element may be the source itself
	memcpy(words, a, sizeof(words));
	for (unsigned i = 0; i < u.vector; i++) {
		uint64_t *d = c.at(to[i]);
		for_lanes(m, [&](unsigned l) { d[l] = words[l] >> (i * u.element); });
	}
}

void pack_op(context &c, const uop &u, lanes m)
{
	const ref *from = &c.prog->refs()[u.target];
	uint64_t *d = c.at(u.d);
	uint64_t mask = ~uint64_t{0} >> (64 - u.element);
	for_lanes(m, [&](unsigned l) {
		uint64_t word = 0;
		for (unsigned i = 0; i < u.vector; i++)
			word |= (c.at(from[i])[l] & mask) << (i * u.element);
		d[l] = word;
	});
}

void move_vector_op(context &c, const uop &u, lanes m)
{
	const ref *refs = &c.prog->refs()[u.target];
	for (unsigned i = 0; i < u.vector; i++) {
		const uint64_t *a = c.at(refs[u.vector + i]);
		uint64_t *d = c.at(refs[i]);
		for_lanes(m, [&](unsigned l) { d[l] = a[l]; });
	}
}

void move_predicate_op(context &c, const uop &u, lanes m)
{
	c.set_predicate(u.d, m, c.predicate(u.a));
}

void clock_op(context &c, const uop &u, lanes m)
{
	uint64_t *d = c.at(u.d);
	for_lanes(m, [&](unsigned l) { d[l] = c.clock >> u.element; });
}

} // namespace

// --- whatever select.h knows -----------------------------------------------------

bool decoder::simple_operand(char letter, const operand &o, unsigned n)
{
	type t = mnemonic_.last_type();
	if (letter == 'w')
		t = bits_of(t) == 16 ? (is_signed(t) ? type::s32 : type::u32) : (is_signed(t) ? type::s64 : type::u64);
	else if (letter == 'u')
		t = type::u32;
	else if (letter == 's')
		t = mnemonic_.type_at(1);
	else if (mnemonic_.base() == "slct")
		t = mnemonic_.type_at(0);
	ref *places[] = {&u_.d, &u_.a, &u_.b, &u_.c, &u_.e};
	if (letter == 'p')
		return n == 0 ? predicate_result(o, &u_.d) : predicate(o, places[n], n == 3 ? &u_.c_negated : nullptr);
	return n == 0 ? result(o, t, false, &u_.d) : source(o, t, places[n]);
}

bool decoder::simple(const selection &s)
{
	auto letters = std::string_view(s.operands);
	u_.run = s.run;
	u_.mode = s.mode;
	if (!wants(uint32_t(letters.size()), uint32_t(letters.size())))
		return false;
	for (unsigned n = 0; n < letters.size(); n++)
		if (!simple_operand(letters[n], op(n), n))
			return false;
	if (s.carries)
		u_.e = carry_;
	return true;
}

bool decoder::convert()
{
	auto s = select_conversion(mnemonic_);
	if (!s.run)
		return unsupported("this conversion");
	auto letters = std::string_view(s.operands);
	if (!wants(uint32_t(letters.size()), uint32_t(letters.size())))
		return false;
	u_.run = s.run;
	u_.mode = s.mode;
	type from = mnemonic_.type_at(1);
	return result(op(0), mnemonic_.type_at(0), true, &u_.d) && wide_source(op(1), from, &u_.a) &&
	       (letters.size() < 3 || wide_source(op(2), from, &u_.b));
}

namespace
{

// Returns what stands for true in the result of set; with @two, in each half of it.
int64_t truth(type result, bool two)
{
	switch (result) {
	case type::f32:
		return int64_t(std::bit_cast<uint32_t>(1.0f));
	case type::f16:
	case type::f16x2:
		return 0x3c00;
	case type::bf16:
	case type::bf16x2:
		return 0x3f80;
	default:
		return two ? 0xffff : 0xffffffff;
	}
}

} // namespace

// Decodes setp p|q, a, b, c and set d, a, b, c.
bool decoder::compare()
{
	auto s = select_choice(mnemonic_);
	if (!s.run)
		return unsupported("this comparison");
	if (!wants(s.mode ? 4 : 3, s.mode ? 4 : 3))
		return false;
	u_.run = s.run;
	u_.mode = s.mode;
	u_.element = mnemonic_.has("ftz");
	u_.flag = mnemonic_.base() == "set";
	type t = mnemonic_.last_type();
	u_.offset = truth(mnemonic_.type_at(0), t == type::f16x2 || t == type::bf16x2);
	bool ok = u_.flag ? result(op(0), mnemonic_.type_at(0), false, &u_.d)
			  : results_pair(op(0), type::pred, &u_.d, &u_.e);
	return ok && source(op(1), t, &u_.a) && source(op(2), t, &u_.b) &&
	       (!s.mode || predicate(op(3), &u_.c, &u_.c_negated));
}

// --- mov ---------------------------------------------------------------------------

bool decoder::move()
{
	if (!wants(2, 2))
		return false;
	type t = mnemonic_.last_type();
	if (bits_of(t) > 64)
		return unsupported("values of 128 bits");
	if (mnemonic_.vector_width() > 1)
		return move_vector();
	if (parts_of(op(0)))
		return unpack();
	if (parts_of(op(1)))
		return pack();
	if (t == type::pred)
		return move_predicate();
	auto name = m_.str(op(1).name);
	if (name.starts_with("%clock") || name.starts_with("%globaltimer"))
		return clock();
	u_.run = lanewise([](uint64_t a) { return a; });
	// A special register may be narrower or wider.
	return result(op(0), t, special_named(name) != specials, &u_.d) && source(op(1), t, &u_.a);
}

bool decoder::move_predicate()
{
	u_.run = move_predicate_op;
	return predicate_result(op(0), &u_.d) && predicate(op(1), &u_.a, nullptr);
}

bool decoder::clock()
{
	u_.run = clock_op;
	u_.element = m_.str(op(1).name).ends_with("_hi") ? 32 : 0;
	return result(op(0), mnemonic_.last_type(), false, &u_.d);
}

// Decodes a word that is taken apart or put together: the elements of the list, or the components of the vector
// register that GCC has instead, have u_.element bits each.
bool decoder::has_parts(const operand &list, run_fn run)
{
	unsigned n = parts_of(list), bits = bits_of(mnemonic_.last_type());
	if (n == 0 || bits % n || bits / n < 8)
		return fail(list.text, "this many elements");
	u_.run = run;
	u_.vector = uint8_t(n);
	u_.element = uint8_t(bits / n);
	return true;
}

bool decoder::unpack()
{
	std::vector<ref> to;
	if (!has_parts(op(0), unpack_op) || !source(op(1), mnemonic_.last_type(), &u_.a) ||
	    !elements(op(0), of_bits(u_.element), false, true, &to))
		return false;
	u_.target = add_refs(to);
	return true;
}

bool decoder::pack()
{
	std::vector<ref> from;
	if (!has_parts(op(1), pack_op) || !elements(op(1), of_bits(u_.element), false, false, &from) ||
	    !result(op(0), mnemonic_.last_type(), false, &u_.d))
		return false;
	u_.target = add_refs(from);
	return true;
}

// Decodes mov.v2.u64 %v, {0, 0}, as GCC writes it.
bool decoder::move_vector()
{
	std::vector<ref> refs, from;
	type t = mnemonic_.last_type();
	u_.run = move_vector_op;
	u_.vector = uint8_t(mnemonic_.vector_width());
	if (!elements(op(1), t, false, false, &from) || !elements(op(0), t, false, true, &refs))
		return false;
	if (refs.size() != u_.vector || from.size() != u_.vector)
		return fail(i_->opcode, "vectors of another size");
	refs.insert(refs.end(), from.begin(), from.end());
	u_.target = add_refs(refs);
	return true;
}

} // namespace het::ptx::simt
