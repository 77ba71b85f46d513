// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/figures.h"

#include "common/format.h"
#include "common/plot.h"
#include "micro/page_plot.h"
#include "micro/shown.h"

#include <filesystem>
#include <span>

namespace micro
{

namespace
{

using bench::format;
using het::json;

// Figures of one kind that the paper has of several devices are one figure here.
struct paper_figure {
	const char *numbers;
	const char *what;
	const char *prefix;    // of results
	const char *ends = ""; // of the curves' names: others are left out
	const char *missing = "the results have none of it";
	size_t least_points = 1; // of a curve
};

std::span<const paper_figure> all_figures()
{
	static const paper_figure all[] = {
		{"1-2", "atomic and plain operations: no conflict at one sharer, all to one at the most", "atomics"},
		{"3", "latency of local memory", "latency/local"},
		{"4", "latency of texture memory", "latency/texture", "", "the results have none of it: no textures"},
		{"5", "latency of global memory", "latency/global"},
		{"6", "bandwidth, sequential", "bandwidth/global", "sequential"},
		{"7", "bandwidth, shifted", "bandwidth/global", "shifted"},
		{"8", "bandwidth, random", "bandwidth/global", "random"},
		{"9", "spread reads and writes in a row, and the reverse", "spread"},
		{"10-11", "time against stride", "strides"},
		{"12", "APEX-MAP", "apex"},
		{"13-15", "coherent access", "coherent"},
		{"16", "coherent access against locality in time", "locality/time"},
		{"17", "coherent access against locality in space", "locality/space"},
		{"18-memory", "homogeneity of memory", "homogeneity/memory", "",
		 "the results are of one device: het-bench homogeneity --json has several", 2},
		{"18-arithmetic", "homogeneity of arithmetic", "homogeneity/arithmetic", "",
		 "the results are of one device: het-bench homogeneity --json has several", 2},
	};
	return all;
}

shown_curves only_with_end(shown_curves all, const std::string &end)
{
	std::erase_if(all.curves, [&](const auto &curve) { return !curve.first.ends_with(end); });
	return all;
}

const shown *how_shown(const std::string &prefix)
{
	for (const shown &s : all_shown())
		if (s.prefix == prefix)
			return &s;
	return nullptr;
}

std::string write_figure(const paper_figure &f, const json &document, const std::string &folder)
{
	const std::string name = format("figure %-6s %s: ", f.numbers, f.what);
	shown_curves curves = only_with_end(curves_of(document, f.prefix), f.ends);
	std::erase_if(curves.curves, [&](const auto &curve) { return curve.second.size() < f.least_points; });
	if (curves.curves.empty())
		return name + "not there, " + f.missing + "\n";
	const shown *how = how_shown(f.prefix);
	const shown by_default{f.prefix, f.what, "threads"};
	const std::string base = folder + "/figure-" + f.numbers;
	if (!bench::plot(base, script_of(how ? *how : by_default, curves), 700, 480))
		return name + "not there, gnuplot did not make it\n";
	return name + base + ".svg\n";
}

} // namespace

std::string write_figures(const json &document, const std::string &folder)
{
	std::filesystem::create_directories(folder);
	std::string text;
	for (const paper_figure &f : all_figures())
		text += write_figure(f, document, folder);
	return text;
}

} // namespace micro
