// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Made from app_kernels.cu by scripts/ptx-header.sh.
#pragma once

inline constexpr char app_kernels_ptx[] = R"ptx(
.version 6.0
.target sm_70
.address_size 64
	// .globl	multiply
.shared .align 8 .b8 _ZZN45_INTERNAL_ac14adb8_14_app_kernels_cu_multiply12sum_of_groupEmPmE4part[2048];
.visible .entry multiply(
	.param .u64 multiply_param_0,
	.param .u64 multiply_param_1,
	.param .u64 multiply_param_2,
	.param .u32 multiply_param_3
)
{
	.reg .pred 	%p<3>;
	.reg .f32 	%f<73>;
	.reg .b32 	%r<29>;
	.reg .b64 	%rd<13>;
	// demoted variable
	.shared .align 4 .b8 _ZZ8multiplyE4left[1024];
	// demoted variable
	.shared .align 4 .b8 _ZZ8multiplyE5right[1024];
	ld.param.u64 	%rd3, [multiply_param_0];
	ld.param.u64 	%rd4, [multiply_param_1];
	ld.param.u64 	%rd5, [multiply_param_2];
	ld.param.u32 	%r12, [multiply_param_3];
	mov.u32 	%r13, %ntid.x;
	mov.u32 	%r14, %ctaid.x;
	mov.u32 	%r1, %tid.x;
	mad.lo.s32 	%r2, %r14, %r13, %r1;
	mov.u32 	%r15, %ntid.y;
	mov.u32 	%r16, %ctaid.y;
	mov.u32 	%r3, %tid.y;
	mad.lo.s32 	%r17, %r16, %r15, %r3;
	mul.lo.s32 	%r4, %r17, %r12;
	setp.eq.s32 	%p1, %r12, 0;
	mov.f32 	%f72, 0f00000000;
	@%p1 bra 	$L__BB0_3;
	add.s32 	%r5, %r4, %r1;
	shl.b32 	%r19, %r3, 6;
	mov.u32 	%r20, _ZZ8multiplyE4left;
	add.s32 	%r8, %r20, %r19;
	shl.b32 	%r21, %r1, 2;
	add.s32 	%r6, %r8, %r21;
	mov.u32 	%r22, _ZZ8multiplyE5right;
	add.s32 	%r23, %r22, %r19;
	add.s32 	%r7, %r23, %r21;
	add.s32 	%r9, %r22, %r21;
	cvta.to.global.u64 	%rd1, %rd3;
	cvta.to.global.u64 	%rd2, %rd4;
	mov.f32 	%f72, 0f00000000;
	mov.u32 	%r28, 0;
$L__BB0_2:
	add.s32 	%r24, %r5, %r28;
	mul.wide.u32 	%rd6, %r24, 4;
	add.s64 	%rd7, %rd1, %rd6;
	ld.global.f32 	%f6, [%rd7];
	st.shared.f32 	[%r6], %f6;
	add.s32 	%r25, %r28, %r3;
	mad.lo.s32 	%r26, %r25, %r12, %r2;
	mul.wide.u32 	%rd8, %r26, 4;
	add.s64 	%rd9, %rd2, %rd8;
	ld.global.f32 	%f7, [%rd9];
	st.shared.f32 	[%r7], %f7;
	bar.sync 	0;
	ld.shared.f32 	%f8, [%r9];
	ld.shared.f32 	%f9, [%r8];
	mul.rn.f32 	%f10, %f9, %f8;
	add.rn.f32 	%f11, %f72, %f10;
	ld.shared.f32 	%f12, [%r9+64];
	ld.shared.f32 	%f13, [%r8+4];
	mul.rn.f32 	%f14, %f13, %f12;
	add.rn.f32 	%f15, %f11, %f14;
	ld.shared.f32 	%f16, [%r9+128];
	ld.shared.f32 	%f17, [%r8+8];
	mul.rn.f32 	%f18, %f17, %f16;
	add.rn.f32 	%f19, %f15, %f18;
	ld.shared.f32 	%f20, [%r9+192];
	ld.shared.f32 	%f21, [%r8+12];
	mul.rn.f32 	%f22, %f21, %f20;
	add.rn.f32 	%f23, %f19, %f22;
	ld.shared.f32 	%f24, [%r9+256];
	ld.shared.f32 	%f25, [%r8+16];
	mul.rn.f32 	%f26, %f25, %f24;
	add.rn.f32 	%f27, %f23, %f26;
	ld.shared.f32 	%f28, [%r9+320];
	ld.shared.f32 	%f29, [%r8+20];
	mul.rn.f32 	%f30, %f29, %f28;
	add.rn.f32 	%f31, %f27, %f30;
	ld.shared.f32 	%f32, [%r9+384];
	ld.shared.f32 	%f33, [%r8+24];
	mul.rn.f32 	%f34, %f33, %f32;
	add.rn.f32 	%f35, %f31, %f34;
	ld.shared.f32 	%f36, [%r9+448];
	ld.shared.f32 	%f37, [%r8+28];
	mul.rn.f32 	%f38, %f37, %f36;
	add.rn.f32 	%f39, %f35, %f38;
	ld.shared.f32 	%f40, [%r9+512];
	ld.shared.f32 	%f41, [%r8+32];
	mul.rn.f32 	%f42, %f41, %f40;
	add.rn.f32 	%f43, %f39, %f42;
	ld.shared.f32 	%f44, [%r9+576];
	ld.shared.f32 	%f45, [%r8+36];
	mul.rn.f32 	%f46, %f45, %f44;
	add.rn.f32 	%f47, %f43, %f46;
	ld.shared.f32 	%f48, [%r9+640];
	ld.shared.f32 	%f49, [%r8+40];
	mul.rn.f32 	%f50, %f49, %f48;
	add.rn.f32 	%f51, %f47, %f50;
	ld.shared.f32 	%f52, [%r9+704];
	ld.shared.f32 	%f53, [%r8+44];
	mul.rn.f32 	%f54, %f53, %f52;
	add.rn.f32 	%f55, %f51, %f54;
	ld.shared.f32 	%f56, [%r9+768];
	ld.shared.f32 	%f57, [%r8+48];
	mul.rn.f32 	%f58, %f57, %f56;
	add.rn.f32 	%f59, %f55, %f58;
	ld.shared.f32 	%f60, [%r9+832];
	ld.shared.f32 	%f61, [%r8+52];
	mul.rn.f32 	%f62, %f61, %f60;
	add.rn.f32 	%f63, %f59, %f62;
	ld.shared.f32 	%f64, [%r9+896];
	ld.shared.f32 	%f65, [%r8+56];
	mul.rn.f32 	%f66, %f65, %f64;
	add.rn.f32 	%f67, %f63, %f66;
	ld.shared.f32 	%f68, [%r9+960];
	ld.shared.f32 	%f69, [%r8+60];
	mul.rn.f32 	%f70, %f69, %f68;
	add.rn.f32 	%f72, %f67, %f70;
	bar.sync 	0;
	add.s32 	%r28, %r28, 16;
	setp.lt.u32 	%p2, %r28, %r12;
	@%p2 bra 	$L__BB0_2;
$L__BB0_3:
	add.s32 	%r27, %r4, %r2;
	cvta.to.global.u64 	%rd10, %rd5;
	mul.wide.u32 	%rd11, %r27, 4;
	add.s64 	%rd12, %rd10, %rd11;
	st.global.f32 	[%rd12], %f72;
	ret;
}
	// .globl	move_bodies
