// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests what holds for every pass and for passes after each other, on all kernels of the corpora.
#include "instrument.h"
#include "ptx/passes/traces.h"
#include "stage.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

using simt::corpus_text;
using simt::example;
using simt::parsed;
using simt::stage;

constexpr const char *single[] = {"checkpoint", "coalesce", "dirty", "resident", "slice", "touch"};
// Kernels that these make do something else.
constexpr const char *others[] = {"inspect"};
constexpr const char *combined[] = {
	"checkpoint,touch,slice",   "coalesce,dirty,touch,slice", "touch,coalesce,slice", "dirty,slice", "slice,dirty",
	"checkpoint,slice,resident"};

std::vector<std::string> all_lists()
{
	std::vector<std::string> all(std::begin(single), std::end(single));
	all.insert(all.end(), std::begin(combined), std::end(combined));
	return all;
}

std::vector<std::string> all_names()
{
	std::vector<std::string> all(std::begin(single), std::end(single));
	all.insert(all.end(), std::begin(others), std::end(others));
	return all;
}

// Adds the arguments that passes have introduced, with instruments switched off.
void add_missing_arguments(stage *s, const example &e)
{
	for (size_t n = e.arguments.size(); n < s->with_launch.kernel->parameters.size(); n++)
		s->add_argument(0);
}

TEST(Passes, AreFoundByName)
{
	for (const auto &name : all_names()) {
		ASSERT_NE(find_pass(name), nullptr);
		EXPECT_EQ(find_pass(name)->name, name);
		EXPECT_TRUE(added_by_pass("het_" + name + "_anything"));
	}
	EXPECT_EQ(find_pass("nothing"), nullptr);
	EXPECT_FALSE(added_by_pass("het_kernel"));
}

TEST(Passes, AreNotAddedTwice)
{
	for (const auto &name : all_names())
		EXPECT_TRUE(says(refusal(corpus_text("basic.ptx"), {name, name}), "has this instrument already"));
}

TEST(Passes, WantAddressesOf64Bits)
{
	auto m = parsed(".version 7.8\n.target sm_90\n.address_size 32\n");
	for (const auto &p : all_passes()) {
		auto out = p.apply(m);
		ASSERT_TRUE(out.refused) << p.name;
		EXPECT_TRUE(says(out.refused->what, "64 bits")) << p.name;
	}
}

TEST(Passes, ThoseThatCountWarpsComeBeforeSlice)
{
	EXPECT_TRUE(says(refusal(corpus_text("basic.ptx"), {"slice", "coalesce"}), "slice has to come after"));
}

TEST(Passes, KeepResults)
{
	for (const auto &e : simt::all_examples()) {
		stage plain(e, corpus_text(e.file), {});
		plain.must_run();
		for (const auto &list : all_lists()) {
			const auto &text = instrumented_example(e, list).text;
			for (const auto &mode : simt::two_modes()) {
				if (!e.repeats(mode))
					continue;
				stage s(e, text, mode);
				add_missing_arguments(&s, e);
				s.must_run();
				ASSERT_EQ(s.buffers, plain.buffers) << e << " with " << list << ", seed " << mode.seed;
			}
		}
	}
}

// Instruments do not instrument each other: the program's own functions have the statements that the pass alone gives
// them.
TEST(Passes, LeaveEachOtherAlone)
{
	auto times = [](const std::string &passes, std::string_view part) {
		auto text = instrumented(corpus_text("basic.ptx"), passes).text;
		size_t n = 0;
		for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
			n++;
		return n;
	};
	for (const char *look : {"het_touch_table+8]", "het_dirty_table+8]"}) {
		auto alone = std::string(look).substr(4, 5);
		EXPECT_GT(times(alone, look), 0u);
		// After coalesce each access stands in the text three times.
		EXPECT_EQ(3 * times(alone, look), times("coalesce,dirty,touch,slice", look));
		EXPECT_EQ(times(alone, look), times("touch,dirty", look));
	}
	EXPECT_GT(times("coalesce", "activemask.b32 %het_coalesce_"), 0u);
	EXPECT_EQ(times("coalesce", "activemask.b32 %het_coalesce_"),
		  times("dirty,touch,coalesce", "activemask.b32 %het_coalesce_"));
}

} // namespace

} // namespace het::ptx
