// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// %ctaid and %nctaid come from shared memory, where the block's first thread puts them when the block begins. Blocks
// that find the stop flag set then write their number down and leave, all threads together.
#include "ptx/passes/slice.h"

#include "ptx/passes/block_place.h"
#include "ptx/passes/filled.h"
#include "ptx/passes/pass.h"
#include "ptx/passes/slice_check.h"
#include "ptx/passes/slice_plan.h"
#include "ptx/passes/waits.h"

namespace het::ptx
{

namespace
{

// The first thread alone looks at the flag: it may change at any time, and the threads of a block must agree.
// The block's place has the size and alignment of the widest access, so that arrays behind it are aligned as before.
constexpr std::string_view slice_block = "het_slice_block";
constexpr uint64_t slice_block_bytes = 32;
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
<number>	setp.ne.u32 %p, %leave, 0;
	@%p bra $leave;
<place>$wait:
	bar.sync 0;
	ld.shared.u32 %r0, [het_slice_block+12];
	st.param.b32 [het_slice_answer], %r0;
	ret;
}
)";

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
	auto loads = replace_block_registers(m, f, slice_block, e);
	e->at_begin(f, lines + (loads.empty() ? "" : "\n" + loads));
}

} // namespace

pass_result add_slice(const module &m)
{
	pass_result out;
	auto plan = plan_slices(m, slice_block_bytes);
	out.refused = plan.refused;
	if (out.refused)
		return out;
	out.left = std::move(plan.left);
	for (const auto &k : out.left)
		out.blind.push_back({k.why.at, k.why.token, "kernel " + k.name + " stays as it is: it " + k.why.what});
	editor e(m);
	e.add_to_module(filled(slice_support, {{"number", number_of_block},
					       {"place", filled(place_of_number, {{"block", slice_block}})}}));
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
		else if (auto loads = replace_block_registers(m, f, slice_block, &e); !loads.empty())
			e.at_begin(f, loads);
	}
	out.text = e.print();
	return out;
}

} // namespace het::ptx
