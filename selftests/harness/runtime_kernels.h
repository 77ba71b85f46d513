// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Made from runtime_kernels.cu by scripts/ptx-header.sh.
#pragma once

inline constexpr char runtime_kernels_ptx[] = R"ptx(
.version 6.0
.target sm_70
.address_size 64
	// .globl	add
.extern .shared .align 16 .b8 shared[];
.visible .entry add(
	.param .u64 add_param_0,
	.param .u8 add_param_1,
	.param .u64 add_param_2
)
{
	.reg .pred 	%p<2>;
	.reg .b16 	%rs<4>;
	.reg .b32 	%r<4>;
	.reg .b64 	%rd<8>;
	ld.param.u8 	%rs1, [add_param_1];
	ld.param.u64 	%rd2, [add_param_0];
	ld.param.u64 	%rd3, [add_param_2];
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %ntid.x;
	mul.wide.u32 	%rd4, %r1, %r2;
	mov.u32 	%r3, %tid.x;
	cvt.u64.u32 	%rd5, %r3;
	add.s64 	%rd1, %rd4, %rd5;
	setp.ge.u64 	%p1, %rd1, %rd3;
	@%p1 bra 	$L__BB0_2;
	cvta.to.global.u64 	%rd6, %rd2;
	add.s64 	%rd7, %rd6, %rd1;
	ld.global.u8 	%rs2, [%rd7];
	add.s16 	%rs3, %rs2, %rs1;
	st.global.u8 	[%rd7], %rs3;
$L__BB0_2:
	ret;
}
	// .globl	combine
.visible .entry combine(
	.param .u64 combine_param_0,
	.param .u64 combine_param_1,
	.param .u64 combine_param_2
)
{
	.reg .pred 	%p<2>;
	.reg .b16 	%rs<5>;
	.reg .b32 	%r<4>;
	.reg .b64 	%rd<11>;
	ld.param.u64 	%rd2, [combine_param_0];
	ld.param.u64 	%rd3, [combine_param_1];
	ld.param.u64 	%rd4, [combine_param_2];
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %ntid.x;
	mul.wide.u32 	%rd5, %r1, %r2;
	mov.u32 	%r3, %tid.x;
	cvt.u64.u32 	%rd6, %r3;
	add.s64 	%rd1, %rd5, %rd6;
	setp.ge.u64 	%p1, %rd1, %rd4;
	@%p1 bra 	$L__BB1_2;
	cvta.to.global.u64 	%rd7, %rd3;
	add.s64 	%rd8, %rd7, %rd1;
	cvta.to.global.u64 	%rd9, %rd2;
	add.s64 	%rd10, %rd9, %rd1;
	ld.global.u8 	%rs1, [%rd8];
	mul.lo.s16 	%rs2, %rs1, 3;
	ld.global.u8 	%rs3, [%rd10];
	add.s16 	%rs4, %rs3, %rs2;
	st.global.u8 	[%rd8], %rs4;
$L__BB1_2:
	ret;
}
	// .globl	copy
.visible .entry copy(
	.param .u64 copy_param_0,
	.param .u64 copy_param_1,
	.param .u64 copy_param_2
)
{
	.reg .pred 	%p<2>;
	.reg .b16 	%rs<2>;
	.reg .b32 	%r<4>;
	.reg .b64 	%rd<11>;
	ld.param.u64 	%rd2, [copy_param_0];
	ld.param.u64 	%rd3, [copy_param_1];
	ld.param.u64 	%rd4, [copy_param_2];
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %ntid.x;
	mul.wide.u32 	%rd5, %r1, %r2;
	mov.u32 	%r3, %tid.x;
	cvt.u64.u32 	%rd6, %r3;
	add.s64 	%rd1, %rd5, %rd6;
	setp.ge.u64 	%p1, %rd1, %rd4;
	@%p1 bra 	$L__BB2_2;
	cvta.to.global.u64 	%rd7, %rd2;
	add.s64 	%rd8, %rd7, %rd1;
	ld.global.u8 	%rs1, [%rd8];
	cvta.to.global.u64 	%rd9, %rd3;
	add.s64 	%rd10, %rd9, %rd1;
	st.global.u8 	[%rd10], %rs1;
$L__BB2_2:
	ret;
}
	// .globl	scatter
.visible .entry scatter(
	.param .u64 scatter_param_0,
	.param .u64 scatter_param_1,
	.param .u64 scatter_param_2
)
{
	.reg .pred 	%p<3>;
	.reg .b16 	%rs<2>;
	.reg .b32 	%r<7>;
	.reg .b64 	%rd<18>;
	ld.param.u64 	%rd6, [scatter_param_0];
	ld.param.u64 	%rd7, [scatter_param_1];
	ld.param.u64 	%rd8, [scatter_param_2];
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %ntid.x;
	mul.wide.u32 	%rd9, %r1, %r2;
	mov.u32 	%r3, %tid.x;
	cvt.u64.u32 	%rd10, %r3;
	add.s64 	%rd1, %rd9, %rd10;
	setp.ge.u64 	%p1, %rd1, %rd8;
	@%p1 bra 	$L__BB3_5;
	cvta.to.global.u64 	%rd11, %rd6;
	add.s64 	%rd12, %rd11, %rd1;
	ld.global.u8 	%rs1, [%rd12];
	mul.lo.s64 	%rd2, %rd1, 7919;
	or.b64  	%rd13, %rd2, %rd8;
	and.b64  	%rd14, %rd13, -4294967296;
	setp.eq.s64 	%p2, %rd14, 0;
	@%p2 bra 	$L__BB3_3;
	rem.u64 	%rd17, %rd2, %rd8;
	bra.uni 	$L__BB3_4;
$L__BB3_3:
	cvt.u32.u64 	%r4, %rd8;
	cvt.u32.u64 	%r5, %rd2;
	rem.u32 	%r6, %r5, %r4;
	cvt.u64.u32 	%rd17, %r6;
$L__BB3_4:
	cvta.to.global.u64 	%rd15, %rd7;
	add.s64 	%rd16, %rd15, %rd17;
	st.global.u8 	[%rd16], %rs1;
$L__BB3_5:
	ret;
}
	// .globl	slow
