// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Compares every kernel of the corpora, with its threads made warps and its automatic variables put on stacks, with the
// plain kernel.
#include "rewritten.h"

#include "stage.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <unistd.h>

namespace het::ptx::simt
{

namespace
{

constexpr uint64_t stack_bytes = 16 << 10;
constexpr unsigned most_threads = 32, lanes_of_warp = 32;

// Returns a block with as many threads as a block of warps can have, in the same shape.
extent narrowed(extent block)
{
	while (block.count() > most_threads) {
		uint32_t &widest = block.x >= block.y && block.x >= block.z ? block.x
				   : block.y >= block.z                     ? block.y
									    : block.z;
		widest /= 2;
	}
	return block;
}

using buffers = std::vector<std::vector<uint8_t>>;

// Returns what is in the buffers afterwards, or nothing if the kernel does not run like this.
std::optional<buffers> plain_results(const example &e, const std::string &text)
{
	stage plain(e, text, {});
	plain.with_launch.block = narrowed(e.block);
	return plain.run().error ? std::nullopt : std::optional(plain.buffers);
}

buffers new_results(const example &e, const std::string &text, const options &mode, bool stacks, bool warps)
{
	stage s(e, text, mode);
	extent block = narrowed(e.block);
	std::vector<uint8_t> memory(e.grid.count() * block.count() * stack_bytes);
	if (stacks) {
		s.add_argument(s.dev.share(memory));
		s.add_argument(stack_bytes);
	}
	block.x *= warps ? lanes_of_warp : 1;
	s.with_launch.block = block;
	s.must_run();
	return s.buffers;
}

struct verdict {
	unsigned same = 0;
	std::map<std::string, std::string> refused; // says why, by kernel
};

verdict compare_all(const pass_list &passes, bool stacks, bool warps)
{
	verdict v;
	for (const example &e : all_examples()) {
		auto text = only_kernel(corpus_text(e.file), e.kernel);
		auto plain = plain_results(e, text);
		if (!plain)
			continue;
		auto out = rewrite(text, passes);
		if (out.refused) {
			v.refused[e.kernel] = out.refused->what;
			continue;
		}
		v.same++;
		for (const auto &mode : two_modes()) {
			auto got = new_results(e, out.text, mode, stacks, warps);
			bool same = e.order != example::any_order || got == *plain;
			EXPECT_TRUE(same) << e << ", seed " << mode.seed;
		}
	}
	return v;
}

// All refusals must be about functions of the lanes of a warp.
void expect_warp_functions(const verdict &v)
{
	for (const auto &[kernel, why] : v.refused)
		EXPECT_EQ(why, "warp functions have a meaning inside SIMD regions only") << kernel;
	EXPECT_LE(v.refused.size(), 15u);
	EXPECT_GE(v.same, 80u);
}

TEST(Warps, KernelsGiveTheSame)
{
	expect_warp_functions(compare_all({"uniform-simt"}, false, true));
}

TEST(Stacks, KernelsGiveTheSame)
{
	auto v = compare_all({"soft-stack"}, true, false);
	EXPECT_TRUE(v.refused.empty());
	EXPECT_GE(v.same, 90u);
}

TEST(WarpsWithStacks, KernelsGiveTheSame)
{
	expect_warp_functions(compare_all({"soft-stack", "uniform-simt"}, true, true));
}

// Returns what ptxas says against a text, or "" if it takes it. It need not optimise for that.
std::string ptxas(const std::string &text, const std::string &target)
{
	char path[] = "/tmp/het-ptxas-XXXXXX";
	int fd = mkstemp(path);
	bool written = fd >= 0 && write(fd, text.data(), text.size()) == ssize_t(text.size());
	if (fd >= 0)
		close(fd);
	std::string said = written ? "" : "no temporary file";
	FILE *out = written ? popen(("ptxas -O0 -arch=" + target + " " + path + " -o /dev/null 2>&1").c_str(), "r")
			    : nullptr;
	for (int c; out && (c = fgetc(out)) != EOF;)
		said += char(c);
	if (out)
		pclose(out);
	unlink(path);
	return said;
}

// ptxas must take the texts with all kernels that qualify.
TEST(Texts, AreAcceptedByPtxas)
{
	if (system("command -v ptxas >/dev/null 2>&1") != 0)
		GTEST_SKIP() << "ptxas is not installed";
	std::map<std::string, std::vector<std::string>> unfit;
	for (const example &e : all_examples()) {
		unfit.try_emplace(e.file);
		if (rewrite(only_kernel(corpus_text(e.file), e.kernel), {"uniform-simt"}).refused)
			unfit[e.file].push_back(e.kernel);
	}
	unfit.try_emplace("simd.ptx");
	for (const auto &[file, kernels] : unfit) {
		auto text = corpus_text(file);
		for (const auto &kernel : kernels)
			text = without_kernel(text, kernel);
		bool newest = text.find(".target sm_90") != text.npos;
		for (const auto &passes : {pass_list{"uniform-simt"}, pass_list{"soft-stack", "uniform-simt"}}) {
			auto changed = rewritten(text, passes);
			EXPECT_EQ(ptxas(changed, "sm_90"), "") << file;
			EXPECT_EQ(newest ? "" : ptxas(changed, "sm_75"), "") << file;
		}
	}
}

} // namespace

} // namespace het::ptx::simt
