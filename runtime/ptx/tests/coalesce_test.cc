// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The pass against the interpreter's own counts.
#include "instrument.h"
#include "ptx/passes/traces.h"
#include "witness.h"

#include <algorithm>
#include <memory>

namespace het::ptx
{

namespace
{

using simt::example;
using simt::stage;
using simt::with_header;
using simt::witness;

std::vector<uint64_t> in_words(const std::vector<coalesce_counters> &all)
{
	std::vector<uint64_t> words;
	for (const auto &c : all)
		words.insert(words.end(), {c.warps, c.threads, c.lines, c.pages});
	return words;
}

struct counted_run {
	std::unique_ptr<stage> on;
	std::vector<coalesce_counters> counters;
	witness seen;
	simt::outcome out;
};

counted_run count(const example &e, const pass_result &text, const simt::options &with, uint32_t threshold,
		  uint32_t seed)
{
	auto on = std::make_unique<stage>(e, text.text, with);
	witness seen(uint32_t(e.block.count()), text.sites.size());
	counted_run r{std::move(on), std::vector<coalesce_counters>(text.sites.size() + 1), std::move(seen), {}};
	auto &dev = r.on->dev;
	dev.with.trace = [&](const simt::step &one) { r.seen(one); };
	coalesce_table table{threshold, seed, dev.share(r.counters), 0, uint32_t(text.sites.size())};
	auto variable = dev.prog().variable("het_coalesce_table");
	EXPECT_EQ(variable.bytes, sizeof(table));
	EXPECT_TRUE(dev.mem().write(variable.address, &table, sizeof(table)));
	r.out = r.on->run();
	EXPECT_FALSE(r.out.error) << e << ": " << r.out.error->describe();
	r.counters.pop_back(); // of no site: a buffer is never empty
	return r;
}

// The lines that the observer saw at the program's own accesses to global or generic memory.
uint64_t lines_observed(const counted_run &r)
{
	uint64_t sum = 0;
	for (const auto &s : r.out.counts.sites) {
		const auto &function = r.on->dev.prog().codes()[s.function];
		const auto &m = *function.source;
		const auto &i = m.instructions[m.statements[s.statement].index];
		auto a = access_of(m, i);
		sum += a.may_be_global() && !added_by_pass(function.name) && !added_by_pass(m, i) ? s.lines : 0;
	}
	return sum;
}

TEST(Coalesce, CountsWhatTheInterpreterCounts)
{
	for (const auto &e : simt::all_examples()) {
		const auto &text = instrumented_file(e.file, "coalesce");
		for (auto mode : simt::two_modes()) {
			mode.statistics = true;
			auto r = count(e, text, mode, ~0u, 0);
			ASSERT_EQ(in_words(r.counters), in_words(r.seen.as_counted())) << e << ", seed " << mode.seed;
			if (mode.independent)
				continue;
			ASSERT_EQ(in_words(r.counters), in_words(r.seen.as_executed(~0u, 0))) << e;
			uint64_t lines = 0;
			for (const auto &c : r.counters)
				lines += c.lines;
			ASSERT_EQ(lines, lines_observed(r)) << e;
		}
	}
}

// Half of the warps: those that are counted are counted exactly, the others not at all.
TEST(Coalesce, SamplesAreExact)
{
	uint32_t threshold = coalesce_threshold(2);
	for (const auto &e : simt::all_examples()) {
		const auto &text = instrumented_file(e.file, "coalesce");
		for (uint32_t seed : {0u, 0x80000000u}) {
			auto r = count(e, text, {}, threshold, seed);
			ASSERT_EQ(in_words(r.counters), in_words(r.seen.as_executed(threshold, seed))) << e;
			r = count(e, text, simt::two_modes()[1], threshold, seed);
			ASSERT_EQ(in_words(r.counters), in_words(r.seen.as_counted())) << e;
			std::set<uint32_t> sampled;
			for (uint32_t warp : r.seen.warps_with_accesses)
				if (coalesce_key(warp, seed) <= threshold)
					sampled.insert(warp);
			ASSERT_EQ(r.seen.warps_counted, sampled) << e;
		}
	}
}

TEST(Coalesce, SamplesAreSpreadEvenly)
{
	for (uint32_t n : {1u, 2u, 16u, 64u}) {
		uint32_t most = 0, least = ~0u;
		for (uint32_t first = 0; first < 5000; first += 97) {
			uint32_t sampled = 0;
			for (uint32_t w = first; w < first + 4 * n; w++)
				sampled += coalesce_key(w, 12345) <= coalesce_threshold(n);
			most = std::max(most, sampled);
			least = std::min(least, sampled);
		}
		EXPECT_LE(most, 6u) << n;
		EXPECT_GE(least, 2u) << n;
	}
}

TEST(Coalesce, TellsRegularFromIrregular)
{
	auto text = [](const std::string &address) {
		return with_header(".entry k(.param .u64 out)\n{\n.reg .b64 %d, %o;\n.reg .b32 %t;\n.reg .pred %p;\n"
				   "ld.param.u64 %d, [out];\nmov.u32 %t, %tid.x;\nsetp.lt.u32 %p, %t, 20;\n"
				   "mul.wide.u32 %o, %t, " +
				   address + ";\nadd.u64 %d, %d, %o;\n@%p st.global.u32 [%d+4], %t;\nret;\n}\n");
	};
	auto lines = [&](const std::string &stride) {
		auto p = instrumented(text(stride), "coalesce");
		EXPECT_EQ(p.sites.size(), 1u);
		EXPECT_EQ(p.sites[0].function, "k");
		EXPECT_EQ(p.sites[0].at.line, 14u);
		example e("", "k", {2}, {32});
		e.out<uint32_t>(200000);
		auto c = count(e, p, {}, ~0u, 0).counters[0];
		EXPECT_EQ(c.warps, 2u);
		EXPECT_EQ(c.threads, 40u);
		return std::pair(c.lines, c.pages);
	};
	EXPECT_EQ(lines("4"), std::pair(uint64_t{2}, uint64_t{2}));
	EXPECT_EQ(lines("128"), std::pair(uint64_t{40}, uint64_t{2}));
	EXPECT_EQ(lines("32768"), std::pair(uint64_t{40}, uint64_t{20}));
}

// Whole warps whose addresses follow each other, from any line and page on.
TEST(Coalesce, CountsRows)
{
	for (auto [form, value, bytes] :
	     {std::tuple("u8", "%t", 1u), {"u32", "%t", 4u}, {"v4.u32", "{%t, %t, %t, %t}", 16u}}) {
		auto text = with_header(
			".entry k(.param .u64 out, .param .u64 at)\n{\n.reg .b64 %d, %o;\n.reg .b32 %t;\n"
			"ld.param.u64 %d, [out];\nld.param.u64 %o, [at];\nadd.u64 %d, %d, %o;\nmov.u32 %t, %tid.x;\n"
			"mul.wide.u32 %o, %t, " +
			std::to_string(bytes) + ";\nadd.u64 %d, %d, %o;\nst.global." + form + " [%d], " + value +
			";\nret;\n}\n");
		auto p = instrumented(text, "coalesce");
		for (uint64_t at : {0u, 16u, 96u, 112u, 65536u - 16 * bytes, 65536u - 32 * bytes}) {
			example e("", "k", {1}, {64});
			e.out<uint8_t>(200000);
			e.value(at);
			auto r = count(e, p, {}, ~0u, 0);
			ASSERT_EQ(in_words(r.counters), in_words(r.seen.as_executed(~0u, 0))) << form << " at " << at;
			EXPECT_EQ(r.counters[0].warps, 2u);
		}
	}
}

TEST(Coalesce, RefusesOldTargets)
{
	for (const char *head : {".version 7.8\n.target sm_61\n", ".version 6.1\n.target sm_70\n"}) {
		auto out = rewrite(std::string(head) + ".address_size 64\n.entry k() { ret; }\n", {"coalesce"});
		ASSERT_TRUE(out.refused);
		EXPECT_EQ(out.refused->at.line, 2u);
		EXPECT_TRUE(out.text.empty());
	}
}

// Where each site stands is found by looking it up: counting lines from the begin of such a text takes minutes.
TEST(Coalesce, SitesOfLongTextsHaveTheirPlaces)
{
	constexpr unsigned many = 20000, comment = 1000;
	std::string body = ".entry k(.param .u64 p)\n{\n.reg .b64 %d;\n.reg .b32 %r;\nld.param.u64 %d, [p];\n";
	for (unsigned n = 0; n < many; n++)
		body += "//" + std::string(comment, 'c') + "\n ld.global.u32 %r, [%d];\n";
	auto sites = instrumented(with_header(body + "ret;\n}\n"), "coalesce").sites;
	ASSERT_EQ(sites.size(), many);
	for (unsigned n = 0; n < many; n++) {
		ASSERT_EQ(sites[n].at.line, 10 + 2 * n);
		ASSERT_EQ(sites[n].at.column, 2u);
	}
}

} // namespace

} // namespace het::ptx
