// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Made from compare_kernel.cu by scripts/ptx-header.sh.
#pragma once

inline constexpr char compare_kernel_ptx[] = R"ptx(
.version 6.0
.target sm_70
.address_size 64
	// .globl	compare
.visible .entry compare(
	.param .u64 compare_param_0,
	.param .u64 compare_param_1,
	.param .u64 compare_param_2,
	.param .u64 compare_param_3
)
{
	.reg .pred 	%p<12>;
	.reg .b16 	%rs<4>;
	.reg .b32 	%r<10>;
	.reg .b64 	%rd<31>;
	ld.param.u64 	%rd9, [compare_param_0];
	ld.param.u64 	%rd10, [compare_param_1];
	ld.param.u64 	%rd7, [compare_param_2];
	ld.param.u64 	%rd8, [compare_param_3];
	cvta.to.global.u64 	%rd1, %rd10;
	cvta.to.global.u64 	%rd2, %rd9;
	mov.u32 	%r3, %ctaid.x;
	mov.u32 	%r4, %ntid.x;
	mul.wide.u32 	%rd11, %r3, %r4;
	mov.u32 	%r5, %tid.x;
	cvt.u64.u32 	%rd12, %r5;
	add.s64 	%rd3, %rd11, %rd12;
	shl.b64 	%rd30, %rd3, 4;
	add.s64 	%rd13, %rd30, 16;
	setp.gt.u64 	%p4, %rd13, %rd7;
	@%p4 bra 	$L__BB0_2;
	bra.uni 	$L__BB0_1;
$L__BB0_2:
	setp.ge.u64 	%p7, %rd30, %rd7;
	@%p7 bra 	$L__BB0_7;
	mov.u32 	%r9, 0;
$L__BB0_4:
	.pragma "nounroll";
	add.s64 	%rd24, %rd1, %rd30;
	ld.global.u8 	%rs1, [%rd24];
	add.s64 	%rd25, %rd2, %rd30;
	ld.global.u8 	%rs2, [%rd25];
	setp.ne.s16 	%p8, %rs2, %rs1;
	selp.u32 	%r7, 1, 0, %p8;
	or.b32  	%r8, %r9, %r7;
	setp.ne.s32 	%p11, %r8, 0;
	selp.u32 	%r9, 1, 0, %p11;
	add.s64 	%rd30, %rd30, 1;
	setp.lt.u64 	%p9, %rd30, %rd7;
	@%p9 bra 	$L__BB0_4;
	bra.uni 	$L__BB0_5;
$L__BB0_1:
	add.s64 	%rd14, %rd2, %rd30;
	ld.global.v2.u64 	{%rd15, %rd16}, [%rd14];
	add.s64 	%rd19, %rd1, %rd30;
	ld.global.v2.u64 	{%rd20, %rd21}, [%rd19];
	setp.ne.s64 	%p5, %rd15, %rd20;
	setp.ne.s64 	%p6, %rd16, %rd21;
	or.pred  	%p11, %p6, %p5;
$L__BB0_5:
	not.pred 	%p10, %p11;
	@%p10 bra 	$L__BB0_7;
	shr.u64 	%rd26, %rd3, 4;
	and.b64  	%rd27, %rd26, 72057594037927935;
	cvta.to.global.u64 	%rd28, %rd8;
	add.s64 	%rd29, %rd28, %rd27;
	mov.u16 	%rs3, 1;
	st.global.u8 	[%rd29], %rs3;
$L__BB0_7:
	ret;
}
)ptx";
