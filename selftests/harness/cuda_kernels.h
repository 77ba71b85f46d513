// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Made from cuda_kernels.cu by scripts/ptx-header.sh.
#pragma once

inline constexpr char cuda_kernels_ptx[] = R"ptx(
.version 6.0
.target sm_70
.address_size 64
	// .globl	test_add
.visible .entry test_add(
	.param .u64 test_add_param_0,
	.param .u64 test_add_param_1,
	.param .u64 test_add_param_2,
	.param .u64 test_add_param_3
)
{
	.reg .pred 	%p<3>;
	.reg .b16 	%rs<4>;
	.reg .b32 	%r<5>;
	.reg .b64 	%rd<17>;
	ld.param.u64 	%rd7, [test_add_param_0];
	ld.param.u64 	%rd8, [test_add_param_1];
	ld.param.u64 	%rd9, [test_add_param_2];
	ld.param.u64 	%rd10, [test_add_param_3];
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %ntid.x;
	cvt.u64.u32 	%rd1, %r2;
	mul.wide.u32 	%rd11, %r1, %r2;
	mov.u32 	%r3, %tid.x;
	cvt.u64.u32 	%rd12, %r3;
	add.s64 	%rd16, %rd11, %rd12;
	setp.ge.u64 	%p1, %rd16, %rd9;
	@%p1 bra 	$L__BB0_3;
	cvt.u16.u64 	%rs1, %rd10;
	mov.u32 	%r4, %nctaid.x;
	cvt.u64.u32 	%rd13, %r4;
	mul.lo.s64 	%rd3, %rd13, %rd1;
	cvta.to.global.u64 	%rd4, %rd7;
$L__BB0_2:
	add.s64 	%rd14, %rd16, %rd8;
	add.s64 	%rd15, %rd4, %rd14;
	ld.global.u8 	%rs2, [%rd15];
	add.s16 	%rs3, %rs2, %rs1;
	st.global.u8 	[%rd15], %rs3;
	add.s64 	%rd16, %rd16, %rd3;
	setp.lt.u64 	%p2, %rd16, %rd9;
	@%p2 bra 	$L__BB0_2;
$L__BB0_3:
	ret;
}
	// .globl	test_mix
.visible .entry test_mix(
	.param .u64 test_mix_param_0,
	.param .u64 test_mix_param_1,
	.param .u64 test_mix_param_2,
	.param .u64 test_mix_param_3
)
{
	.reg .pred 	%p<3>;
	.reg .b16 	%rs<4>;
	.reg .b32 	%r<8>;
	.reg .b64 	%rd<28>;
	ld.param.u64 	%rd8, [test_mix_param_0];
	ld.param.u64 	%rd9, [test_mix_param_1];
	ld.param.u64 	%rd10, [test_mix_param_2];
	ld.param.u64 	%rd11, [test_mix_param_3];
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %ntid.x;
	cvt.u64.u32 	%rd1, %r2;
	mul.wide.u32 	%rd12, %r1, %r2;
	mov.u32 	%r3, %tid.x;
	cvt.u64.u32 	%rd13, %r3;
	add.s64 	%rd27, %rd12, %rd13;
	setp.ge.u64 	%p1, %rd27, %rd10;
	@%p1 bra 	$L__BB1_3;
	and.b64  	%rd14, %rd11, 4294967295;
	mul.lo.s64 	%rd3, %rd14, -4658895280553007687;
	mov.u32 	%r4, %nctaid.x;
	cvt.u64.u32 	%rd15, %r4;
	mul.lo.s64 	%rd4, %rd15, %rd1;
	cvta.to.global.u64 	%rd5, %rd8;
$L__BB1_2:
	add.s64 	%rd16, %rd27, %rd9;
	shr.u64 	%rd17, %rd16, 3;
	mul.lo.s64 	%rd18, %rd17, -7046029254386353131;
	add.s64 	%rd19, %rd18, %rd3;
	shr.u64 	%rd20, %rd19, 32;
	xor.b64  	%rd21, %rd20, %rd19;
	mul.lo.s64 	%rd22, %rd21, -7723592293110705685;
	shr.u64 	%rd23, %rd22, 29;
	xor.b64  	%rd24, %rd23, %rd22;
	cvt.u32.u64 	%r5, %rd16;
	shl.b32 	%r6, %r5, 3;
	and.b32  	%r7, %r6, 56;
	shr.u64 	%rd25, %rd24, %r7;
	cvt.u16.u64 	%rs1, %rd25;
	add.s64 	%rd26, %rd5, %rd16;
	ld.global.u8 	%rs2, [%rd26];
	xor.b16  	%rs3, %rs2, %rs1;
	st.global.u8 	[%rd26], %rs3;
	add.s64 	%rd27, %rd27, %rd4;
	setp.lt.u64 	%p2, %rd27, %rd10;
	@%p2 bra 	$L__BB1_2;
$L__BB1_3:
	ret;
}
	// .globl	test_fill
