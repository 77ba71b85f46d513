// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/instruments.h"

#include <gtest/gtest.h>
#include <het.h>

using namespace het::rt;

namespace
{

const std::string head = ".version 6.3\n.target sm_70\n.address_size 64\n";
const std::string writes = ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n"
			   "st.global.u32 [%rd1], 1;\nret;\n}\n";
const std::string unseen = ".visible .entry surface()\n{\nsust.b.1d.b32.trap [0, {0}], {0};\nret;\n}\n";

bool has(const std::string &text, const char *what)
{
	return text.find(what) != std::string::npos;
}

} // namespace

TEST(instruments, lists)
{
	instruments i;
	EXPECT_TRUE(parse_instruments("dirty", i));
	EXPECT_TRUE(i.dirty && !i.touch && !i.coalesce);
	EXPECT_TRUE(parse_instruments("touch,coalesce/64", i));
	EXPECT_TRUE(i.dirty && i.touch && i.coalesce);
	EXPECT_EQ(i.one_of, 64u);
	for (const char *wrong :
	     {"dirt", "coalesce/", "coalesce/0", "coalesce/x", "coalesce/4x", "coalesce/4294967296", "dirty;touch"}) {
		instruments none;
		EXPECT_FALSE(parse_instruments(wrong, none)) << wrong;
		EXPECT_FALSE(none.any()) << wrong;
	}
	instruments rest;
	EXPECT_FALSE(parse_instruments("no,dirty", rest));
	EXPECT_TRUE(rest.dirty);
}

TEST(instruments, programs_ask)
{
	EXPECT_FALSE(wanted_instruments(HET_PLAIN, 0).any());
	instruments all = wanted_instruments(HET_COALESCE | HET_DIRTY | HET_TOUCH, 0);
	EXPECT_TRUE(all.coalesce && all.dirty && all.touch);
	EXPECT_EQ(all.one_of, 1u);
	EXPECT_EQ(wanted_instruments(HET_COALESCE, 8).one_of, 8u);
}

TEST(instruments, all_at_once)
{
	instrumented made = instrument((head + writes).c_str(), {true, true, true, 4});
	EXPECT_TRUE(made.has.coalesce && made.has.dirty && made.has.touch);
	EXPECT_EQ(made.has.one_of, 4u);
	EXPECT_EQ(made.missing, "");
	ASSERT_EQ(made.sites.size(), 1u);
	EXPECT_EQ(made.sites[0].at.line, 8u);
	for (const char *name : {"het_coalesce_table", "het_dirty_table", "het_touch_table"})
		EXPECT_TRUE(has(made.text, name)) << name;
}

TEST(instruments, what_is_not_seen_is_not_noted)
{
	std::string text = head + writes + unseen;
	instrumented made = instrument(text.c_str(), {true, true, true, 1});
	EXPECT_TRUE(made.has.coalesce);
	EXPECT_FALSE(made.has.dirty || made.has.touch);
	EXPECT_TRUE(has(made.missing, "dirty: ") && has(made.missing, "; touch: ")) << made.missing;
	EXPECT_FALSE(has(made.text, "het_dirty_table"));
	made = instrument(text.c_str(), {false, true, false, 1});
	EXPECT_EQ(made.text, text);
}

TEST(instruments, texts_that_can_not_have_any)
{
	EXPECT_TRUE(has(instrument("no PTX", {true, true, false, 1}).missing, "not understood"));
	std::string old = ".version 6.0\n.target sm_70\n.address_size 64\n" + writes;
	instrumented made = instrument(old.c_str(), {true, true, false, 1});
	EXPECT_TRUE(made.has.dirty && !made.has.coalesce);
	EXPECT_TRUE(made.sites.empty());
	made = instrument(made.text.c_str(), {false, true, false, 1});
	EXPECT_FALSE(made.has.dirty);
	EXPECT_TRUE(has(made.missing, "has this instrument already")) << made.missing;
}