.visible .entry move_bodies(
	.param .u64 move_bodies_param_0,
	.param .u64 move_bodies_param_1,
	.param .u64 move_bodies_param_2,
	.param .u32 move_bodies_param_3,
	.param .f32 move_bodies_param_4,
	.param .f32 move_bodies_param_5
)
{
	.reg .pred 	%p<4>;
	.reg .f32 	%f<162>;
	.reg .b32 	%r<30>;
	.reg .b64 	%rd<15>;
	// demoted variable
	.shared .align 16 .b8 _ZZ11move_bodiesE4near[1024];
	ld.param.u64 	%rd5, [move_bodies_param_0];
	ld.param.u64 	%rd4, [move_bodies_param_1];
	ld.param.u64 	%rd6, [move_bodies_param_2];
	ld.param.u32 	%r9, [move_bodies_param_3];
	ld.param.f32 	%f24, [move_bodies_param_4];
	ld.param.f32 	%f25, [move_bodies_param_5];
	mov.u32 	%r10, %ntid.x;
	mov.u32 	%r11, %ctaid.x;
	mov.u32 	%r1, %tid.x;
	mad.lo.s32 	%r12, %r11, %r10, %r1;
	cvt.u64.u32 	%rd1, %r12;
	cvta.to.global.u64 	%rd2, %rd5;
	mul.wide.u32 	%rd7, %r12, 16;
	add.s64 	%rd8, %rd2, %rd7;
	ld.global.v4.f32 	{%f29, %f30, %f31, %f32}, [%rd8];
	cvta.to.global.u64 	%rd9, %rd6;
	add.s64 	%rd3, %rd9, %rd7;
	ld.global.v4.f32 	{%f33, %f34, %f35, %f36}, [%rd3];
	setp.eq.s32 	%p1, %r9, 0;
	mov.f32 	%f158, 0f00000000;
	mov.f32 	%f157, %f158;
	mov.f32 	%f156, %f158;
	@%p1 bra 	$L__BB1_5;
	shl.b32 	%r14, %r1, 4;
	mov.u32 	%r15, _ZZ11move_bodiesE4near;
	add.s32 	%r2, %r15, %r14;
	mov.f32 	%f156, 0f00000000;
	mov.u32 	%r27, 0;
	mov.f32 	%f157, %f156;
	mov.f32 	%f158, %f156;
$L__BB1_2:
	add.s32 	%r18, %r27, %r1;
	mul.wide.u32 	%rd10, %r18, 16;
	add.s64 	%rd11, %rd2, %rd10;
	ld.global.v4.u32 	{%r19, %r20, %r21, %r22}, [%rd11];
	st.shared.v4.u32 	[%r2], {%r19, %r20, %r21, %r22};
	bar.sync 	0;
	mov.u32 	%r29, 32;
	mov.u32 	%r28, %r15;
$L__BB1_3:
	ld.shared.v4.f32 	{%f40, %f41, %f42, %f43}, [%r28];
	sub.rn.f32 	%f48, %f40, %f29;
	sub.rn.f32 	%f49, %f41, %f30;
	sub.rn.f32 	%f50, %f42, %f31;
	mul.rn.f32 	%f51, %f48, %f48;
	mul.rn.f32 	%f52, %f49, %f49;
	add.rn.f32 	%f53, %f51, %f52;
	mul.rn.f32 	%f54, %f50, %f50;
	add.rn.f32 	%f55, %f53, %f54;
	add.rn.f32 	%f56, %f55, %f24;
	sqrt.rn.f32 	%f57, %f56;
	mul.rn.f32 	%f58, %f57, %f56;
	div.rn.f32 	%f59, %f43, %f58;
	mul.rn.f32 	%f60, %f48, %f59;
	add.rn.f32 	%f61, %f158, %f60;
	mul.rn.f32 	%f62, %f49, %f59;
	add.rn.f32 	%f63, %f157, %f62;
	mul.rn.f32 	%f64, %f50, %f59;
	add.rn.f32 	%f65, %f156, %f64;
	ld.shared.v4.f32 	{%f66, %f67, %f68, %f69}, [%r28+16];
	sub.rn.f32 	%f74, %f66, %f29;
	sub.rn.f32 	%f75, %f67, %f30;
	sub.rn.f32 	%f76, %f68, %f31;
	mul.rn.f32 	%f77, %f74, %f74;
	mul.rn.f32 	%f78, %f75, %f75;
	add.rn.f32 	%f79, %f77, %f78;
	mul.rn.f32 	%f80, %f76, %f76;
	add.rn.f32 	%f81, %f79, %f80;
	add.rn.f32 	%f82, %f81, %f24;
	sqrt.rn.f32 	%f83, %f82;
	mul.rn.f32 	%f84, %f83, %f82;
	div.rn.f32 	%f85, %f69, %f84;
	mul.rn.f32 	%f86, %f74, %f85;
	add.rn.f32 	%f87, %f61, %f86;
	mul.rn.f32 	%f88, %f75, %f85;
	add.rn.f32 	%f89, %f63, %f88;
	mul.rn.f32 	%f90, %f76, %f85;
	add.rn.f32 	%f91, %f65, %f90;
	ld.shared.v4.f32 	{%f92, %f93, %f94, %f95}, [%r28+32];
	sub.rn.f32 	%f100, %f92, %f29;
	sub.rn.f32 	%f101, %f93, %f30;
	sub.rn.f32 	%f102, %f94, %f31;
	mul.rn.f32 	%f103, %f100, %f100;
	mul.rn.f32 	%f104, %f101, %f101;
	add.rn.f32 	%f105, %f103, %f104;
	mul.rn.f32 	%f106, %f102, %f102;
	add.rn.f32 	%f107, %f105, %f106;
	add.rn.f32 	%f108, %f107, %f24;
	sqrt.rn.f32 	%f109, %f108;
	mul.rn.f32 	%f110, %f109, %f108;
	div.rn.f32 	%f111, %f95, %f110;
	mul.rn.f32 	%f112, %f100, %f111;
	add.rn.f32 	%f113, %f87, %f112;
	mul.rn.f32 	%f114, %f101, %f111;
	add.rn.f32 	%f115, %f89, %f114;
	mul.rn.f32 	%f116, %f102, %f111;
	add.rn.f32 	%f117, %f91, %f116;
	ld.shared.v4.f32 	{%f118, %f119, %f120, %f121}, [%r28+48];
	sub.rn.f32 	%f126, %f118, %f29;
	sub.rn.f32 	%f127, %f119, %f30;
	sub.rn.f32 	%f128, %f120, %f31;
	mul.rn.f32 	%f129, %f126, %f126;
	mul.rn.f32 	%f130, %f127, %f127;
	add.rn.f32 	%f131, %f129, %f130;
	mul.rn.f32 	%f132, %f128, %f128;
	add.rn.f32 	%f133, %f131, %f132;
	add.rn.f32 	%f134, %f133, %f24;
	sqrt.rn.f32 	%f135, %f134;
	mul.rn.f32 	%f136, %f135, %f134;
	div.rn.f32 	%f137, %f121, %f136;
	mul.rn.f32 	%f138, %f126, %f137;
	add.rn.f32 	%f158, %f113, %f138;
	mul.rn.f32 	%f139, %f127, %f137;
	add.rn.f32 	%f157, %f115, %f139;
	mul.rn.f32 	%f140, %f128, %f137;
	add.rn.f32 	%f156, %f117, %f140;
	add.s32 	%r28, %r28, 64;
	add.s32 	%r29, %r29, 64;
	setp.ne.s32 	%p2, %r29, 1056;
	@%p2 bra 	$L__BB1_3;
	bar.sync 	0;
	add.s32 	%r27, %r27, 64;
	setp.lt.u32 	%p3, %r27, %r9;
	@%p3 bra 	$L__BB1_2;
$L__BB1_5:
	mul.rn.f32 	%f141, %f158, %f25;
	mul.rn.f32 	%f142, %f157, %f25;
	mul.rn.f32 	%f143, %f156, %f25;
	add.rn.f32 	%f144, %f34, %f142;
	add.rn.f32 	%f145, %f33, %f141;
	add.rn.f32 	%f146, %f35, %f143;
	st.global.v4.f32 	[%rd3], {%f145, %f144, %f146, %f36};
	mul.rn.f32 	%f147, %f145, %f25;
	mul.rn.f32 	%f148, %f144, %f25;
	mul.rn.f32 	%f149, %f146, %f25;
	cvta.to.global.u64 	%rd12, %rd4;
	shl.b64 	%rd13, %rd1, 4;
	add.s64 	%rd14, %rd12, %rd13;
	add.rn.f32 	%f150, %f30, %f148;
	add.rn.f32 	%f151, %f29, %f147;
	add.rn.f32 	%f152, %f31, %f149;
	st.global.v4.f32 	[%rd14], {%f151, %f150, %f152, %f32};
	ret;
}
	// .globl	relax
