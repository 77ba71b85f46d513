// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Compares what the pass coalesce counts with the interpreter's own counts.
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
		  uint32_t seed, uint32_t rate = ~0u)
{
	auto on = std::make_unique<stage>(e, text.text, with);
	witness seen(uint32_t(e.block.count()), text.sites);
	counted_run r{std::move(on), std::vector<coalesce_counters>(text.sites.size() + 1), std::move(seen), {}};
	auto &dev = r.on->dev;
	dev.with.trace = [&](const simt::step &one) { r.seen(one); };
	coalesce_table table{threshold, seed, dev.share(r.counters), 0, uint32_t(text.sites.size()), rate, 0};
	auto variable = dev.prog().variable("het_coalesce_table");
	EXPECT_EQ(variable.bytes, sizeof(table));
	EXPECT_TRUE(dev.mem().write(variable.address, &table, sizeof(table)));
	r.out = r.on->run();
	EXPECT_FALSE(r.out.error) << e << ": " << r.out.error->describe();
	r.counters.pop_back(); // belongs to no site, and is there as a buffer is never empty
	return r;
}

// Counts the lines that the observer saw at the program's own accesses to global or generic memory.
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
		const auto &text = instrumented_example(e, "coalesce");
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

// Half of the blocks are counted. Their counts are exact, and the others are not counted at all.
TEST(Coalesce, SamplesAreExact)
{
	uint32_t threshold = coalesce_threshold(2);
	for (const auto &e : simt::all_examples()) {
		const auto &text = instrumented_example(e, "coalesce");
		for (uint32_t seed : {0u, 0x80000000u}) {
			auto r = count(e, text, {}, threshold, seed);
			ASSERT_EQ(in_words(r.counters), in_words(r.seen.as_executed(threshold, seed))) << e;
			r = count(e, text, simt::two_modes()[1], threshold, seed);
			ASSERT_EQ(in_words(r.counters), in_words(r.seen.as_counted())) << e;
			std::set<uint32_t> sampled;
			for (uint32_t block : r.seen.blocks_with_accesses)
				if (coalesce_key(block, seed) <= threshold)
					sampled.insert(block);
			ASSERT_EQ(r.seen.blocks_counted, sampled) << e;
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

// The addresses of whole warps follow each other, from any line and page on.
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

// Makes a kernel that does what @loop says, @rounds times, with %d at the thread's element.
std::string looping(const std::string &loop)
{
	return with_header(
		".entry k(.param .u64 out, .param .u32 rounds)\n{\n.reg .b64 %d, %o;\n.reg .b32 %t, %r, %v<9>;\n"
		".reg .pred %p, %q;\nld.param.u64 %d, [out];\nld.param.u32 %r, [rounds];\nmov.u32 %t, %tid.x;\n"
		"mul.wide.u32 %o, %t, 4;\nadd.u64 %d, %d, %o;\n$loop:\n" +
		loop + "sub.u32 %r, %r, 1;\nsetp.ne.u32 %p, %r, 0;\n@%p bra $loop;\nret;\n}\n");
}

example rounds_of(uint32_t rounds, uint32_t blocks)
{
	example e("", "k", {blocks}, {64});
	e.out<uint32_t>(128);
	e.value(rounds);
	return e;
}

// The sums of a part of the accesses, scaled up, have those of all accesses as their mean over many seeds.
TEST(Coalesce, PartsAreExpectedToBeThatPart)
{
	constexpr uint32_t seeds = 64, one_of = 8, rounds = 100;
	auto text =
		instrumented(looping("ld.global.u32 %v0, [%d];\nsetp.lt.u32 %q, %t, 20;\n@%q bra $on;\n"
				     "ld.global.u32 %v1, [%d+4];\n$on:\nbar.warp.sync -1;\nst.global.u32 [%d], %v0;\n"),
			     "coalesce");
	ASSERT_EQ(text.sites.size(), 3u);
	auto e = rounds_of(rounds, 1);
	auto all = in_words(count(e, text, {}, ~0u, 0).counters);
	std::vector<uint64_t> sums(all.size());
	for (uint32_t seed = 0; seed < seeds; seed++) {
		auto r = count(e, text, {}, ~0u, seed * 0x9e3779b1u, coalesce_threshold(one_of));
		ASSERT_EQ(in_words(r.counters), in_words(r.seen.as_counted()));
		auto some = in_words(r.counters);
		for (size_t n = 0; n < sums.size(); n++)
			sums[n] += some[n];
	}
	// Each sum has at least 800 draws' luck in it: a tenth is more than four standard deviations of a fair draw.
	for (size_t n = 0; n < sums.size(); n++)
		EXPECT_NEAR(double(sums[n]) * one_of / seeds, double(all[n]), double(all[n]) / 10) << n;
}

// What is counted together is drawn together: an access is counted with all of its lanes or with none.
TEST(Coalesce, PartsHaveWholeAccesses)
{
	for (const auto &e : simt::all_examples()) {
		const auto &text = instrumented_example(e, "coalesce");
		auto r = count(e, text, {}, ~0u, 7, coalesce_threshold(3));
		ASSERT_EQ(in_words(r.counters), in_words(r.seen.as_counted())) << e;
		auto all = count(e, text, {}, ~0u, 7);
		for (size_t n = 0; n < r.counters.size(); n++)
			ASSERT_LE(r.counters[n].warps, all.counters[n].warps) << e;
		r.on->check();
	}
}

uint64_t executed(const example &e, const pass_result &text, uint32_t threshold, uint32_t rate)
{
	return count(e, text, {}, threshold, 0x80000000u, rate).out.counts.warp_instructions;
}

// Blocks that are not sampled run the text as it was, behind one test. With the seed above no block has the key 0.
TEST(Coalesce, OtherBlocksRunTheTextAsItWas)
{
	constexpr uint64_t test_of_a_warp = 16;
	for (const char *loop :
	     {"ld.global.u32 %v0, [%d];\n", "atom.global.add.u32 %v0, [%d], 1;\nst.global.u32 [%d+4], %v0;\n"})
		for (uint32_t rounds : {1u, 50u}) {
			auto e = rounds_of(rounds, 3);
			stage plain(e, looping(loop), {});
			auto text = instrumented(looping(loop), "coalesce");
			EXPECT_LE(executed(e, text, 0, ~0u), plain.run().counts.warp_instructions + 6 * test_of_a_warp);
		}
}

// This measures what is executed for one access of 64 in a grid of any size, in a loop of eight reads and the sums over
// them.
TEST(Coalesce, LittleIsExecutedForAPart)
{
	std::string loop;
	for (unsigned n = 0; n < 8; n++) {
		auto v = "%v" + std::to_string(n);
		loop += "ld.global.u32 " + v + ", [%d+" + std::to_string(4 * n) + "];\n";
		for (unsigned step = 0; step < 3; step++)
			loop += "mad.lo.u32 %v8, " + v + ", %v8, " + v + ";\n";
	}
	auto text = instrumented(looping(loop), "coalesce");
	for (uint32_t blocks : {1u, 8u}) {
		auto e = rounds_of(100, blocks);
		stage on(e, looping(loop), {});
		auto plain = double(on.run().counts.warp_instructions);
		auto sample = coalesce_sampled(64, blocks);
		auto ratio = double(executed(e, text, sample.threshold, sample.rate)) / plain;
		EXPECT_LE(ratio, 1.7) << blocks;
		EXPECT_GE(double(executed(e, text, ~0u, ~0u)) / plain, 5) << blocks;
	}
}

TEST(Coalesce, GridsAreSampledByBlocksIfTheyHaveMany)
{
	auto part = [](uint32_t n, uint64_t blocks) {
		auto s = coalesce_sampled(n, blocks);
		return (s.threshold + 1.0) / 4294967296.0 * ((s.rate + 1.0) / 4294967296.0);
	};
	for (uint32_t n : {1u, 2u, 3u, 4u, 7u, 64u, 100u, 1000000u})
		for (uint64_t blocks :
		     {uint64_t{1}, uint64_t{1500}, uint64_t{2048}, uint64_t{65536}, uint64_t{1} << 40})
			EXPECT_NEAR(part(n, blocks) * n, 1, 1e-3) << n << ", " << blocks;
	EXPECT_EQ(coalesce_sampled(64, 1000).threshold, ~0u);
	EXPECT_EQ(coalesce_sampled(64, 8192).threshold, coalesce_threshold(8));
	EXPECT_EQ(coalesce_sampled(64, 1 << 20).threshold, coalesce_threshold(64));
	EXPECT_EQ(coalesce_sampled(64, 1 << 20).rate, ~0u);
	EXPECT_EQ(coalesce_sampled(1, 7).rate, ~0u);
	EXPECT_EQ(coalesce_sampled(1, 7).threshold, ~0u);
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

// The place of each site is looked up: counting lines from the beginning of such a text would take minutes.
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
