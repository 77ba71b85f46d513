// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/report.h"
#include "micro/compare.h"
#include "micro/explain.h"
#include "micro/figures.h"
#include "micro/page.h"
#include "micro/recorder.h"
#include "micro/shown.h"
#include "micro/tables.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace micro;

namespace
{

// What a run with two curves, a fact and a refusal leaves.
json example()
{
	bench::report out("het-bench", {{"quick", true}});
	out.document()["device"] = {{"title", "A <fast> GPU"}, {"version", "1 & 2"}};
	recorder r(out);
	for (const char *name : {"bandwidth/global/read/random/64", "bandwidth/global/read/random/128",
				 "bandwidth/global/read/sequential/64"}) {
		figure f;
		f.samples = {1, 2, 3};
		f.at = bench::median_interval(f.samples);
		r.add(name, "GB/s", f);
	}
	fact f{.name = "l1.size", .unit = "bytes", .is = verdict::found, .value = 32768, .low = 32000, .high = 33000};
	f.confidence = 0.97;
	f.why = "a knee";
	f.basis = {{"points", json::array()}};
	f.basis["points"].push_back(json{{"x", 4096}, {"samples", bench::series{1, 2, 4}}});
	r.add(f, 32768);
	r.refuse("latency/global/1", "it rains", "wait");
	return out.document();
}

bool has(const std::string &text, const std::string &part)
{
	return text.find(part) != std::string::npos;
}

} // namespace

TEST(shown, finds_curves_by_their_names)
{
	const shown_curves c = curves_of(example(), "bandwidth/global/read");
	EXPECT_EQ(c.unit, "GB/s");
	ASSERT_EQ(c.curves.size(), 2u);
	EXPECT_EQ(c.curves.at("random").size(), 2u);
	EXPECT_EQ(c.curves.at("random").at(128).median, 2);
	EXPECT_TRUE(curves_of(example(), "bandwidth/global/rea").curves.empty());
}

TEST(tables, have_curves_facts_and_refusals)
{
	const std::string text = tables_of(example());
	for (const char *part : {"random", "sequential", "l1.size", "32.0 KiB", "0.97", "it rains", "cure: wait"})
		EXPECT_TRUE(has(text, part)) << part << text;
}

TEST(explain, has_the_points)
{
	const std::string text = explain(example(), "l1.size");
	for (const char *part : {"found, 32768 bytes, from 32000 to 33000, confidence 0.97", "a knee", "4096", "2.00"})
		EXPECT_TRUE(has(text, part)) << part << text;
	EXPECT_THROW(explain(example(), "l9.size"), std::runtime_error);
}

TEST(page, encodes_bytes)
{
	EXPECT_EQ(base64(""), "");
	EXPECT_EQ(base64("M"), "TQ==");
	EXPECT_EQ(base64("Ma"), "TWE=");
	EXPECT_EQ(base64("Man\xff"), "TWFu/w==");
}

TEST(page, is_one_file_that_needs_no_other)
{
	char name[] = "/tmp/het-page-XXXXXX";
	const std::string folder = mkdtemp(name);
	write_page(example(), folder);
	std::ifstream f(folder + "/index.html");
	const std::string page(std::istreambuf_iterator<char>(f), {});
	for (const char *part : {"A &lt;fast&gt; GPU", "1 &amp; 2", "l1.size", "32.0 KiB", "it rains", "<figure>"})
		EXPECT_TRUE(has(page, part)) << part;
	for (const char *part : {"http://", "https://", "src=\"/", "<fast>", "<script"})
		EXPECT_FALSE(has(page, part)) << part;
	std::filesystem::remove_all(folder);
}

namespace
{

// Replaces what a figure is, and its interval.
json with(json document, const std::string &name, double median, double half)
{
	json changed = json::array();
	for (json r : document["results"]) {
		if (r.at("name").get<std::string>() == name) {
			r["median"] = median;
			r["low"] = median - half;
			r["high"] = median + half;
		}
		changed.push_back(r);
	}
	document["results"] = changed;
	return document;
}

} // namespace

TEST(compare, marks_what_is_beyond_both_spreads)
{
	const std::string name = "bandwidth/global/read/random/64"; // it is 2 GB/s, from 1 to 3
	EXPECT_EQ(count_worse(compare(example(), with(example(), name, 0.5, 0.6)), 0.05), 0u);
	const comparison c = compare(example(), with(example(), name, 0.5, 0.1));
	EXPECT_EQ(count_worse(c, 0.05), 1u);
	EXPECT_EQ(count_worse(c, 4), 0u);
	EXPECT_TRUE(has(comparison_text(c, "a", "b"), "worse"));
	// A faster one is no failure, and neither is another size.
	EXPECT_EQ(count_worse(compare(example(), with(example(), name, 9, 0.1)), 0), 0u);
	const json other = with(example(), "found/l1.size", 65536, 10);
	EXPECT_EQ(count_worse(compare(example(), other), 0), 0u);
	EXPECT_TRUE(has(comparison_text(compare(example(), other), "a", "b"), "other"));
	EXPECT_EQ(compare(example(), example()).only_first.size(), 0u);
}

TEST(compare, reads_shares)
{
	EXPECT_EQ(share_of_text("5%"), 0.05);
	EXPECT_EQ(share_of_text("0.5"), 0.5);
	for (const char *wrong : {"", "x", "5%%", "-1", "5 apples", "%"})
		EXPECT_THROW(share_of_text(wrong), std::runtime_error) << wrong;
}

TEST(figures, are_there_or_say_why_not)
{
	char name[] = "/tmp/het-figures-XXXXXX";
	const std::string folder = mkdtemp(name);
	json document = example();
	for (const char *point :
	     {"coherent/1/4", "coherent/4/4", "coherent/1/16", "locality/time/groups of 4/1",
	      "locality/time/groups of 4/10", "locality/space/groups of 4/1", "locality/space/groups of 4/8",
	      "homogeneity/memory/0", "homogeneity/memory/1", "homogeneity/arithmetic/0"})
		document["results"].push_back(json{{"name", point}, {"unit", "GB/s"}, {"median", 3.5}});
	const std::string text = write_figures(document, folder);
	for (const char *part : {"figure-6.svg", "figure-8.svg", "figure-13-15.svg", "figure-16.svg", "figure-17.svg",
				 "figure-18-memory.svg", "homogeneity of arithmetic: not there, the results are of one",
				 "latency of texture memory: not there, the results have none"})
		EXPECT_TRUE(has(text, part)) << part << text;
	EXPECT_FALSE(has(text, "figure-7.svg")) << text; // the results have nothing shifted
	// A device that is number 0 is there too, though other figures have logarithms.
	std::ifstream of_18(folder + "/figure-18-memory.gnuplot");
	const std::string script(std::istreambuf_iterator<char>(of_18), {});
	EXPECT_TRUE(has(script, "set xrange [-0.5:1.5]")) << script;
	EXPECT_FALSE(has(script, "logscale")) << script;
	std::ifstream f(folder + "/figure-13-15.svg");
	EXPECT_TRUE(has(std::string(std::istreambuf_iterator<char>(f), {}), "3.5"));
	std::filesystem::remove_all(folder);
}