.visible .entry test_fill(
	.param .u64 test_fill_param_0,
	.param .u64 test_fill_param_1,
	.param .u64 test_fill_param_2,
	.param .u64 test_fill_param_3
)
{
	.reg .pred 	%p<3>;
	.reg .b32 	%r<8>;
	.reg .b64 	%rd<28>;
	ld.param.u64 	%rd8, [test_fill_param_0];
	ld.param.u64 	%rd9, [test_fill_param_1];
	ld.param.u64 	%rd10, [test_fill_param_2];
	ld.param.u64 	%rd11, [test_fill_param_3];
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %ntid.x;
	cvt.u64.u32 	%rd1, %r2;
	mul.wide.u32 	%rd12, %r1, %r2;
	mov.u32 	%r3, %tid.x;
	cvt.u64.u32 	%rd13, %r3;
	add.s64 	%rd27, %rd12, %rd13;
	setp.ge.u64 	%p1, %rd27, %rd10;
	@%p1 bra 	$L__BB2_3;
	and.b64  	%rd14, %rd11, 4294967295;
	mul.lo.s64 	%rd3, %rd14, -4658895280553007687;
	mov.u32 	%r4, %nctaid.x;
	cvt.u64.u32 	%rd15, %r4;
	mul.lo.s64 	%rd4, %rd15, %rd1;
	cvta.to.global.u64 	%rd5, %rd8;
$L__BB2_2:
	add.s64 	%rd16, %rd27, %rd9;
	shr.u64 	%rd17, %rd16, 3;
	mul.lo.s64 	%rd18, %rd17, -7046029254386353131;
	add.s64 	%rd19, %rd18, %rd3;
	shr.u64 	%rd20, %rd19, 32;
	xor.b64  	%rd21, %rd20, %rd19;
	mul.lo.s64 	%rd22, %rd21, -7723592293110705685;
	shr.u64 	%rd23, %rd22, 29;
	xor.b64  	%rd24, %rd23, %rd22;
	cvt.u32.u64 	%r5, %rd16;
	shl.b32 	%r6, %r5, 3;
	and.b32  	%r7, %r6, 56;
	shr.u64 	%rd25, %rd24, %r7;
	add.s64 	%rd26, %rd5, %rd16;
	st.global.u8 	[%rd26], %rd25;
	add.s64 	%rd27, %rd27, %rd4;
	setp.lt.u64 	%p2, %rd27, %rd10;
	@%p2 bra 	$L__BB2_2;
$L__BB2_3:
	ret;
}
	// .globl	test_stamp
