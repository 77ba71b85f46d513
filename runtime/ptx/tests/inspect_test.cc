// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Compares what the pass inspect finds out with what the interpreter sees of the plain kernels.
#include "instrument.h"
#include "marks.h"

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

// Returns the range that spans the buffers of a kernel.
inspected_range range_of(const stage &s, uint32_t bits)
{
	uint64_t begin = ~uint64_t{0}, end = 0;
	for (size_t i = 0; i < s.buffers.size(); i++) {
		uint64_t address = 0;
		if (s.buffers[i].empty())
			continue;
		memcpy(&address, &s.with_launch.parameters[s.with_launch.kernel->parameters[i].offset], 8);
		begin = std::min(begin, address);
		end = std::max(end, address + s.buffers[i].size());
	}
	return {std::min(begin, end) >> bits << bits, end, bits};
}

bool is_left(const pass_result &made, const std::string &kernel)
{
	return std::any_of(made.left.begin(), made.left.end(), [&](const auto &k) { return k.name == kernel; });
}

// Returns whether the sets must be those of the program, which they are then.
bool compare_sets(const example &e, const simt::options &mode, uint32_t bits, uint32_t groups, uint32_t dimension)
{
	stage plain(e, corpus_text(e.file), mode);
	auto range = range_of(plain, bits);
	if (range.base >= range.end)
		return true;
	range.groups = groups;
	range.dimension = dimension;
	const auto used = sets_used(&plain, range);
	stage s(e, instrumented_example(e, "inspect").text, mode);
	EXPECT_EQ(range_of(s, bits).base, range.base);
	marks m(&s.dev, range, e.grid);
	const auto before = s.buffers;
	s.must_run();
	EXPECT_EQ(s.buffers, before) << e << " writes";
	if (m.are_sure()) {
		const auto found = m.sets();
		EXPECT_EQ(found.reads, used.reads) << e << ", reads, seed " << mode.seed;
		EXPECT_EQ(found.writes, used.writes) << e << ", writes, seed " << mode.seed;
		EXPECT_EQ(found.counts, used.counts) << e << ", seed " << mode.seed;
	}
	return m.are_sure();
}

// Pages of few bytes are seldom both written and read for addresses.
TEST(Inspect, FindsWhatKernelsUse)
{
	size_t left = 0, sure = 0, all = 0;
	for (const auto &e : simt::all_examples()) {
		all++;
		if (is_left(instrumented_file(e.file, "inspect"), e.kernel)) {
			left++;
			continue;
		}
		bool is_sure = true;
		uint32_t dimension = 0;
		for (const auto &mode : simt::two_modes()) {
			if (!e.repeats(mode))
				continue;
			is_sure = compare_sets(e, mode, 5, 1, dimension++) && is_sure;
			compare_sets(e, mode, 16, mode.independent ? 3 : 0, 1);
		}
		sure += is_sure;
	}
	EXPECT_LE(left * 8, all);
	EXPECT_GE(sure * 100, all * 85);
}

// What is only computed with is not loaded, and loops that only compute are not run.
TEST(Inspect, LeavesOutWhatDecidesNothing)
{
	auto text_of = [](const char *file, const std::string &kernel) {
		return only_kernel(instrumented_file(file, "inspect").text, kernel);
	};
	auto has = [](const std::string &text, const char *part) { return text.find(part) != text.npos; };
	for (auto [file, kernel] : {std::pair("basic.ptx", "vector_add"), {"basic.ptx", "newton_sqrt"}}) {
		const auto text = text_of(file, kernel);
		EXPECT_FALSE(has(text, "ok ld.")) << kernel;
		EXPECT_FALSE(has(text, "%f1,")) << kernel;
		EXPECT_FALSE(has(text, "%fd1,")) << kernel;
	}
	EXPECT_FALSE(has(text_of("basic.ptx", "sum"), "bar.sync"));
	EXPECT_TRUE(has(text_of("graphs.ptx", "breadth_first"), "ok ld.global.u32"));
	EXPECT_FALSE(has(text_of("graphs.ptx", "breadth_first"), "st.global.u32 \t"));
}

constexpr const char *chase = ".entry k(.param .u64 a, .param .u64 n)\n{\n.reg .b64 %d, %i, %n, %x;\n.reg .pred %p;\n"
			      "ld.param.u64 %d, [a];\nld.param.u64 %n, [n];\nmov.u64 %i, 0;\nagain:\n"
			      "shl.b64 %x, %i, 3;\nadd.u64 %x, %x, %d;\nld.global.u64 %i, [%x];\nsub.u64 %n, %n, 1;\n"
			      "setp.ne.u64 %p, %n, 0;\n@%p bra again;\nst.global.u64 [%d+512], %i;\nret;\n}\n";

