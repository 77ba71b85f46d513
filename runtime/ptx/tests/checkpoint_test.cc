// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels with the pass checkpoint are stopped, go on, and must leave the memory that they leave if nothing stops them.
#include "instrument.h"
#include "stopped.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace het::ptx
{

namespace
{

using simt::corpus_text;
using simt::example;
using simt::parsed;
using simt::stage;

constexpr uint64_t rubbish = 0xa7a7a7a7a7a7a7a7;

const checkpoint_report &report_of(const pass_result &all, const example &e)
{
	for (const auto &k : all.checkpoints)
		if (k.kernel == e.kernel)
			return k;
	static const checkpoint_report none;
	ADD_FAILURE() << e << " is not there";
	return none;
}

// Returns all numbers below @end, or some of them.
std::vector<uint64_t> some_of(uint64_t end, uint64_t most)
{
	std::vector<uint64_t> all;
	std::mt19937_64 random(end);
	for (uint64_t n = 0; n < std::min(end, most); n++)
		all.push_back(end <= most ? n : random() % end);
	return all;
}

std::vector<example> examples_and_applications()
{
	auto all = simt::all_examples(), more = simt::applications();
	all.insert(all.end(), more.begin(), more.end());
	return all;
}

TEST(Checkpoint, StoppedKernelsLeaveTheSameMemory)
{
	const bool full = getenv("HET_TEST_FULL");
	uint64_t stops = 0, bases = 0;
	for (const auto &e : examples_and_applications()) {
		const auto &made = instrumented_example(e, "checkpoint");
		const auto &report = report_of(made, e);
		stage whole(e, corpus_text(e.file), {});
		whole.must_run();
		std::set<size_t> seen;
		for (auto mode : simt::two_modes()) {
			if (!e.repeats(mode))
				continue;
			// What is not brought back is undefined, and holds rubbish. Local memory is copied by words,
			// and the interpreter takes one for undefined if a part of it is, so there the rubbish alone
			// tells.
			mode.rubbish = rubbish;
			mode.check_defined = !mode.independent && report.size.local_words == 0;
			stopped_example s(e, made.text, report, mode);
			ASSERT_EQ(s.run({}), "") << e;
			ASSERT_EQ(s.buffers(), whole.buffers) << e << ", not stopped";
			bool announced = false;
			for (uint64_t look : some_of(s.looks, full ? 200 : 4)) {
				// Every second one is announced, at a random look before.
				announced = !announced;
				const auto when = announced ? std::vector{look * 7 % (look + 1), look / 4, uint64_t{1}}
							    : std::vector<uint64_t>();
				ASSERT_EQ(s.run({look, look / 2, 3}, when), "")
					<< e << ", look " << look << ", seed " << mode.seed;
				ASSERT_EQ(s.buffers(), whole.buffers)
					<< e << ", look " << look << ", seed " << mode.seed;
			}
			stops += s.stops;
			bases += s.bases;
			for (size_t n = 1; n < s.stopped_at.size(); n++)
				if (s.stopped_at[n])
					seen.insert(n);
		}
		if (full)
			printf("%s %s: %zu of %zu stop points\n", e.file.c_str(), e.kernel.c_str(), seen.size(),
			       report.points.size());
	}
	EXPECT_GT(stops, 100u);
	EXPECT_GT(bases, 50u);
}

const example &example_named(const std::string &kernel)
{
	static const auto all = simt::all_examples();
	return *std::find_if(all.begin(), all.end(), [&](const example &e) { return e.kernel == kernel; });
}

// Runs an example with a text that was changed by hand, and returns whether a run gave something else.
bool is_found(const example &e, const std::string &text, bool twice = false)
{
	stage whole(e, corpus_text(e.file), {});
	whole.must_run();
	simt::options mode;
	mode.rubbish = rubbish;
	mode.most_instructions = 1000000;
	stopped_example s(e, text, report_of(instrumented_example(e, "checkpoint"), e), mode);
	s.begins_again = twice;
	EXPECT_EQ(s.run({}), "");
	for (uint64_t look : some_of(s.looks, 30))
		for (const auto &list : {std::vector<uint64_t>{look, 5}, {look / 2, look / 2}})
			if (!s.run(list).empty() || s.buffers() != whole.buffers)
				return true;
	return false;
}

// Does the same with stops that are announced.
bool is_found_in_deltas(const example &e, const std::string &text)
{
	stage whole(e, corpus_text(e.file), {});
	whole.must_run();
	simt::options mode;
	mode.rubbish = rubbish;
	mode.most_instructions = 1000000;
	stopped_example s(e, text, report_of(instrumented_example(e, "checkpoint"), e), mode);
	EXPECT_EQ(s.run({}), "");
	for (uint64_t look : some_of(s.looks, 60))
		if (!s.run({look}, {look / 2}).empty() || s.buffers() != whole.buffers)
			return true;
	return false;
}

// Returns the text with the @n-th of something replaced, or an empty one if there are fewer.
std::string changed(std::string text, std::string_view from, std::string_view to, size_t n)
{
	size_t at = text.find(from);
	while (n-- && at != text.npos)
		at = text.find(from, at + 1);
	return at == text.npos ? "" : text.replace(at, from.size(), to);
}

// In these kernels every bit of a register counts, and each stop point is come to.
TEST(Checkpoint, EveryRegisterThatIsNotBroughtBackIsMissed)
{
	for (const char *kernel : {"scan", "collatz", "crc", "bins_bytes", "find_word", "circle"}) {
		const example &e = example_named(kernel);
		const auto &text = instrumented_example(e, "checkpoint").text;
		ASSERT_FALSE(is_found(e, text)) << e;
		unsigned registers = 0;
		// A block that has saved a base has its registers still, so nobody misses them in the other kernel.
		auto load = "ld.global.b32 %";
		for (size_t at = text.find(load, text.find(resumed_suffix)); at != text.npos;
		     at = text.find(load, at + 1), registers++)
			EXPECT_TRUE(is_found(e, std::string(text).insert(at, "// ")))
				<< e << ", register " << registers;
		EXPECT_GT(registers, 0u) << e;
	}
}

// There is a copy for each stop point of both kernels, and between them the one that brings back. Blocks that go on may
// never stop at some of them again, or not need what they save there.
TEST(Checkpoint, EveryWordOfMemoryThatIsNotBroughtBackIsMissed)
{
	// The second one sorts eleven words in a larger array.
	for (auto [kernel, words] : {std::pair{"scan_tree", 0u}, {"local_sort", 11u}}) {
		const example &e = example_named(kernel);
		const auto &made = instrumented_example(e, "checkpoint");
		const auto &report = report_of(made, e);
		const auto &size = report.size;
		std::string all = std::to_string(size.local_words ? size.local_words : size.shared_bytes / 4);
		std::string less = std::to_string((words ? words : size.shared_bytes / 4) - 1);
		std::vector<bool> found;
		for (std::string other;
		     !(other = changed(made.text, "_i, " + all, "_i, " + less, found.size())).empty();)
			found.push_back(is_found(e, other));
		ASSERT_EQ(found.size(), 2 * report.points.size() + 1) << e;
		EXPECT_TRUE(found[report.points.size()]) << e;
		EXPECT_GE(3 * std::count(found.begin(), found.end(), true), 2 * int(found.size())) << e;
	}
}

// --- bases and deltas ----------------------------------------------------------

TEST(Checkpoint, EveryRegisterThatADeltaLeavesOutIsMissed)
{
	for (const char *kernel : {"scan", "collatz", "crc", "bins_bytes", "find_word", "circle"}) {
		const example &e = example_named(kernel);
		const auto &text = instrumented_example(e, "checkpoint").text;
		ASSERT_FALSE(is_found_in_deltas(e, text)) << e;
		// What blocks save that have begun: the resumed kernel has the same stop points.
		const auto end = text.find(resumed_suffix);
		auto store = "st.global.b32 [%het_checkpoint_at], %";
		unsigned registers = 0;
		for (size_t at = text.find(store); at < end; at = text.find(store, at + 1), registers++)
			EXPECT_TRUE(is_found_in_deltas(e, std::string(text).insert(at, "// ")))
				<< e << ", register " << registers;
		EXPECT_GT(registers, 0u) << e;
	}
}

// What has changed since the base alone is stored again, so a set with one stop point less is found where blocks come
// from that one.
TEST(Checkpoint, ADeltaThatIsTooSmallIsMissed)
{
	unsigned sets = 0, found = 0;
	for (const auto &e : simt::all_examples()) {
		const auto &text = instrumented_example(e, "checkpoint").text;
		const auto begin = text.find(" " + e.kernel + "("), end = text.find(resumed_suffix, begin);
		const std::string since = "_a, %het_checkpoint_since, ", then = "setp.eq";
		for (size_t at = text.find(since, begin); at < end; at = text.find(since, at + 1)) {
			const size_t number = at + since.size(), behind = text.find(';', number);
			const uint32_t set = uint32_t(std::stoul(text.substr(number)));
			if (text.compare(text.find("setp", behind), then.size(), then) != 0 || set == 1)
				continue;
			auto other = std::string(text).replace(number, behind - number, "1");
			sets++;
			found += is_found_in_deltas(e, other);
		}
	}
	// Some hold what a block no longer needs by then.
	EXPECT_GT(sets, 10u);
	EXPECT_GE(2 * found, sets) << found << " of " << sets;
}

// A block takes a context for its base, and saves nothing there.
TEST(Checkpoint, ADeltaWithoutABaseIsMissed)
{
	for (const char *kernel : {"shell_sort", "fft_block", "circle"}) {
		const example &e = example_named(kernel);
		std::string text = instrumented_example(e, "checkpoint").text;
		for (std::string other; !(other = changed(text, "_n, 1;\n", "_n, 2;\n", 0)).empty();)
			text = other;
		EXPECT_TRUE(is_found_in_deltas(e, text)) << e;
	}
}

TEST(Checkpoint, DeltasAreSmallerThanCheckpoints)
{
	uint64_t whole = 0, deltas = 0, bases = 0;
	for (const char *kernel : {"shell_sort", "circle", "convolve", "crc"}) {
		const example &e = example_named(kernel);
		const auto &made = instrumented_example(e, "checkpoint");
		stopped_example s(e, made.text, report_of(made, e), {});
		ASSERT_EQ(s.run({}), "");
		const uint64_t look = s.looks / 2;
		ASSERT_EQ(s.run({look}), "");
		EXPECT_EQ(s.bases, 0u) << e;
		whole += s.stop_bytes;
		s.stop_bytes = 0;
		ASSERT_EQ(s.run({look}, {look / 2}), "");
		deltas += s.stop_bytes;
		bases += s.bases;
	}
	EXPECT_GT(bases, 0u);
	EXPECT_GT(deltas, 0u);
	EXPECT_LT(4 * deltas, 3 * whole);
}

// A block that would have ended by then saves no base, and neither does one for which there is no room.
TEST(Checkpoint, BasesAreForThoseThatOutlastTheLead)
{
	const example &e = example_named("mandelbrot");
	const auto &made = instrumented_example(e, "checkpoint");
	stage whole(e, corpus_text(e.file), {});
	whole.must_run();
	simt::options mode;
	mode.resident_blocks = 4;
	mode.independent = true;
	stopped_example s(e, made.text, report_of(made, e), mode);
	ASSERT_EQ(s.run({}), "");
	const uint64_t look = s.looks / 2;
	auto bases_with = [&](uint32_t lead_ns, uint32_t block_ns, uint32_t limit) {
		s.lead_ns = lead_ns;
		s.block_ns = block_ns;
		s.base_limit = limit;
		s.bases = s.stops = 0;
		EXPECT_EQ(s.run({look}, {look / 2}), "");
		EXPECT_EQ(s.buffers(), whole.buffers);
		EXPECT_GT(s.stops, 0u);
		return s.bases;
	};
	const uint64_t all = bases_with(1000, 0, 1000);
	EXPECT_GT(all, 1u);
	EXPECT_EQ(bases_with(1000, 1'000'000'000, 1000), all);
	EXPECT_EQ(bases_with(1'000'000'000, 500'000'000, 1000), 0u);
	EXPECT_LE(bases_with(1000, 0, 1), 1u);
	EXPECT_EQ(bases_with(1000, 0, 0), 0u);
}

TEST(Checkpoint, AWrongPlaceIsMissed)
{
	const example &e = example_named("scan_tree");
	const auto &text = instrumented_example(e, "checkpoint").text;
	EXPECT_TRUE(is_found(e, changed(text, "%het_checkpoint_where, 3;", "%het_checkpoint_where, 4;", 0)));
}

TEST(Checkpoint, ABlockThatGoesOnTwiceIsNoticed)
{
	EXPECT_TRUE(is_found(example_named("weights_by_class"),
			     instrumented_example(example_named("weights_by_class"), "checkpoint").text, true));
}

// A thread that goes on passes the place where it stopped, though the flag is set already.
TEST(Checkpoint, EachLaunchGetsOn)
{
	const example &e = example_named("collatz");
	const auto &made = instrumented_example(e, "checkpoint");
	const std::vector<uint64_t> always(1000, 1);
	stopped_example s(e, made.text, report_of(made, e), {});
	ASSERT_EQ(s.run(always), "");
	EXPECT_LT(s.rounds, 200u);
	EXPECT_GT(s.rounds, 5u);
	stage whole(e, corpus_text(e.file), {});
	whole.must_run();
	EXPECT_EQ(s.buffers(), whole.buffers);
	// One that looks before it goes on does not.
	auto text = made.text;
	size_t look = text.find("setp.ne.u32 %het_checkpoint_q, %het_checkpoint_seen, 0;", text.find(resumed_suffix));
	text.insert(look, "again: ");
	size_t back = text.find("go0;", text.find("back0:"));
	text.replace(text.rfind(' ', back) + 1, back + 3 - text.rfind(' ', back) - 1, "again");
	stopped_example stuck(e, text, report_of(made, e), {});
	ASSERT_EQ(stuck.run(always), "");
	EXPECT_EQ(stuck.rounds, always.size());
}

// Blocks that leave at their begin have what they were to go on from, and have saved nothing.
TEST(Checkpoint, BlocksThatLeaveBeforeTheyGoOnSaveNothing)
{
	const example &e = example_named("mandelbrot");
	const auto &made = instrumented_example(e, "checkpoint");
	stage whole(e, corpus_text(e.file), {});
	whole.must_run();
	stopped_example s(e, made.text, report_of(made, e), {});
	ASSERT_EQ(s.run({}), "");
	const uint64_t look = s.looks / 2;
	ASSERT_EQ(s.run({look}), "");
	const uint64_t bytes = s.stop_bytes;
	EXPECT_GT(bytes, 0u);
	EXPECT_EQ(s.unbegun, 0u);
	ASSERT_EQ(s.run({look, 0, 0}), "");
	EXPECT_EQ(s.stop_bytes, 2 * bytes);
	EXPECT_GT(s.unbegun, 1u);
	EXPECT_EQ(s.buffers(), whole.buffers);
}

TEST(Checkpoint, BlocksWithoutRoomRunOn)
{
	for (const char *kernel : {"histogram", "mandelbrot", "bitonic_block"}) {
		const example &e = example_named(kernel);
		const auto &made = instrumented_example(e, "checkpoint");
		stage whole(e, corpus_text(e.file), {});
		whole.must_run();
		simt::options mode;
		mode.resident_blocks = 4;
		for (uint64_t limit : {0u, 1u}) {
			stopped_example s(e, made.text, report_of(made, e), mode);
			s.limit = limit;
			ASSERT_EQ(s.run({}), "");
			for (uint64_t look : some_of(s.looks, 20)) {
				ASSERT_EQ(s.run({look, 7}), "") << e;
				ASSERT_EQ(s.buffers(), whole.buffers) << e;
			}
			EXPECT_EQ(s.stops > 0, limit > 0) << e;
		}
	}
}

// A kernel that has no limit of its own gets the one that is asked for, and so does the one that goes on with it.
TEST(Checkpoint, KernelsHaveNoMoreRegistersThanTheyMay)
{
	auto limits_with = [](const std::string &own) {
		const auto text =
			simt::with_header(".entry k(.param .u64 p) " + own +
					  "\n{\n.reg .b32 %r;\n.reg .pred %p;\nmov.u32 %r, 0;\nL:\n"
					  "add.u32 %r, %r, 1;\nsetp.lt.u32 %p, %r, 9;\n@%p bra L;\nret;\n}\n");
		pass_options with;
		with.most_registers = {{"k", 40}, {"other", 50}};
		const auto made = find_pass("checkpoint")->apply(parsed(text), with);
		EXPECT_FALSE(made.refused);
		unsigned limits = 0;
		for (size_t at = made.text.find(".maxnreg 40\n{"); at != made.text.npos;
		     at = made.text.find(".maxnreg 40\n{", at + 1))
			limits++;
		EXPECT_FALSE(parse(made.text, *std::make_unique<module>()));
		return limits;
	};
	EXPECT_EQ(limits_with(""), 2u);
	EXPECT_EQ(limits_with(".maxntid 256"), 2u);
	EXPECT_EQ(limits_with(".maxntid 256 .minnctapersm 4"), 0u);
	EXPECT_EQ(limits_with(".maxnreg 64"), 0u);
}

TEST(Checkpoint, LoopsHaveStopPoints)
{
	std::set<std::string> files;
	for (const auto &e : examples_and_applications())
		files.insert(e.file);
	unsigned with_loops = 0, stopped = 0;
	for (const auto &file : files)
		for (const auto &k : instrumented_file(file, "checkpoint").checkpoints) {
			with_loops += k.loops > 0;
			stopped += k.loops > 0 && !k.points.empty();
			EXPECT_TRUE(!k.points.empty() || k.loops == 0 || k.begins_only || !k.unstopped.empty())
				<< k.kernel;
		}
	EXPECT_GT(with_loops, 50u);
	EXPECT_GE(100 * stopped, 95 * with_loops);
}

// Returns what the pass says of a kernel with these statements.
checkpoint_report report_on(const std::string &statements, const std::string &before = "")
{
	auto out = rewrite(simt::with_header(before +
					     ".entry k(.param .u64 p)\n{\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n"
					     ".reg .pred %p<4>;\n.reg .b128 %w;\n" +
					     statements + "\nret;\n}\n"),
			   {"checkpoint"});
	EXPECT_FALSE(out.refused) << out.refused->describe();
	return out.checkpoints.empty() ? checkpoint_report() : out.checkpoints[0];
}

TEST(Checkpoint, SaysWhatCanNotBeSaved)
{
	auto because = [](const std::string &statement, const char *why, const std::string &before = "") {
		auto r = report_on(statement + "\nL: @%p1 bra L;", before);
		ASSERT_TRUE(r.begins_only) << statement;
		EXPECT_TRUE(says(r.begins_only->what, why)) << statement << ": " << r.begins_only->what;
		EXPECT_TRUE(r.points.empty());
	};
	because("bar.sync 1;", "with a name");
	because("bar.sync 0, 64;", "some threads");
	because("bar.arrive 0, 64;", "some threads");
	because("mbarrier.init.shared.b64 [%r1], 1;", "must not be copied");
	because("wgmma.fence.sync.aligned;", "registers alone");
	because("setmaxnreg.inc.sync.aligned.u32 40;", "from warp to warp");
	because("alloca.u32 %r1, 16, 8;", "local memory");
	because("call f;", "in a function", ".func f()\n{\nbar.sync 0;\nret;\n}\n");
	because("call f;", "only a function",
		".func f()\n{\n.shared .b32 s;\n.reg .b32 %q;\nld.shared.b32 %q, [s];\nret;\n}\n");
	because("call f;", "may wait",
		".func f()\n{\n.reg .b32 %q;\n.reg .b64 %e;\n.reg .pred %p;\nL: ld.volatile.global.b32 %q, [%e];\n"
		"@%p bra L;\nret;\n}\n");
	because("{\nA: @%p2 bra A;\nbar.sync 0;\n}", "scope of its own");
	because("M: bar.sync 0;\nmov.b128 %d1, %w;\n@%p2 bra M;", ".b128");
	EXPECT_FALSE(report_on("bar.sync 0;\ncp.async.wait_all;\nshfl.sync.idx.b32 %r1, %r1, 0, 31, -1;").begins_only);
}

TEST(Checkpoint, SaysWhichLoopsCanNotBeStopped)
{
	auto wide = report_on("L: mov.b128 {%d1, %d2}, %w;\n@%p1 bra L;");
	EXPECT_TRUE(wide.points.empty());
	ASSERT_EQ(wide.unstopped.size(), 1u);
	EXPECT_TRUE(says(wide.unstopped[0].what, "%w"));
	auto inside = report_on("{\nL: @%p1 bra L;\n}");
	ASSERT_EQ(inside.unstopped.size(), 1u);
	EXPECT_TRUE(says(inside.unstopped[0].what, "scope"));
	const std::string lanes = "mov.u32 %r1, %tid.x;\nL: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 99;\n";
	auto apart = report_on(lanes + "@%p1 bra L;\nbar.warp.sync -1;");
	ASSERT_EQ(apart.unstopped.size(), 1u);
	EXPECT_TRUE(says(apart.unstopped[0].what, "apart"));
	EXPECT_TRUE(apart.points.empty());
	// A lane that waits for a memory word would never see it change if the one that changes it has stopped.
	auto waits = report_on(lanes + "ld.volatile.global.u32 %r2, [%d1];\n@%p1 bra L;\nbar.warp.sync -1;");
	ASSERT_TRUE(waits.begins_only);
	EXPECT_TRUE(says(waits.begins_only->what, "may wait"));
}

// Lanes that wait for others which stop in a loop would wait for ever, as those wait for the whole block.
TEST(Checkpoint, ALoopIsNotStoppedWhileOtherLanesMayWaitForThoseInIt)
{
	const std::string loop = "L: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 99;\n@%p1 bra L;\n";
	const std::string few = "mov.u32 %r2, %tid.x;\nsetp.lt.u32 %p2, %r2, 7;\n";
	const std::string waits = "shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;\n";
	auto refused = [](const std::string &statements) {
		auto r = report_on(statements);
		return r.points.empty() && r.unstopped.size() == 1 &&
		       says(r.unstopped[0].what, "others wait for them at line");
	};
	EXPECT_TRUE(refused(few + "@%p2 bra M;\n" + loop + "ret;\nM: " + waits));
	EXPECT_TRUE(refused(few + "@%p2 bra M;\n" + waits + "ret;\nM:\n" + loop));
	EXPECT_TRUE(refused(few + "@%p2 bra M;\n" + waits + "M:\n" + loop));
	// Nobody is at the shuffle any longer, or all lanes of a warp come to it.
	EXPECT_EQ(report_on(few + "@%p2 bra M;\n" + waits + "M: bar.sync 0;\n" + loop).points.size(), 2u);
	EXPECT_EQ(report_on(few + waits + loop).points.size(), 1u);
	EXPECT_EQ(report_on("setp.lt.u32 %p2, %ctaid.x, 7;\n@%p2 bra M;\n" + loop + "ret;\nM: " + waits).points.size(),
		  1u);
	// The barriers on the two ways may be one.
	auto r = report_on(few + "@%p2 bra M;\nbar.sync 0;\n" + loop + "ret;\nM: bar.sync 0;\n" + waits);
	EXPECT_EQ(r.points.size(), 2u);
	EXPECT_EQ(r.unstopped.size(), 1u);
}

TEST(Checkpoint, LanesStopTogetherWhereTheyRunTogether)
{
	auto r = report_on(
		"mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 99;\n@%p1 bra L;\nbar.warp.sync -1;");
	ASSERT_EQ(r.points.size(), 1u);
	EXPECT_TRUE(r.points[0].votes);
	r = report_on("mov.u32 %r1, %tid.x;\nbar.warp.sync -1;\nL: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, "
		      "99;\n@%p1 bra L;");
	ASSERT_EQ(r.points.size(), 1u);
	EXPECT_FALSE(r.points[0].votes);
}

TEST(Checkpoint, ALoopWithABarrierInEachRoundStopsThere)
{
	auto r = report_on("L: bar.sync 0;\n@%p1 bra L;");
	ASSERT_EQ(r.points.size(), 1u);
	EXPECT_TRUE(r.points[0].at_barrier);
	EXPECT_EQ(report_on("L: @%p2 bra.uni M;\nbar.sync 0;\nM: @%p1 bra L;").points.size(), 2u);
}

TEST(Checkpoint, KnowsHowLargeContextsAre)
{
	auto r = report_on("ld.global.u32 %r1, [%d1];\nmov.u32 %r2, %tid.x;\nL: add.u32 %r1, %r1, %r2;\n"
			   "st.global.u32 [%d2], %r1;\nst.shared.u32 [s], %r1;\n@%p1 bra L;\n",
			   ".shared .align 4 .b8 s[10];\n");
	ASSERT_EQ(r.points.size(), 1u);
	EXPECT_EQ(r.points[0].live_bytes, 4u + 4 + 8 + 1);
	EXPECT_EQ(r.points[0].saved_bytes, 4u + 8 + 4);
	EXPECT_EQ(r.size.words, 4u);
	EXPECT_EQ(r.size.shared_bytes, 16u);
	EXPECT_EQ(r.size.context_bytes(64, 5), (32 + 4 * 64 * 5 + 16 + 8 + 127) / 128 * 128u);
}

} // namespace

} // namespace het::ptx
