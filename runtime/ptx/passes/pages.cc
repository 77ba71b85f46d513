// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Passes dirty and touch: each access of their kind to global or generic memory calls a function first that sets a bit
// for the page.
#include "ptx/passes/access.h"
#include "ptx/passes/pass.h"

namespace het::ptx
{

namespace
{

// # stands for the name of the pass. The table and its bitmaps may be changed by other threads at any time, so they are
// read as volatile. A bit that is set already is not set again: most accesses to a page find it so.
constexpr std::string_view support = R"(.visible .global .align 8 .u64 het_#_table;
.func het_#_mark(.param .b64 het_#_address)
{
	.reg .pred %p<3>;
	.reg .b32 %r<5>;
	.reg .b64 %a, %t, %n, %base, %size, %bits, %o;
	ld.volatile.global.u64 %t, [het_#_table];
	setp.eq.u64 %p0, %t, 0;
	@%p0 bra $done;
	ld.param.b64 %a, [het_#_address];
	ld.global.u64 %n, [%t];
$next:
	setp.eq.u64 %p0, %n, 0;
	@%p0 bra $done;
	ld.global.u64 %base, [%t+8];
	ld.global.u64 %size, [%t+16];
	ld.global.u64 %bits, [%t+24];
	add.u64 %t, %t, 24;
	sub.u64 %n, %n, 1;
	sub.u64 %o, %a, %base;
	setp.ge.u64 %p1, %o, %size;
	@%p1 bra $next;
	shr.u64 %a, %a, 16;
	shr.u64 %base, %base, 16;
	sub.u64 %a, %a, %base;
	shr.u64 %o, %a, 5;
	shl.b64 %o, %o, 2;
	add.u64 %bits, %bits, %o;
	cvt.u32.u64 %r0, %a;
	and.b32 %r0, %r0, 31;
	mov.u32 %r1, 1;
	shl.b32 %r1, %r1, %r0;
	ld.volatile.global.u32 %r2, [%bits];
	and.b32 %r3, %r2, %r1;
	setp.ne.u32 %p2, %r3, 0;
	@%p2 bra $done;
	red.global.or.b32 [%bits], %r1;
$done:
	ret;
}
)";

struct page_pass {
	std::string name;
	bool counts_reads;
};

std::string named(std::string_view text, const std::string &name)
{
	std::string out;
	for (char c : text)
		out += c == '#' ? name : std::string(1, c);
	return out;
}

bool counts(const page_pass &p, const memory_access &a)
{
	bool global = a.space == space::global || a.space == space::none;
	return a.address && global && (a.writes || (p.counts_reads && a.reads));
}

// A call under the same guard.
std::string marking(const page_pass &p, const module &m, const statement &s, const memory_access &a, editor *e,
		    const function &f)
{
	const auto &i = m.instructions[s.index];
	auto address = e->new_register(f, type::b64), parameter = e->new_name("address");
	return "{\n" + address_into(m, s, *a.address, address) + "\n.param .b64 " + parameter + ";\nst.param.b64 [" +
	       parameter + "], " + address + ";\n" + guard_of(m, i) + "call het_" + p.name + "_mark, (" + parameter +
	       ");\n}";
}

void mark(const page_pass &p, const module &m, const function &f, editor *e, pass_result *out)
{
	for (uint32_t n = f.first_statement; n < f.first_statement + f.statements; n++) {
		const statement &s = m.statements[n];
		if (s.kind != statement::kind_t::instruction)
			continue;
		const auto &i = m.instructions[s.index];
		if (writes_unseen(m, i))
			out->blind.push_back(m.fault_at(s.text, "writes memory in a way that is not followed"));
		else if (p.counts_reads && reads_unseen(m, i))
			out->blind.push_back(m.fault_at(s.text, "reads memory in a way that is not followed"));
		else if (calls_unseen(m, i))
			out->blind.push_back(m.fault_at(s.text, "calls a function that is not in this text"));
		else if (auto a = access_of(m, i); counts(p, a))
			e->before(s, marking(p, m, s, a, e, f));
	}
}

pass_result add_pages(const module &m, const page_pass &p)
{
	pass_result out;
	out.refused = has_instrument(m, "het_" + p.name + "_");
	if (!out.refused && m.address_bits != 64)
		out.refused = m.fault_at({}, "only modules with addresses of 64 bits");
	if (out.refused)
		return out;
	editor e(m);
	e.add_to_module(named(support, p.name));
	for (const auto &f : m.functions)
		if (f.has_body && !added_by_pass(m.str(f.name)))
			mark(p, m, f, &e, &out);
	out.text = e.print();
	return out;
}

} // namespace

pass_result add_dirty(const module &m)
{
	return add_pages(m, {"dirty", false});
}

pass_result add_touch(const module &m)
{
	return add_pages(m, {"touch", true});
}

} // namespace het::ptx
