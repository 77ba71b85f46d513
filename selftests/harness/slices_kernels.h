// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Made from slices_kernels.cu by scripts/ptx-header.sh.
#pragma once

inline constexpr char slices_kernels_ptx[] = R"ptx(
.version 6.0
.target sm_70
.address_size 64
	// .globl	blur
.visible .entry blur(
	.param .u64 blur_param_0,
	.param .u64 blur_param_1
)
{
	.reg .pred 	%p<3>;
	.reg .b32 	%r<15>;
	.reg .b64 	%rd<28>;
	ld.param.u64 	%rd1, [blur_param_0];
	ld.param.u64 	%rd2, [blur_param_1];
	cvta.to.global.u64 	%rd3, %rd2;
	cvta.to.global.u64 	%rd4, %rd1;
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %ntid.x;
	mul.wide.u32 	%rd5, %r1, %r2;
	mov.u32 	%r3, %tid.x;
	cvt.u64.u32 	%rd6, %r3;
	add.s64 	%rd7, %rd5, %rd6;
	mov.u32 	%r4, %ctaid.y;
	mov.u32 	%r5, %ntid.y;
	mul.wide.u32 	%rd8, %r4, %r5;
	mov.u32 	%r6, %tid.y;
	cvt.u64.u32 	%rd9, %r6;
	add.s64 	%rd10, %rd8, %rd9;
	mov.u32 	%r7, %nctaid.x;
	mul.wide.u32 	%rd11, %r7, %r2;
	mov.u32 	%r8, %nctaid.y;
	mul.wide.u32 	%rd12, %r8, %r5;
	setp.eq.s64 	%p1, %rd10, 0;
	add.s64 	%rd13, %rd10, -1;
	selp.b64 	%rd14, 0, %rd13, %p1;
	add.s64 	%rd15, %rd10, 1;
	setp.lt.u64 	%p2, %rd15, %rd12;
	selp.u64 	%rd16, 1, 0, %p2;
	add.s64 	%rd17, %rd10, %rd16;
	mul.lo.s64 	%rd18, %rd10, %rd11;
	add.s64 	%rd19, %rd18, %rd7;
	add.s64 	%rd20, %rd4, %rd19;
	ld.global.u8 	%r9, [%rd20];
	mul.lo.s64 	%rd21, %rd14, %rd11;
	add.s64 	%rd22, %rd21, %rd7;
	add.s64 	%rd23, %rd4, %rd22;
	ld.global.u8 	%r10, [%rd23];
	mul.lo.s32 	%r11, %r10, 3;
	mul.lo.s64 	%rd24, %rd17, %rd11;
	add.s64 	%rd25, %rd24, %rd7;
	add.s64 	%rd26, %rd4, %rd25;
	ld.global.u8 	%r12, [%rd26];
	xor.b32  	%r13, %r11, %r12;
	mad.lo.s32 	%r14, %r9, 5, %r13;
	add.s64 	%rd27, %rd3, %rd19;
	st.global.u8 	[%rd27], %r14;
	ret;
}
	// .globl	spread
.visible .entry spread(
	.param .u64 spread_param_0,
	.param .u64 spread_param_1
)
{
	.reg .b16 	%rs<4>;
	.reg .b32 	%r<4>;
	.reg .b64 	%rd<11>;
	ld.param.u64 	%rd1, [spread_param_0];
	ld.param.u64 	%rd2, [spread_param_1];
	cvta.to.global.u64 	%rd3, %rd1;
	cvta.to.global.u64 	%rd4, %rd2;
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %ntid.x;
	mul.wide.u32 	%rd5, %r1, %r2;
	mov.u32 	%r3, %tid.x;
	cvt.u64.u32 	%rd6, %r3;
	add.s64 	%rd7, %rd5, %rd6;
	mul.lo.s64 	%rd8, %rd7, 3;
	add.s64 	%rd9, %rd4, %rd8;
	ld.global.u8 	%rs1, [%rd9];
	add.s64 	%rd10, %rd3, %rd7;
	ld.global.u8 	%rs2, [%rd10];
	add.s16 	%rs3, %rs2, %rs1;
	st.global.u8 	[%rd9+1], %rs3;
	ret;
}
	// .globl	look_up