.visible .entry relax(
	.param .u64 relax_param_0,
	.param .u64 relax_param_1,
	.param .u32 relax_param_2,
	.param .u32 relax_param_3,
	.param .f32 relax_param_4
)
{
	.reg .pred 	%p<11>;
	.reg .f32 	%f<16>;
	.reg .b32 	%r<13>;
	.reg .b64 	%rd<18>;
	ld.param.u64 	%rd6, [relax_param_0];
	ld.param.u64 	%rd5, [relax_param_1];
	ld.param.u32 	%r3, [relax_param_2];
	ld.param.u32 	%r4, [relax_param_3];
	ld.param.f32 	%f4, [relax_param_4];
	cvta.to.global.u64 	%rd1, %rd6;
	mov.u32 	%r5, %ntid.x;
	mov.u32 	%r6, %ctaid.x;
	mov.u32 	%r7, %tid.x;
	mad.lo.s32 	%r1, %r6, %r5, %r7;
	mov.u32 	%r8, %ntid.y;
	mov.u32 	%r9, %ctaid.y;
	mov.u32 	%r10, %tid.y;
	mad.lo.s32 	%r2, %r9, %r8, %r10;
	setp.ge.u32 	%p1, %r1, %r3;
	setp.ge.u32 	%p2, %r2, %r4;
	or.pred  	%p3, %p1, %p2;
	@%p3 bra 	$L__BB2_4;
	cvt.u64.u32 	%rd2, %r3;
	mul.wide.u32 	%rd7, %r3, %r2;
	cvt.u64.u32 	%rd8, %r1;
	add.s64 	%rd3, %rd7, %rd8;
	shl.b64 	%rd9, %rd3, 2;
	add.s64 	%rd4, %rd1, %rd9;
	ld.global.f32 	%f15, [%rd4];
	setp.eq.s32 	%p4, %r2, 0;
	setp.eq.s32 	%p5, %r1, 0;
	or.pred  	%p6, %p4, %p5;
	add.s32 	%r11, %r1, 1;
	setp.ge.u32 	%p7, %r11, %r3;
	or.pred  	%p8, %p6, %p7;
	add.s32 	%r12, %r2, 1;
	setp.ge.u32 	%p9, %r12, %r4;
	or.pred  	%p10, %p8, %p9;
	@%p10 bra 	$L__BB2_3;
	ld.global.f32 	%f5, [%rd4+4];
	ld.global.f32 	%f6, [%rd4+-4];
	add.rn.f32 	%f7, %f6, %f5;
	sub.s64 	%rd10, %rd3, %rd2;
	shl.b64 	%rd11, %rd10, 2;
	add.s64 	%rd12, %rd1, %rd11;
	ld.global.f32 	%f8, [%rd12];
	add.rn.f32 	%f9, %f7, %f8;
	shl.b64 	%rd13, %rd2, 2;
	add.s64 	%rd14, %rd4, %rd13;
	ld.global.f32 	%f10, [%rd14];
	add.rn.f32 	%f11, %f9, %f10;
	mul.rn.f32 	%f12, %f15, 0fC0800000;
	add.rn.f32 	%f13, %f11, %f12;
	mul.rn.f32 	%f14, %f13, %f4;
	add.rn.f32 	%f15, %f15, %f14;
$L__BB2_3:
	cvta.to.global.u64 	%rd15, %rd5;
	add.s64 	%rd17, %rd15, %rd9;
	st.global.f32 	[%rd17], %f15;
$L__BB2_4:
	ret;
}
	// .globl	price
