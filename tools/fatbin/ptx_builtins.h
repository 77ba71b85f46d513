// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Defines functions of OpenCL C for PTX, where libclc's are not right or not there. Its ids know no offset, its sizes
// are 0 instead of 1 in dimensions that a launch does not have, its native_ functions use instructions that LLVM does
// not find in PTX, and it has no get_work_dim(), get_global_offset() and mad_hi().
#pragma once

namespace tool::fat
{

// A launch can't be asked for some things, which lie in a variable that runtimes write: the offsets, and the number of
// dimensions, 0 for 1.
inline constexpr char launch_variable[] = "het_launch";

inline constexpr char ptx_builtins[] = R"(
extern constant ulong het_launch[4];

uint __attribute__((overloadable)) get_work_dim(void) { return het_launch[3] ? het_launch[3] : 1; }
size_t __attribute__((overloadable)) get_global_offset(uint d)
{
	return d == 0 ? het_launch[0] : d == 1 ? het_launch[1] : d == 2 ? het_launch[2] : 0;
}
size_t __attribute__((overloadable)) get_local_size(uint d)
{
	return d == 0 ? __nvvm_read_ptx_sreg_ntid_x() : d == 1 ? __nvvm_read_ptx_sreg_ntid_y() :
	       d == 2 ? __nvvm_read_ptx_sreg_ntid_z() : 1;
}
size_t __attribute__((overloadable)) get_num_groups(uint d)
{
	return d == 0 ? __nvvm_read_ptx_sreg_nctaid_x() : d == 1 ? __nvvm_read_ptx_sreg_nctaid_y() :
	       d == 2 ? __nvvm_read_ptx_sreg_nctaid_z() : 1;
}
size_t __attribute__((overloadable)) get_global_size(uint d) { return get_num_groups(d) * get_local_size(d); }
size_t __attribute__((overloadable)) get_global_id(uint d)
{
	return get_group_id(d) * get_local_size(d) + get_local_id(d) + get_global_offset(d);
}

#define HET_VECTORS(DEFINE, TYPE) DEFINE(TYPE) DEFINE(TYPE##2) DEFINE(TYPE##3) DEFINE(TYPE##4) DEFINE(TYPE##8) DEFINE(TYPE##16)
#define HET_MAD_HI(T) T __attribute__((overloadable)) mad_hi(T a, T b, T c) { return mul_hi(a, b) + c; }
HET_VECTORS(HET_MAD_HI, char)
HET_VECTORS(HET_MAD_HI, uchar)
HET_VECTORS(HET_MAD_HI, short)
HET_VECTORS(HET_MAD_HI, ushort)
HET_VECTORS(HET_MAD_HI, int)
HET_VECTORS(HET_MAD_HI, uint)
HET_VECTORS(HET_MAD_HI, long)
HET_VECTORS(HET_MAD_HI, ulong)

float __attribute__((overloadable)) native_cos(float x) { return __nvvm_cos_approx_f(x); }
float __attribute__((overloadable)) native_sin(float x) { return __nvvm_sin_approx_f(x); }
float __attribute__((overloadable)) native_exp2(float x) { return __nvvm_ex2_approx_f(x); }
float __attribute__((overloadable)) native_log2(float x) { return __nvvm_lg2_approx_f(x); }
float __attribute__((overloadable)) native_tan(float x) { return native_sin(x) / native_cos(x); }
float __attribute__((overloadable)) native_exp(float x) { return native_exp2(x * M_LOG2E_F); }
float __attribute__((overloadable)) native_exp10(float x) { return native_exp2(x * 3.32192809489f); }
float __attribute__((overloadable)) native_log(float x) { return native_log2(x) * M_LN2_F; }
float __attribute__((overloadable)) native_log10(float x) { return native_log2(x) * 0.301029995664f; }
float __attribute__((overloadable)) native_powr(float x, float y) { return native_exp2(y * native_log2(x)); }
#define HET_HALVES(F) \
	float2 __attribute__((overloadable)) F(float2 x) { return (float2)(F(x.x), F(x.y)); } \
	float3 __attribute__((overloadable)) F(float3 x) { return (float3)(F(x.xy), F(x.z)); } \
	float4 __attribute__((overloadable)) F(float4 x) { return (float4)(F(x.lo), F(x.hi)); } \
	float8 __attribute__((overloadable)) F(float8 x) { return (float8)(F(x.lo), F(x.hi)); } \
	float16 __attribute__((overloadable)) F(float16 x) { return (float16)(F(x.lo), F(x.hi)); }
HET_HALVES(native_cos)
HET_HALVES(native_sin)
HET_HALVES(native_tan)
HET_HALVES(native_exp)
HET_HALVES(native_exp2)
HET_HALVES(native_exp10)
HET_HALVES(native_log)
HET_HALVES(native_log2)
HET_HALVES(native_log10)
float2 __attribute__((overloadable)) native_powr(float2 x, float2 y) { return native_exp2(y * native_log2(x)); }
float3 __attribute__((overloadable)) native_powr(float3 x, float3 y) { return native_exp2(y * native_log2(x)); }
float4 __attribute__((overloadable)) native_powr(float4 x, float4 y) { return native_exp2(y * native_log2(x)); }
float8 __attribute__((overloadable)) native_powr(float8 x, float8 y) { return native_exp2(y * native_log2(x)); }
float16 __attribute__((overloadable)) native_powr(float16 x, float16 y) { return native_exp2(y * native_log2(x)); }
)";

} // namespace tool::fat
