// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Made from copy_kernel.cu by scripts/ptx-header.sh.
#pragma once

inline constexpr char copy_kernel_ptx[] = R"ptx(
.version 6.0
.target sm_70
.address_size 64
	// .globl	copy
.visible .entry copy(
	.param .u64 copy_param_0,
	.param .u64 copy_param_1,
	.param .u64 copy_param_2
)
{
	.reg .pred 	%p<10>;
	.reg .b16 	%rs<2>;
	.reg .b32 	%r<13>;
	.reg .b64 	%rd<32>;
	ld.param.u64 	%rd12, [copy_param_0];
	ld.param.u64 	%rd13, [copy_param_1];
	ld.param.u64 	%rd14, [copy_param_2];
	cvta.to.global.u64 	%rd1, %rd12;
	cvta.to.global.u64 	%rd2, %rd13;
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %ntid.x;
	mul.wide.u32 	%rd15, %r1, %r2;
	mov.u32 	%r3, %tid.x;
	cvt.u64.u32 	%rd16, %r3;
	add.s64 	%rd17, %rd15, %rd16;
	shl.b64 	%rd29, %rd17, 4;
	add.s64 	%rd18, %rd29, 16;
	min.u64 	%rd4, %rd18, %rd14;
	or.b64  	%rd19, %rd13, %rd12;
	sub.s64 	%rd20, %rd4, %rd29;
	or.b64  	%rd5, %rd19, %rd20;
	setp.ge.u64 	%p1, %rd29, %rd14;
	@%p1 bra 	$L__BB0_9;
	and.b64  	%rd21, %rd5, 15;
	setp.eq.s64 	%p2, %rd21, 0;
	@%p2 bra 	$L__BB0_7;
	and.b64  	%rd22, %rd5, 3;
	setp.eq.s64 	%p3, %rd22, 0;
	@%p3 bra 	$L__BB0_5;
	setp.le.u64 	%p4, %rd4, %rd29;
	@%p4 bra 	$L__BB0_9;
$L__BB0_4:
	.pragma "nounroll";
	add.s64 	%rd23, %rd2, %rd29;
	ld.global.u8 	%rs1, [%rd23];
	add.s64 	%rd24, %rd1, %rd29;
	st.global.u8 	[%rd24], %rs1;
	add.s64 	%rd29, %rd29, 1;
	setp.lt.u64 	%p5, %rd29, %rd4;
	@%p5 bra 	$L__BB0_4;
	bra.uni 	$L__BB0_9;
$L__BB0_7:
	setp.le.u64 	%p8, %rd4, %rd29;
	@%p8 bra 	$L__BB0_9;
$L__BB0_8:
	.pragma "nounroll";
	add.s64 	%rd27, %rd2, %rd29;
	add.s64 	%rd28, %rd1, %rd29;
	ld.global.v4.u32 	{%r5, %r6, %r7, %r8}, [%rd27];
	st.global.v4.u32 	[%rd28], {%r5, %r6, %r7, %r8};
	add.s64 	%rd29, %rd29, 16;
	setp.lt.u64 	%p9, %rd29, %rd4;
	@%p9 bra 	$L__BB0_8;
	bra.uni 	$L__BB0_9;
$L__BB0_5:
	setp.le.u64 	%p6, %rd4, %rd29;
	@%p6 bra 	$L__BB0_9;
$L__BB0_6:
	.pragma "nounroll";
	add.s64 	%rd25, %rd2, %rd29;
	ld.global.u32 	%r4, [%rd25];
	add.s64 	%rd26, %rd1, %rd29;
	st.global.u32 	[%rd26], %r4;
	add.s64 	%rd29, %rd29, 4;
	setp.lt.u64 	%p7, %rd29, %rd4;
	@%p7 bra 	$L__BB0_6;
$L__BB0_9:
	ret;
}
)ptx";