.visible .entry price(
	.param .u64 price_param_0,
	.param .u64 price_param_1,
	.param .u64 price_param_2,
	.param .u64 price_param_3,
	.param .u64 price_param_4,
	.param .u32 price_param_5,
	.param .f32 price_param_6,
	.param .f32 price_param_7
)
{
	.reg .pred 	%p<9>;
	.reg .f32 	%f<194>;
	.reg .b32 	%r<20>;
	.reg .b64 	%rd<19>;
	ld.param.u64 	%rd2, [price_param_0];
	ld.param.u64 	%rd3, [price_param_1];
	ld.param.u64 	%rd4, [price_param_2];
	ld.param.u64 	%rd5, [price_param_3];
	ld.param.u64 	%rd6, [price_param_4];
	ld.param.u32 	%r2, [price_param_5];
	ld.param.f32 	%f8, [price_param_6];
	ld.param.f32 	%f9, [price_param_7];
	mov.u32 	%r3, %ctaid.x;
	mov.u32 	%r4, %ntid.x;
	mov.u32 	%r5, %tid.x;
	mad.lo.s32 	%r1, %r3, %r4, %r5;
	setp.ge.u32 	%p1, %r1, %r2;
	@%p1 bra 	$L__BB3_4;
	cvta.to.global.u64 	%rd7, %rd2;
	cvt.u64.u32 	%rd1, %r1;
	mul.wide.u32 	%rd8, %r1, 4;
	add.s64 	%rd9, %rd7, %rd8;
	cvta.to.global.u64 	%rd10, %rd3;
	add.s64 	%rd11, %rd10, %rd8;
	cvta.to.global.u64 	%rd12, %rd4;
	add.s64 	%rd13, %rd12, %rd8;
	ld.global.f32 	%f1, [%rd13];
	ld.global.f32 	%f2, [%rd11];
	ld.global.f32 	%f3, [%rd9];
	div.rn.f32 	%f10, %f3, %f2;
	setp.lt.f32 	%p2, %f10, 0f00800000;
	mul.rn.f32 	%f11, %f10, 0f4B000000;
	selp.f32 	%f4, %f11, %f10, %p2;
	selp.f32 	%f12, 0fC1B80000, 0f00000000, %p2;
	mov.b32 	%r6, %f4;
	add.s32 	%r7, %r6, -1059760811;
	and.b32  	%r8, %r7, -8388608;
	sub.s32 	%r9, %r6, %r8;
	mov.b32 	%f13, %r9;
	cvt.rn.f32.s32 	%f14, %r8;
	mov.f32 	%f15, 0f34000000;
	fma.rn.f32 	%f16, %f14, %f15, %f12;
	add.rn.f32 	%f17, %f13, 0fBF800000;
	mov.f32 	%f18, 0f3E1039F6;
	mov.f32 	%f19, 0fBE055027;
	fma.rn.f32 	%f20, %f19, %f17, %f18;
	mov.f32 	%f21, 0fBDF8CDCC;
	fma.rn.f32 	%f22, %f20, %f17, %f21;
	mov.f32 	%f23, 0f3E0F2955;
	fma.rn.f32 	%f24, %f22, %f17, %f23;
	mov.f32 	%f25, 0fBE2AD8B9;
	fma.rn.f32 	%f26, %f24, %f17, %f25;
	mov.f32 	%f27, 0f3E4CED0B;
	fma.rn.f32 	%f28, %f26, %f17, %f27;
	mov.f32 	%f29, 0fBE7FFF22;
	fma.rn.f32 	%f30, %f28, %f17, %f29;
	mov.f32 	%f31, 0f3EAAAA78;
	fma.rn.f32 	%f32, %f30, %f17, %f31;
	mov.f32 	%f33, 0fBF000000;
	fma.rn.f32 	%f34, %f32, %f17, %f33;
	mul.rn.f32 	%f35, %f17, %f34;
	fma.rn.f32 	%f36, %f35, %f17, %f17;
	mov.f32 	%f37, 0f3F317218;
	fma.rn.f32 	%f193, %f16, %f37, %f36;
	setp.lt.u32 	%p3, %r6, 2139095040;
	@%p3 bra 	$L__BB3_3;
	mov.f32 	%f38, 0f7F800000;
	fma.rn.f32 	%f193, %f4, %f38, %f38;
$L__BB3_3:
	sqrt.rn.f32 	%f39, %f1;
	mul.rn.f32 	%f40, %f39, %f9;
	setp.eq.f32 	%p4, %f4, 0f00000000;
	selp.f32 	%f41, 0fFF800000, %f193, %p4;
	mul.rn.f32 	%f42, %f9, 0f3F000000;
	mov.f32 	%f43, 0f3F000000;
	mul.rn.f32 	%f44, %f42, %f9;
	add.rn.f32 	%f45, %f44, %f8;
	mul.rn.f32 	%f46, %f45, %f1;
	add.rn.f32 	%f47, %f46, %f41;
	div.rn.f32 	%f48, %f47, %f40;
	sub.rn.f32 	%f49, %f48, %f40;
	mul.rn.f32 	%f50, %f1, %f8;
	neg.f32 	%f51, %f50;
	mov.f32 	%f52, 0f3BBB989D;
	fma.rn.f32 	%f53, %f51, %f52, %f43;
	cvt.sat.f32.f32 	%f54, %f53;
	mov.f32 	%f55, 0f4B400001;
	mov.f32 	%f56, 0f437C0000;
	fma.rm.f32 	%f57, %f54, %f56, %f55;
	add.rn.f32 	%f58, %f57, 0fCB40007F;
	neg.f32 	%f59, %f58;
	mov.f32 	%f60, 0f3FB8AA3B;
	fma.rn.f32 	%f61, %f51, %f60, %f59;
	mov.f32 	%f62, 0f32A57060;
	fma.rn.f32 	%f63, %f51, %f62, %f61;
	mov.b32 	%r10, %f57;
	shl.b32 	%r11, %r10, 23;
	mov.b32 	%f64, %r11;
	ex2.approx.ftz.f32 	%f65, %f63;
	mul.rn.f32 	%f66, %f65, %f64;
	mul.rn.f32 	%f67, %f2, %f66;
	abs.f32 	%f68, %f48;
	mul.rn.f32 	%f69, %f68, 0f3E6D3389;
	add.rn.f32 	%f70, %f69, 0f3F800000;
	mov.f32 	%f71, 0f3F800000;
	rcp.rn.f32 	%f72, %f70;
	mul.rn.f32 	%f73, %f48, 0fBF000000;
	mul.rn.f32 	%f74, %f48, %f73;
	fma.rn.f32 	%f75, %f74, %f52, %f43;
	cvt.sat.f32.f32 	%f76, %f75;
	fma.rm.f32 	%f77, %f76, %f56, %f55;
	add.rn.f32 	%f78, %f77, 0fCB40007F;
	neg.f32 	%f79, %f78;
	fma.rn.f32 	%f80, %f74, %f60, %f79;
	fma.rn.f32 	%f81, %f74, %f62, %f80;
	mov.b32 	%r12, %f77;
	shl.b32 	%r13, %r12, 23;
	mov.b32 	%f82, %r13;
	ex2.approx.ftz.f32 	%f83, %f81;
	mul.rn.f32 	%f84, %f83, %f82;
	mul.rn.f32 	%f85, %f84, 0f3ECC422A;
	mul.rn.f32 	%f86, %f72, %f85;
	mul.rn.f32 	%f87, %f72, 0f3FAA466F;
	add.rn.f32 	%f88, %f87, 0fBFE91EEA;
	mul.rn.f32 	%f89, %f72, %f88;
	add.rn.f32 	%f90, %f89, 0f3FE40778;
	mul.rn.f32 	%f91, %f72, %f90;
	add.rn.f32 	%f92, %f91, 0fBEB68F87;
	mul.rn.f32 	%f93, %f72, %f92;
	add.rn.f32 	%f94, %f93, 0f3EA385FA;
	mul.rn.f32 	%f95, %f86, %f94;
	setp.gt.f32 	%p5, %f48, 0f00000000;
	sub.rn.f32 	%f96, %f71, %f95;
	selp.f32 	%f97, %f96, %f95, %p5;
	mul.rn.f32 	%f98, %f3, %f97;
	abs.f32 	%f99, %f49;
	mul.rn.f32 	%f100, %f99, 0f3E6D3389;
	add.rn.f32 	%f101, %f100, 0f3F800000;
	rcp.rn.f32 	%f102, %f101;
	mul.rn.f32 	%f103, %f49, 0fBF000000;
	mul.rn.f32 	%f104, %f49, %f103;
	fma.rn.f32 	%f105, %f104, %f52, %f43;
	cvt.sat.f32.f32 	%f106, %f105;
	fma.rm.f32 	%f107, %f106, %f56, %f55;
	add.rn.f32 	%f108, %f107, 0fCB40007F;
	neg.f32 	%f109, %f108;
	fma.rn.f32 	%f110, %f104, %f60, %f109;
	fma.rn.f32 	%f111, %f104, %f62, %f110;
	mov.b32 	%r14, %f107;
	shl.b32 	%r15, %r14, 23;
	mov.b32 	%f112, %r15;
	ex2.approx.ftz.f32 	%f113, %f111;
	mul.rn.f32 	%f114, %f113, %f112;
	mul.rn.f32 	%f115, %f114, 0f3ECC422A;
	mul.rn.f32 	%f116, %f102, %f115;
	mul.rn.f32 	%f117, %f102, 0f3FAA466F;
	add.rn.f32 	%f118, %f117, 0fBFE91EEA;
	mul.rn.f32 	%f119, %f102, %f118;
	add.rn.f32 	%f120, %f119, 0f3FE40778;
	mul.rn.f32 	%f121, %f102, %f120;
	add.rn.f32 	%f122, %f121, 0fBEB68F87;
	mul.rn.f32 	%f123, %f102, %f122;
	add.rn.f32 	%f124, %f123, 0f3EA385FA;
	mul.rn.f32 	%f125, %f116, %f124;
	setp.gt.f32 	%p6, %f49, 0f00000000;
	sub.rn.f32 	%f126, %f71, %f125;
	selp.f32 	%f127, %f126, %f125, %p6;
	mul.rn.f32 	%f128, %f67, %f127;
	sub.rn.f32 	%f129, %f98, %f128;
	cvta.to.global.u64 	%rd14, %rd5;
	shl.b64 	%rd15, %rd1, 2;
	add.s64 	%rd16, %rd14, %rd15;
	st.global.f32 	[%rd16], %f129;
	neg.f32 	%f130, %f49;
	abs.f32 	%f131, %f130;
	mul.rn.f32 	%f132, %f131, 0f3E6D3389;
	add.rn.f32 	%f133, %f132, 0f3F800000;
	rcp.rn.f32 	%f134, %f133;
	mul.rn.f32 	%f135, %f49, 0f3F000000;
	mul.rn.f32 	%f136, %f135, %f130;
	fma.rn.f32 	%f137, %f136, %f52, %f43;
	cvt.sat.f32.f32 	%f138, %f137;
	fma.rm.f32 	%f139, %f138, %f56, %f55;
	add.rn.f32 	%f140, %f139, 0fCB40007F;
	neg.f32 	%f141, %f140;
	fma.rn.f32 	%f142, %f136, %f60, %f141;
	fma.rn.f32 	%f143, %f136, %f62, %f142;
	mov.b32 	%r16, %f139;
	shl.b32 	%r17, %r16, 23;
	mov.b32 	%f144, %r17;
	ex2.approx.ftz.f32 	%f145, %f143;
	mul.rn.f32 	%f146, %f145, %f144;
	mul.rn.f32 	%f147, %f146, 0f3ECC422A;
	mul.rn.f32 	%f148, %f134, %f147;
	mul.rn.f32 	%f149, %f134, 0f3FAA466F;
	add.rn.f32 	%f150, %f149, 0fBFE91EEA;
	mul.rn.f32 	%f151, %f134, %f150;
	add.rn.f32 	%f152, %f151, 0f3FE40778;
	mul.rn.f32 	%f153, %f134, %f152;
	add.rn.f32 	%f154, %f153, 0fBEB68F87;
	mul.rn.f32 	%f155, %f134, %f154;
	add.rn.f32 	%f156, %f155, 0f3EA385FA;
	mul.rn.f32 	%f157, %f148, %f156;
	setp.lt.f32 	%p7, %f49, 0f80000000;
	sub.rn.f32 	%f158, %f71, %f157;
	selp.f32 	%f159, %f158, %f157, %p7;
	mul.rn.f32 	%f160, %f67, %f159;
	neg.f32 	%f161, %f48;
	abs.f32 	%f162, %f161;
	mul.rn.f32 	%f163, %f162, 0f3E6D3389;
	add.rn.f32 	%f164, %f163, 0f3F800000;
	rcp.rn.f32 	%f165, %f164;
	mul.rn.f32 	%f166, %f48, 0f3F000000;
	mul.rn.f32 	%f167, %f166, %f161;
	fma.rn.f32 	%f168, %f167, %f52, %f43;
	cvt.sat.f32.f32 	%f169, %f168;
	fma.rm.f32 	%f170, %f169, %f56, %f55;
	add.rn.f32 	%f171, %f170, 0fCB40007F;
	neg.f32 	%f172, %f171;
	fma.rn.f32 	%f173, %f167, %f60, %f172;
	fma.rn.f32 	%f174, %f167, %f62, %f173;
	mov.b32 	%r18, %f170;
	shl.b32 	%r19, %r18, 23;
	mov.b32 	%f175, %r19;
	ex2.approx.ftz.f32 	%f176, %f174;
	mul.rn.f32 	%f177, %f176, %f175;
	mul.rn.f32 	%f178, %f177, 0f3ECC422A;
	mul.rn.f32 	%f179, %f165, %f178;
	mul.rn.f32 	%f180, %f165, 0f3FAA466F;
	add.rn.f32 	%f181, %f180, 0fBFE91EEA;
	mul.rn.f32 	%f182, %f165, %f181;
	add.rn.f32 	%f183, %f182, 0f3FE40778;
	mul.rn.f32 	%f184, %f165, %f183;
	add.rn.f32 	%f185, %f184, 0fBEB68F87;
	mul.rn.f32 	%f186, %f165, %f185;
	add.rn.f32 	%f187, %f186, 0f3EA385FA;
	mul.rn.f32 	%f188, %f179, %f187;
	setp.lt.f32 	%p8, %f48, 0f80000000;
	sub.rn.f32 	%f189, %f71, %f188;
	selp.f32 	%f190, %f189, %f188, %p8;
	mul.rn.f32 	%f191, %f3, %f190;
	sub.rn.f32 	%f192, %f160, %f191;
	cvta.to.global.u64 	%rd17, %rd6;
	add.s64 	%rd18, %rd17, %rd15;
	st.global.f32 	[%rd18], %f192;
$L__BB3_4:
	ret;
}
	// .globl	sum
