// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The kernel with which a hand copies (cuda_hand.h). Pinned host memory is addressed by every thread with 64 bytes
// under way, which fills a PCIe link with 32 blocks.
#pragma once

namespace het
{

inline constexpr char copy_kernel_name[] = "het_copy";
inline constexpr unsigned copy_kernel_blocks = 32;
// Where a block tells that it has begun, and that it is done, counted from the word that asks it to do nothing.
inline constexpr unsigned copy_kernel_begun = 64, copy_kernel_done = 192;

// Its arguments are where the bytes go, where they are, how many there are, and those words.
inline constexpr char copy_kernel_text[] = R"(
.version 6.0
.target sm_70
.address_size 64

.visible .entry het_copy(.param .u64 to, .param .u64 from, .param .u64 bytes, .param .u64 words)
{
	.reg .pred %leads, %takenback, %end;
	.reg .b16 %h;
	.reg .b32 %t, %b, %nt, %nb, %w, %a<16>;
	.reg .b64 %to, %from, %n, %words, %mine, %i, %step, %last, %units, %x, %y, %stride;
	.shared .align 4 .b32 asked;

	ld.param.u64 %to, [to];
	ld.param.u64 %from, [from];
	ld.param.u64 %n, [bytes];
	ld.param.u64 %words, [words];
	cvta.to.global.u64 %to, %to;
	cvta.to.global.u64 %from, %from;
	cvta.to.global.u64 %words, %words;
	mov.u32 %t, %tid.x;
	mov.u32 %b, %ctaid.x;
	mov.u32 %nt, %ntid.x;
	mov.u32 %nb, %nctaid.x;
	mul.wide.u32 %mine, %b, 4;
	add.u64 %mine, %words, %mine;
	setp.eq.u32 %leads, %t, 0;
	@!%leads bra $asked;
	mov.u32 %w, 1;
	st.volatile.global.u32 [%mine+64], %w;
	membar.sys;
	ld.volatile.global.u32 %w, [%words];
	st.shared.u32 [asked], %w;
$asked:
	bar.sync 0;
	ld.shared.u32 %w, [asked];
	setp.ne.u32 %takenback, %w, 0;
	@%takenback bra $done;

	mul.wide.u32 %i, %b, %nt;
	cvt.u64.u32 %x, %t;
	add.u64 %i, %i, %x;
	mul.wide.u32 %step, %nb, %nt;
	shl.b64 %stride, %step, 4;
	shr.u64 %units, %n, 4;
$four:
	mad.lo.u64 %last, %step, 3, %i;
	setp.ge.u64 %end, %last, %units;
	@%end bra $one;
	shl.b64 %x, %i, 4;
	add.u64 %y, %to, %x;
	add.u64 %x, %from, %x;
	ld.global.v4.u32 {%a0, %a1, %a2, %a3}, [%x];
	add.u64 %x, %x, %stride;
	ld.global.v4.u32 {%a4, %a5, %a6, %a7}, [%x];
	add.u64 %x, %x, %stride;
	ld.global.v4.u32 {%a8, %a9, %a10, %a11}, [%x];
	add.u64 %x, %x, %stride;
	ld.global.v4.u32 {%a12, %a13, %a14, %a15}, [%x];
	st.global.v4.u32 [%y], {%a0, %a1, %a2, %a3};
	add.u64 %y, %y, %stride;
	st.global.v4.u32 [%y], {%a4, %a5, %a6, %a7};
	add.u64 %y, %y, %stride;
	st.global.v4.u32 [%y], {%a8, %a9, %a10, %a11};
	add.u64 %y, %y, %stride;
	st.global.v4.u32 [%y], {%a12, %a13, %a14, %a15};
	add.u64 %i, %last, %step;
	bra $four;
$one:
	setp.ge.u64 %end, %i, %units;
	@%end bra $rest;
	shl.b64 %x, %i, 4;
	add.u64 %y, %to, %x;
	add.u64 %x, %from, %x;
	ld.global.v4.u32 {%a0, %a1, %a2, %a3}, [%x];
	st.global.v4.u32 [%y], {%a0, %a1, %a2, %a3};
	add.u64 %i, %i, %step;
	bra $one;

$rest:
	setp.ne.u32 %end, %b, 0;
	@%end bra $done;
	cvt.u64.u32 %x, %t;
	shl.b64 %units, %units, 4;
	add.u64 %i, %units, %x;
	setp.ge.u64 %end, %i, %n;
	@%end bra $done;
	add.u64 %x, %from, %i;
	add.u64 %y, %to, %i;
	ld.global.u8 %h, [%x];
	st.global.u8 [%y], %h;

$done:
	membar.sys;
	bar.sync 0;
	@!%leads bra $out;
	mov.u32 %w, 1;
	st.volatile.global.u32 [%mine+192], %w;
$out:
	ret;
}
)";

} // namespace het