// Has the words 0 to 127, each of which points to the next one, but for the last.
class chain
{
      public:
	chain() : dev_(instrumented(with_header(chase), "inspect").text, true), words_(128)
	{
		std::iota(words_.begin(), words_.end(), 1u);
		words_.back() = 0;
		const uint64_t where = dev_.share(words_);
		range_ = {where, where + words_.size() * 8, 8};
	}
	marks run(uint64_t steps, uint32_t most_steps, std::vector<uint64_t> bounds = {})
	{
		dev_.with.check_defined = true;
		marks m(&dev_, range_, {}, most_steps);
		if (!bounds.empty())
			m.bound(bounds);
		dev_.must_run("k", {1}, {1}, range_.base, steps);
		return m;
	}
	std::vector<uint64_t> &words() { return words_; }

      private:
	device dev_;
	std::vector<uint64_t> words_;
	inspected_range range_;
};

page_sets::cells pages(std::initializer_list<uint64_t> numbers)
{
	page_sets::cells all;
	for (uint64_t n : numbers)
		all.emplace(0, n);
	return all;
}

TEST(Inspect, SaysWhichPagesItHasLoadedFrom)
{
	chain c;
	const auto before = c.words();
	const auto m = c.run(40, 1000);
	EXPECT_TRUE(m.are_sure());
	EXPECT_EQ(m.sets().reads, pages({0, 1}));
	EXPECT_EQ(m.sources(), pages({0, 1}));
	EXPECT_EQ(m.sets().writes, pages({2}));
	EXPECT_EQ(m.sets().counts, (std::vector<uint64_t>{32, 8, 1, 0}));
	EXPECT_EQ(c.words(), before);
	EXPECT_FALSE(c.run(70, 1000).are_sure()) << "the program writes what it has loaded";
}

TEST(Inspect, EndsLoops)
{
	const auto m = chain().run(~uint64_t{0}, 40);
	EXPECT_TRUE(m.result().cut);
	EXPECT_FALSE(m.result().missed);
	EXPECT_EQ(m.sets().counts, (std::vector<uint64_t>{32, 8, 0, 0}));
}

// Nothing is there but what the bounds and the range say, and zeroes lead back to the begin.
TEST(Inspect, LoadsWhatItMayAlone)
{
	auto all = [](uint64_t end) { return end << 32; };
	EXPECT_FALSE(chain().run(64, 1000, {all(256), all(256), all(256), all(256)}).result().missed);
	const auto m = chain().run(50, 1000, {all(256), all(16), 0, 0});
	EXPECT_TRUE(m.result().missed);
	EXPECT_EQ(m.sets().counts, (std::vector<uint64_t>{32 + 15, 3, 1, 0}));
	EXPECT_TRUE(chain().run(2, 1000, {all(8), 0, 0, 0}).result().missed);
	EXPECT_TRUE(chain().run(1, 1000, {8 | all(256), 0, 0, 0}).result().missed);
	EXPECT_FALSE(chain().run(1, 1000, {all(8), 0, 0, 0}).result().missed);
	chain wild;
	wild.words()[0] = 1000000;
	EXPECT_TRUE(wild.run(2, 1000).result().missed);
}

// What lies in memory before the kernel has written it may be no address of the load's type.
TEST(Inspect, LoadsNothingThatIsNotAligned)
{
	auto misses = [](const char *load, uint64_t offset) {
		auto text = with_header(".entry k(.param .u64 a)\n{\n.reg .b64 %d, %i, %j, %x;\nld.param.u64 %d, [a];\n"
					"ld.global.u64 %i, [%d];\nadd.u64 %x, %d, %i;\n" +
					std::string(load) + "\nadd.u64 %x, %d, %i;\nst.global.u8 [%x], 1;\nret;\n}\n");
		device d(instrumented(text, "inspect").text);
		std::vector<uint64_t> words(8);
		words[0] = offset;
		const uint64_t where = d.share(words);
		marks m(&d, {where, where + 64, 8}, {});
		d.must_run("k", {1}, {1}, where);
		return m.result().missed != 0;
	};
	for (const char *load : {"ld.global.u64 %i, [%x];", "ld.u64 %i, [%x];"}) {
		EXPECT_FALSE(misses(load, 8));
		EXPECT_TRUE(misses(load, 12));
	}
	EXPECT_FALSE(misses("ld.global.u8 %i, [%x];", 13));
	EXPECT_FALSE(misses("ld.global.v2.u64 {%i, %j}, [%x];", 16));
	EXPECT_TRUE(misses("ld.global.v2.u64 {%i, %j}, [%x];", 8));
}

