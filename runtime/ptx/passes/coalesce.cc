// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Each access to global memory calls a function first that adds up what the warp asks for, if the warp is sampled.
#include "ptx/passes/access.h"
#include "ptx/passes/pass.h"

namespace het::ptx
{

namespace
{

// Whether a warp is sampled depends on its number in the grid alone, and is found out once a function.
//
// The lanes that are counted together are those that come to the counting function together. The first lane of each
// group with the same line (or page) stands for it. The four sums lie beside each other and are added by as many lanes
// as there are, so that a whole warp has one request.
constexpr std::string_view support = R"(.visible .global .align 8 .u64 het_coalesce_table;
.func (.param .b32 het_coalesce_answer) het_coalesce_sampled()
{
	.reg .pred %p<2>;
	.reg .b32 %r<6>;
	.reg .b64 %t;
	mov.u32 %r0, 0;
	ld.volatile.global.u64 %t, [het_coalesce_table];
	setp.eq.u64 %p0, %t, 0;
	@%p0 bra $done;
	mov.u32 %r1, %ctaid.z;
	mov.u32 %r2, %nctaid.y;
	mov.u32 %r3, %ctaid.y;
	mad.lo.u32 %r1, %r1, %r2, %r3;
	mov.u32 %r2, %nctaid.x;
	mov.u32 %r3, %ctaid.x;
	mad.lo.u32 %r1, %r1, %r2, %r3;
	mov.u32 %r2, %tid.z;
	mov.u32 %r3, %ntid.y;
	mov.u32 %r4, %tid.y;
	mad.lo.u32 %r2, %r2, %r3, %r4;
	mov.u32 %r4, %ntid.x;
	mov.u32 %r5, %tid.x;
	mad.lo.u32 %r2, %r2, %r4, %r5;
	shr.u32 %r2, %r2, 5;
	mul.lo.u32 %r3, %r3, %r4;
	mov.u32 %r4, %ntid.z;
	mad.lo.u32 %r3, %r3, %r4, 31;
	shr.u32 %r3, %r3, 5;
	mad.lo.u32 %r1, %r1, %r3, %r2;
	ld.global.u32 %r2, [%t];
	ld.global.u32 %r3, [%t+4];
	mad.lo.u32 %r1, %r1, 0x9e3779b1, %r3;
	setp.le.u32 %p1, %r1, %r2;
	selp.u32 %r0, 1, 0, %p1;
$done:
	st.param.b32 [het_coalesce_answer], %r0;
	ret;
}
.func het_coalesce_count(.param .b64 het_coalesce_address, .param .b32 het_coalesce_site)
{
	.reg .pred %p<5>;
	.reg .b32 %m, %below, %site, %copy, %all, %n, %lines, %pages, %i;
	.reg .b64 %a, %t, %c, %v, %o;
	ld.param.b64 %a, [het_coalesce_address];
	ld.param.b32 %site, [het_coalesce_site];
	ld.volatile.global.u64 %t, [het_coalesce_table];
	mov.u32 %below, %lanemask_lt;
	activemask.b32 %m;
	shr.u64 %o, %a, 7;
	match.any.sync.b64 %lines, %o, %m;
	shr.u64 %o, %a, 16;
	match.any.sync.b64 %pages, %o, %m;
	and.b32 %lines, %lines, %below;
	setp.eq.u32 %p0, %lines, 0;
	vote.sync.ballot.b32 %lines, %p0, %m;
	and.b32 %pages, %pages, %below;
	setp.eq.u32 %p1, %pages, 0;
	vote.sync.ballot.b32 %pages, %p1, %m;
	popc.b32 %lines, %lines;
	popc.b32 %pages, %pages;
	popc.b32 %n, %m;
	and.b32 %below, %below, %m;
	popc.b32 %i, %below;
	ld.global.u64 %c, [%t+8];
	ld.global.u32 %copy, [%t+16];
	ld.global.u32 %all, [%t+20];
	mov.u32 %below, %smid;
	and.b32 %copy, %copy, %below;
	mad.lo.u32 %site, %copy, %all, %site;
	mul.wide.u32 %o, %site, 32;
	add.u64 %c, %c, %o;
$next:
	setp.gt.u32 %p2, %i, 3;
	@%p2 bra $done;
	setp.eq.u32 %p2, %i, 0;
	setp.eq.u32 %p3, %i, 1;
	setp.eq.u32 %p4, %i, 2;
	selp.u32 %below, %lines, %pages, %p4;
	selp.u32 %below, %n, %below, %p3;
	selp.u32 %below, 1, %below, %p2;
	cvt.u64.u32 %v, %below;
	mul.wide.u32 %o, %i, 8;
	add.u64 %o, %c, %o;
	red.global.add.u64 [%o], %v;
	add.u32 %i, %i, %n;
	bra $next;
$done:
	ret;
}
)";

bool counts(const memory_access &a)
{
	return a.address && (a.space == space::global || a.space == space::none);
}

// What a function needs for all of its sites.
struct registers {
	std::string sampled, address, global;
};

// Where a warp is not sampled, one branch is all that it executes.
std::string counting(const module &m, const statement &s, const memory_access &a, size_t site, const registers &r,
		     editor *e)
{
	const auto &i = m.instructions[s.index];
	auto skip = e->new_label(), address = e->new_name("address"), number = e->new_name("site");
	std::string text = "@!" + r.sampled + " bra " + skip + ";\n";
	if (!i.guard.empty())
		text += (i.guard_negated ? "@" : "@!") + std::string(m.str(i.guard)) + " bra " + skip + ";\n";
	text += address_into(m, s, *a.address, r.address) + "\n";
	if (a.space == space::none)
		text += "isspacep.global " + r.global + ", " + r.address + ";\n@!" + r.global + " bra " + skip + ";\n";
	return text + "{\n.param .b64 " + address + ";\n.param .b32 " + number + ";\nst.param.b64 [" + address + "], " +
	       r.address + ";\nst.param.b32 [" + number + "], " + std::to_string(site) +
	       ";\ncall het_coalesce_count, (" + address + ", " + number + ");\n}\n" + skip + ":";
}

void ask_once(const function &f, const registers &r, editor *e)
{
	auto answer = e->new_name("answer"), word = e->new_register(f, type::b32);
	e->at_begin(f, "{\n.param .b32 " + answer + ";\ncall (" + answer + "), het_coalesce_sampled;\nld.param.b32 " +
			       word + ", [" + answer + "];\n}\nsetp.ne.u32 " + r.sampled + ", " + word + ", 0;");
}

void count_in(const module &m, const function &f, editor *e, pass_result *out)
{
	registers r;
	for (uint32_t n = f.first_statement; n < f.first_statement + f.statements; n++) {
		const statement &s = m.statements[n];
		if (s.kind != statement::kind_t::instruction)
			continue;
		const auto &i = m.instructions[s.index];
		if (reads_unseen(m, i) || writes_unseen(m, i))
			out->blind.push_back(m.fault_at(s.text, "uses memory in a way that is not counted"));
		else if (calls_unseen(m, i))
			out->blind.push_back(m.fault_at(s.text, "calls a function that is not in this text"));
		auto a = access_of(m, i);
		if (!counts(a))
			continue;
		if (r.sampled.empty()) {
			r = {e->new_register(f, type::pred), e->new_register(f, type::b64),
			     e->new_register(f, type::pred)};
			ask_once(f, r, e);
		}
		e->before(s, counting(m, s, a, out->sites.size(), r, e));
		out->sites.push_back(
			{std::string(m.str(f.name)), position_of(m.text, s.text.begin), std::string(m.str(s.text))});
	}
}

std::optional<fault> refusal(const module &m)
{
	constexpr unsigned oldest_target = 70;
	if (auto again = has_instrument(m, "het_coalesce_"))
		return again;
	if (auto slices = has_instrument(m, "het_slice_"))
		return m.fault_at({}, "warps have other numbers in slices: slice has to come after this pass");
	if (m.address_bits != 64)
		return m.fault_at({}, "only modules with addresses of 64 bits");
	if (target_number(m) < oldest_target)
		return m.fault_at(m.target, "match.sync needs the target sm_70 or a later one");
	if (m.version_major < 6 || (m.version_major == 6 && m.version_minor < 2))
		return m.fault_at(m.target, "activemask needs PTX 6.2 or later");
	return std::nullopt;
}

} // namespace

pass_result add_coalesce(const module &m)
{
	pass_result out;
	out.refused = refusal(m);
	if (out.refused)
		return out;
	editor e(m);
	e.add_to_module(support);
	for (const auto &f : m.functions)
		if (f.has_body && !added_by_pass(m.str(f.name)))
			count_in(m, f, &e, &out);
	out.text = e.print();
	return out;
}

} // namespace het::ptx
