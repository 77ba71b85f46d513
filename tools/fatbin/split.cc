// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/split.h"

#include "fatbin/child.h"
#include "fatbin/clang.h"
#include "fatbin/conditions.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <unistd.h>

namespace tool::fat
{

namespace
{

// Bitcode is read by the version that wrote it, which is the one that het-analyse is linked with.
constexpr char clang[] = "clang-14", analyser[] = "het-analyse";

// It lies where this program does; or in PATH.
std::string find_analyser()
{
	std::error_code wrong;
	auto beside = std::filesystem::read_symlink("/proc/self/exe", wrong).replace_filename(analyser);
	if (!wrong && access(beside.c_str(), X_OK) == 0)
		return beside;
	if (is_installed(analyser))
		return analyser;
	throw std::runtime_error("het-analyse is not here; it is built where LLVM's library is (llvm-14-dev)");
}

document run_analysis(const std::string &source, const std::string &options)
{
	std::string program = find_analyser();
	if (!is_installed(clang))
		throw std::runtime_error(std::string(clang) + " is not installed");
	work_folder work;
	std::string bitcode = work.file("source.bc"), made = work.file("answers");
	replace_file(bitcode, compile_for_analysis(source, options));
	run({program, bitcode, "-o", made});
	return from_elf(as_bytes(read_file(made)));
}

void take_answers(const document &answers, kernel &to)
{
	auto same = [&](const kernel &other) { return other.name == to.name; };
	auto from = std::find_if(answers.kernels.begin(), answers.kernels.end(), same);
	if (from == answers.kernels.end() || from->arguments.size() != to.arguments.size()) {
		to.split_reason = "not analysed: clang sees no such kernel with these arguments";
		return;
	}
	to.split = from->split;
	to.split_reason = from->split_reason;
	to.dimensions = from->dimensions;
	for (size_t i = 0; i < to.arguments.size(); i++) {
		to.arguments[i].found = from->arguments[i].found;
		to.arguments[i].reach = from->arguments[i].reach;
	}
}

} // namespace

// Helpers are to be inlined: calls are not followed.
std::string compile_for_analysis(const std::string &source, const std::string &options)
{
	return compile_opencl(clang, source, options,
			      {"-target", "spir64-unknown-unknown", "-O2", "-gline-tables-only", "-cl-kernel-arg-info",
			       "-mllvm", "-inline-threshold=1000000", "-emit-llvm", "-c"});
}

void find_splits(const std::string &source, const std::string &options, std::vector<kernel> &kernels)
{
	try {
		std::string asked = depends_on_device(source, options);
		if (!asked.empty())
			throw std::runtime_error(asked);
		document answers = run_analysis(source, options);
		for (kernel &k : kernels)
			take_answers(answers, k);
	} catch (const std::runtime_error &wrong) {
		for (kernel &k : kernels)
			k.split_reason = std::string("not analysed: ") + wrong.what();
	}
}

} // namespace tool::fat