.visible .entry test_stamp(
	.param .u64 test_stamp_param_0,
	.param .u64 test_stamp_param_1,
	.param .u64 test_stamp_param_2,
	.param .u64 test_stamp_param_3
)
{
	.reg .pred 	%p<3>;
	.reg .b16 	%rs<9>;
	.reg .b32 	%r<5>;
	.reg .b64 	%rd<28>;
	ld.param.u64 	%rd7, [test_stamp_param_0];
	ld.param.u64 	%rd8, [test_stamp_param_1];
	ld.param.u64 	%rd9, [test_stamp_param_2];
	ld.param.u64 	%rd10, [test_stamp_param_3];
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %ntid.x;
	cvt.u64.u32 	%rd1, %r2;
	mul.wide.u32 	%rd11, %r1, %r2;
	mov.u32 	%r3, %tid.x;
	cvt.u64.u32 	%rd12, %r3;
	add.s64 	%rd13, %rd11, %rd12;
	shl.b64 	%rd27, %rd13, 12;
	or.b64  	%rd14, %rd27, 8;
	setp.gt.u64 	%p1, %rd14, %rd9;
	@%p1 bra 	$L__BB3_3;
	mov.u32 	%r4, %nctaid.x;
	cvt.u64.u32 	%rd15, %r4;
	mul.lo.s64 	%rd16, %rd1, %rd15;
	shl.b64 	%rd3, %rd16, 12;
	cvt.u16.u64 	%rs1, %rd10;
	shr.u64 	%rd17, %rd10, 8;
	cvt.u16.u64 	%rs2, %rd17;
	shr.u64 	%rd18, %rd10, 16;
	cvt.u16.u64 	%rs3, %rd18;
	shr.u64 	%rd19, %rd10, 24;
	cvt.u16.u64 	%rs4, %rd19;
	shr.u64 	%rd20, %rd10, 32;
	cvt.u16.u64 	%rs5, %rd20;
	shr.u64 	%rd21, %rd10, 40;
	cvt.u16.u64 	%rs6, %rd21;
	shr.u64 	%rd22, %rd10, 48;
	cvt.u16.u64 	%rs7, %rd22;
	shr.u64 	%rd23, %rd10, 56;
	cvt.u16.u64 	%rs8, %rd23;
	cvta.to.global.u64 	%rd4, %rd7;
$L__BB3_2:
	add.s64 	%rd24, %rd27, %rd8;
	add.s64 	%rd25, %rd4, %rd24;
	st.global.u8 	[%rd25], %rs1;
	st.global.u8 	[%rd25+1], %rs2;
	st.global.u8 	[%rd25+2], %rs3;
	st.global.u8 	[%rd25+3], %rs4;
	st.global.u8 	[%rd25+4], %rs5;
	st.global.u8 	[%rd25+5], %rs6;
	st.global.u8 	[%rd25+6], %rs7;
	st.global.u8 	[%rd25+7], %rs8;
	add.s64 	%rd27, %rd27, %rd3;
	add.s64 	%rd26, %rd27, 8;
	setp.le.u64 	%p2, %rd26, %rd9;
	@%p2 bra 	$L__BB3_2;
$L__BB3_3:
	ret;
}
	// .globl	test_slow_add
