// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// All programs, small, in all ways: what they compute is right (the recorder compares it), and what the model does adds
// up.
#include "etc/figures.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace etc;

namespace
{

// They are done once for all tests.
const study &done()
{
	static const study s = [] {
		std::vector<run_key> wanted = runs_of_figures();
		for (const program &p : all_programs())
			for (const char *way : {"PE", "MT", "MT by warps", "half", "ETC"})
				wanted.push_back({p.name, way, 100});
		study all({}, 0, true, 2);
		all.run(wanted, [](const run_key &) {});
		return all;
	}();
	return s;
}

bool is_planned(const run_key &k)
{
	return k.way.starts_with("ours");
}

} // namespace

TEST(etc_programs, bytes_are_those_of_pages_and_lines)
{
	for (const auto &[k, r] : done().all()) {
		const uint64_t page = done().machine_of(program_named(k.program)).page_bytes;
		const uint64_t fetched = is_planned(k) ? r.planned.fetched : r.demand.fetched;
		EXPECT_EQ(r.bytes_in, fetched * page + r.remote_lines * line_bytes) << k.program << ", " << k.way;
		const uint64_t left = is_planned(k) ? r.planned.written_back : r.demand.evicted;
		EXPECT_EQ(r.bytes_out, left * page + r.remote_written * line_bytes) << k.program << ", " << k.way;
	}
}

TEST(etc_programs, each_page_that_is_used_comes_and_no_more_are_there_than_fit)
{
	for (const auto &[k, r] : done().all()) {
		const program_trace &t = done().trace_of(k.program);
		const uint64_t page = done().machine_of(program_named(k.program)).page_bytes;
		const bool compressed = k.way.find("CC") != std::string::npos || k.way.starts_with("ETC");
		if (!compressed) {
			EXPECT_LE(r.most_pages * page, t.bytes * k.memory / 100) << k.program << ", " << k.way;
		}
		if (k.memory == 100) {
			std::vector<bool> used(t.bytes / page);
			for (const launch &l : t.launches)
				for (const uint32_t line : l.lines)
					used[line * uint64_t{line_bytes} / page] = true;
			const auto pages = uint64_t(std::count(used.begin(), used.end(), true));
			EXPECT_GE(r.most_pages, pages);
			EXPECT_EQ(r.demand.evictions + r.planned.written_back + r.planned.dropped, 0u);
		}
	}
}

TEST(etc_programs, each_warp_does_all_it_has_to)
{
	for (const auto &[k, r] : done().all()) {
		const access_counts c = count_accesses(done().trace_of(k.program),
						       done().machine_of(program_named(k.program)).page_bytes);
		EXPECT_EQ(r.items, c.accesses) << k.program << ", " << k.way;
		EXPECT_DOUBLE_EQ(r.lines, double(c.lines) / double(c.accesses));
		EXPECT_DOUBLE_EQ(r.pages, double(c.pages) / double(c.accesses));
	}
}

// SCAN's groups wait for each other between steps, as often in each warp; ATAX' do not. What a warp loads it uses
// later.
TEST(etc_programs, traces_have_barriers_and_uses)
{
	const auto count = [](const char *program, item::kind_t kind) {
		const launch &l = done().trace_of(program).launches[0];
		std::vector<size_t> of_warps;
		for (const part &w : l.warps)
			of_warps.push_back(size_t(std::count_if(l.items.begin() + w.begin, l.items.begin() + w.end,
								[&](const item &i) { return i.kind == kind; })));
		EXPECT_EQ(std::set<size_t>(of_warps.begin() + 1, of_warps.end()).size(), 1u) << program;
		return of_warps.back();
	};
	EXPECT_GE(count("SCAN", item::kind_t::barrier), 16u);
	EXPECT_EQ(count("ATAX", item::kind_t::barrier), 0u);
	EXPECT_EQ(count("ATAX", item::kind_t::load), 2 * 128u + 1) << "128 of a row and of x, and of the sum before";
	EXPECT_EQ(count("ATAX", item::kind_t::store), 1u);
	EXPECT_GE(count("ATAX", item::kind_t::use), 32u);
}

// The classes are those of the thesis.
TEST(etc_programs, the_sample_tells_the_class)
{
	for (const program &p : all_programs())
		EXPECT_EQ(done().of({p.name, "BL", 100}).regular, p.is != kind::irregular) << p.name;
}

TEST(etc_programs, a_run_is_the_same_each_time)
{
	study again({}, 0, true, 1);
	std::vector<run_key> wanted;
	for (const char *p : {"ATAX", "SRAD"})
		for (const char *w : {"ETC", "BL", "ours"})
			wanted.push_back({p, w, 50});
	again.run(wanted, [](const run_key &) {});
	for (const run_key &k : wanted) {
		EXPECT_EQ(again.of(k).cycles, done().of(k).cycles);
		EXPECT_EQ(again.of(k).bytes_in, done().of(k).bytes_in);
		EXPECT_EQ(again.of(k).fault_rate, done().of(k).fault_rate);
	}
}

// Where all fits, techniques but compression change nothing.
TEST(etc_programs, nothing_is_done_while_all_fits)
{
	for (const auto &[k, r] : done().all()) {
		if (k.memory == 100 && !is_planned(k) && k.way.find("CC") == std::string::npos &&
		    k.way != "ETC, 50 us") {
			EXPECT_EQ(r.cycles, done().of({k.program, "BL", 100}).cycles) << k.program << ", " << k.way;
		}
	}
}

TEST(etc_programs, figures_have_a_number_for_each_bar)
{
	const drawn all = draw([](const run_key &k) -> const result & { return done().of(k); });
	EXPECT_GE(all.figures.size(), 20u);
	for (const figure &f : all.figures)
		for (const figure::group &g : f.groups) {
			EXPECT_EQ(g.values.size(), f.bars.size()) << f.id;
			for (const double v : g.values)
				EXPECT_TRUE(v >= 0 && v < 1e6) << f.id << ", " << g.name;
		}
	EXPECT_THROW(way_named("none"), std::invalid_argument);
	EXPECT_THROW(program_named("none"), std::invalid_argument);
}
