// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/segments.h"
#include "rewritten.h"

namespace het::ptx
{

namespace
{

// Returns the segments as texts, with a bar between those of a body.
std::string segments_in(const std::string &body)
{
	module m;
	auto error =
		parse(".version 7.0\n.target sm_70\n.address_size 64\n.visible .func g()\n{\nret;\n}\n.entry k()\n{\n" +
			      body + "\n}\n",
		      m);
	EXPECT_FALSE(error) << error->describe();
	std::string all;
	for (const segment &s : segments_of(m, m.functions[1])) {
		all += all.empty() ? "" : " | ";
		all += m.str({m.statements[s.first].text.begin, m.statements[s.last].text.end});
	}
	return all;
}

TEST(Segments, EndWhereLanesPartOrWait)
{
	EXPECT_EQ(segments_in("add.u32 %a, %a, 1; add.u32 %b, %b, 1; ret;"), "add.u32 %a, %a, 1; add.u32 %b, %b, 1;");
	for (const char *end : {"bar.sync 0;", "barrier.sync 0;", "shfl.sync.idx.b32 %a, %b, 0, 31, -1;", "call g;",
				"@%p ret;", "@%p exit;", "bar.warp.sync -1;", "@%p bra $far;",
				"vote.sync.any.pred %p, %q, -1;", ".reg .b32 %x;", "$label:"})
		EXPECT_EQ(segments_in("nanosleep.u32 1; " + std::string(end) +
				      " nanosleep.u32 2; bar.sync 1; $far: ret;"),
			  "nanosleep.u32 1; | nanosleep.u32 2;")
			<< end;
}

TEST(Segments, HoldBranchesThatGoForwardInThem)
{
	EXPECT_EQ(segments_in("nanosleep.u32 1; @%p bra $on; nanosleep.u32 2; $on: nanosleep.u32 3; ret;"),
		  "nanosleep.u32 1; @%p bra $on; nanosleep.u32 2; $on: nanosleep.u32 3;");
	// Here others can get to the label, or lanes wait on the way.
	EXPECT_EQ(segments_in("@%q bra $on; bar.sync 0; nanosleep.u32 1; @%p bra $on; nanosleep.u32 2; $on: ret;"),
		  "nanosleep.u32 1; | nanosleep.u32 2;");
	EXPECT_EQ(segments_in("nanosleep.u32 1; @%p bra $on; bar.sync 0; nanosleep.u32 2; $on: ret;"),
		  "nanosleep.u32 1; | nanosleep.u32 2;");
	EXPECT_EQ(segments_in("list: .branchtargets $on; nanosleep.u32 1; @%p bra $on; nanosleep.u32 2; $on: ret;"),
		  "nanosleep.u32 1; | nanosleep.u32 2;");
	// A loop's body is a segment, but the loop is not.
	EXPECT_EQ(segments_in("nanosleep.u32 1; .pragma \"nounroll\"; $loop: nanosleep.u32 2; @%p bra $loop; ret;"),
		  "nanosleep.u32 1; | nanosleep.u32 2;");
}

TEST(Segments, HoldScopesWhole)
{
	EXPECT_EQ(segments_in("nanosleep.u32 1; { .reg .b32 %x; nanosleep.u32 2; } nanosleep.u32 3; ret;"),
		  "nanosleep.u32 1; { .reg .b32 %x; nanosleep.u32 2; } nanosleep.u32 3;");
	EXPECT_EQ(segments_in("nanosleep.u32 1; { .reg .b32 %x; bar.sync 0; nanosleep.u32 2; } nanosleep.u32 3; ret;"),
		  "nanosleep.u32 1; | nanosleep.u32 2; | nanosleep.u32 3;");
	EXPECT_EQ(segments_in("{ nanosleep.u32 1; $in: bar.sync 0; } { $in: nanosleep.u32 2; } ret;"),
		  "nanosleep.u32 1; | nanosleep.u32 2;");
}

} // namespace

} // namespace het::ptx
