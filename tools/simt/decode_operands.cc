// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "simt/decoder.h"

namespace het::ptx::simt
{

namespace
{

struct special_row {
	std::string_view name;
	special is;
};

constexpr special_row special_names[] = {
	{"%tid.x", tid_x},
	{"%tid.y", tid_y},
	{"%tid.z", tid_z},
	{"%ntid.x", ntid_x},
	{"%ntid.y", ntid_y},
	{"%ntid.z", ntid_z},
	{"%ctaid.x", ctaid_x},
	{"%ctaid.y", ctaid_y},
	{"%ctaid.z", ctaid_z},
	{"%nctaid.x", nctaid_x},
	{"%nctaid.y", nctaid_y},
	{"%nctaid.z", nctaid_z},
	{"%laneid", laneid},
	{"%warpid", warpid},
	{"%nwarpid", nwarpid},
	{"%lanemask_eq", lanemask_eq},
	{"%lanemask_le", lanemask_le},
	{"%lanemask_lt", lanemask_lt},
	{"%lanemask_ge", lanemask_ge},
	{"%lanemask_gt", lanemask_gt},
	{"%dynamic_smem_size", dynamic_smem_size},
	{"%total_smem_size", total_smem_size},
	{"%smid", zero},
	{"%nsmid", one},
	{"%gridid", zero},
	// A launch without clusters has one block in each.
	{"%is_explicit_cluster", zero},
	{"%cluster_ctaid.x", zero},
	{"%cluster_ctaid.y", zero},
	{"%cluster_ctaid.z", zero},
	{"%cluster_nctaid.x", one},
	{"%cluster_nctaid.y", one},
	{"%cluster_nctaid.z", one},
	{"%cluster_ctarank", zero},
	{"%cluster_nctarank", one},
	{"%clusterid.x", ctaid_x},
	{"%clusterid.y", ctaid_y},
	{"%clusterid.z", ctaid_z},
	{"%nclusterid.x", nctaid_x},
	{"%nclusterid.y", nctaid_y},
	{"%nclusterid.z", nctaid_z},
};

// Returns a component's number, or 4.
unsigned component_number(std::string_view c)
{
	constexpr std::string_view letters = "xyzw", colours = "rgba";
	if (c.size() != 2)
		return 4;
	size_t at = std::min(letters.find(c[1]), colours.find(c[1]));
	return at == letters.npos ? 4 : unsigned(at);
}

} // namespace

special special_named(std::string_view name)
{
	for (const auto &row : special_names)
		if (row.name == name)
			return row.is;
	return name.starts_with("%envreg") ? zero : specials;
}

bool decoder::read(const operand &o, type t, bool wider, ref *out)
{
	if (o.kind == operand::kind_t::name && !o.negated) {
		if (!named_source(o, t, wider, out))
			return false;
		if (out->is_register())
			reads_.push_back(*out);
		return true;
	}
	if (o.kind != operand::kind_t::integer && o.kind != operand::kind_t::real)
		return fail(o.text, "expected a value");
	*out = literal(o, t);
	return true;
}

ref decoder::literal(const operand &o, type t)
{
	if (o.kind == operand::kind_t::integer)
		return constant(t == type::pred ? (o.value ? all_lanes : 0) : uint64_t(o.value));
	uint64_t bits = uint64_t(o.value);
	if (t == type::f32 && o.is_double)
		bits = std::bit_cast<uint32_t>(float(std::bit_cast<double>(bits)));
	else if (t == type::f64 && !o.is_double)
		bits = std::bit_cast<uint64_t>(double(std::bit_cast<float>(uint32_t(bits))));
	return constant(bits);
}

bool decoder::register_of(const operand &o, const local_name &n, uint32_t number, type t, bool wider, ref *out)
{
	uint32_t component = 0;
	if (!o.component.empty())
		component = component_number(m_.str(o.component));
	if (component >= n.vector || (n.vector > 1 && o.component.empty()))
		return fail(o.text,
			    n.vector > 1 ? "expected one component of this vector" : "this register has no components");
	unsigned have = bits_of(n.type), want = bits_of(t);
	bool fits = (n.type == type::pred) == (t == type::pred) && (wider ? have >= want : have == want);
	if (!fits)
		return fail(o.text, "a register of type ." + std::string(name_of(n.type)) + " where ." +
					    std::string(name_of(t)) + " is wanted");
	*out = make_ref(place::registers, n.at + number * n.vector + component);
	return true;
}

bool decoder::named_source(const operand &o, type t, bool wider, ref *out)
{
	auto name = m_.str(o.name);
	auto plain = name.substr(0, name.size() - o.component.size());
	uint32_t number = 0;
	const auto n = find(plain, &number);
	if (n && n->space == space::reg)
		return register_of(o, *n, number, t, wider, out);
	if (special s = special_named(name); s != specials) {
		*out = make_ref(place::specials, s);
		return true;
	}
	if (name == "WARP_SZ") {
		*out = constant(warp_size);
		return true;
	}
	// GCC's parameters have such names, too.
	if (name.starts_with('%') && !n && !is_numbered(plain)) {
		unknown_ = "the special register " + std::string(name);
		*out = constant(0);
		return true;
	}
	return named_address(o, name, out);
}

// Decodes the address of a variable, in its state space, or of a function.
bool decoder::named_address(const operand &o, std::string_view name, ref *out)
{
	uint32_t number = 0, symbol = no_index;
	auto n = find(name, &number);
	if (n && (n->space == space::local || n->space == space::param)) {
		uint64_t at = n->at + uint64_t{number} * n->bytes + uint64_t(o.value);
		*out = n->space == space::local ? local_address(at) : constant(at);
		return true;
	}
	symbol = n ? n->at : p_.find_symbol(module_index_, name);
	if (symbol != no_index) {
		const auto &s = p_.symbols_[symbol];
		bool shared = s.space == space::shared;
		if (shared)
			code_.shared.push_back(symbol);
		*out = shared ? p_.shared_address(symbol, uint64_t(o.value)) : constant(s.address + uint64_t(o.value));
		return true;
	}
	if (uint32_t c = p_.find_code(module_index_, name); c != no_index) {
		p_.pointed_to_.insert(c);
		*out = constant(function_window + 16 * (uint64_t{c} + 1));
		return true;
	}
	return fail(o.text, "no such name here");
}

// Adds an operation of its own before the one that needs it: a frame's local memory begins where its caller's ends.
ref decoder::local_address(uint64_t offset)
{
	uop u;
	u.run = lanewise([](uint64_t base, uint64_t at) { return base + at; });
	u.statement = u_.statement;
	u.d = make_ref(place::registers, code_.registers++);
	u.a = local_base_;
	u.b = constant(offset);
	u.first_use = add_refs({u.d});
	u.defs = 1;
	code_.ops.push_back(u);
	return u.d;
}

bool decoder::result(const operand &o, type t, bool wider, ref *out)
{
	auto name = m_.str(o.name);
	if (o.kind != operand::kind_t::name)
		return fail(o.text, "expected a register");
	if (name == "_") {
		*out = make_ref(place::registers, code_.registers++); // written, and never read
		return true;
	}
	uint32_t number = 0;
	auto n = find(name.substr(0, name.size() - o.component.size()), &number);
	if (!n || n->space != space::reg)
		return fail(o.text, "no such register");
	if (!register_of(o, *n, number, t, wider, out))
		return false;
	writes_.push_back(*out);
	return true;
}

// @negated is null where !%p is not allowed.
bool decoder::predicate(const operand &o, ref *out, bool *negated)
{
	operand plain = o;
	plain.negated = false;
	if (o.negated && !negated)
		return fail(o.text, "a negated predicate is not allowed here");
	if (negated)
		*negated = o.negated;
	return source(plain, type::pred, out);
}

bool decoder::predicate_result(const operand &o, ref *out)
{
	if (m_.str(o) == "_") {
		*out = {};
		return true;
	}
	return result(o, type::pred, false, out);
}

// Decodes d or d|p.
bool decoder::results_pair(const operand &o, type t, ref *first, ref *second)
{
	if (o.kind != operand::kind_t::pair)
		return t == type::pred ? predicate_result(o, first) : result(o, t, false, first);
	const operand &a = m_.child_of(o, 0);
	return (t == type::pred ? predicate_result(a, first) : result(a, t, false, first)) &&
	       predicate_result(m_.child_of(o, 1), second);
}

unsigned decoder::parts_of(const operand &o)
{
	if (o.kind == operand::kind_t::list)
		return o.children;
	uint32_t number = 0;
	auto n = o.kind == operand::kind_t::name && o.component.empty() ? find(m_.str(o.name), &number) : nullptr;
	return n && n->space == space::reg && n->vector > 1 ? n->vector : 0;
}

// Decodes {a, b}, or the components of a vector register, or one register.
bool decoder::elements(const operand &o, type t, bool wider, bool written, std::vector<ref> *out)
{
	auto one = [&](const operand &e) {
		return written ? result(e, t, wider, &out->emplace_back()) : read(e, t, wider, &out->emplace_back());
	};
	if (o.kind == operand::kind_t::list) {
		for (uint32_t i = 0; i < o.children; i++)
			if (!one(m_.child_of(o, i)))
				return false;
		return true;
	}
	uint32_t number = 0;
	if (!parts_of(o))
		return one(o);
	auto n = find(m_.str(o.name), &number);
	for (unsigned i = 0; i < n->vector; i++) {
		ref r = make_ref(place::registers, n->at + number * n->vector + i);
		out->push_back(r);
		(written ? writes_ : reads_).push_back(r);
	}
	return true;
}

// Decodes the address of a memory operand, which is u_.a + u_.offset. u_.flag says that the register has 32 bits.
bool decoder::address(const operand &o)
{
	if (o.kind != operand::kind_t::address)
		return unsupported("an address of this form");
	u_.offset = o.value;
	if (o.name.empty()) {
		u_.a = constant(0);
		return true;
	}
	operand plain = o;
	plain.kind = operand::kind_t::name;
	plain.value = 0;
	uint32_t number = 0;
	auto name = m_.str(o.name);
	auto n = find(name.substr(0, name.size() - o.component.size()), &number);
	if (n && n->space == space::local) {
		u_.a = local_base_;
		u_.offset += n->at;
		return true;
	}
	u_.flag = n && n->space == space::reg && bits_of(n->type) == 32;
	return source(plain, u_.flag ? type::u32 : type::u64, &u_.a);
}

// Decodes an argument or a result of a call.
bool decoder::parameter_place(const operand &o, argument *out)
{
	uint32_t number = 0;
	auto n = o.kind == operand::kind_t::name ? find(m_.str(o.name), &number) : nullptr;
	if (n && n->space == space::param) {
		*out = {{}, n->at + number * n->bytes, n->bytes};
		return true;
	}
	type t = n ? n->type : type::b64;
	out->bytes = bytes_of(t);
	return read(o, t, false, &out->value);
}

} // namespace het::ptx::simt