.visible .entry slow(
	.param .u64 slow_param_0,
	.param .u8 slow_param_1,
	.param .u64 slow_param_2
)
{
	.reg .pred 	%p<5>;
	.reg .b16 	%rs<5>;
	.reg .b32 	%r<15>;
	.reg .b64 	%rd<8>;
	ld.param.u64 	%rd2, [slow_param_0];
	ld.param.u8 	%rs1, [slow_param_1];
	ld.param.u64 	%rd3, [slow_param_2];
	mov.u32 	%r7, %ctaid.x;
	mov.u32 	%r8, %ntid.x;
	mul.wide.u32 	%rd4, %r7, %r8;
	mov.u32 	%r9, %tid.x;
	cvt.u64.u32 	%rd5, %r9;
	add.s64 	%rd1, %rd4, %rd5;
	cvt.u32.u16 	%r1, %rs1;
	setp.ne.s64 	%p1, %rd1, 0;
	mov.u32 	%r14, %r1;
	@%p1 bra 	$L__BB4_3;
	mov.u32 	%r12, 0;
	mov.u32 	%r14, %r1;
$L__BB4_2:
	mad.lo.s32 	%r14, %r14, 1664525, 1013904223;
	add.s32 	%r12, %r12, 1;
	setp.lt.u32 	%p2, %r12, 100000;
	@%p2 bra 	$L__BB4_2;
$L__BB4_3:
	setp.ge.u64 	%p3, %rd1, %rd3;
	@%p3 bra 	$L__BB4_5;
	setp.eq.s32 	%p4, %r14, 305419896;
	selp.b32 	%r11, 0, %r1, %p4;
	cvt.u16.u32 	%rs2, %r11;
	cvta.to.global.u64 	%rd6, %rd2;
	add.s64 	%rd7, %rd6, %rd1;
	ld.global.u8 	%rs3, [%rd7];
	add.s16 	%rs4, %rs3, %rs2;
	st.global.u8 	[%rd7], %rs4;
$L__BB4_5:
	ret;
}
	// .globl	ids
.visible .entry ids(
	.param .u64 ids_param_0,
	.param .u64 ids_param_1,
	.param .u64 ids_param_2
)
{
	.reg .b32 	%r<16>;
	.reg .b64 	%rd<20>;
	ld.param.u64 	%rd1, [ids_param_0];
	ld.param.u64 	%rd2, [ids_param_2];
	cvta.to.global.u64 	%rd3, %rd1;
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %ntid.x;
	mul.wide.u32 	%rd4, %r1, %r2;
	mov.u32 	%r3, %tid.x;
	cvt.u64.u32 	%rd5, %r3;
	add.s64 	%rd6, %rd4, %rd5;
	mov.u32 	%r4, %ctaid.y;
	mov.u32 	%r5, %ntid.y;
	mul.wide.u32 	%rd7, %r4, %r5;
	mov.u32 	%r6, %tid.y;
	cvt.u64.u32 	%rd8, %r6;
	add.s64 	%rd9, %rd7, %rd8;
	mad.lo.s32 	%r7, %r6, %r2, %r3;
	mul.lo.s64 	%rd10, %rd6, %rd2;
	add.s64 	%rd11, %rd10, %rd9;
	ld.param.u32 	%r8, [ids_param_1];
	shr.u32 	%r9, %r8, 3;
	add.s32 	%r10, %r7, %r9;
	shl.b32 	%r11, %r10, 3;
	mov.u32 	%r12, shared;
	add.s32 	%r13, %r12, %r11;
	st.shared.u64 	[%r13], %rd11;
	bar.sync 	0;
	ld.shared.u64 	%rd12, [%r13];
	mul.lo.s32 	%r14, %r1, 1000000;
	cvt.u64.u32 	%rd13, %r14;
	add.s64 	%rd14, %rd12, %rd13;
	mov.u32 	%r15, %nctaid.x;
	mul.wide.u32 	%rd15, %r2, %r15;
	mul.lo.s64 	%rd16, %rd15, %rd9;
	add.s64 	%rd17, %rd16, %rd6;
	shl.b64 	%rd18, %rd17, 3;
	add.s64 	%rd19, %rd3, %rd18;
	st.global.u64 	[%rd19], %rd14;
	ret;
}
)ptx";
