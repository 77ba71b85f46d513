// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Before each access to global memory a warp that is sampled adds up what it asks for.
#include "ptx/passes/coalesce.h"
#include "ptx/passes/access.h"
#include "ptx/passes/filled.h"
#include "ptx/passes/pass.h"
#include "ptx/passes/traces.h"

namespace het::ptx
{

namespace
{

// Whether a warp is sampled depends on its number in the grid alone, and is found out once a function. The answer is
// the address of its counters, or 0. The table lies in constant memory, where reading it is free; in global memory all
// warps of a grid would queue up at the one place of the cache that has it.
//
// The lanes that are counted together are those that come to the instrument together: %m. The first lane of each group
// with the same line (or page) stands for it. The four sums lie beside each other and are added by as many lanes as
// there are, so that a whole warp has one request.
static_assert(sizeof(coalesce_table) == 24 && sizeof(coalesce_counters) == 32);
constexpr std::string_view support = R"(.visible .const .align 8 .b8 het_coalesce_table[24];
.func (.param .b64 het_coalesce_answer) het_coalesce_sampled()
{
	.reg .pred %p<2>;
	.reg .b32 %r<6>;
	.reg .b64 %c, %o;
	ld.const.u64 %c, [het_coalesce_table+8];
	setp.eq.u64 %p0, %c, 0;
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
	ld.const.u32 %r2, [het_coalesce_table];
	ld.const.u32 %r3, [het_coalesce_table+4];
	mad.lo.u32 %r1, %r1, 0x9e3779b1, %r3;
	setp.le.u32 %p1, %r1, %r2;
	selp.b64 %c, %c, 0, %p1;
	@!%p1 bra $done;
	mov.u32 %r1, %smid;
	ld.const.u32 %r2, [het_coalesce_table+16];
	and.b32 %r1, %r1, %r2;
	ld.const.u32 %r2, [het_coalesce_table+20];
	mul.lo.u32 %r1, %r1, %r2;
	mul.wide.u32 %o, %r1, 32;
	add.u64 %c, %c, %o;
$done:
	st.param.b64 [het_coalesce_answer], %c;
	ret;
}
.func het_coalesce_count(.param .b64 het_coalesce_address, .param .b32 het_coalesce_lanes, .param .b64 het_coalesce_site)
{
	.reg .pred %p<5>;
	.reg .b32 %m, %below, %n, %lines, %pages, %i;
	.reg .b64 %a, %c, %v, %o;
	ld.param.b64 %a, [het_coalesce_address];
	ld.param.b32 %m, [het_coalesce_lanes];
	ld.param.b64 %c, [het_coalesce_site];
	mov.u32 %below, %lanemask_lt;
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

// What the addresses of neighbouring lanes differ by where those of the warp follow each other.
unsigned bytes_of_access(const module &m, const instruction &i)
{
	mnemonic op(m.str(i.opcode));
	if (op.base() == "cp" && i.operands > 2)
		return unsigned(m.operand_of(i, 2).value) % 32;
	return bytes_of(op.last_type()) * op.vector_width();
}

constexpr std::string_view begin = R"(.reg .pred %het_coalesce_on, %het_coalesce_p;
.reg .b32 %het_coalesce_lane, %het_coalesce_m, %het_coalesce_e;
.reg .b64 %het_coalesce_sums, %het_coalesce_a, %het_coalesce_o;
{
.param .b64 <answer>;
call (<answer>), het_coalesce_sampled;
ld.param.b64 %het_coalesce_sums, [<answer>];
}
setp.ne.u64 %het_coalesce_on, %het_coalesce_sums, 0;)";

// Where a warp is not sampled, one branch is all that it executes. Most often a whole warp's addresses follow each
// other: then the first and the last one tell everything, lane 2 sees how many lines lie between and lane 3 how many
// pages, and nothing is called. (At a call a thread waits for the loads that it has issued.)
constexpr std::string_view count = R"(mov.u32 %het_coalesce_lane, %laneid;
mul.wide.u32 %het_coalesce_o, %het_coalesce_lane, <width>;
sub.u64 %het_coalesce_o, %het_coalesce_a, %het_coalesce_o;
activemask.b32 %het_coalesce_m;
setp.ne.b32 %het_coalesce_p, %het_coalesce_m, -1;
@%het_coalesce_p bra <any>;
match.all.sync.b64 %het_coalesce_e|%het_coalesce_p, %het_coalesce_o, -1;
@%het_coalesce_p bra <row>;
<any>:
{
.param .b64 <address>;
.param .b32 <lanes>;
.param .b64 <site>;
st.param.b64 [<address>], %het_coalesce_a;
st.param.b32 [<lanes>], %het_coalesce_m;
add.u64 %het_coalesce_o, %het_coalesce_sums, <offset>;
st.param.b64 [<site>], %het_coalesce_o;
call het_coalesce_count, (<address>, <lanes>, <site>);
}
bra <skip>;
<row>:
setp.eq.u32 %het_coalesce_p, %het_coalesce_lane, 2;
selp.b32 %het_coalesce_e, 127, 65535, %het_coalesce_p;
cvt.u32.u64 %het_coalesce_m, %het_coalesce_o;
and.b32 %het_coalesce_m, %het_coalesce_m, %het_coalesce_e;
add.u32 %het_coalesce_m, %het_coalesce_m, <reach>;
selp.b32 %het_coalesce_e, 7, 16, %het_coalesce_p;
shr.u32 %het_coalesce_m, %het_coalesce_m, %het_coalesce_e;
add.u32 %het_coalesce_m, %het_coalesce_m, 1;
setp.eq.u32 %het_coalesce_p, %het_coalesce_lane, 1;
selp.b32 %het_coalesce_m, 32, %het_coalesce_m, %het_coalesce_p;
setp.eq.u32 %het_coalesce_p, %het_coalesce_lane, 0;
selp.b32 %het_coalesce_m, 1, %het_coalesce_m, %het_coalesce_p;
cvt.u64.u32 %het_coalesce_a, %het_coalesce_m;
mad.wide.u32 %het_coalesce_o, %het_coalesce_lane, 8, %het_coalesce_sums;
setp.lt.u32 %het_coalesce_p, %het_coalesce_lane, 4;
@%het_coalesce_p red.global.add.u64 [%het_coalesce_o+<offset>], %het_coalesce_a;
<skip>:)";

std::string counting(const module &m, const statement &s, const memory_access &a, size_t site, editor *e)
{
	const auto &i = m.instructions[s.index];
	unsigned width = bytes_of_access(m, i);
	auto skip = e->new_label();
	std::string text = "@!%het_coalesce_on bra " + skip + ";\n";
	if (!i.guard.empty())
		text += (i.guard_negated ? "@" : "@!") + std::string(m.str(i.guard)) + " bra " + skip + ";\n";
	text += address_into(m, s, *a.address, "%het_coalesce_a") + "\n";
	if (a.space == space::none)
		text += "isspacep.global %het_coalesce_p, %het_coalesce_a;\n@!%het_coalesce_p bra " + skip + ";\n";
	return text + filled(count, {{"skip", skip},
				     {"any", e->new_label()},
				     {"row", e->new_label()},
				     {"address", e->new_name("address")},
				     {"lanes", e->new_name("lanes")},
				     {"site", e->new_name("site")},
				     {"offset", std::to_string(site * sizeof(coalesce_counters))},
				     {"width", std::to_string(width)},
				     {"reach", std::to_string(31 * width)}});
}

void count_in(const module &m, const function &f, editor *e, pass_result *out)
{
	bool asked = false;
	for (const statement &s : m.statements_of(f)) {
		if (s.kind != statement::kind_t::instruction)
			continue;
		const auto &i = m.instructions[s.index];
		if (added_by_pass(m, i))
			continue;
		if (reads_unseen(m, i) || writes_unseen(m, i))
			out->blind.push_back(m.fault_at(s.text, "uses memory in a way that is not counted"));
		else if (calls_unseen(m, i))
			out->blind.push_back(m.fault_at(s.text, "calls a function that is not in this text"));
		auto a = access_of(m, i);
		if (!a.may_be_global())
			continue;
		if (!asked)
			e->at_begin(f, filled(begin, {{"answer", e->new_name("answer")}}));
		asked = true;
		e->before(s, counting(m, s, a, out->sites.size(), e));
		out->sites.push_back(
			{std::string(m.str(f.name)), m.position_of(s.text.begin), std::string(m.str(s.text))});
	}
}

std::optional<fault> refusal(const module &m)
{
	constexpr unsigned oldest_target = 70;
	if (auto slices = has_instrument(m, "het_slice_"))
		return m.fault_at({}, "warps have other numbers in slices: slice has to come after this pass");
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
