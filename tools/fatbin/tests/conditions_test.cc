// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The conditions that a source asks its compiler for must be found, however they are written.
#include "fatbin/conditions.h"

#include "fatbin/asked.h"
#include "fatbin/child.h"
#include "fatbin/clang.h"

#include <gtest/gtest.h>
#include <stdexcept>

using namespace tool::fat;

namespace
{

// Returns "NAME" for those where it matters whether there is one, and "NAME=" where it matters what it says.
std::string asked_by(const std::string &source, const std::string &options = "")
{
	std::string words;
	try {
		for (const auto &[name, is_value] : find_asked_macros(source, options))
			words += (words.empty() ? "" : " ") + name + (is_value ? "=" : "");
	} catch (const std::runtime_error &why) {
		return why.what();
	}
	return words;
}

class conditions : public testing::Test
{
      protected:
	void SetUp() override
	{
		if (!is_installed(analysing_clang))
			GTEST_SKIP() << analysing_clang << " is not installed";
	}
};

} // namespace

TEST_F(conditions, are_in_no_text_that_is_the_same_everywhere)
{
	for (const char *source : {
		     "kernel void k(global int *c) { c[0] = 1; }",
		     "#ifdef SIZE\n#elif OTHER > 3\n#endif",
		     "// #ifdef __SPIR__\n/* #if A\n#if B */ constant char *s = \"#if C\\\" __SPIR__\";\n# pragma "
		     "unroll __X",
		     "int line = __LINE__; // \\\n__SPIR__",
		     "__kernel void k(__global int *c) { *c = INT_MAX; barrier(CLK_LOCAL_MEM_FENCE); }",
		     "#define CAT(a, b) a##b\nint CAT(x, y);",
		     "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
		     "",
	     })
		EXPECT_EQ(asked_by(source, "-DSIZE=3 -D OTHER -cl-fast-relaxed-math"), "") << source;
}

TEST_F(conditions, are_found)
{
	const std::pair<std::string, const char *> sources[] = {
		{"#define N 1\n#if N\n#elif M > 2\n#endif", "M= N="},
		{"#ifndef N\n#define N 4\n#endif", "N"},
		{"#if !defined(cl_khr_fp64) || defined N\n#endif", "N cl_khr_fp64"},
		{"int x = __ENDIAN_LITTLE__, y = cl_khr_fp64;", "__ENDIAN_LITTLE__= cl_khr_fp64="},
		{"#define MINE (2 * __OPENCL_C_VERSION__)", "__OPENCL_C_VERSION__="},
		{"#define __SPIR__ 1\nint x = __SPIR__;", "__SPIR__="},
		{"#ifndef __OPENCL_VERSION__\n#define __OPENCL_VERSION__ 0\n#endif\n#if __OPENCL_VERSION__ > 0\n#endif",
		 "__OPENCL_VERSION__="},
		// These are written in unusual ways.
		{"/* a\n */ # \\\n ifdef\\\n SOMETHING // x\n#endif", "SOMETHING"},
		{"%:ifdef A\n%: endif", "A"},
		{"#if 1 \\\r\n && B\r\n#endif\r\n", "B="},
		{"#if 1 \\ \n && C\n#endif", "C="},
		{"#if 1 /*\n\n*/ && D\n#endif\nE", "D="},
		{"#if 0\n#if F\n#endif\n#endif", "F="},
		{"#if __clang_\\\nmajor__ > 3\n#endif", "__clang_major__="},
		{"/*\nhash '#'\t [StartOfLine]\tLoc=<source.cl:1:1>\n*/ int __x;", "__x="},
	};
	for (const auto &[source, found] : sources)
		EXPECT_EQ(asked_by(source), found) << source;
}

TEST_F(conditions, that_can_not_be_seen_are_told)
{
	EXPECT_EQ(asked_by("\n#include <some.h>"), "line 2 includes a file, which is read where it is compiled");
	EXPECT_EQ(asked_by("#define CAT(a, b) a##b\n#if CAT(__SP, IR__)\n#endif"),
		  "line 2 names __SP in a source that puts names together");
	EXPECT_EQ(asked_by("", "-include x.h"), "an option includes a file, which is read where it is compiled");
}

TEST_F(conditions, are_checked_by_compilers)
{
	auto compiles = [](const char *asked) {
		try {
			compile_opencl(analysing_clang, text_of_checks(asked), "-DTHREE=3 -DEMPTY= -DU=4u -DREAL=2.0",
				       {"-E"});
			return true;
		} catch (const std::runtime_error &) {
			return false;
		}
	};
	for (const char *right : {"", "NONE", "THREE=3", "THREE=", "EMPTY=", "NONE THREE=3 EMPTY=0 OTHER", "REAL="})
		EXPECT_TRUE(compiles(right)) << right;
	for (const char *wrong :
	     {"THREE", "THREE=4", "NONE=", "NONE=0", "EMPTY", "NONE THREE=3 EMPTY", "U=4", "REAL=2"})
		EXPECT_FALSE(compiles(wrong)) << wrong;
}

TEST(asked, words_are_names_and_numbers)
{
	for (const char *good : {"", "A", "A=", "A=3", "_a9 B=000000000000000018 C="})
		EXPECT_TRUE(het::fatbin::is_asked(good)) << good;
	for (const char *wrong : {" A", "A  B", "9", "=3", "A=b", "A=3=", "A\n", "A(", "A=0000000000000000018", "A=-1"})
		EXPECT_FALSE(het::fatbin::is_asked(wrong)) << wrong;
}
