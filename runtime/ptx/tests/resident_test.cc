// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Runs kernels with the pass resident while random granules of their buffers lie elsewhere.
#include "instrument.h"
#include "ptx/passes/access.h"
#include "ptx/passes/resident.h"
#include "stage.h"

#include <deque>
#include <numeric>
#include <random>

namespace het::ptx
{

namespace
{

using simt::corpus_text;
using simt::device;
using simt::example;
using simt::stage;
using simt::with_header;

constexpr uint8_t nobodys = 0xa5;

// Has the table of a range of addresses, and the granules that were taken away from there.
class granules
{
      public:
	granules(device *d, uint64_t base, uint64_t end, uint32_t bits, uint32_t uncounted = 0)
	    : d_(d), base_(base >> bits << bits), bits_(bits)
	{
		moves_.resize(((end - base_) >> bits) + 1);
		std::fill(moves_.begin(), moves_.end(), resident_counted);
		counts_.resize(moves_.size());
		resident_table t{base_, end - base_, d->share(moves_), d->share(counts_), bits, uncounted};
		auto variable = d->prog().variable("het_resident_table");
		EXPECT_EQ(variable.bytes, sizeof(t));
		EXPECT_TRUE(d->mem().write(variable.address, &t, sizeof(t)));
	}
	// Moves a part of a buffer that lies in one granule into memory of its own, and leaves bytes that nobody may
	// use.
	void take(uint64_t address, uint8_t *bytes, uint64_t n)
	{
		auto &frame = frames_.emplace_back(piece{address, bytes, {bytes, bytes + n}});
		moves_[number(address)] = d_->share(frame.bytes) - address;
		std::fill_n(bytes, n, nobodys);
	}
	// Takes some granules of a buffer.
	template <typename F> void take_some(uint64_t address, std::vector<uint8_t> *buffer, F some)
	{
		for (uint64_t at = 0, n = 0; at < buffer->size(); at += n) {
			uint64_t granule_end = ((number(address + at) + 1) << bits_) + base_;
			n = std::min(granule_end - (address + at), buffer->size() - at);
			if (some())
				take(address + at, &(*buffer)[at], n);
		}
	}
	// Brings all of them back, and checks that nobody wrote where they were missing.
	void give_back()
	{
		for (const auto &f : frames_) {
			EXPECT_EQ(std::vector<uint8_t>(f.home, f.home + f.bytes.size()),
				  std::vector<uint8_t>(f.bytes.size(), nobodys));
			std::copy(f.bytes.begin(), f.bytes.end(), f.home);
		}
	}
	// Returns the number of the granule.
	uint64_t number(uint64_t address) const { return (address - base_) >> bits_; }
	bool follows(uint64_t address) const { return address - base_ < moves_.size() << bits_; }
	size_t taken() const { return frames_.size(); }
	const std::vector<uint64_t> &counts() const { return counts_; }

