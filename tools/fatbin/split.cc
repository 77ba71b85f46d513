// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/split.h"

#include "fatbin/child.h"
#include "fatbin/clang.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace tool::fat
{

namespace
{

constexpr char analyser[] = "het-analyse";

// The analyser lies where this program does, or in PATH.
std::string find_analyser()
{
	std::error_code wrong;
	auto beside = std::filesystem::read_symlink("/proc/self/exe", wrong).replace_filename(analyser);
	if (!wrong && ::access(beside.c_str(), X_OK) == 0)
		return beside;
	if (is_installed(analyser))
		return analyser;
	throw std::runtime_error("het-analyse is not here; it is built where LLVM's library is (llvm-14-dev)");
}

document run_analysis(const std::string &source, const std::string &options, const std::string &asked)
{
	std::string program = find_analyser();
	work_folder work;
	std::string bitcode = work.file("source.bc"), made = work.file("answers");
	replace_file(bitcode, compile_for_analysis(source, options, asked));
	run({program, bitcode, "-o", made});
	return from_elf(as_bytes(read_file(made)));
}

// The options make clang answer as the device's compiler does.
std::string options_for(const std::string &asked)
{
	std::string options;
	std::istringstream words(asked);
	for (std::string word; words >> word;) {
		size_t sign = word.find('=');
		if (sign == word.npos)
			options += " -U" + word;
		else if (sign + 1 < word.size())
			options += " -U" + word.substr(0, sign) + " -D" + word;
	}
	return options;
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
	to.apart = from->apart;
	for (size_t i = 0; i < to.arguments.size(); i++) {
		to.arguments[i].found = from->arguments[i].found;
		to.arguments[i].reach = from->arguments[i].reach;
	}
}

} // namespace

// Helpers are to be inlined: calls are not followed.
std::string compile_for_analysis(const std::string &source, const std::string &options, const std::string &asked)
{
	return compile_opencl(analysing_clang, text_of_checks(asked) + "#line 1\n" + source,
			      options + options_for(asked),
			      {"-target", "spir64-unknown-unknown", "-O2", "-gline-tables-only", "-cl-kernel-arg-info",
			       "-mllvm", "-inline-threshold=1000000", "-emit-llvm", "-c"});
}

void find_splits(const opencl &cl, const std::string &source, const std::string &options, std::vector<kernel> &kernels)
{
	try {
		if (!is_installed(analysing_clang))
			throw std::runtime_error(std::string(analysing_clang) + " is not installed");
		std::string asked = cl.answers(find_asked_macros(source, options), options);
		document answers = run_analysis(source, options, asked);
		for (kernel &k : kernels) {
			take_answers(answers, k);
			k.asked = asked;
			k.source = source_identity(source, options);
		}
	} catch (const std::runtime_error &wrong) {
		for (kernel &k : kernels)
			k.split_reason = std::string("not analysed: ") + wrong.what();
	}
}

} // namespace tool::fat
