// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Compares the passes dirty and touch with the interpreter's own sets of pages.
#include "flags.h"
#include "instrument.h"
#include "stage.h"

#include <algorithm>
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

using pages_of_buffers = std::vector<std::set<uint64_t>>;

// Returns where the buffers of a kernel are, and 0 for its other arguments.
std::vector<uint64_t> addresses_of(const stage &s)
{
	std::vector<uint64_t> all(s.buffers.size());
	for (size_t i = 0; i < all.size(); i++)
		if (!s.buffers[i].empty())
			memcpy(&all[i], &s.with_launch.parameters[s.with_launch.kernel->parameters[i].offset], 8);
	return all;
}

// Returns the pages of each buffer that a pass noted.
pages_of_buffers pages_noted(const example &e, const std::string &pass, const simt::options &with)
{
	stage s(e, instrumented_example(e, pass).text, with);
	auto addresses = addresses_of(s);
	uint64_t begin = ~uint64_t{0}, end = 0;
	for (size_t i = 0; i < addresses.size(); i++) {
		if (!addresses[i])
			continue;
		begin = std::min(begin, addresses[i]);
		end = std::max(end, addresses[i] + s.buffers[i].size());
	}
	flags f(&s.dev, pass, begin, end);
	s.must_run();
	pages_of_buffers pages;
	size_t all = 0;
	for (size_t i = 0; i < addresses.size(); i++)
		all += pages.emplace_back(f.noted(addresses[i], s.buffers[i].size())).size();
	EXPECT_EQ(f.count(), all) << e;
	return pages;
}

// Returns the pages that the plain kernel uses, as the observer has them.
pages_of_buffers pages_used(const example &e, bool reads, simt::options with)
{
	with.statistics = true;
	stage s(e, corpus_text(e.file), with);
	auto out = s.run();
	auto used = out.counts.written_pages;
	if (reads)
		used.insert(out.counts.read_pages.begin(), out.counts.read_pages.end());
	auto addresses = addresses_of(s);
	pages_of_buffers pages(addresses.size());
	for (size_t i = 0; i < addresses.size(); i++)
		for (uint64_t p = 0; p * page_bytes < s.buffers[i].size(); p++)
			if (used.count(addresses[i] / page_bytes + p))
				pages[i].insert(p);
	return pages;
}

TEST(Pages, AreThoseThatTheInterpreterSees)
{
	for (const auto &e : simt::all_examples()) {
		for (const auto &mode : simt::two_modes()) {
			EXPECT_EQ(pages_noted(e, "dirty", mode), pages_used(e, false, mode)) << e;
			EXPECT_EQ(pages_noted(e, "touch", mode), pages_used(e, true, mode)) << e;
		}
	}
}

TEST(Dirty, SeesThePagesThatAreWritten)
{
	constexpr uint32_t n = 40000;
	std::vector<uint32_t> in(n), out(n + 100000);
	std::iota(in.begin(), in.end(), 1u);
	device d(instrumented(corpus_text("kernels.ptx"), "dirty").text);
	uint64_t where = d.share(out);
	flags f(&d, "dirty", where, where + out.size() * 4);
	d.must_run("collatz", {(n + 255) / 256}, {256}, d.share(in), where, n);
	EXPECT_EQ(f.noted(where, out.size() * 4), (std::set<uint64_t>{0, 1, 2}));
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
	std::vector<uint32_t> out(60000);
	uint64_t where = d.share(out);
	flags f(&d, "dirty", where, where + out.size() * 4);
	d.must_run("k", {1}, {32}, where);
	EXPECT_EQ(f.noted(where, out.size() * 4), (std::set<uint64_t>{0, 2}));
	EXPECT_EQ(out[1], 31u);
	EXPECT_EQ(out[32768], 5u);
}

// The kernel has more accesses in a row than have registers of their own, through registers that are overwritten. One
// is in a scope, and before one an undefined address is guarded; the body ends right after the last one.
TEST(Touch, SeesAccessesThatFollowEachOther)
{
	std::string body;
	for (int p : {3, 1, 4, 0, 5, 9, 2, 6})
		body += "ld.global.u64 %v, [%d+" + std::to_string(p * page_bytes) + "];\n";
	auto text = with_header(".entry k(.param .u64 in)\n{\n.reg .b64 %d, %v, %u;\n.reg .pred %p;\n"
				"ld.param.u64 %d, [in];\n" +
				body + "{\n.reg .b64 %x;\nadd.u64 %x, %d, " + std::to_string(20 * page_bytes) +
				";\nst.global.u64 [%x], %v;\n}\nsetp.ne.u64 %p, %d, %d;\n" +
				"@%p st.global.u64 [%u], %v;\nadd.u64 %d, %d, " + std::to_string(70 * page_bytes) +
				";\nld.global.u64 %d, [%d];\n}\n");
	for (const auto &mode : simt::both_modes(true)) {
		device d(instrumented(text, "touch,dirty").text, true);
		d.with = mode;
		std::vector<uint8_t> in(80 * page_bytes);
		uint64_t where = d.share(in);
		flags touched(&d, "touch", where, where + in.size()), written(&d, "dirty", where, where + in.size());
		d.must_run("k", {1}, {32}, where);
		EXPECT_EQ(touched.noted(where, in.size()), (std::set<uint64_t>{0, 1, 2, 3, 4, 5, 6, 9, 20, 70}));
		EXPECT_EQ(written.noted(where, in.size()), std::set<uint64_t>{20});
	}
}

TEST(Pages, HaveFlagsOfTheirOwn)
{
	for (uint64_t pages : {1, 63, 64, 65, 10000}) {
		uint32_t stride = page_flag_stride(pages * page_bytes);
		std::set<uint64_t> all, lines;
		for (uint64_t p = 0; p < pages; p++) {
			all.insert(page_flag(p, stride));
			if (p < page_flag_rows)
				lines.insert(page_flag(p, stride) / 128);
		}
		EXPECT_EQ(all.size(), pages);
		EXPECT_LT(*all.rbegin(), page_flag_rows * stride);
		EXPECT_EQ(lines.size(), std::min(pages, page_flag_rows));
	}
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
	EXPECT_EQ(blind("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r2], 16;").size(), 1u);
	EXPECT_EQ(blind("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd2], 16, [%r3];")
			  .size(),
		  0u);
	EXPECT_EQ(blind("cp.async.bulk.prefetch.L2.global [%rd1], 16;").size(), 0u);
	EXPECT_EQ(blind("tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd2;").size(), 1u);
	EXPECT_EQ(blind("tensormap.replace.tile.rank.b1024.b32 [%rd1], 2;").size(), 1u);
	EXPECT_EQ(blind("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r1], %rd2;").size(), 0u);
	EXPECT_EQ(
		blind("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], "
		      "[%r1], 128;")
			.size(),
		1u);
	EXPECT_EQ(blind("discard.global.L2 [%rd1], 128;").size(), 1u);
	EXPECT_EQ(blind("prefetch.tensormap [%rd1];").size(), 0u);
	EXPECT_EQ(blind("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], {%f1}, 16;").size(), 0u);
	EXPECT_EQ(blind("wmma.store.d.sync.aligned.row.m8n8k32.global.s32 [%rd1], {%r1}, 16;").size(), 1u);
	EXPECT_EQ(blind("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1};").size(), 0u);
	EXPECT_EQ(blind("mbarrier.arrive.shared::cta.b64 %rd1, [%r1];").size(), 0u);
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
	EXPECT_EQ(blind("tensormap.replace.tile.rank.global.b1024.b32 [%rd1], 2;"), 1u);
}

} // namespace

} // namespace het::ptx
