// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Made from kernels.cu by scripts/ptx-header.sh.
#pragma once

inline constexpr char kernels_ptx[] = R"ptx(
.version 6.0
.target sm_70
.address_size 64
	// .globl	fill
.visible .entry fill(
	.param .u64 fill_param_0,
	.param .u32 fill_param_1
)
{
	.reg .b32 	%r<8>;
	.reg .b64 	%rd<5>;
	ld.param.u64 	%rd1, [fill_param_0];
	ld.param.u32 	%r1, [fill_param_1];
	cvta.to.global.u64 	%rd2, %rd1;
	mov.u32 	%r2, %ctaid.x;
	mov.u32 	%r3, %ntid.x;
	mov.u32 	%r4, %tid.x;
	mad.lo.s32 	%r5, %r2, %r3, %r4;
	mul.lo.s32 	%r6, %r5, 40503;
	mad.lo.s32 	%r7, %r1, -1640531535, %r6;
	mul.wide.u32 	%rd3, %r5, 4;
	add.s64 	%rd4, %rd2, %rd3;
	st.global.u32 	[%rd4], %r7;
	ret;
}
	// .globl	wrong
.visible .entry wrong(
	.param .u64 wrong_param_0,
	.param .u64 wrong_param_1,
	.param .u32 wrong_param_2,
	.param .u32 wrong_param_3
)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<12>;
	.reg .b64 	%rd<7>;
	ld.param.u64 	%rd2, [wrong_param_0];
	ld.param.u64 	%rd1, [wrong_param_1];
	ld.param.u32 	%r1, [wrong_param_2];
	ld.param.u32 	%r2, [wrong_param_3];
	cvta.to.global.u64 	%rd3, %rd2;
	mov.u32 	%r3, %ntid.x;
	mov.u32 	%r4, %ctaid.x;
	mov.u32 	%r5, %tid.x;
	mad.lo.s32 	%r6, %r4, %r3, %r5;
	mul.wide.u32 	%rd4, %r6, 4;
	add.s64 	%rd5, %rd3, %rd4;
	add.s32 	%r7, %r6, %r2;
	mul.lo.s32 	%r8, %r1, -1640531535;
	mad.lo.s32 	%r9, %r7, 40503, %r8;
	ld.global.u32 	%r10, [%rd5];
	setp.eq.s32 	%p1, %r10, %r9;
	@%p1 bra 	$L__BB1_2;
	cvta.to.global.u64 	%rd6, %rd1;
	atom.global.add.u32 	%r11, [%rd6], 1;
$L__BB1_2:
	ret;
}
	// .globl	sum
.visible .entry sum(
	.param .u64 sum_param_0,
	.param .u64 sum_param_1
)
{
	.reg .b32 	%r<7>;
	.reg .b64 	%rd<7>;
	ld.param.u64 	%rd1, [sum_param_0];
	ld.param.u64 	%rd2, [sum_param_1];
	cvta.to.global.u64 	%rd3, %rd2;
	cvta.to.global.u64 	%rd4, %rd1;
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %ntid.x;
	mov.u32 	%r3, %tid.x;
	mad.lo.s32 	%r4, %r1, %r2, %r3;
	mul.wide.u32 	%rd5, %r4, 4;
	add.s64 	%rd6, %rd4, %rd5;
	ld.global.u32 	%r5, [%rd6];
	atom.global.add.u32 	%r6, [%rd3], %r5;
	ret;
}
)ptx";