.visible .entry look_up(
	.param .u64 look_up_param_0,
	.param .u64 look_up_param_1,
	.param .u64 look_up_param_2
)
{
	.reg .b16 	%rs<4>;
	.reg .b32 	%r<4>;
	.reg .b64 	%rd<16>;
	ld.param.u64 	%rd1, [look_up_param_0];
	ld.param.u64 	%rd2, [look_up_param_1];
	ld.param.u64 	%rd3, [look_up_param_2];
	cvta.to.global.u64 	%rd4, %rd3;
	cvta.to.global.u64 	%rd5, %rd2;
	cvta.to.global.u64 	%rd6, %rd1;
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %ntid.x;
	mul.wide.u32 	%rd7, %r1, %r2;
	mov.u32 	%r3, %tid.x;
	cvt.u64.u32 	%rd8, %r3;
	add.s64 	%rd9, %rd7, %rd8;
	add.s64 	%rd10, %rd6, %rd9;
	ld.global.u8 	%rd11, [%rd10];
	add.s64 	%rd12, %rd5, %rd11;
	ld.global.u8 	%rs1, [%rd12];
	and.b64  	%rd13, %rd9, 255;
	add.s64 	%rd14, %rd5, %rd13;
	ld.global.u8 	%rs2, [%rd14+256];
	add.s16 	%rs3, %rs2, %rs1;
	add.s64 	%rd15, %rd4, %rd9;
	st.global.u8 	[%rd15], %rs3;
	ret;
}
	// .globl	histogram
.visible .entry histogram(
	.param .u64 histogram_param_0,
	.param .u64 histogram_param_1
)
{
	.reg .b32 	%r<6>;
	.reg .b64 	%rd<11>;
	ld.param.u64 	%rd1, [histogram_param_0];
	ld.param.u64 	%rd2, [histogram_param_1];
	cvta.to.global.u64 	%rd3, %rd2;
	cvta.to.global.u64 	%rd4, %rd1;
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %ntid.x;
	mul.wide.u32 	%rd5, %r1, %r2;
	mov.u32 	%r3, %tid.x;
	cvt.u64.u32 	%rd6, %r3;
	add.s64 	%rd7, %rd5, %rd6;
	add.s64 	%rd8, %rd4, %rd7;
	ld.global.u8 	%r4, [%rd8];
	mul.wide.u32 	%rd9, %r4, 4;
	add.s64 	%rd10, %rd3, %rd9;
	atom.global.add.u32 	%r5, [%rd10], 1;
	ret;
}
	// .globl	twice
.visible .entry twice(
	.param .u64 twice_param_0,
	.param .u64 twice_param_1
)
{
	.reg .b16 	%rs<5>;
	.reg .b32 	%r<4>;
	.reg .b64 	%rd<10>;
	ld.param.u64 	%rd1, [twice_param_0];
	ld.param.u64 	%rd2, [twice_param_1];
	cvta.to.global.u64 	%rd3, %rd2;
	cvta.to.global.u64 	%rd4, %rd1;
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %ntid.x;
	mul.wide.u32 	%rd5, %r1, %r2;
	mov.u32 	%r3, %tid.x;
	cvt.u64.u32 	%rd6, %r3;
	add.s64 	%rd7, %rd5, %rd6;
	add.s64 	%rd8, %rd4, %rd7;
	ld.global.u8 	%rs1, [%rd8];
	add.s16 	%rs2, %rs1, 7;
	st.global.u8 	[%rd8], %rs2;
	add.s64 	%rd9, %rd3, %rd7;
	ld.global.u8 	%rs3, [%rd9];
	mul.lo.s16 	%rs4, %rs3, 3;
	st.global.u8 	[%rd9], %rs4;
	ret;
}
)ptx";
