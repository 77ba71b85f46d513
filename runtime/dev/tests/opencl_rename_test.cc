// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_rename.h"

#include <gtest/gtest.h>
#include <string>

namespace
{

constexpr const char *names[] = {"get_group_id", "get_global_id"};

std::string renamed(const std::string &text)
{
	std::string to(het::rt::most_renamed(text.size()), '?');
	to.resize(het::rt::rename_words(text, names, to.data()));
	return to;
}

} // namespace

TEST(opencl_rename, words_are_renamed)
{
	EXPECT_EQ(renamed("get_global_id"), "het_get_global_id");
	EXPECT_EQ(renamed("#define get_global_id(d) ((int)get_global_id(d))\n"),
		  "#define het_get_global_id(d) ((int)het_get_global_id(d))\n");
	EXPECT_EQ(renamed("(get_group_id)(1)+get_global_id(0)"), "(het_get_group_id)(1)+het_get_global_id(0)");
	EXPECT_EQ(renamed("/* ' */ get_group_id // \"\nget_group_id"),
		  "/* ' */ het_get_group_id // \"\nhet_get_group_id");
	EXPECT_EQ(renamed("\"a\\\"\"get_group_id'\"'get_group_id"), "\"a\\\"\"het_get_group_id'\"'het_get_group_id");
}

TEST(opencl_rename, nothing_else_is)
{
	for (const char *text :
	     {"", "my_get_global_id", "get_global_ids", "1.get_global_id", "\"get_global_id\"", "'get_global_id'",
	      "// get_global_id", "/* get_global_id", "// \\\nget_global_id", "\"\\", "//\\", "/*/ get_global_id */"})
		EXPECT_EQ(renamed(text), text);
}