.visible .entry sum(
	.param .u64 sum_param_0,
	.param .u64 sum_param_1,
	.param .u32 sum_param_2
)
{
	.reg .pred 	%p<11>;
	.reg .b32 	%r<14>;
	.reg .b64 	%rd<42>;
	ld.param.u64 	%rd5, [sum_param_0];
	ld.param.u64 	%rd6, [sum_param_1];
	ld.param.u32 	%r8, [sum_param_2];
	mov.u32 	%r9, %ntid.x;
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %tid.x;
	mad.lo.s32 	%r13, %r1, %r9, %r2;
	setp.ge.u32 	%p1, %r13, %r8;
	mov.u64 	%rd41, 0;
	@%p1 bra 	$L__BB4_3;
	mov.u32 	%r10, %nctaid.x;
	shl.b32 	%r4, %r10, 8;
	cvta.to.global.u64 	%rd1, %rd5;
	mov.u64 	%rd41, 0;
$L__BB4_2:
	mul.wide.u32 	%rd9, %r13, 4;
	add.s64 	%rd10, %rd1, %rd9;
	ld.global.u32 	%rd11, [%rd10];
	add.s64 	%rd41, %rd41, %rd11;
	add.s32 	%r13, %r13, %r4;
	setp.lt.u32 	%p2, %r13, %r8;
	@%p2 bra 	$L__BB4_2;
$L__BB4_3:
	shl.b32 	%r11, %r2, 3;
	mov.u32 	%r12, _ZZN45_INTERNAL_ac14adb8_14_app_kernels_cu_multiply12sum_of_groupEmPmE4part;
	add.s32 	%r7, %r12, %r11;
	st.shared.u64 	[%r7], %rd41;
	bar.sync 	0;
	setp.gt.u32 	%p3, %r2, 127;
	@%p3 bra 	$L__BB4_5;
	ld.shared.u64 	%rd12, [%r7];
	ld.shared.u64 	%rd13, [%r7+1024];
	add.s64 	%rd14, %rd12, %rd13;
	st.shared.u64 	[%r7], %rd14;
$L__BB4_5:
	bar.sync 	0;
	setp.gt.u32 	%p4, %r2, 63;
	@%p4 bra 	$L__BB4_7;
	ld.shared.u64 	%rd15, [%r7];
	ld.shared.u64 	%rd16, [%r7+512];
	add.s64 	%rd17, %rd15, %rd16;
	st.shared.u64 	[%r7], %rd17;
$L__BB4_7:
	bar.sync 	0;
	setp.gt.u32 	%p5, %r2, 31;
	@%p5 bra 	$L__BB4_9;
	ld.shared.u64 	%rd18, [%r7];
	ld.shared.u64 	%rd19, [%r7+256];
	add.s64 	%rd20, %rd18, %rd19;
	st.shared.u64 	[%r7], %rd20;
$L__BB4_9:
	bar.sync 	0;
	setp.gt.u32 	%p6, %r2, 15;
	@%p6 bra 	$L__BB4_11;
	ld.shared.u64 	%rd21, [%r7];
	ld.shared.u64 	%rd22, [%r7+128];
	add.s64 	%rd23, %rd21, %rd22;
	st.shared.u64 	[%r7], %rd23;
$L__BB4_11:
	bar.sync 	0;
	setp.gt.u32 	%p7, %r2, 7;
	@%p7 bra 	$L__BB4_13;
	ld.shared.u64 	%rd24, [%r7];
	ld.shared.u64 	%rd25, [%r7+64];
	add.s64 	%rd26, %rd24, %rd25;
	st.shared.u64 	[%r7], %rd26;
$L__BB4_13:
	bar.sync 	0;
	setp.gt.u32 	%p8, %r2, 3;
	@%p8 bra 	$L__BB4_15;
	ld.shared.u64 	%rd27, [%r7];
	ld.shared.u64 	%rd28, [%r7+32];
	add.s64 	%rd29, %rd27, %rd28;
	st.shared.u64 	[%r7], %rd29;
$L__BB4_15:
	bar.sync 	0;
	setp.gt.u32 	%p9, %r2, 1;
	@%p9 bra 	$L__BB4_17;
	ld.shared.u64 	%rd30, [%r7];
	ld.shared.u64 	%rd31, [%r7+16];
	add.s64 	%rd32, %rd30, %rd31;
	st.shared.u64 	[%r7], %rd32;
$L__BB4_17:
	bar.sync 	0;
	setp.ne.s32 	%p10, %r2, 0;
	@%p10 bra 	$L__BB4_19;
	ld.shared.u64 	%rd33, [_ZZN45_INTERNAL_ac14adb8_14_app_kernels_cu_multiply12sum_of_groupEmPmE4part+8];
	ld.shared.u64 	%rd34, [%r7];
	add.s64 	%rd35, %rd34, %rd33;
	st.shared.u64 	[%r7], %rd35;
	ld.shared.u64 	%rd36, [_ZZN45_INTERNAL_ac14adb8_14_app_kernels_cu_multiply12sum_of_groupEmPmE4part];
	cvta.to.global.u64 	%rd37, %rd6;
	mul.wide.u32 	%rd38, %r1, 8;
	add.s64 	%rd39, %rd37, %rd38;
	st.global.u64 	[%rd39], %rd36;
$L__BB4_19:
	ret;
}
	// .globl	sum_of_sums
