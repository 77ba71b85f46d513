// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Made from sparse_kernels.cu by scripts/ptx-header.sh.
#pragma once

inline constexpr char sparse_kernels_ptx[] = R"ptx(
.version 6.0
.target sm_70
.address_size 64
	// .globl	update
.visible .entry update(
	.param .u64 update_param_0,
	.param .u64 update_param_1,
	.param .u32 update_param_2,
	.param .u32 update_param_3,
	.param .f32 update_param_4
)
{
	.reg .pred 	%p<3>;
	.reg .f32 	%f<4>;
	.reg .b32 	%r<11>;
	.reg .b64 	%rd<27>;
	ld.param.u64 	%rd9, [update_param_0];
	ld.param.u64 	%rd10, [update_param_1];
	ld.param.u32 	%r1, [update_param_2];
	ld.param.u32 	%r2, [update_param_3];
	ld.param.f32 	%f1, [update_param_4];
	mov.u32 	%r3, %ctaid.x;
	mov.u32 	%r4, %ntid.x;
	mul.wide.u32 	%rd11, %r3, %r4;
	mov.u32 	%r5, %tid.x;
	cvt.u64.u32 	%rd12, %r5;
	add.s64 	%rd1, %rd11, %rd12;
	cvt.u64.u32 	%rd2, %r2;
	mul.wide.u32 	%rd13, %r2, %r1;
	setp.ge.u64 	%p1, %rd1, %rd13;
	@%p1 bra 	$L__BB0_5;
	and.b64  	%rd14, %rd1, -4294967296;
	setp.eq.s64 	%p2, %rd14, 0;
	@%p2 bra 	$L__BB0_3;
	div.u64 	%rd25, %rd1, %rd2;
	mul.lo.s64 	%rd15, %rd25, %rd2;
	sub.s64 	%rd26, %rd1, %rd15;
	bra.uni 	$L__BB0_4;
$L__BB0_3:
	cvt.u32.u64 	%r6, %rd2;
	cvt.u32.u64 	%r7, %rd1;
	div.u32 	%r8, %r7, %r6;
	mul.lo.s32 	%r9, %r8, %r6;
	sub.s32 	%r10, %r7, %r9;
	cvt.u64.u32 	%rd25, %r8;
	cvt.u64.u32 	%rd26, %r10;
$L__BB0_4:
	cvta.to.global.u64 	%rd16, %rd10;
	shl.b64 	%rd17, %rd25, 2;
	add.s64 	%rd18, %rd16, %rd17;
	ld.global.u32 	%rd19, [%rd18];
	mul.lo.s64 	%rd20, %rd19, %rd2;
	add.s64 	%rd21, %rd20, %rd26;
	cvta.to.global.u64 	%rd22, %rd9;
	shl.b64 	%rd23, %rd21, 2;
	add.s64 	%rd24, %rd22, %rd23;
	ld.global.f32 	%f2, [%rd24];
	add.rn.f32 	%f3, %f2, %f1;
	st.global.f32 	[%rd24], %f3;
$L__BB0_5:
	ret;
}
)ptx";
