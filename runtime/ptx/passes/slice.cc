// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// %ctaid and %nctaid come from shared memory, where the block's first thread puts them when the block begins. Blocks
// that find the stop flag set then write their number down and leave, all threads together.
#include "ptx/passes/slice.h"

#include "ptx/passes/access.h"
#include "ptx/passes/pass.h"
#include "ptx/passes/slice_check.h"
#include "ptx/passes/slice_plan.h"
#include "ptx/passes/waits.h"

namespace het::ptx
{

namespace
{

// The first thread alone looks at the flag: it may change at any time, and the threads of a block must agree. In grids
// of one dimension the number is the index.
// The block's place has the size and alignment of the widest access, so that arrays behind it are aligned as before.
constexpr std::string_view slice_support = R"(.shared .align 16 .b32 het_slice_block[8];
.func (.param .b32 het_slice_answer) het_slice_begin(.param .b64 het_slice_control)
{
	.reg .pred %p;
	.reg .b32 %r<2>, %x, %y, %z, %leave, %nx, %ny, %nz;
	.reg .b64 %c, %n, %t, %d;
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, %tid.y;
	or.b32 %r0, %r0, %r1;
	mov.u32 %r1, %tid.z;
	or.b32 %r0, %r0, %r1;
	setp.ne.u32 %p, %r0, 0;
	@%p bra $wait;
	mov.u32 %x, %ctaid.x;
	mov.u32 %y, %ctaid.y;
	mov.u32 %z, %ctaid.z;
	mov.u32 %nx, %nctaid.x;
	mov.u32 %ny, %nctaid.y;
	mov.u32 %nz, %nctaid.z;
	mov.u32 %leave, 0;
	ld.param.b64 %c, [het_slice_control];
	setp.eq.u64 %p, %c, 0;
	@%p bra $store;
	ld.volatile.global.u32 %leave, [%c+12];
	ld.global.u64 %t, [%c+24];
	mul.wide.u32 %n, %z, %ny;
	cvt.u64.u32 %d, %y;
	add.u64 %n, %n, %d;
	cvt.u64.u32 %d, %nx;
	mul.lo.u64 %n, %n, %d;
	cvt.u64.u32 %d, %x;
	add.u64 %n, %n, %d;
	setp.eq.u64 %p, %t, 0;
	@%p bra $consecutive;
	shl.b64 %n, %n, 3;
	add.u64 %t, %t, %n;
	ld.global.u64 %n, [%t];
	bra $numbered;
$consecutive:
	ld.global.u64 %t, [%c+16];
	add.u64 %n, %n, %t;
$numbered:
	setp.ne.u32 %p, %leave, 0;
	@%p bra $leave;
	ld.global.u32 %nx, [%c];
	ld.global.u32 %ny, [%c+4];
	ld.global.u32 %nz, [%c+8];
	cvt.u32.u64 %x, %n;
	mov.u32 %y, 0;
	mov.u32 %z, 0;
	cvt.u64.u32 %t, %nx;
	setp.lt.u64 %p, %n, %t;
	@%p bra $store;
	div.u64 %d, %n, %t;
	mul.lo.u64 %t, %d, %t;
	sub.u64 %t, %n, %t;
	cvt.u32.u64 %x, %t;
	cvt.u64.u32 %t, %ny;
	div.u64 %n, %d, %t;
	cvt.u32.u64 %z, %n;
	mul.lo.u64 %t, %n, %t;
	sub.u64 %t, %d, %t;
	cvt.u32.u64 %y, %t;
	bra $store;
$leave:
	ld.global.u64 %d, [%c+32];
	atom.global.add.u64 %t, [%c+40], 1;
	shl.b64 %t, %t, 3;
	add.u64 %d, %d, %t;
	st.global.u64 [%d], %n;
$store:
	st.shared.u32 [het_slice_block], %x;
	st.shared.u32 [het_slice_block+4], %y;
	st.shared.u32 [het_slice_block+8], %z;
	st.shared.u32 [het_slice_block+12], %leave;
	st.shared.u32 [het_slice_block+16], %nx;
	st.shared.u32 [het_slice_block+20], %ny;
	st.shared.u32 [het_slice_block+24], %nz;
$wait:
	bar.sync 0;
	ld.shared.u32 %r0, [het_slice_block+12];
	st.param.b32 [het_slice_answer], %r0;
	ret;
}
)";

// Puts registers in the place of the special ones, and returns the lines that load them.
std::string replace_specials(const module &m, const function &f, editor *e)
{
	std::array<std::string, block_registers.size()> names;
	std::string loads;
	for (const statement &s : m.statements_of(f)) {
		if (s.kind != statement::kind_t::instruction)
			continue;
		for (span where : registers_of(m, s)) {
			for (size_t k = 0; k < block_registers.size(); k++) {
				if (m.str(where) != block_registers[k])
					continue;
				if (names[k].empty()) {
					names[k] = e->new_register(f, type::b32);
					loads += (loads.empty() ? "" : "\n") + ("ld.shared.u32 " + names[k]) +
						 ", [het_slice_block+" + std::to_string(4 * k) + "];";
				}
				e->replace(where, names[k]);
			}
		}
	}
	return loads;
}

// @control is a register with the address of the control block, or 0. Returns the register with the answer.
std::string begin_call(const function &f, const std::string &control, editor *e, std::string *lines)
{
	auto argument = e->new_name("control"), answer = e->new_name("answer"), word = e->new_register(f, type::b32);
	*lines += "{\n.param .b64 " + argument + ";\n.param .b32 " + answer + ";\nst.param.b64 [" + argument + "], " +
		  control + ";\ncall (" + answer + "), het_slice_begin, (" + argument + ");\nld.param.b32 " + word +
		  ", [" + answer + "];\n}";
	return word;
}

void slice_kernel(const module &m, const function &f, editor *e)
{
	auto control = e->new_register(f, type::b64), leaves = e->new_register(f, type::pred);
	std::string lines = "ld.param.u64 " + control + ", [" + e->add_parameter(f, type::u64) + "];\n";
	auto answer = begin_call(f, control, e, &lines);
	lines += "\nsetp.ne.u32 " + leaves + ", " + answer + ", 0;\n@" + leaves + " exit;";
	auto loads = replace_specials(m, f, e);
	e->at_begin(f, lines + (loads.empty() ? "" : "\n" + loads));
}

} // namespace

pass_result add_slice(const module &m)
{
	pass_result out;
	auto plan = plan_slices(m);
	out.refused = plan.refused;
	if (out.refused)
		return out;
	out.left = std::move(plan.left);
	for (const auto &k : out.left)
		out.blind.push_back({k.why.at, k.why.token, "kernel " + k.name + " stays as it is: it " + k.why.what});
	editor e(m);
	e.add_to_module(slice_support);
	const block_waits waits(m);
	for (uint32_t n = 0; n < m.functions.size(); n++) {
		const function &f = m.functions[n];
		if (plan.whole[n]) {
			std::string lines;
			begin_call(f, "0", &e, &lines);
			e.at_begin(f, lines);
		}
		if (!plan.sliced[n])
			continue;
		out.blind.insert(out.blind.end(), waits.in(f).begin(), waits.in(f).end());
		if (auto use = cluster_use(m, f))
			out.blind.push_back(*use);
		if (f.is_entry)
			slice_kernel(m, f, &e);
		else if (auto loads = replace_specials(m, f, &e); !loads.empty())
			e.at_begin(f, loads);
	}
	out.text = e.print();
	return out;
}

} // namespace het::ptx
