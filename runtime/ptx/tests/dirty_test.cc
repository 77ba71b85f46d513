// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The pass against the interpreter's own count of pages.
#include "ptx/passes/pass.h"

#include "device.h"

#include <numeric>

namespace het::ptx
{

namespace
{

using simt::corpus_text;
using simt::device;
using simt::with_header;

constexpr uint64_t page = 64 << 10;

pass_result instrumented(const std::string &text)
{
	module m;
	auto wrong = parse(text, m);
	EXPECT_FALSE(wrong) << wrong->describe();
	auto out = add_dirty(m);
	EXPECT_FALSE(out.refused) << out.refused->describe();
	return out;
}

// One entry: a buffer of which every page may be written.
struct table {
	uint64_t entries = 1, base, size, bitmap;
};

// Runs collatz on @n numbers, and returns the pages of out that the pass saw.
std::set<uint64_t> pages_seen(uint32_t n, std::set<uint64_t> *really)
{
	std::vector<uint32_t> in(n), out(n + 1000), bits(16);
	std::iota(in.begin(), in.end(), 1u);
	device d(instrumented(corpus_text("kernels.ptx")).text);
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
		device d(instrumented(corpus_text("basic.ptx")).text);
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
	device d(instrumented(text).text);
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
			       with_header(".extern .func f(.param .u64 a);\n.entry k()\n{\n" + statement + "\n}\n"))
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

TEST(Dirty, IsNotAddedTwice)
{
	module m;
	ASSERT_FALSE(parse(instrumented(corpus_text("basic.ptx")).text, m));
	EXPECT_TRUE(add_dirty(m).refused);
}

TEST(Passes, AreFoundByName)
{
	ASSERT_NE(find_pass("dirty"), nullptr);
	EXPECT_EQ(find_pass("nothing"), nullptr);
	EXPECT_EQ(all_passes()[0].name, "dirty");
}

} // namespace

} // namespace het::ptx