      private:
	struct piece {
		uint64_t address;
		uint8_t *home;
		std::vector<uint8_t> bytes;
	};
	device *d_;
	uint64_t base_;
	uint32_t bits_;
	std::vector<uint64_t> moves_, counts_;
	std::deque<piece> frames_;
};

// Returns where the buffers of a kernel are, and 0 for its other arguments.
std::vector<uint64_t> addresses_of(const stage &s)
{
	std::vector<uint64_t> all(s.buffers.size());
	for (size_t i = 0; i < all.size(); i++)
		if (!s.buffers[i].empty())
			memcpy(&all[i], &s.with_launch.parameters[s.with_launch.kernel->parameters[i].offset], 8);
	return all;
}

granules granules_of(stage *s, uint32_t bits)
{
	auto addresses = addresses_of(*s);
	uint64_t begin = ~uint64_t{0}, end = 0;
	for (size_t i = 0; i < addresses.size(); i++) {
		if (!addresses[i])
			continue;
		begin = std::min(begin, addresses[i]);
		end = std::max(end, addresses[i] + s->buffers[i].size());
	}
	return {&s->dev, std::min(begin, end), end, bits};
}

// Counts accesses to each granule as the interpreter executes them.
void count_accesses(stage *s, const granules &g, std::vector<uint64_t> *counted)
{
	counted->resize(g.counts().size());
	s->dev.with.trace = [&g, counted](const simt::step &step) {
		const module &m = *step.function->source;
		const statement &at = m.statements[step.statement];
		if (!step.addresses || at.kind != statement::kind_t::instruction)
			return;
		auto a = access_of(m, m.instructions[at.index]);
		if (!a.address || m.str(a.address->name) != "%het_resident_a")
			return;
		for (unsigned l = 0; l < simt::warp_size; l++)
			if ((step.mask >> l & 1) && g.follows(step.addresses[l]))
				(*counted)[g.number(step.addresses[l])]++;
	};
}

// Instruments that come first have no table, and slice and checkpoint no control block.
void add_missing_arguments(stage *s, const example &e)
{
	for (size_t n = e.arguments.size(); n < s->with_launch.kernel->parameters.size(); n++)
		s->add_argument(0);
}

// Moves a share of the granules, in tenths, and returns how many those were.
size_t run_with_some(const example &e, const std::string &passes, const simt::options &mode, unsigned share,
		     const std::vector<std::vector<uint8_t>> &want)
{
	const auto &made = instrumented_example(e, passes);
	std::mt19937 random(unsigned(mode.seed * 100 + share + e.kernel.size()));
	constexpr uint32_t sizes[] = {6, 7, 10, 16};
	stage s(e, made.text, mode);
	add_missing_arguments(&s, e);
	auto g = granules_of(&s, sizes[random() % 4]);
	auto addresses = addresses_of(s);
	if (made.blind.empty())
		for (size_t i = 0; i < addresses.size(); i++)
			g.take_some(addresses[i], &s.buffers[i], [&] { return random() % 10 < share; });
	std::vector<uint64_t> counted;
	count_accesses(&s, g, &counted);
	s.must_run();
	g.give_back();
	EXPECT_EQ(s.buffers, want) << e << " with " << passes << ", seed " << mode.seed << ", share " << share;
	EXPECT_EQ(g.counts(), counted) << e << " with " << passes;
	return g.taken();
}

TEST(Resident, KernelsFindGranulesWhereTheyAre)
{
	size_t blind = 0, all = 0, taken = 0;
	for (const auto &e : simt::all_examples()) {
		stage plain(e, corpus_text(e.file), {});
		plain.must_run();
		all++;
		blind += !instrumented_example(e, "resident").blind.empty();
		for (const auto &mode : simt::two_modes())
			if (e.repeats(mode))
				for (unsigned share : {5, mode.independent ? 8 : 10})
					taken += run_with_some(e, "resident", mode, share, plain.buffers);
	}
	EXPECT_LT(blind * 10, all);
	EXPECT_GT(taken, 20 * all);
}

TEST(Resident, ComesAfterOtherPasses)
{
	for (const auto &e : simt::corpus_a()) {
		stage plain(e, corpus_text(e.file), {});
		plain.must_run();
		for (const auto &mode : simt::two_modes())
			if (e.repeats(mode))
				for (const char *list :
				     {"touch,resident", "checkpoint,coalesce,dirty,touch,slice,resident"})
					run_with_some(e, list, mode, 5, plain.buffers);
	}
}

TEST(Resident, NoPassComesAfterIt)
{
	for (const char *later : {"touch", "dirty", "coalesce", "slice", "checkpoint", "soft-stack", "uniform-simt"})
		EXPECT_TRUE(says(refusal(corpus_text("basic.ptx"), {"resident", later}), "resident has moved"))
			<< later;
}

// Addresses that are nobody's are undefined where the guard does not hold. Accesses are of several widths and more in a
// row than are counted at a time; one is in a scope, one to a variable of the module, and the body ends after the
// last one.
TEST(Resident, FollowsGuardsAndEveryFormOfAddress)
{
	auto text = with_header(
		".global .align 4 .u32 g;\n.entry k(.param .u64 out)\n{\n.reg .b64 %d, %u;\n.reg .b32 %t<6>;\n"
		".reg .pred %p;\nld.param.u64 %d, [out];\nmov.u32 %t0, %tid.x;\n"
		"setp.eq.u32 %p, %t0, 5;\n@%p add.u64 %u, %d, 4;\n"
		"@%p st.global.u32 [%u+508], %t0;\n@!%p red.global.add.u32 [%d+4], 1;\n"
		"@%p atom.add.u32 %t1, [g+0], 1;\n@%p st.v4.u32 [%d+256], {%t0, %t0, %t0, %t0};\n"
		"@%p atom.global.add.u32 %t1, [%d+768], 3;\n@%p st.global.u32 [%d+1028], %t1;\n"
		"{\n.reg .b64 %x;\nadd.u64 %x, %d, 1280;\n@%p ld.u32 %t2, [%x];\n}\n"
		"@%p st.global.u32 [%d+1536], %t2;\n}\n");
	std::vector<uint32_t> want(500), before(500);
	std::iota(before.begin(), before.end(), 7u);
	want = before;
	want[1] += 31;
	want[128] = 5;
	std::fill_n(&want[64], 4, 5u);
	want[257] = want[192];
	want[192] += 3;
	want[384] = want[320];
	for (unsigned set = 0; set < 8; set++) {
		for (const auto &mode : simt::both_modes(true)) {
			device d(instrumented(text, "resident").text, true);
			d.with = mode;
			std::vector<uint8_t> out(before.size() * 4);
			memcpy(out.data(), before.data(), out.size());
			uint64_t where = d.share(out);
			granules g(&d, where, where + out.size(), 8);
			std::mt19937 random(set);
			g.take_some(where, &out, [&] { return set == 0 || (set != 1 && random() % 2); });
			d.must_run("k", {1}, {32}, where);
			g.give_back();
			EXPECT_EQ(memcmp(out.data(), want.data(), out.size()), 0) << set;
			if (set == 0) {
				EXPECT_EQ(g.counts(), std::vector<uint64_t>(g.counts().size()));
			}
			if (set == 1) {
				EXPECT_EQ(g.counts(), (std::vector<uint64_t>{31, 1, 1, 1, 1, 1, 1, 0}));
			}
		}
	}
}

// The range ends in the middle of a buffer: what lies behind is used where it is, and not counted.
TEST(Resident, LeavesWhatIsOutOfRange)
{
	auto text = with_header(
		".entry k(.param .u64 out)\n{\n.reg .b64 %d;\nld.param.u64 %d, [out];\n"
		"st.global.u32 [%d], 1;\nst.global.u32 [%d+252], 2;\nst.global.u32 [%d+256], 3;\nret;\n}\n");
	device d(instrumented(text, "resident").text);
	std::vector<uint8_t> out(512);
	uint64_t where = d.share(out);
	granules g(&d, where, where + 256, 8);
	d.must_run("k", {1}, {2}, where);
	EXPECT_EQ(g.counts(), (std::vector<uint64_t>{4, 0}));
	EXPECT_EQ(out[256], 3);
}

// Whether a warp counts depends on its place alone.
TEST(Resident, SomeWarpsCount)
{
	auto text = with_header(".entry k(.param .u64 out)\n{\n.reg .b64 %d;\nld.param.u64 %d, [out];\n"
				"red.global.add.u32 [%d], 1;\nred.global.add.u32 [%d+256], 1;\nret;\n}\n");
	constexpr unsigned blocks = 16, rows = 2, warps = 4;
	for (uint32_t uncounted : {0, 1, 7, 15}) {
		unsigned count = 0;
		for (uint32_t x = 0; x < blocks; x++)
			for (uint32_t y = 0; y < rows; y++)
				for (uint32_t w = 0; w < warps; w++)
					count +=
						!((x * 0x9e3779b1 + y * 0x85ebca6b + w) * 0x9e3779b1 >> 16 & uncounted);
		EXPECT_NEAR(count, blocks * rows * warps / (uncounted + 1), 10);
		device d(instrumented(text, "resident").text, true);
		std::vector<uint8_t> out(512);
		const uint64_t where = d.share(out);
		granules g(&d, where, where + out.size(), 8, uncounted);
		d.must_run("k", {blocks, rows}, {32 * warps}, where);
		EXPECT_EQ(g.counts()[0], 32 * count);
		EXPECT_EQ(g.counts()[1], 32 * count);
	}
}

// Nothing may be at the address that the program has.
TEST(Resident, MovesHints)
{
	auto hints = [](const std::string &statement) {
		auto made = instrumented(with_header(".global .u32 g;\n.entry k()\n{\n.reg .b64 %a;\n.reg .pred %p;\n" +
						     statement + "\n}\n"),
					 "resident");
		EXPECT_TRUE(made.blind.empty());
		EXPECT_EQ(made.text.find("red.global"), std::string::npos) << "hints are not counted";
		return made.text.find("[%het_resident_a]") != std::string::npos;
	};
	EXPECT_TRUE(hints("prefetch.global.L2 [%a+128];"));
	EXPECT_TRUE(hints("@%p prefetch.L1 [%a];"));
	EXPECT_TRUE(hints("prefetchu.L1 [%a];"));
	EXPECT_TRUE(hints("applypriority.global.L2::evict_normal [%a], 128;"));
	EXPECT_FALSE(hints("prefetch.local.L1 [%a];"));
	EXPECT_FALSE(hints("prefetch.global.L2 [g];"));
	EXPECT_FALSE(hints("prefetch.tensormap [%a];"));
}

TEST(Resident, SaysWhatItCanNotFollow)
{
	auto blind = [](const std::string &statement) {
		return instrumented(
			       with_header(".extern .func f(.param .u64 a);\n.entry k()\n{\n" + statement + "\n}\n"),
			       "resident")
			.blind.size();
	};
	EXPECT_EQ(blind("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1}];"), 1u);
	EXPECT_EQ(blind("sust.b.1d.b32.trap [s, {%r1}], {%r2};"), 1u);
	EXPECT_EQ(blind("call f, (%rd1);"), 1u);
	EXPECT_EQ(blind("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%rd2], 16;"), 1u);
	EXPECT_EQ(blind("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd2], 16, [%r3];"),
		  1u);
	EXPECT_EQ(blind("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], {%f1}, 16;"), 1u);
	EXPECT_EQ(blind("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1}, [%rd1], 16;"), 1u);
	EXPECT_EQ(blind("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1}, [%rd1], 16;"), 0u);
	EXPECT_EQ(blind("discard.global.L2 [%rd1], 128;"), 1u);
	EXPECT_EQ(blind("cp.async.ca.shared.global [%r1], [%rd2], 16;"), 0u);
	EXPECT_EQ(blind("st.shared.u32 [%r1], 0;"), 0u);
}

} // namespace

} // namespace het::ptx