.visible .entry test_slow_add(
	.param .u64 test_slow_add_param_0,
	.param .u64 test_slow_add_param_1,
	.param .u64 test_slow_add_param_2,
	.param .u64 test_slow_add_param_3,
	.param .u32 test_slow_add_param_4
)
{
	.reg .pred 	%p<11>;
	.reg .b16 	%rs<4>;
	.reg .b32 	%r<29>;
	.reg .b64 	%rd<19>;
	ld.param.u64 	%rd7, [test_slow_add_param_0];
	ld.param.u64 	%rd8, [test_slow_add_param_1];
	ld.param.u64 	%rd9, [test_slow_add_param_2];
	ld.param.u64 	%rd10, [test_slow_add_param_3];
	ld.param.u32 	%r15, [test_slow_add_param_4];
	mov.u32 	%r16, %ctaid.x;
	mov.u32 	%r17, %ntid.x;
	cvt.u64.u32 	%rd1, %r17;
	mul.wide.u32 	%rd11, %r16, %r17;
	mov.u32 	%r18, %tid.x;
	cvt.u64.u32 	%rd12, %r18;
	add.s64 	%rd18, %rd11, %rd12;
	cvt.u32.u64 	%r28, %rd18;
	setp.eq.s32 	%p1, %r15, 0;
	@%p1 bra 	$L__BB4_6;
	add.s32 	%r20, %r15, -1;
	and.b32  	%r27, %r15, 3;
	setp.lt.u32 	%p2, %r20, 3;
	@%p2 bra 	$L__BB4_4;
	sub.s32 	%r23, %r15, %r27;
$L__BB4_3:
	mad.lo.s32 	%r28, %r28, 158984081, -1426500812;
	add.s32 	%r23, %r23, -4;
	setp.ne.s32 	%p3, %r23, 0;
	@%p3 bra 	$L__BB4_3;
$L__BB4_4:
	setp.eq.s32 	%p4, %r27, 0;
	@%p4 bra 	$L__BB4_6;
$L__BB4_5:
	.pragma "nounroll";
	mad.lo.s32 	%r28, %r28, 1664525, 1013904223;
	add.s32 	%r27, %r27, -1;
	setp.ne.s32 	%p5, %r27, 0;
	@%p5 bra 	$L__BB4_5;
$L__BB4_6:
	setp.ge.u64 	%p6, %rd18, %rd9;
	@%p6 bra 	$L__BB4_9;
	mov.u32 	%r21, %nctaid.x;
	cvt.u64.u32 	%rd13, %r21;
	mul.lo.s64 	%rd3, %rd13, %rd1;
	cvta.to.global.u64 	%rd4, %rd7;
$L__BB4_8:
	setp.gt.u64 	%p7, %rd18, %rd9;
	setp.eq.s32 	%p8, %r28, 12345;
	and.pred  	%p9, %p8, %p7;
	selp.u64 	%rd14, 1, 0, %p9;
	add.s64 	%rd15, %rd14, %rd10;
	add.s64 	%rd16, %rd18, %rd8;
	add.s64 	%rd17, %rd4, %rd16;
	cvt.u16.u64 	%rs1, %rd15;
	ld.global.u8 	%rs2, [%rd17];
	add.s16 	%rs3, %rs2, %rs1;
	st.global.u8 	[%rd17], %rs3;
	add.s64 	%rd18, %rd18, %rd3;
	setp.lt.u64 	%p10, %rd18, %rd9;
	@%p10 bra 	$L__BB4_8;
$L__BB4_9:
	ret;
}
	// .globl	test_sum
.visible .entry test_sum(
	.param .u64 test_sum_param_0,
	.param .u64 test_sum_param_1,
	.param .u64 test_sum_param_2,
	.param .u64 test_sum_param_3
)
{
	.reg .pred 	%p<3>;
	.reg .b32 	%r<5>;
	.reg .b64 	%rd<28>;
	ld.param.u64 	%rd10, [test_sum_param_0];
	ld.param.u64 	%rd11, [test_sum_param_1];
	ld.param.u64 	%rd12, [test_sum_param_2];
	ld.param.u64 	%rd13, [test_sum_param_3];
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %ntid.x;
	cvt.u64.u32 	%rd1, %r2;
	mul.wide.u32 	%rd15, %r1, %r2;
	mov.u32 	%r3, %tid.x;
	cvt.u64.u32 	%rd16, %r3;
	add.s64 	%rd2, %rd15, %rd16;
	setp.ge.u64 	%p1, %rd2, %rd12;
	mov.u64 	%rd27, 0;
	@%p1 bra 	$L__BB5_3;
	mov.u32 	%r4, %nctaid.x;
	cvt.u64.u32 	%rd18, %r4;
	mul.lo.s64 	%rd3, %rd18, %rd1;
	cvta.to.global.u64 	%rd4, %rd10;
	mov.u64 	%rd27, 0;
	mov.u64 	%rd25, %rd2;
$L__BB5_2:
	add.s64 	%rd19, %rd25, %rd11;
	add.s64 	%rd20, %rd4, %rd19;
	ld.global.u8 	%rd21, [%rd20];
	add.s64 	%rd27, %rd27, %rd21;
	add.s64 	%rd25, %rd25, %rd3;
	setp.lt.u64 	%p2, %rd25, %rd12;
	@%p2 bra 	$L__BB5_2;
$L__BB5_3:
	cvta.to.global.u64 	%rd22, %rd13;
	shl.b64 	%rd23, %rd2, 3;
	add.s64 	%rd24, %rd22, %rd23;
	st.global.u64 	[%rd24], %rd27;
	ret;
}
)ptx";