// Addresses that are nobody's are undefined where the guard does not hold.
TEST(Inspect, FollowsGuardsAndEveryFormOfAddress)
{
	auto text = with_header(
		".global .align 4 .u32 g;\n.entry k(.param .u64 out)\n{\n.reg .b64 %d, %u, %v;\n.reg .b32 %t<6>;\n"
		".reg .pred %p;\n.shared .align 4 .b32 s[32];\nld.param.u64 %d, [out];\nmov.u32 %t0, %tid.x;\n"
		"setp.eq.u32 %p, %t0, 5;\n@%p add.u64 %u, %d, 256;\n"
		"@%p st.global.u32 [%u+256], %t0;\n@!%p red.global.add.u32 [%d+4], 1;\n"
		"@%p atom.add.u32 %t1, [g+0], 1;\n@%p st.v4.u32 [%d+1024], {%t0, %t0, %t0, %t0};\n"
		"@%p ld.u32 %t2, [%u];\n@%p mul.wide.u32 %v, %t2, 4;\n@%p add.u64 %v, %v, %d;\n"
		"{\n.reg .b64 %x;\n@%p add.u64 %x, %v, 1280;\n@%p atom.global.add.u32 %t1, [%x], 3;\n}\n"
		"mov.u64 %u, s;\ncvta.shared.u64 %u, %u;\nst.u32 [%u], %t0;\n}\n");
	for (const auto &mode : simt::both_modes()) {
		device d(instrumented(text, "inspect").text, true);
		d.with = mode;
		d.with.check_defined = true;
		std::vector<uint32_t> out(1000);
		out[64] = 100;
		const uint64_t where = d.share(out);
		const inspected_range range{where, where + out.size() * 4, 8};
		marks m(&d, range, {});
		d.must_run("k", {1}, {32}, where);
		EXPECT_TRUE(m.are_sure());
		EXPECT_EQ(m.sets().reads, pages({0, 1, 6}));
		EXPECT_EQ(m.sets().writes, pages({0, 2, 4, 6}));
		EXPECT_EQ(m.sources(), pages({1}));
		EXPECT_EQ(m.sets().counts[0], 31u);
		EXPECT_EQ(std::accumulate(out.begin(), out.end(), 0u), 100u);
	}
}

// Shared memory with which addresses are found is filled, and a call gives what it gave.
TEST(Inspect, KeepsWhatGoesThroughMemoryAndCalls)
{
	auto text = with_header(
		".func (.param .b32 r) twice(.param .b32 a, .param .b64 p)\n{\n.reg .b32 %r;\n.reg .b64 %p;\n"
		"ld.param.u32 %r, [a];\nld.param.u64 %p, [p];\nst.global.u32 [%p], %r;\nadd.u32 %r, %r, %r;\n"
		"st.param.b32 [r], %r;\nret;\n}\n"
		".entry k(.param .u64 out)\n{\n.reg .b64 %d, %x;\n.reg .b32 %t<4>;\n.shared .align 4 .b32 s[64];\n"
		".local .align 4 .b32 l[4];\nld.param.u64 %d, [out];\nmov.u32 %t0, %tid.x;\nmov.u32 %t1, s;\n"
		"mad.lo.u32 %t1, %t0, 4, %t1;\nmul.lo.u32 %t2, %t0, 3;\nst.shared.u32 [%t1], %t2;\nbar.sync 0;\n"
		"xor.b32 %t0, %t0, 1;\nmov.u32 %t1, s;\nmad.lo.u32 %t1, %t0, 4, %t1;\nld.shared.u32 %t2, [%t1];\n"
		"st.local.u32 [l+4], %t2;\nld.local.u32 %t2, [l+4];\n"
		"{\n.param .b32 a0;\n.param .b64 a1;\n.param .b32 r0;\nst.param.b32 [a0], %t2;\nst.param.b64 [a1], "
		"%d;\n"
		"call (r0), twice, (a0, a1);\nld.param.b32 %t3, [r0];\n}\n"
		"mul.wide.u32 %x, %t3, 32;\nadd.u64 %x, %x, %d;\nld.global.u32 %t2, [%x];\nret;\n}\n");
	for (const auto &mode : simt::both_modes()) {
		device d(instrumented(text, "inspect").text);
		d.with = mode;
		std::vector<uint32_t> out(64 * 8 * 6);
		const uint64_t where = d.share(out);
		marks m(&d, {where, where + out.size() * 4, 5}, {});
		d.must_run("k", {1}, {64}, where);
		page_sets::cells want;
		for (uint64_t t = 0; t < 64; t++)
			want.emplace(0, 6 * t);
		EXPECT_EQ(m.sets().reads, want);
		EXPECT_EQ(m.sets().writes, pages({0}));
	}
}