.visible .entry sum_of_sums(
	.param .u64 sum_of_sums_param_0,
	.param .u64 sum_of_sums_param_1,
	.param .u32 sum_of_sums_param_2
)
{
	.reg .pred 	%p<11>;
	.reg .b32 	%r<14>;
	.reg .b64 	%rd<42>;
	ld.param.u64 	%rd5, [sum_of_sums_param_0];
	ld.param.u64 	%rd6, [sum_of_sums_param_1];
	ld.param.u32 	%r8, [sum_of_sums_param_2];
	mov.u32 	%r9, %ntid.x;
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %tid.x;
	mad.lo.s32 	%r13, %r1, %r9, %r2;
	setp.ge.u32 	%p1, %r13, %r8;
	mov.u64 	%rd41, 0;
	@%p1 bra 	$L__BB5_3;
	mov.u32 	%r10, %nctaid.x;
	shl.b32 	%r4, %r10, 8;
	cvta.to.global.u64 	%rd1, %rd5;
	mov.u64 	%rd41, 0;
$L__BB5_2:
	mul.wide.u32 	%rd9, %r13, 8;
	add.s64 	%rd10, %rd1, %rd9;
	ld.global.u64 	%rd11, [%rd10];
	add.s64 	%rd41, %rd11, %rd41;
	add.s32 	%r13, %r13, %r4;
	setp.lt.u32 	%p2, %r13, %r8;
	@%p2 bra 	$L__BB5_2;
$L__BB5_3:
	shl.b32 	%r11, %r2, 3;
	mov.u32 	%r12, _ZZN45_INTERNAL_ac14adb8_14_app_kernels_cu_multiply12sum_of_groupEmPmE4part;
	add.s32 	%r7, %r12, %r11;
	st.shared.u64 	[%r7], %rd41;
	bar.sync 	0;
	setp.gt.u32 	%p3, %r2, 127;
	@%p3 bra 	$L__BB5_5;
	ld.shared.u64 	%rd12, [%r7];
	ld.shared.u64 	%rd13, [%r7+1024];
	add.s64 	%rd14, %rd12, %rd13;
	st.shared.u64 	[%r7], %rd14;
$L__BB5_5:
	bar.sync 	0;
	setp.gt.u32 	%p4, %r2, 63;
	@%p4 bra 	$L__BB5_7;
	ld.shared.u64 	%rd15, [%r7];
	ld.shared.u64 	%rd16, [%r7+512];
	add.s64 	%rd17, %rd15, %rd16;
	st.shared.u64 	[%r7], %rd17;
$L__BB5_7:
	bar.sync 	0;
	setp.gt.u32 	%p5, %r2, 31;
	@%p5 bra 	$L__BB5_9;
	ld.shared.u64 	%rd18, [%r7];
	ld.shared.u64 	%rd19, [%r7+256];
	add.s64 	%rd20, %rd18, %rd19;
	st.shared.u64 	[%r7], %rd20;
$L__BB5_9:
	bar.sync 	0;
	setp.gt.u32 	%p6, %r2, 15;
	@%p6 bra 	$L__BB5_11;
	ld.shared.u64 	%rd21, [%r7];
	ld.shared.u64 	%rd22, [%r7+128];
	add.s64 	%rd23, %rd21, %rd22;
	st.shared.u64 	[%r7], %rd23;
$L__BB5_11:
	bar.sync 	0;
	setp.gt.u32 	%p7, %r2, 7;
	@%p7 bra 	$L__BB5_13;
	ld.shared.u64 	%rd24, [%r7];
	ld.shared.u64 	%rd25, [%r7+64];
	add.s64 	%rd26, %rd24, %rd25;
	st.shared.u64 	[%r7], %rd26;
$L__BB5_13:
	bar.sync 	0;
	setp.gt.u32 	%p8, %r2, 3;
	@%p8 bra 	$L__BB5_15;
	ld.shared.u64 	%rd27, [%r7];
	ld.shared.u64 	%rd28, [%r7+32];
	add.s64 	%rd29, %rd27, %rd28;
	st.shared.u64 	[%r7], %rd29;
$L__BB5_15:
	bar.sync 	0;
	setp.gt.u32 	%p9, %r2, 1;
	@%p9 bra 	$L__BB5_17;
	ld.shared.u64 	%rd30, [%r7];
	ld.shared.u64 	%rd31, [%r7+16];
	add.s64 	%rd32, %rd30, %rd31;
	st.shared.u64 	[%r7], %rd32;
$L__BB5_17:
	bar.sync 	0;
	setp.ne.s32 	%p10, %r2, 0;
	@%p10 bra 	$L__BB5_19;
	ld.shared.u64 	%rd33, [_ZZN45_INTERNAL_ac14adb8_14_app_kernels_cu_multiply12sum_of_groupEmPmE4part+8];
	ld.shared.u64 	%rd34, [%r7];
	add.s64 	%rd35, %rd34, %rd33;
	st.shared.u64 	[%r7], %rd35;
	ld.shared.u64 	%rd36, [_ZZN45_INTERNAL_ac14adb8_14_app_kernels_cu_multiply12sum_of_groupEmPmE4part];
	cvta.to.global.u64 	%rd37, %rd6;
	mul.wide.u32 	%rd38, %r1, 8;
	add.s64 	%rd39, %rd37, %rd38;
	st.global.u64 	[%rd39], %rd36;
$L__BB5_19:
	ret;
}
	// .globl	count
