// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Sources that are another text for another device are found.
#include "fatbin/conditions.h"

#include <gtest/gtest.h>

using tool::fat::depends_on_device;

TEST(conditions, on_what_the_source_defines_are_harmless)
{
	for (const char *source : {
		     "kernel void k(global int *c) { c[0] = 1; }",
		     "#define N 4\n#if N > 3 && defined(N)\n#elif N\n#endif",
		     "#ifndef N\n#define N 4\n#endif\n#ifdef SIZE\n#endif",
		     "// #ifdef __SPIR__\n/* #if A\n#if B */ char *s = \"#if C\\\" __SPIR__\"; # pragma unroll",
		     "int line = __LINE__; // \\\n__SPIR__",
		     "__kernel void k(__global int *c) {}",
	     })
		EXPECT_EQ(depends_on_device(source, "-DSIZE=3 -D OTHER -cl-fast-relaxed-math"), "") << source;
}

TEST(conditions, on_what_the_compiler_defines_are_told)
{
	const std::pair<const char *, const char *> sources[] = {
		{"\n#include <some.h>", "line 2 includes a file"},
		{"{\n#ifdef __SPIR__\n#endif", "line 2 asks for __SPIR__"},
		{"#if !defined(cl_khr_fp64)\n#endif", "line 1 asks for cl_khr_fp64"},
		{"#define N 1\n#if N\n#elif M\n#endif", "line 3 asks for M"},
		{"int x = __ENDIAN_LITTLE__;", "line 1 asks for __ENDIAN_LITTLE__"},
		{"/* a\n */ # \\\n ifdef\\\n SOMETHING // x\n#endif", "line 1 asks for SOMETHING"},
		{"#define CAT(a, b) a##b\n#if CAT(__SP, IR__)\n#endif", "line 2 asks for __SP"},
	};
	for (auto [source, said] : sources)
		EXPECT_EQ(depends_on_device(source, "").substr(0, strlen(said)), said);
}
