// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The passes dirty and touch against the interpreter's own count of pages.
#include "instrument.h"
#include "stage.h"

#include <numeric>

namespace het::ptx
{

namespace
{

using simt::corpus_text;
using simt::device;
using simt::example;
using simt::stage;
using simt::with_header;

constexpr uint64_t page = 64 << 10;

// One entry: a buffer of which every page may be written.
struct table {
	uint64_t entries = 1, base, size, bitmap;
};

// The pages of each buffer that a pass noted.
std::vector<std::vector<uint32_t>> bitmaps_of(const example &e, const std::string &pass, const simt::options &with)
{
	stage s(e, instrumented_file(e.file, pass).text, with);
	std::vector<std::vector<uint32_t>> bitmaps;
	std::vector<uint64_t> table{0};
	for (auto &b : s.buffers)
		bitmaps.emplace_back(b.size() / page / 32 + 2);
	for (size_t i = 0; i < s.buffers.size(); i++) {
		if (s.buffers[i].empty())
			continue;
		uint64_t base = 0;
		memcpy(&base, &s.with_launch.parameters[s.with_launch.kernel->parameters[i].offset], 8);
		table.insert(table.end(), {base, s.buffers[i].size(), s.dev.share(bitmaps[i])});
		table[0]++;
	}
	uint64_t address = s.dev.share(table);
	EXPECT_TRUE(s.dev.mem().write(s.dev.prog().variable("het_" + pass + "_table").address, &address, 8));
	s.must_run();
	return bitmaps;
}

// And those that the plain kernel uses, as the observer has them.
std::vector<std::vector<uint32_t>> pages_of(const example &e, bool reads, simt::options with)
{
	with.statistics = true;
	stage s(e, corpus_text(e.file), with);
	auto out = s.run();
	auto pages = out.counts.written_pages;
	if (reads)
		pages.insert(out.counts.read_pages.begin(), out.counts.read_pages.end());
	std::vector<std::vector<uint32_t>> bitmaps;
	for (size_t i = 0; i < s.buffers.size(); i++) {
		auto &bits = bitmaps.emplace_back(s.buffers[i].size() / page / 32 + 2);
		uint64_t base = 0;
		memcpy(&base, &s.with_launch.parameters[s.with_launch.kernel->parameters[i].offset],
		       s.buffers[i].empty() ? 0 : 8);
		for (uint64_t p = 0; p * page < s.buffers[i].size(); p++)
			if (pages.count(base / page + p))
				bits[p / 32] |= 1u << p % 32;
	}
	return bitmaps;
}

TEST(Pages, AreThoseThatTheInterpreterSees)
{
	for (const auto &e : simt::all_examples()) {
		for (const auto &mode : simt::two_modes()) {
			EXPECT_EQ(bitmaps_of(e, "dirty", mode), pages_of(e, false, mode)) << e;
			EXPECT_EQ(bitmaps_of(e, "touch", mode), pages_of(e, true, mode)) << e;
		}
	}
}

// Runs collatz on @n numbers, and returns the pages of out that the pass saw.
std::set<uint64_t> pages_seen(uint32_t n, std::set<uint64_t> *really)
{
	std::vector<uint32_t> in(n), out(n + 1000), bits(16);
	std::iota(in.begin(), in.end(), 1u);
	device d(instrumented(corpus_text("kernels.ptx"), "dirty").text);
	uint64_t where = d.share(out), bitmap = d.share(bits);
	std::vector<table> tables{{1, where, out.size() * 4, bitmap}};
	uint64_t address = d.share(tables);
	EXPECT_TRUE(d.mem().write(d.prog().variable("het_dirty_table").address, &address, 8));
	d.must_run("collatz", {(n + 255) / 256}, {256}, d.share(in), where, n);

	device plain(corpus_text("kernels.ptx"));
	plain.with.statistics = true;
	uint64_t same = plain.share(out);
	auto o = plain.run("collatz", {(n + 255) / 256}, {256}, plain.share(in), same, n);
	EXPECT_FALSE(o.error);
	for (uint64_t p : o.counts.written_pages)
		really->insert(p - same / page);
	std::set<uint64_t> seen;
	for (uint32_t p = 0; p < 16 * 32; p++)
		if (bits[p / 32] >> p % 32 & 1)
			seen.insert(p);
	return seen;
}

TEST(Dirty, SeesThePagesThatAreWritten)
{
	std::set<uint64_t> really, seen = pages_seen(40000, &really);
	EXPECT_EQ(seen, really);
	EXPECT_EQ(seen.size(), 3u);
}

// Without a table the kernels do what they did.
TEST(Dirty, ChangesNoResult)
{
	for (const auto &mode : simt::both_modes()) {
		device d(instrumented(corpus_text("basic.ptx"), "dirty").text);
		d.with = mode;
		std::vector<uint8_t> in(5000);
		std::iota(in.begin(), in.end(), uint8_t{0});
		std::vector<unsigned> bins(256), want(256);
		for (uint8_t v : in)
			want[v]++;
		d.must_run("histogram", {2}, {96}, d.share(in), d.share(bins), 5000u);
		EXPECT_EQ(bins, want);
	}
}

TEST(Dirty, FollowsGuardsAndEveryFormOfAddress)
{
	auto text = with_header(
		".global .u32 g;\n.entry k(.param .u64 out)\n{\n.reg .b64 %d;\n.reg .b32 %t;\n.reg .pred %p;\n"
		"ld.param.u64 %d, [out];\nmov.u32 %t, %tid.x;\nsetp.eq.u32 %p, %t, 5;\n"
		"@%p st.global.u32 [%d+131072], %t;\n@!%p red.global.add.u32 [%d+4], 1;\n"
		"@%p atom.add.u32 %t, [g+0], 1;\nret;\n}\n");
	device d(instrumented(text, "dirty").text);
	std::vector<uint32_t> out(60000), bits(1);
	uint64_t where = d.share(out);
	std::vector<table> tables{{1, where, out.size() * 4, d.share(bits)}};
	uint64_t address = d.share(tables);
	ASSERT_TRUE(d.mem().write(d.prog().variable("het_dirty_table").address, &address, 8));
	d.must_run("k", {1}, {32}, where);
	EXPECT_EQ(bits[0], 0b101u);
	EXPECT_EQ(out[1], 31u);
	EXPECT_EQ(out[32768], 5u);
}

TEST(Dirty, SaysWhatItCanNotSee)
{
	auto blind = [](const std::string &statement) {
		return instrumented(
			       with_header(".extern .func f(.param .u64 a);\n.entry k()\n{\n" + statement + "\n}\n"),
			       "dirty")
			.blind;
	};
	auto found = blind("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%rd2], 16;");
	ASSERT_EQ(found.size(), 1u);
	EXPECT_EQ(found[0].at.line, 7u);
	EXPECT_EQ(blind("sust.b.1d.b32.trap [s, {%r1}], {%r2};").size(), 1u);
	EXPECT_EQ(blind("call f, (%rd1);").size(), 1u);
	EXPECT_EQ(blind("call (%r1), vprintf, (%rd1, %rd2);").size(), 0u);
	EXPECT_EQ(blind("st.shared.u32 [%r1], 0;").size(), 0u);
}

TEST(Touch, SaysWhatItCanNotSee)
{
	auto blind = [](const std::string &statement) {
		return instrumented(with_header(".entry k()\n{\n" + statement + "\n}\n"), "touch").blind.size();
	};
	EXPECT_EQ(blind("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1}];"), 1u);
	EXPECT_EQ(blind("suld.b.1d.b32.trap {%r2}, [s, {%r1}];"), 1u);
	EXPECT_EQ(blind("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd2], 16, [%r3];"),
		  1u);
	EXPECT_EQ(blind("cp.async.ca.shared.global [%r1], [%rd2], 16;"), 0u);
	EXPECT_EQ(blind("cp.async.wait_all;"), 0u);
}

} // namespace

} // namespace het::ptx