.visible .entry count(
	.param .u64 count_param_0,
	.param .u64 count_param_1,
	.param .u32 count_param_2
)
{
	.reg .pred 	%p<3>;
	.reg .b16 	%rs<2>;
	.reg .b32 	%r<21>;
	.reg .b64 	%rd<9>;
	// demoted variable
	.shared .align 4 .b8 _ZZ5countE4mine[1024];
	ld.param.u64 	%rd2, [count_param_0];
	ld.param.u64 	%rd3, [count_param_1];
	ld.param.u32 	%r7, [count_param_2];
	mov.u32 	%r1, %tid.x;
	shl.b32 	%r8, %r1, 2;
	mov.u32 	%r9, _ZZ5countE4mine;
	add.s32 	%r2, %r9, %r8;
	mov.u32 	%r10, 0;
	st.shared.u32 	[%r2], %r10;
	bar.sync 	0;
	mov.u32 	%r11, %ntid.x;
	mov.u32 	%r12, %ctaid.x;
	mad.lo.s32 	%r20, %r12, %r11, %r1;
	setp.ge.u32 	%p1, %r20, %r7;
	@%p1 bra 	$L__BB6_3;
	mov.u32 	%r13, %nctaid.x;
	shl.b32 	%r4, %r13, 8;
	cvta.to.global.u64 	%rd1, %rd2;
$L__BB6_2:
	cvt.u64.u32 	%rd4, %r20;
	add.s64 	%rd5, %rd1, %rd4;
	ld.global.u8 	%rs1, [%rd5];
	mul.wide.u16 	%r14, %rs1, 4;
	add.s32 	%r16, %r9, %r14;
	atom.shared.add.u32 	%r17, [%r16], 1;
	add.s32 	%r20, %r20, %r4;
	setp.lt.u32 	%p2, %r20, %r7;
	@%p2 bra 	$L__BB6_2;
$L__BB6_3:
	bar.sync 	0;
	cvta.to.global.u64 	%rd6, %rd3;
	mul.wide.u32 	%rd7, %r1, 4;
	add.s64 	%rd8, %rd6, %rd7;
	ld.shared.u32 	%r18, [%r2];
	atom.global.add.u32 	%r19, [%rd8], %r18;
	ret;
}
	// .globl	multiply_rows