TEST(Inspect, SkipsBlocks)
{
	auto text = with_header(".entry k(.param .u64 out)\n{\n.reg .b64 %d;\nld.param.u64 %d, [out];\n"
				"red.global.add.u32 [%d], 1;\nret;\n}\n");
	for (uint32_t skipped : {0, 1, 15}) {
		device d(instrumented(text, "inspect").text);
		std::vector<uint32_t> out(16);
		const uint64_t where = d.share(out);
		marks m(&d, {where, where + 64, 5}, {32, 16}, 1, skipped);
		d.must_run("k", {32, 16}, {32}, where);
		EXPECT_NEAR(double(m.sets().counts[0]), 512. * 32 / (skipped + 1), skipped ? 512. : 0.);
	}
	device d(instrumented(text, "inspect").text);
	std::vector<uint32_t> out(16);
	d.must_run("k", {2}, {32}, d.share(out)); // without a table
	EXPECT_EQ(out[0], 0u);
}

std::string why_left(const std::string &body)
{
	auto made = instrumented(with_header(".extern .func (.param .b32 r) f(.param .b64 a);\n.global .u32 g;\n"
					     ".entry k(.param .u64 out)\n{\n.reg .b64 %d<4>;\n.reg .b32 %r<4>;\n"
					     ".reg .pred %p;\n.shared .align 4 .b32 s[64];\n.local .b32 l[8];\n"
					     "ld.param.u64 %d0, [out];\n" +
					     body + "\nret;\n}\n"),
				 "inspect");
	EXPECT_EQ(made.left.size(), made.blind.size());
	EXPECT_EQ(made.left.empty(), made.text.find(".entry k") != made.text.npos);
	return made.left.empty() ? "" : made.left[0].why.describe();
}

TEST(Inspect, SaysWhatItCanNotDo)
{
	const std::string use = "cvt.u64.u32 %d1, %r1;\nadd.u64 %d1, %d1, %d0;\nst.global.u32 [%d1], 0;";
	auto refuses = [&](const std::string &body, const char *why) {
		EXPECT_TRUE(says(why_left(body + "\n" + use), why)) << body << ": " << why_left(body + "\n" + use);
	};
	refuses("atom.global.add.u32 %r1, [%d0], 1;", "14:1: reads what threads may write meanwhile");
	refuses("ld.volatile.global.u32 %r1, [%d0];", "may write meanwhile");
	refuses("ld.acquire.gpu.global.u32 %r1, [%d0];", "may write meanwhile");
	refuses("ld.global.u32 %r1, [g];", "reads a variable of the module");
	refuses("mov.u64 %d2, g;\nld.global.u32 %r1, [%d2];", "reads a variable of the module");
	refuses("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1}];", "not followed");
	refuses("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d0], {%f1}, 16;", "a matrix in global memory");
	refuses("ld.global.u32 %r2, [%d0];\nmov.u32 %r3, s;\nadd.u32 %r3, %r3, %r2;\nld.shared.u32 %r1, [%r3];",
		"has an address that depends on what was loaded");
	refuses("ld.global.u32 %r2, [%d0];\nsetp.eq.u32 %p, %r2, 0;\n@%p bra skip;\n"
		"shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;\nskip:",
		"waits for other threads where it depends");
	refuses("ld.shared.u32 %r1, [s];\nbar.sync 1, 64;", "waits for a number of threads");
	EXPECT_EQ(why_left("ld.global.u32 %r2, [%d0];\nshfl.sync.idx.b32 %r1, %r2, 0, 31, -1;\n" + use), "");
	EXPECT_EQ(why_left("atom.global.add.u32 %r1, [%d0], 1;"), "") << "nothing depends on it";
	EXPECT_EQ(why_left("atom.shared.add.u32 %r1, [s], 1;\n" + use), "");
	EXPECT_EQ(why_left("ld.shared.u32 %r1, [s];\nbar.sync 1;\n" + use), "");
}

// A kernel that can't be inspected does not keep others from it, nor what these share with it.
TEST(Inspect, LeavesKernelsOut)
{
	auto made = instrumented(corpus_text("graphs.ptx"), "inspect");
	ASSERT_EQ(made.left.size(), 2u);
	EXPECT_EQ(made.left[0].name, "hash_insert");
	EXPECT_EQ(made.text.find(".entry hash_insert"), made.text.npos);
	EXPECT_NE(made.text.find(".entry hash_find"), made.text.npos);
}

} // namespace

} // namespace het::ptx
