# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""The built-in functions of OpenCL C 1.2, with a call of each that needs a compiler to have it. In a call, f, g and h
are floats, i, j and k ints, u, v and w uints; p is a global, l a local pointer, each with the type of the call as
suffix."""

FLOATS_1 = """acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erf erfc exp exp2 exp10
expm1 fabs floor lgamma log log2 log10 log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc
half_cos half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_recip half_rsqrt half_sin half_sqrt half_tan
native_cos native_exp native_exp2 native_exp10 native_log native_log2 native_log10 native_recip native_rsqrt
native_sin native_sqrt native_tan degrees radians sign""".split()
FLOATS_2 = """atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag nextafter pow powr remainder half_divide
half_powr native_divide native_powr step max min""".split()
FLOATS_3 = "fma mad mix smoothstep bitselect".split()
TESTS_1 = "isfinite isinf isnan isnormal signbit".split()
TESTS_2 = """isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isordered
isunordered""".split()
INTS_1 = "abs clz popcount".split()
INTS_2 = "abs_diff add_sat hadd rhadd max min mul_hi rotate sub_sat".split()
INTS_3 = "mad_hi mad_sat".split()
VECTORS = {
    "cross": "cross((float4)(f, g, h, 0), (float4)(h, f, g, 0)).x",
    "dot": "dot((float4)(f, g, h, f), (float4)(h, f, g, g))",
    "distance": "distance((float2)(f, g), (float2)(h, f))",
    "length": "length((float3)(f, g, h))",
    "normalize": "normalize((float2)(f, g)).y",
    "fast_distance": "fast_distance((float2)(f, g), (float2)(h, f))",
    "fast_length": "fast_length((float3)(f, g, h))",
    "fast_normalize": "fast_normalize((float2)(f, g)).y",
    "any": "any((int2)(i, j))",
    "all": "all((int2)(i, j))",
    "select": "select(f, g, i)",
    "shuffle": "shuffle((float2)(f, g), (uint2)(u & 1, v & 1)).x",
    "shuffle2": "shuffle2((float2)(f, g), (float2)(h, f), (uint2)(u & 3, v & 3)).y",
    "vec_step": "vec_step(float4)",
}
POINTERS = {
    "fract": "({ float t; fract(f, &t) + t; })",
    "frexp": "({ int t; frexp(f, &t) + t; })",
    "modf": "({ float t; modf(f, &t) + t; })",
    "lgamma_r": "({ int t; lgamma_r(f, &t) + t; })",
    "remquo": "({ int t; remquo(f, g, &t) + t; })",
    "sincos": "({ float t; sincos(f, &t) + t; })",
    "ilogb": "ilogb(f)",
    "ldexp": "ldexp(f, i)",
    "pown": "pown(f, i)",
    "rootn": "rootn(f, i)",
    "nan": "isnan(nan(u))",
    "clamp": "clamp(f, min(g, h), max(g, h))",
    "upsample": "upsample((short)i, (ushort)u)",
}
WORK_ITEMS = {
    "get_work_dim": "get_work_dim()",
    **{
        f"get_{name}": f"get_{name}(u % 3)"
        for name in (
            "global_size",
            "global_id",
            "local_size",
            "local_id",
            "num_groups",
            "group_id",
            "global_offset",
        )
    },
}
MEMORY = {
    **{f"vload{n}": f"vload{n}(u, pf).s1" for n in (2, 3, 4, 8, 16)},
    **{f"vstore{n}": f"(vstore{n}((float{n})(f), u, pf), 0)" for n in (2, 3, 4, 8, 16)},
    "vload_half": "vload_half(u, ph)",
    "vload_halfn": "vload_half4(u, ph).x",
    "vloada_halfn": "vloada_half4(u, ph).x",
    "vstore_half": "(vstore_half(f, u, ph), 0)",
    "vstore_halfn": "(vstore_half4((float4)(f), u, ph), 0)",
    "vstorea_halfn": "(vstorea_half4((float4)(f), u, ph), 0)",
    "async_work_group_copy": "({ event_t e = async_work_group_copy(lf, pf, u, 0); wait_group_events(1, &e); 0; })",
    "async_work_group_strided_copy":
        "({ event_t e = async_work_group_strided_copy(lf, pf, u, v, 0); wait_group_events(1, &e); 0; })",
    "wait_group_events": "({ event_t e = async_work_group_copy(pf, lf, u, 0); wait_group_events(1, &e); 0; })",
    "prefetch": "(prefetch(pf, u), 0)",
    "barrier": "(barrier(CLK_LOCAL_MEM_FENCE), 0)",
    "mem_fence": "(mem_fence(CLK_GLOBAL_MEM_FENCE), 0)",
    "read_mem_fence": "(read_mem_fence(CLK_LOCAL_MEM_FENCE), 0)",
    "write_mem_fence": "(write_mem_fence(CLK_GLOBAL_MEM_FENCE), 0)",
    "printf": '(printf("%d", i), 0)',
}
ATOMICS = {
    **{f"atomic_{name}": f"atomic_{name}(pi, i)" for name in "add sub xchg min max and or xor".split()},
    "atomic_inc": "atomic_inc(li)",
    "atomic_dec": "atomic_dec(li)",
    "atomic_cmpxchg": "atomic_cmpxchg(pi, i, j)",
}
CONVERSIONS = {
    "convert_type": "convert_int(f) + convert_float(i)",
    "convert_type_sat": "convert_uchar_sat(i)",
    "convert_type_rounding": "convert_int_rte(f) + convert_int_rtp(g)",
    "convert_typen": "convert_int4((float4)(f, g, h, f)).z",
    "as_type": "as_int(f)",
}
IMAGES = {
    "read_imagef": "read_imagef(image, sampler, (int2)(i, j)).x",
    "read_imagei": "read_imagei(image, sampler, (int2)(i, j)).x",
    "read_imageui": "read_imageui(image, sampler, (int2)(i, j)).x",
    "write_imagef": "(write_imagef(target, (int2)(i, j), (float4)(f)), 0)",
    "write_imagei": "(write_imagei(target, (int2)(i, j), (int4)(i)), 0)",
    "write_imageui": "(write_imageui(target, (int2)(i, j), (uint4)(u)), 0)",
    "get_image_width": "get_image_width(image)",
    "get_image_height": "get_image_height(image)",
    "get_image_channel_data_type": "get_image_channel_data_type(image)",
    "get_image_channel_order": "get_image_channel_order(image)",
    "get_image_dim": "get_image_dim(image).x",
}

GROUPS = {
    "Work-item functions": WORK_ITEMS,
    "Mathematics": {
        **{n: f"{n}(f)" for n in FLOATS_1},
        **{n: f"{n}(f, g)" for n in FLOATS_2},
        **{n: f"{n}(f, g, h)" for n in FLOATS_3},
        **POINTERS,
    },
    "Integers": {
        **{f"{n} (int)": f"{n}(i)" for n in INTS_1},
        **{f"{n} (int)": f"{n}(i, j)" for n in INTS_2},
        **{f"{n} (int)": f"{n}(i, j, k)" for n in INTS_3},
        "clamp (int)": "clamp(i, min(j, k), max(j, k))",
        "mul24 (int)": "mul24(i >> 8, j)",
        "mad24 (int)": "mad24(i >> 8, j, k)",
    },
    "Vectors, geometry and choice": VECTORS,
    "Comparisons": {**{n: f"{n}(f)" for n in TESTS_1}, **{n: f"{n}(f, g)" for n in TESTS_2}},
    "Memory and synchronisation": MEMORY,
    "Atomics": ATOMICS,
    "Conversions": CONVERSIONS,
    "Images and samplers": IMAGES,
}

# het-fatbin brings its own versions of these, since libclc's are not right or not there.
LOWERED = {
    *("get_work_dim get_global_offset get_global_id get_global_size get_local_size get_num_groups mad_hi").split(),
    *("native_cos native_sin native_tan native_exp native_exp2 native_exp10 native_log native_log2 native_log10").split(),
    "native_powr",
}
# No PTX is made of a kernel that calls one of these, with such words in the reason.
REFUSED = {"printf": "PTX has no printf() in line 2", **{name: "has the image2d_t image" for name in IMAGES}}


def source(calls: dict[str, str]) -> str:
    """One kernel for each call, in a line of its own: the names are k0, k1 and so on."""
    parameters = (
        "global float *out, float f, float g, float h, int i, int j, int k, uint u, uint v, uint w, global float *pf, "
        "global half *ph, global int *pi, local float *lf, local int *li"
    )
    images = ", read_only image2d_t image, write_only image2d_t target, sampler_t sampler"
    lines = ["// Line 1."]
    for number, call in enumerate(calls.values()):
        more = images if "image" in call else ""
        lines.append(f"kernel void k{number}({parameters}{more}) {{ *out = {call}; }}")
    return "\n".join(lines) + "\n"


def state(name: str) -> str:
    word = name.split()[0]
    return "lowered" if word in LOWERED else "refused" if word in REFUSED else "works"


def table() -> str:
    """Documentation/opencl-builtins.rst has this."""
    lines = [".. list-table::", "   :header-rows: 1", "", "   * - Function", "     - In PTX"]
    for group, calls in GROUPS.items():
        lines += [f"   * - *{group}*", "     -"]
        for name in calls:
            lines += [f"   * - {name}", f"     - {state(name)}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(), end="")