.visible .entry multiply_rows(
	.param .u64 multiply_rows_param_0,
	.param .u64 multiply_rows_param_1,
	.param .u64 multiply_rows_param_2,
	.param .u64 multiply_rows_param_3,
	.param .u64 multiply_rows_param_4,
	.param .u32 multiply_rows_param_5
)
{
	.reg .pred 	%p<7>;
	.reg .f32 	%f<35>;
	.reg .b32 	%r<34>;
	.reg .b64 	%rd<43>;
	ld.param.u64 	%rd5, [multiply_rows_param_0];
	ld.param.u64 	%rd7, [multiply_rows_param_1];
	ld.param.u64 	%rd8, [multiply_rows_param_2];
	ld.param.u64 	%rd9, [multiply_rows_param_3];
	ld.param.u64 	%rd6, [multiply_rows_param_4];
	ld.param.u32 	%r13, [multiply_rows_param_5];
	cvta.to.global.u64 	%rd1, %rd9;
	cvta.to.global.u64 	%rd2, %rd7;
	cvta.to.global.u64 	%rd3, %rd8;
	mov.u32 	%r14, %ntid.x;
	mov.u32 	%r15, %ctaid.x;
	mov.u32 	%r16, %tid.x;
	mad.lo.s32 	%r1, %r15, %r14, %r16;
	setp.ge.u32 	%p1, %r1, %r13;
	@%p1 bra 	$L__BB7_8;
	cvta.to.global.u64 	%rd10, %rd5;
	cvt.u64.u32 	%rd4, %r1;
	mul.wide.u32 	%rd11, %r1, 4;
	add.s64 	%rd12, %rd10, %rd11;
	add.s32 	%r17, %r1, 1;
	mul.wide.u32 	%rd13, %r17, 4;
	add.s64 	%rd14, %rd10, %rd13;
	ld.global.u32 	%r2, [%rd14];
	ld.global.u32 	%r3, [%rd12];
	setp.ge.u32 	%p2, %r3, %r2;
	mov.f32 	%f34, 0f00000000;
	@%p2 bra 	$L__BB7_7;
	add.s32 	%r18, %r3, 1;
	max.u32 	%r4, %r2, %r18;
	sub.s32 	%r19, %r4, %r3;
	and.b32  	%r31, %r19, 3;
	setp.eq.s32 	%p3, %r31, 0;
	mov.f32 	%f34, 0f00000000;
	mov.u32 	%r32, %r3;
	@%p3 bra 	$L__BB7_5;
	mov.f32 	%f34, 0f00000000;
	mov.u32 	%r32, %r3;
$L__BB7_4:
	.pragma "nounroll";
	mul.wide.u32 	%rd15, %r32, 4;
	add.s64 	%rd16, %rd3, %rd15;
	add.s64 	%rd17, %rd2, %rd15;
	ld.global.u32 	%r20, [%rd17];
	mul.wide.u32 	%rd18, %r20, 4;
	add.s64 	%rd19, %rd1, %rd18;
	ld.global.f32 	%f12, [%rd19];
	ld.global.f32 	%f13, [%rd16];
	mul.rn.f32 	%f14, %f13, %f12;
	add.rn.f32 	%f34, %f34, %f14;
	add.s32 	%r32, %r32, 1;
	add.s32 	%r31, %r31, -1;
	setp.ne.s32 	%p4, %r31, 0;
	@%p4 bra 	$L__BB7_4;
$L__BB7_5:
	not.b32 	%r21, %r3;
	add.s32 	%r22, %r4, %r21;
	setp.lt.u32 	%p5, %r22, 3;
	@%p5 bra 	$L__BB7_7;
$L__BB7_6:
	mul.wide.u32 	%rd20, %r32, 4;
	add.s64 	%rd21, %rd3, %rd20;
	add.s64 	%rd22, %rd2, %rd20;
	ld.global.u32 	%r23, [%rd22];
	mul.wide.u32 	%rd23, %r23, 4;
	add.s64 	%rd24, %rd1, %rd23;
	ld.global.f32 	%f15, [%rd24];
	ld.global.f32 	%f16, [%rd21];
	mul.rn.f32 	%f17, %f16, %f15;
	add.rn.f32 	%f18, %f34, %f17;
	add.s32 	%r24, %r32, 1;
	mul.wide.u32 	%rd25, %r24, 4;
	add.s64 	%rd26, %rd3, %rd25;
	add.s64 	%rd27, %rd2, %rd25;
	ld.global.u32 	%r25, [%rd27];
	mul.wide.u32 	%rd28, %r25, 4;
	add.s64 	%rd29, %rd1, %rd28;
	ld.global.f32 	%f19, [%rd29];
	ld.global.f32 	%f20, [%rd26];
	mul.rn.f32 	%f21, %f20, %f19;
	add.rn.f32 	%f22, %f18, %f21;
	add.s32 	%r26, %r32, 2;
	mul.wide.u32 	%rd30, %r26, 4;
	add.s64 	%rd31, %rd3, %rd30;
	add.s64 	%rd32, %rd2, %rd30;
	ld.global.u32 	%r27, [%rd32];
	mul.wide.u32 	%rd33, %r27, 4;
	add.s64 	%rd34, %rd1, %rd33;
	ld.global.f32 	%f23, [%rd34];
	ld.global.f32 	%f24, [%rd31];
	mul.rn.f32 	%f25, %f24, %f23;
	add.rn.f32 	%f26, %f22, %f25;
	add.s32 	%r28, %r32, 3;
	mul.wide.u32 	%rd35, %r28, 4;
	add.s64 	%rd36, %rd3, %rd35;
	add.s64 	%rd37, %rd2, %rd35;
	ld.global.u32 	%r29, [%rd37];
	mul.wide.u32 	%rd38, %r29, 4;
	add.s64 	%rd39, %rd1, %rd38;
	ld.global.f32 	%f27, [%rd39];
	ld.global.f32 	%f28, [%rd36];
	mul.rn.f32 	%f29, %f28, %f27;
	add.rn.f32 	%f34, %f26, %f29;
	add.s32 	%r32, %r32, 4;
	setp.lt.u32 	%p6, %r32, %r2;
	@%p6 bra 	$L__BB7_6;
$L__BB7_7:
	cvta.to.global.u64 	%rd40, %rd6;
	shl.b64 	%rd41, %rd4, 2;
	add.s64 	%rd42, %rd40, %rd41;
	st.global.f32 	[%rd42], %f34;
$L__BB7_8:
	ret;
}
	// .globl	escape
.visible .entry escape(
	.param .u64 escape_param_0,
	.param .u32 escape_param_1,
	.param .u32 escape_param_2,
	.param .f32 escape_param_3,
	.param .f32 escape_param_4,
	.param .f32 escape_param_5,
	.param .u32 escape_param_6
)
{
	.reg .pred 	%p<8>;
	.reg .f32 	%f<30>;
	.reg .b32 	%r<19>;
	.reg .b64 	%rd<8>;
	ld.param.u64 	%rd1, [escape_param_0];
	ld.param.u32 	%r6, [escape_param_1];
	ld.param.u32 	%r8, [escape_param_2];
	ld.param.f32 	%f11, [escape_param_3];
	ld.param.f32 	%f12, [escape_param_4];
	ld.param.f32 	%f13, [escape_param_5];
	ld.param.u32 	%r7, [escape_param_6];
	mov.u32 	%r9, %ntid.x;
	mov.u32 	%r10, %ctaid.x;
	mov.u32 	%r11, %tid.x;
	mad.lo.s32 	%r1, %r10, %r9, %r11;
	mov.u32 	%r12, %ntid.y;
	mov.u32 	%r13, %ctaid.y;
	mov.u32 	%r14, %tid.y;
	mad.lo.s32 	%r2, %r13, %r12, %r14;
	setp.ge.u32 	%p1, %r1, %r6;
	setp.ge.u32 	%p2, %r2, %r8;
	or.pred  	%p3, %p1, %p2;
	@%p3 bra 	$L__BB8_5;
	cvt.rn.f32.u32 	%f14, %r1;
	mul.rn.f32 	%f15, %f14, %f13;
	add.rn.f32 	%f1, %f15, %f11;
	cvt.rn.f32.u32 	%f16, %r2;
	mul.rn.f32 	%f17, %f16, %f13;
	add.rn.f32 	%f2, %f17, %f12;
	setp.eq.s32 	%p4, %r7, 0;
	mov.u32 	%r18, 0;
	@%p4 bra 	$L__BB8_4;
	mov.f32 	%f26, 0f00000000;
	mov.u32 	%r18, 0;
	mov.f32 	%f27, %f26;
	mov.f32 	%f28, %f26;
	mov.f32 	%f29, %f26;
$L__BB8_3:
	sub.rn.f32 	%f22, %f27, %f26;
	add.rn.f32 	%f7, %f1, %f22;
	add.rn.f32 	%f23, %f29, %f29;
	mul.rn.f32 	%f24, %f23, %f28;
	add.rn.f32 	%f28, %f2, %f24;
	add.s32 	%r18, %r18, 1;
	setp.lt.u32 	%p5, %r18, %r7;
	mul.rn.f32 	%f27, %f7, %f7;
	mul.rn.f32 	%f26, %f28, %f28;
	add.rn.f32 	%f25, %f27, %f26;
	setp.le.f32 	%p6, %f25, 0f40800000;
	and.pred  	%p7, %p5, %p6;
	mov.f32 	%f29, %f7;
	@%p7 bra 	$L__BB8_3;
$L__BB8_4:
	mul.wide.u32 	%rd2, %r6, %r2;
	cvt.u64.u32 	%rd3, %r1;
	add.s64 	%rd4, %rd2, %rd3;
	cvta.to.global.u64 	%rd5, %rd1;
	shl.b64 	%rd6, %rd4, 2;
	add.s64 	%rd7, %rd5, %rd6;
	st.global.u32 	[%rd7], %r18;
$L__BB8_5:
	ret;
}
)ptx";
